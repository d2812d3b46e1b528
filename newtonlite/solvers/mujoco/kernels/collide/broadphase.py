"""Broad phase: the candidates whose bounding spheres are near enough."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.enums import DISABLE_CONSTRAINT, DISABLE_CONTACT, PLANE
from newtonlite.solvers.mujoco.kernels.collide.parameters import detection_distance
from newtonlite.solvers.mujoco.kernels.collide.sweep import NOT_HERE, sweep
from newtonlite.solvers.mujoco.kernels.team import sync, team_scan


@wp.func
def is_near(m: Any, d: Any, world: int, k: int) -> bool:
    """Whether the bounding spheres of candidate ``k``, or a plane and a bounding sphere, are within detection distance."""
    pair = m.cand_geom[k]
    apart = d.geom_xpos[world, pair[1]] - d.geom_xpos[world, pair[0]]
    reach = m.geom_rbound[world, pair[0]] + m.geom_rbound[world, pair[1]]
    reach += detection_distance(m, world, m.cand_pairid[k], pair[0], pair[1])
    if m.geom_type[pair[0]] == PLANE:
        plane = d.geom_xmat[world, pair[0]]
        return wp.dot(apart, wp.vec3(plane[0, 2], plane[1, 2], plane[2, 2])) <= reach
    return wp.dot(apart, apart) <= reach * reach


@wp.func
def near_candidates(m: Any, d: Any, world: int, lane: int, nlane: int, count: int) -> int:
    """The first ``count`` candidates, a team at a time, in order."""
    kept = int(0)
    for first in range(0, count, nlane):
        k = first + lane
        near = int(0)
        if k < count:
            near = wp.where(is_near(m, d, world, k), 1, 0)
        slots = team_scan(d.team_i, world, near)
        if near == 1:
            d.cand[world, kept + slots[0]] = k
        kept += slots[1]
    return kept


@wp.func
def broadphase(m: Any, d: Any, world: int, lane: int, nlane: int):
    """Candidates with ``|x2 - x1| <= r1 + r2 + margin + gap``, in order, into ``cand``."""
    count = m.ncandidate
    if (m.opt_disableflags & (DISABLE_CONSTRAINT | DISABLE_CONTACT)) != 0:
        count = 0
    kept = int(NOT_HERE)
    if nlane == 1 and count > 0:
        kept = sweep(
            m.cand_cell, m.cand_of_cell, m.cand_geom, m.cand_pairid, m.geom_type, m.geom_size, m.geom_rbound, m.geom_margin,
            m.geom_gap, m.pair_margin, m.pair_gap, d.geom_xpos, d.geom_xmat, d.cand, world, m.ngeom,
        )  # fmt: skip
    if kept == NOT_HERE:
        kept = near_candidates(m, d, world, lane, nlane, count)
    if lane == 0:
        d.ncand[world] = kept
    sync()
