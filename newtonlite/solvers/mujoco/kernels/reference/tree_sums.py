"""Tree sums: the definitions that ``kernels.primitives.tree_sums`` is tested against."""

from typing import Any

import warp as wp

from newtonlite.core.types import vec10
from newtonlite.solvers.mujoco.kernels.primitives.array_types import INDEX, SPATIAL, VEC3


@wp.func
def add_to_parents(body_parentid: INDEX, x: Any, world: int, lane: int):
    """From the last body to the first, each to its parent unless that is the world."""
    if lane == 0:
        for b in range(body_parentid.shape[0] - 1, 0, -1):
            if body_parentid[b] > 0:
                x[world, body_parentid[b]] = x[world, body_parentid[b]] + x[world, b]


@wp.func
def add_positions_to_parents(
    body_parentid: INDEX, child_adr: INDEX, child_body: INDEX, x: VEC3, world: int, lane: int, nlane: int
):
    """In place, from the leaves up: ``x`` of a body becomes the sum over its subtree; the world's stays."""
    add_to_parents(body_parentid, x, world, lane)


@wp.func
def add_inertias_to_parents(
    body_parentid: INDEX, child_adr: INDEX, child_body: INDEX, x: wp.array2d[vec10], world: int, lane: int, nlane: int
):
    """The same of inertias."""
    add_to_parents(body_parentid, x, world, lane)


@wp.func
def add_forces_to_parents(
    body_parentid: INDEX, child_adr: INDEX, child_body: INDEX, x: SPATIAL, world: int, lane: int, nlane: int
):
    """The same of spatial forces."""
    add_to_parents(body_parentid, x, world, lane)


@wp.func
def add_motions_of_parents(
    body_parentid: INDEX, child_adr: INDEX, child_body: INDEX, x: SPATIAL, world: int, lane: int, nlane: int
):
    """In place, from the roots down: ``x`` of a body becomes the sum over the bodies on the way from the world to it."""
    if lane == 0:
        for b in range(1, body_parentid.shape[0]):
            x[world, b] = x[world, b] + x[world, body_parentid[b]]
