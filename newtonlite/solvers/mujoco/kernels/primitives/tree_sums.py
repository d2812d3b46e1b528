"""Tree sums: what bodies have, added up to the roots of trees or down from them, by a team of more than one lane.

All lanes call together; rows are written before a ``sync`` and read after one.
"""

import warp as wp

from newtonlite.core.native import header
from newtonlite.core.types import vec10
from newtonlite.solvers.mujoco.kernels.primitives.array_types import INDEX, SPATIAL, VEC3

native = header(__file__)


@wp.func_native(native("add_positions_to_parents"))
def add_positions_to_parents(
    body_parentid: INDEX, child_adr: INDEX, child_body: INDEX, x: VEC3, world: int, lane: int, nlane: int
):
    """In place, from the leaves up: ``x`` of a body becomes the sum over its subtree; the world's stays."""
    ...


@wp.func_native(native("add_inertias_to_parents"))
def add_inertias_to_parents(
    body_parentid: INDEX, child_adr: INDEX, child_body: INDEX, x: wp.array2d[vec10], world: int, lane: int, nlane: int
):
    """The same of inertias."""
    ...


@wp.func_native(native("add_forces_to_parents"))
def add_forces_to_parents(
    body_parentid: INDEX, child_adr: INDEX, child_body: INDEX, x: SPATIAL, world: int, lane: int, nlane: int
):
    """The same of spatial forces."""
    ...


@wp.func_native(native("add_motions_of_parents"))
def add_motions_of_parents(
    body_parentid: INDEX, child_adr: INDEX, child_body: INDEX, x: SPATIAL, world: int, lane: int, nlane: int
):
    """In place, from the roots down: ``x`` of a body becomes the sum over the bodies on the way from the world to it."""
    ...
