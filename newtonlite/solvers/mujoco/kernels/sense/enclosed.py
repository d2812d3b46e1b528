"""Enclosed sensors (``insidesite`` with a geom): directed Hausdorff distance of shapes from a site's volume, negative
inside.

The signed distance of a convex zone is a convex function, whose maximum over a convex shape is at one of its extreme
points: corners are tried one by one, balls count with their centre and radius, and rims and ellipsoids are climbed from
26 directions, every step to the point farthest along the gradient, which never leads down.  MuJoCo's own search may
stop at a lower value.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtGeom
from newtonlite.geometry.signed_distance.primitive import (
    box_field,
    capsule_field,
    cylinder_field,
    ellipsoid_field,
    sphere_field,
)
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.sense.write import put

FAR = wp.constant(1.0e10)
STEPS = 24


@wp.struct
class SiteVolume:
    """A zone, and a shape posed in its frame."""

    kind: int
    size: wp.vec3
    pos: wp.vec3
    turn: wp.mat33


@wp.func
def distance_outside(z: SiteVolume, local: wp.vec3) -> wp.vec4:
    """Gradient, in the frame of the shape, and signed distance from the zone at a point in the frame of the shape."""
    p = z.pos + z.turn * local
    f = box_field(p, z.size)
    if z.kind == MjtGeom.SPHERE:
        f = sphere_field(p, z.size[0])
    elif z.kind == MjtGeom.CAPSULE:
        f = capsule_field(p, z.size[0], z.size[1])
    elif z.kind == MjtGeom.CYLINDER:
        f = cylinder_field(p, z.size[0], z.size[1])
    elif z.kind == MjtGeom.ELLIPSOID:
        f = ellipsoid_field(p, z.size)
    g = wp.transpose(z.turn) * wp.vec3(f[0], f[1], f[2])
    return wp.vec4(g[0], g[1], g[2], f[3])


@wp.func
def farthest(kind: int, size: wp.vec3, toward: wp.vec3) -> wp.vec3:
    """The point of an ellipsoid or a cylinder that lies farthest in a direction."""
    if kind == MjtGeom.ELLIPSOID:
        scaled = wp.cw_mul(size, toward)
        return wp.cw_mul(size, scaled) / wp.max(wp.length(scaled), 1.0e-12)
    across = wp.sqrt(toward[0] * toward[0] + toward[1] * toward[1])
    share = size[0] / wp.max(across, 1.0e-12)
    return wp.vec3(share * toward[0], share * toward[1], wp.where(toward[2] < 0.0, -size[1], size[1]))


@wp.func
def hill_climb(z: SiteVolume, kind: int, size: wp.vec3) -> float:
    """The greatest distance over an ellipsoid or a cylinder."""
    most = float(-FAR)
    for k in range(27):
        toward = wp.vec3(float(k % 3 - 1), float(k / 3 % 3 - 1), float(k / 9 - 1))
        if k != 13:
            for _step in range(STEPS):
                f = distance_outside(z, farthest(kind, size, toward))
                most = wp.max(most, f[3])
                toward = wp.vec3(f[0], f[1], f[2])
    return most


@wp.func
def corner(size: wp.vec3, k: int) -> wp.vec3:
    """Corner ``k`` of a box."""
    return wp.vec3(
        wp.where((k & 1) != 0, size[0], -size[0]),
        wp.where((k & 2) != 0, size[1], -size[1]),
        wp.where((k & 4) != 0, size[2], -size[2]),
    )


@wp.func
def directed_hausdorff(m: ModelFields, z: SiteVolume, part: int, kind: int, size: wp.vec3) -> float:
    """Directed Hausdorff distance of a shape from the volume of a site: the greatest distance of its points from it."""
    if kind == MjtGeom.ELLIPSOID or kind == MjtGeom.CYLINDER:
        return hill_climb(z, kind, size)
    if kind == MjtGeom.SPHERE:
        return distance_outside(z, wp.vec3(0.0, 0.0, 0.0))[3] + size[0]
    if kind == MjtGeom.CAPSULE:
        end = wp.vec3(0.0, 0.0, size[1])
        return wp.max(distance_outside(z, end)[3], distance_outside(z, -end)[3]) + size[0]
    most = float(-FAR)
    if kind == MjtGeom.MESH:
        for k in range(m.enclosed_pointadr[part], m.enclosed_pointadr[part + 1]):
            most = wp.max(most, distance_outside(z, m.enclosed_point[k])[3])
    elif kind == MjtGeom.BOX:
        for k in range(8):
            most = wp.max(most, distance_outside(z, corner(size, k))[3])
    return most


@wp.func
def part_distance(m: ModelFields, d: DataFields, world: int, site: int, part: int) -> float:
    """Directed Hausdorff distance of a geom, or of the shape of a site, from the volume of a site."""
    z = SiteVolume()
    z.kind = m.site_type[site]
    z.size = m.site_size[world, site]
    id = m.enclosed_part[part][1]
    kind = int(0)
    size = wp.vec3(0.0, 0.0, 0.0)
    turn = wp.transpose(d.site_xmat[world, site])
    if m.enclosed_part[part][0] != 0:
        kind = m.site_type[id]
        size = m.site_size[world, id]
        z.pos = turn * (d.site_xpos[world, id] - d.site_xpos[world, site])
        z.turn = turn * d.site_xmat[world, id]
    else:
        kind = m.geom_type[id]
        size = m.geom_size[world, id]
        z.pos = turn * (d.geom_xpos[world, id] - d.site_xpos[world, site])
        z.turn = turn * d.geom_xmat[world, id]
    return directed_hausdorff(m, z, part, kind, size)


@wp.func
def enclosed_sensors(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Sensors of bodies that are to be inside a site as a whole: the greatest distance of a part from its volume."""
    if m.nsenseenclosed > 0 and (m.opt_disableflags & MjtDisableBit.SENSOR) == 0:
        for i in range(lane, m.nsenseenclosed, nlane):
            s = m.sense_enclosed[i]
            most = float(-FAR)
            for part in range(m.enclosed_adr[i], m.enclosed_adr[i + 1]):
                most = wp.max(most, part_distance(m, d, world, m.sensor_refid[s], part))
            put(m, d, world, s, 0, most)
        sync()
