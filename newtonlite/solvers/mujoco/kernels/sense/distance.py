"""Sensors of the distance between two geoms, or between the geoms of two bodies: the colliders, asked out of turn."""

from typing import Any

import warp as wp

from newtonlite.geometry.contact.capsule_box import capsule_box
from newtonlite.geometry.contact.hits import MAX_HITS, Hits, load_point, z_axis
from newtonlite.geometry.contact.sphere import sphere_box
from newtonlite.solvers.mujoco.enums import (
    BOX,
    CAPSULE,
    CYLINDER,
    DISABLE_SENSOR,
    MESH,
    PLANE,
    SENS_GEOMDIST,
    SENS_GEOMNORMAL,
    SPHERE,
)
from newtonlite.solvers.mujoco.kernels.collide.convex import collide_convex
from newtonlite.solvers.mujoco.kernels.collide.narrowphase import plane_pair, round_pair
from newtonlite.solvers.mujoco.kernels.collide.workspace import CCD_LANES
from newtonlite.solvers.mujoco.kernels.sense.write import put, put_vec3
from newtonlite.solvers.mujoco.kernels.team import sync


@wp.struct
class Gap:
    """The nearest points found so far: distance, middle, unit vector from the first surface to the second."""

    dist: float
    pos: wp.vec3
    normal: wp.vec3


@wp.func
def round_box(m: Any, d: Any, hits: Hits, world: int, g1: int, g2: int, type1: int, cutoff: float) -> int:
    """A sphere or capsule and a box."""
    x1 = d.geom_xpos[world, g1]
    s1 = m.geom_size[world, g1]
    x2 = d.geom_xpos[world, g2]
    mat2 = d.geom_xmat[world, g2]
    s2 = m.geom_size[world, g2]
    if type1 == SPHERE:
        return sphere_box(hits, x1, s1[0], x2, mat2, s2, cutoff)
    return capsule_box(hits, x1, z_axis(d.geom_xmat[world, g1]), s1[0], s1[1], x2, mat2, s2, cutoff)


@wp.func
def hits_of(m: Any, d: Any, hits: Hits, world: int, lane: int, g1: int, g2: int, cutoff: float) -> int:
    """Leave the hits of two geoms, the lower type first, that are nearer than ``cutoff``."""
    type1 = m.geom_type[g1]
    type2 = m.geom_type[g2]
    if type1 == PLANE and type2 != MESH:
        return plane_pair(m, d, hits, world, g1, g2, type2, cutoff)
    round1 = type1 == SPHERE or type1 == CAPSULE
    if round1 and type2 == BOX:
        return round_box(m, d, hits, world, g1, g2, type1, cutoff)
    if round1 and (type2 == SPHERE or type2 == CAPSULE or (type1 == SPHERE and type2 == CYLINDER)):
        return round_pair(m, d, hits, world, g1, g2, type1, type2, cutoff)
    return collide_convex(m, d, hits, world, lane, g1, g2, cutoff, 0.0)


@wp.func
def narrow(m: Any, d: Any, hits: Hits, world: int, lane: int, pair: wp.vec3i, cutoff: float, gap: Gap) -> Gap:
    """The nearest points, those of one more pair considered: (geom, geom, -1 where the sensor has them the other way round)."""
    found = hits_of(m, d, hits, world, lane, pair[0], pair[1], cutoff)
    for i in range(found):
        row = hits.first + i
        dist = hits.dist[world, row]
        if dist < gap.dist:
            gap.dist = dist
            gap.pos = load_point(hits.pos, world, row)
            gap.normal = float(pair[2]) * load_point(hits.normal, world, row)
    return gap


@wp.func
def put_gap(m: Any, d: Any, world: int, s: int, gap: Gap):
    """Distance, direction or ends of the segment from the first surface to the second; zeros where nothing is near."""
    if m.sensor_type[s] == SENS_GEOMDIST:
        put(m, d, world, s, 0, gap.dist)
        return
    half = 0.5 * gap.dist * gap.normal
    if m.sensor_type[s] == SENS_GEOMNORMAL:
        sign = wp.where(gap.dist < 0.0, -1.0, 1.0)
        put_vec3(m, d, world, s, 0, wp.where(gap.dist == 0.0, 0.0, sign) * gap.normal)
        return
    put_vec3(m, d, world, s, 0, gap.pos - half)
    put_vec3(m, d, world, s, 3, gap.pos + half)


@wp.func
def sense_distance(m: Any, d: Any, hits: Hits, world: int, lane: int, i: int):
    """One sensor."""
    s = m.sense_distance[i]
    gap = Gap()
    gap.dist = m.sensor_cutoff[world, s]
    for k in range(m.distance_adr[i], m.distance_adr[i + 1]):
        gap = narrow(m, d, hits, world, lane, m.distance_pair[k], m.sensor_cutoff[world, s], gap)
    put_gap(m, d, world, s, gap)


@wp.func
def distance_sensors(m: Any, d: Any, world: int, lane: int, nlane: int):
    """Sensors of distances, a few lanes at a time: each lane that collides convex shapes has its own scratch."""
    if m.nsensedistance > 0 and (m.opt_disableflags & DISABLE_SENSOR) == 0:
        hits = Hits()
        hits.dist = d.hit_dist
        hits.pos = d.hit_pos
        hits.normal = d.hit_normal
        hits.tangent = d.hit_tangent
        hits.world = world
        hits.first = lane * MAX_HITS
        workers = wp.min(nlane, CCD_LANES)
        if lane < workers:
            for i in range(lane, m.nsensedistance, workers):
                sense_distance(m, d, hits, world, lane, i)
    sync()
