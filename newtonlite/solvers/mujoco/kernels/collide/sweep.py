"""Sweeps of geoms (flag ``speculative``): how far a geom moves within a step, and pairs that are fast for their size.

MuJoCo documentation, Computation: Speculative contacts. Motion goes by ``qvel`` before the step.
"""

import warp as wp

from newtonlite.core.constants import MAXVAL, MINVAL
from newtonlite.core.mujoco import MjtGeom
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.geom_box import half_lengths
from newtonlite.solvers.mujoco.kernels.primitives.point import lever, linear_at
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def geom_motion(m: ModelFields, d: DataFields, world: int, g: int) -> wp.spatial_vector:
    """Turn [rad] and way [m] of a geom and its centre in a step, ``h J qvel``; the turn of a sphere does not count."""
    b = m.geom_bodyid[g]
    v = wp.spatial_vector()
    for k in range(m.chain_adr[b], m.chain_adr[b + 1]):
        i = m.chain_dof[k]
        v += d.qvel[world, i] * d.cdof[world, i]
    h = m.opt_timestep[world]
    turn = h * wp.spatial_top(v)
    way = h * linear_at(v, lever(m, d, world, b, d.geom_xpos[world, g]))
    if m.geom_type[g] == MjtGeom.SPHERE:
        turn = wp.vec3(0.0, 0.0, 0.0)
    return wp.spatial_vector(turn, way)


@wp.func
def sweep_geoms(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``geom_sweep``: motion of the geoms in this step, as it were without contacts."""
    if m.nspeculative > 0:
        for k in range(lane, d.nposedgeom, nlane):
            g = m.geom_order[k]
            d.geom_sweep[world, g] = geom_motion(m, d, world, g)
        sync()


@wp.func
def sweep_length(m: ModelFields, d: DataFields, world: int, g: int) -> float:
    """Most that a point of a geom moves in this step [m]: ``|way| + |turn| rbound``."""
    motion = d.geom_sweep[world, g]
    return wp.length(wp.spatial_bottom(motion)) + wp.length(wp.spatial_top(motion)) * m.geom_rbound[world, g]


@wp.func
def thinness(m: ModelFields, world: int, g: int) -> float:
    """Least half-length of a geom's bounding box [m]; of a plane, and of what is not swept, more than any sweep."""
    kind = m.geom_type[g]
    least = float(wp.static(MAXVAL))
    if kind > MjtGeom.HFIELD and kind < MjtGeom.SDF:
        half = half_lengths(m, world, g)
        least = wp.min(half[0], wp.min(half[1], half[2]))
    return wp.where(least < 0.0, wp.static(MAXVAL), least)


@wp.func
def is_fast(m: ModelFields, d: DataFields, world: int, g1: int, g2: int) -> bool:
    """Whether one of two geoms moves farther in this step than the thinner of them is thick; MuJoCo sweeps no height
    fields and no distance fields.
    """
    if m.geom_type[g1] == MjtGeom.HFIELD or m.geom_type[g2] >= MjtGeom.SDF:
        return False
    thin = wp.min(thinness(m, world, g1), thinness(m, world, g2))
    return wp.max(sweep_length(m, d, world, g1), sweep_length(m, d, world, g2)) > thin


@wp.func
def swept_distance(m: ModelFields, d: DataFields, world: int, g1: int, g2: int) -> float:
    """Least distance within this step of two geoms' centres, or of a centre from a plane [m]."""
    apart = d.geom_xpos[world, g2] - d.geom_xpos[world, g1]
    way = wp.spatial_bottom(d.geom_sweep[world, g2]) - wp.spatial_bottom(d.geom_sweep[world, g1])
    if m.geom_type[g1] == MjtGeom.PLANE:
        plane = d.geom_xmat[world, g1]
        up = wp.vec3(plane[0, 2], plane[1, 2], plane[2, 2])
        return wp.dot(apart, up) + wp.min(wp.dot(way, up), 0.0)
    # |p + t v| is least at t = -p'v / v'v, where that is within the step
    speed = wp.dot(way, way)
    t = float(0.0)
    if speed > wp.static(MINVAL):
        t = wp.clamp(-wp.dot(apart, way) / speed, 0.0, 1.0)
    return wp.length(apart + t * way)
