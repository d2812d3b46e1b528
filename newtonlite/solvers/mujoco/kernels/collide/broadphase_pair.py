"""Broad-phase pairs: the distance test, and how later stages read a pair."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.enums import PLANE
from newtonlite.solvers.mujoco.kernels.collide.parameters import detection_distance


@wp.func
def gap_between(m: Any, d: Any, world: int, g1: int, g2: int, pairid: int) -> float:
    """Distance of two bounding spheres, or of a plane and a bounding sphere, less the detection distance [m]."""
    apart = d.geom_xpos[world, g2] - d.geom_xpos[world, g1]
    reach = m.geom_rbound[world, g1] + m.geom_rbound[world, g2] + detection_distance(m, world, pairid, g1, g2)
    if m.geom_type[g1] == PLANE:
        plane = d.geom_xmat[world, g1]
        return wp.dot(apart, wp.vec3(plane[0, 2], plane[1, 2], plane[2, 2])) - reach
    return wp.length(apart) - reach


@wp.func
def bp_pair_geoms(m: Any, d: Any, world: int, i: int) -> wp.vec2i:
    """Geoms of near pair ``i``, the lower type first."""
    if m.nsap > 0:
        return d.bp_geom[world, i]
    return m.cand_geom[d.near[world, i]]


@wp.func
def bp_pair_id(m: Any, d: Any, world: int, i: int) -> int:
    """Explicit pair that near pair ``i`` is, or -1."""
    if m.nsap > 0:
        return d.bp_pairid[world, i]
    return m.cand_pairid[d.near[world, i]]
