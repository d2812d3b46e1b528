"""Tactile sensors: penetration and sliding velocity at the vertices of a mesh."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtGeom
from newtonlite.geometry.contact.field.descent import shape_field
from newtonlite.geometry.contact.field.octree import octree_field
from newtonlite.geometry.primitive_distance import signed_box, signed_capsule, signed_cylinder, signed_ellipsoid
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.distance_field import double3, field_shape, octree_of
from newtonlite.solvers.mujoco.kernels.primitives.point import point_velocity
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.sense.write import put


@wp.func
def signed_distance(m: ModelFields, d: DataFields, world: int, g: int, point: wp.vec3) -> float:
    """Distance of a point from a geom, negative inside; 0 for shapes that sensors do not feel: meshes without an octree,
    and height fields.
    """
    p = wp.transpose(d.geom_xmat[world, g]) * (point - d.geom_xpos[world, g])
    size = m.geom_size[world, g]
    kind = m.geom_type[g]
    if kind == MjtGeom.PLANE:
        return p[2]
    if kind == MjtGeom.SPHERE:
        return wp.length(p) - size[0]
    if kind == MjtGeom.CAPSULE:
        return signed_capsule(p, size[0], size[1])
    if kind == MjtGeom.CYLINDER:
        return signed_cylinder(p, size[0], size[1])
    if kind == MjtGeom.BOX:
        return signed_box(p, size)
    if kind == MjtGeom.ELLIPSOID:
        return signed_ellipsoid(p, size)
    if m.nfieldseed > 0 and kind == MjtGeom.SDF:
        return float(shape_field(octree_of(m), field_shape(m, world, g), double3(p)))
    if m.noct > 0 and kind == MjtGeom.MESH:
        if m.geom_octroot[g] >= 0:
            return float(octree_field(octree_of(m), m.geom_octroot[g], double3(p)))
    return 0.0


@wp.func
def touched_geoms(m: ModelFields, d: DataFields, world: int, c: int, own: int, weld: int) -> int:
    """The geom that contact ``c`` presses against what is welded to the sensor's body; -1: none, the sensor's own, or
    met before.
    """
    geoms = d.contact_geom[world, c]
    g = int(-1)
    if m.nflexgroup > 0 and geoms[1] < 0:
        return -1
    if m.geom_weldid[geoms[0]] == weld:
        g = geoms[1]
    elif m.geom_weldid[geoms[1]] == weld:
        g = geoms[0]
    if g == own:
        return -1
    for k in range(c):
        before = d.contact_geom[world, k]
        if g >= 0 and before[1] >= 0:
            if (before[0] == g and m.geom_weldid[before[1]] == weld) or (
                before[1] == g and m.geom_weldid[before[0]] == weld
            ):
                g = -1
    return g


@wp.func
def taxel_force(m: ModelFields, d: DataFields, world: int, t: int):
    """Depth at taxel ``t``, and its speeds along two tangents summed over what it is in."""
    place = m.taxel[t]
    s = place[0]
    count = place[2]
    own = m.sensor_refid[s]
    weld = m.geom_weldid[own]
    turn = d.geom_xmat[world, own]
    point = turn * m.taxel_pos[world, t] + d.geom_xpos[world, own]
    deepest = float(0.0)
    slide = wp.vec2(0.0, 0.0)
    for c in range(d.ncon[world]):
        g = touched_geoms(m, d, world, c, own, weld)
        if g >= 0:
            depth = -signed_distance(m, d, world, g, point)
            if depth > 0.0:
                deepest = wp.max(deepest, depth)
                past = point_velocity(m, d, world, weld, point) - point_velocity(m, d, world, m.geom_bodyid[g], point)
                past = wp.transpose(turn) * past
                slide += wp.vec2(
                    wp.abs(wp.dot(past, m.taxel_tangent[world, t, 0])),
                    wp.abs(wp.dot(past, m.taxel_tangent[world, t, 1])),
                )
    put(m, d, world, s, place[1], deepest)
    if m.sensor_dim[s] >= 3 * count:
        put(m, d, world, s, count + place[1], slide[0])
        put(m, d, world, s, 2 * count + place[1], slide[1])


@wp.func
def tactile_sensors(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """All taxels of all tactile sensors."""
    if m.ntaxel > 0 and (m.opt_disableflags & MjtDisableBit.SENSOR) == 0:
        for t in range(lane, m.ntaxel, nlane):
            taxel_force(m, d, world, t)
    sync()
