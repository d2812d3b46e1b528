"""Distance sensors between two geoms, or between the geoms of two bodies."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtSensor
from newtonlite.geometry.contact.colliders import MEASURED, has_pair, measure_geoms, pair_bits
from newtonlite.geometry.contact.hits import Hits, load_point, store
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.convex import collide_convex
from newtonlite.solvers.mujoco.kernels.collide.workspace import CCD_LANES, hits_of_lane
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.sense.write import put, put_vec3

MEASURED_PAIRS = pair_bits(MEASURED)


@wp.struct
class Gap:
    """The nearest points found so far: distance, middle, unit vector from the first surface to the second."""

    dist: float
    pos: wp.vec3
    normal: wp.vec3


@wp.func
def is_analytic(m: ModelFields, pair: wp.vec3i) -> bool:
    """Whether the collider of two geoms, the lower type first, gives their nearest points; others are convex shapes."""
    return has_pair(MEASURED_PAIRS, m.geom_type[pair[0]], m.geom_type[pair[1]])


@wp.func
def analytic_hits(m: ModelFields, d: DataFields, hits: Hits, world: int, g1: int, g2: int, cutoff: float) -> int:
    """Leave the hits of two geoms with a collider of their own that are nearer than ``cutoff``."""
    return measure_geoms(
        m,
        hits,
        m.geom_type[g1],
        d.geom_xpos[world, g1],
        d.geom_xmat[world, g1],
        m.geom_size[world, g1],
        m.geom_type[g2],
        d.geom_xpos[world, g2],
        d.geom_xmat[world, g2],
        m.geom_size[world, g2],
        cutoff,
    )


@wp.func
def nearest_hit(hits: Hits, world: int, found: int, sign: float, gap: Gap) -> Gap:
    """The nearest points, those of ``found`` hits considered."""
    for i in range(found):
        row = hits.first + i
        dist = hits.dist[world, row]
        if dist < gap.dist:
            gap.dist = dist
            gap.pos = load_point(hits.pos, world, row)
            gap.normal = sign * load_point(hits.normal, world, row)
    return gap


@wp.func
def put_gap(m: ModelFields, d: DataFields, world: int, s: int, gap: Gap):
    """Distance, direction or ends of the segment from the first surface to the second; zeros where nothing is near."""
    if m.sensor_type[s] == MjtSensor.GEOMDIST:
        put(m, d, world, s, 0, gap.dist)
        return
    half = 0.5 * gap.dist * gap.normal
    if m.sensor_type[s] == MjtSensor.GEOMNORMAL:
        sign = wp.where(gap.dist < 0.0, -1.0, 1.0)
        put_vec3(m, d, world, s, 0, wp.where(gap.dist == 0.0, 0.0, sign) * gap.normal)
        return
    put_vec3(m, d, world, s, 0, gap.pos - half)
    put_vec3(m, d, world, s, 3, gap.pos + half)


@wp.func
def analytic_distance_sensors(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Nearest points of each sensor among the pairs with a collider of their own."""
    if m.nsensedistance > 0 and (m.opt_disableflags & MjtDisableBit.SENSOR) == 0:
        hits = hits_of_lane(d, world, lane)
        for i in range(lane, m.nsensedistance, nlane):
            gap = Gap()
            gap.dist = m.sensor_cutoff[world, m.sense_distance[i]]
            for k in range(m.distance_adr[i], m.distance_adr[i + 1]):
                pair = m.distance_pair[k]
                if is_analytic(m, pair):
                    found = analytic_hits(
                        m, d, hits, world, pair[0], pair[1], m.sensor_cutoff[world, m.sense_distance[i]]
                    )
                    gap = nearest_hit(hits, world, found, float(pair[2]), gap)
            d.analytic_dist[world, i] = gap.dist
            store(d.analytic_pos, world, i, gap.pos)
            store(d.analytic_normal, world, i, gap.normal)
    sync()


@wp.func
def convex_distance(m: ModelFields, d: DataFields, hits: Hits, world: int, lane: int, i: int):
    """One sensor: convex pairs after those with a collider of their own."""
    s = m.sense_distance[i]
    gap = Gap()
    gap.dist = d.analytic_dist[world, i]
    gap.pos = load_point(d.analytic_pos, world, i)
    gap.normal = load_point(d.analytic_normal, world, i)
    for k in range(m.distance_adr[i], m.distance_adr[i + 1]):
        pair = m.distance_pair[k]
        if not is_analytic(m, pair):
            found = collide_convex(m, d, hits, world, lane, pair[0], pair[1], m.sensor_cutoff[world, s], 0.0, -1)
            gap = nearest_hit(hits, world, found, float(pair[2]), gap)
    put_gap(m, d, world, s, gap)


@wp.func
def convex_distance_sensors(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Sensors of distances, a few lanes at a time: each lane that collides convex shapes has its own scratch."""
    if m.nsensedistance > 0 and (m.opt_disableflags & MjtDisableBit.SENSOR) == 0:
        hits = hits_of_lane(d, world, lane)
        workers = wp.min(nlane, CCD_LANES)
        if lane < workers:
            for i in range(lane, m.nsensedistance, workers):
                convex_distance(m, d, hits, world, lane, i)
    sync()
