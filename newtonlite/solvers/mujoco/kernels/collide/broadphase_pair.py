"""Broad-phase pairs: the distance test, and how later stages read a pair."""

import warp as wp

from newtonlite.core.constants import MAXVAL
from newtonlite.core.mujoco import MjtGeom
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.geom_box import half_lengths
from newtonlite.solvers.mujoco.kernels.collide.parameters import detection_distance
from newtonlite.solvers.mujoco.kernels.collide.sweep import is_fast, swept_distance

SLACK = 1.0e-5
"""Rounding of the distance of two boxes, relative to the distance at which their bounding spheres meet."""


@wp.func
def box_centre(m: ModelFields, d: DataFields, world: int, g: int) -> wp.vec3:
    """Centre of a geom's bounding box, from the geom's origin, in the world's axes."""
    return d.geom_xmat[world, g] * m.hull_box[world, g, 0]


@wp.func
def box_reach(r: wp.mat33, half: wp.vec3, axis: wp.vec3) -> float:
    """Extent from its centre, along a unit vector, of a box whose axes are the columns of ``r``."""
    along = wp.transpose(r) * axis
    return wp.abs(along[0]) * half[0] + wp.abs(along[1]) * half[1] + wp.abs(along[2]) * half[2]


@wp.func
def boxes_apart(m: ModelFields, d: DataFields, world: int, g1: int, g2: int, cutoff: float) -> bool:
    """Whether a plane, or a face of a geom's bounding box, keeps two geoms farther apart than ``cutoff``; never of a fast
    pair.
    """
    if m.nconvexpair == 0 and m.nboxpair == 0:
        return False
    if m.geom_type[g1] == MjtGeom.HFIELD:
        return False
    if m.nspeculative > 0:
        if is_fast(m, d, world, g1, g2):
            return False
    r1 = d.geom_xmat[world, g1]
    r2 = d.geom_xmat[world, g2]
    half2 = half_lengths(m, world, g2)
    apart = d.geom_xpos[world, g2] - d.geom_xpos[world, g1] + box_centre(m, d, world, g2)
    most = cutoff + SLACK * (m.geom_rbound[world, g1] + m.geom_rbound[world, g2] + cutoff)
    if m.geom_type[g1] == MjtGeom.PLANE:
        up = wp.vec3(r1[0, 2], r1[1, 2], r1[2, 2])
        return wp.dot(apart, up) - box_reach(r2, half2, up) > most
    apart -= box_centre(m, d, world, g1)
    half1 = half_lengths(m, world, g1)
    gap = -wp.static(MAXVAL)  # negative where boxes overlap, as the cutoff may be
    for i in range(6):
        r = r1
        if i > 2:
            r = r2
        k = i % 3
        axis = wp.vec3(r[0, k], r[1, k], r[2, k])
        gap = wp.max(gap, wp.abs(wp.dot(apart, axis)) - box_reach(r1, half1, axis) - box_reach(r2, half2, axis))
    return gap > most


@wp.func
def is_near(m: ModelFields, d: DataFields, world: int, g1: int, g2: int, pairid: int) -> bool:
    """Whether two geoms, the lower type first, may be within their detection distance."""
    if gap_between(m, d, world, g1, g2, pairid) > 0.0:
        return False
    return not boxes_apart(m, d, world, g1, g2, detection_distance(m, world, pairid, g1, g2))


@wp.func
def gap_between(m: ModelFields, d: DataFields, world: int, g1: int, g2: int, pairid: int) -> float:
    """Distance of two bounding spheres, or of a plane and a bounding sphere, less the detection distance [m]; of a fast pair the
    least within the step.
    """
    apart = d.geom_xpos[world, g2] - d.geom_xpos[world, g1]
    reach = m.geom_rbound[world, g1] + m.geom_rbound[world, g2] + detection_distance(m, world, pairid, g1, g2)
    if m.nspeculative > 0:
        if is_fast(m, d, world, g1, g2):
            return swept_distance(m, d, world, g1, g2) - reach
    if m.geom_type[g1] == MjtGeom.PLANE:
        plane = d.geom_xmat[world, g1]
        return wp.dot(apart, wp.vec3(plane[0, 2], plane[1, 2], plane[2, 2])) - reach
    return wp.length(apart) - reach


@wp.func
def bp_pair_geoms(m: ModelFields, d: DataFields, world: int, i: int) -> wp.vec2i:
    """Geoms of near pair ``i``, the lower type first."""
    if m.nsap > 0:
        return d.bp_geom[world, i]
    return m.cand_geom[d.near[world, i]]


@wp.func
def bp_pair_id(m: ModelFields, d: DataFields, world: int, i: int) -> int:
    """Explicit pair that near pair ``i`` is, or -1."""
    if m.nsap > 0:
        return d.bp_pairid[world, i]
    return m.cand_pairid[d.near[world, i]]
