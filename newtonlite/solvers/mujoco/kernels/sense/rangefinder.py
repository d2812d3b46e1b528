"""Rangefinders: one ray along z of a site, or one through each pixel of a camera."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtObj, MjtRayDataField
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.ray.boxes import place_boxes
from newtonlite.solvers.mujoco.kernels.ray.cast import ALL_GROUPS, cast
from newtonlite.solvers.mujoco.kernels.sense.objects import object_body, object_mat, object_pos
from newtonlite.solvers.mujoco.kernels.sense.write import put, put_vec3


@wp.func
def pixel_offset(m: ModelFields, world: int, c: int, pixel: int) -> wp.vec2:
    """Offset of a pixel's middle: right and up, per unit of distance ahead (orthographic: in half-heights)."""
    width = m.cam_resolution[c][0]
    height = m.cam_resolution[c][1]
    center = wp.vec2(0.5 * float(width), 0.5 * float(height))
    focal = center
    if m.cam_projection[c] == 0:
        size = m.cam_sensorsize[world, c]
        f = center[1] / wp.tan(m.cam_fovy[world, c] * wp.PI / 360.0)
        focal = wp.vec2(f, f)
        if size[0] != 0.0 and size[1] != 0.0:
            k = m.cam_intrinsic[world, c]
            focal = wp.vec2(k[0] * float(width) / size[0], k[1] * float(height) / size[1])
            center = wp.vec2(k[2] * float(width) / size[0], k[3] * float(height) / size[1])
    x = (float(pixel % width) + 0.5 - center[0]) / focal[0]
    y = (float(pixel / width) + 0.5 - center[1]) / focal[1]
    return wp.vec2(x, -y)


@wp.func
def write_ray(
    m: ModelFields,
    d: DataFields,
    world: int,
    s: int,
    at: int,
    dist: float,
    along: wp.vec3,
    origin: wp.vec3,
    normal: wp.vec3,
    depth: float,
):
    """Fields of a ray from number ``at`` of the sensor on; but for the origin, those of a ray that meets nothing are 0
    or -1.
    """
    fields = m.sensor_intprm[s, 0]
    if (fields & (1 << MjtRayDataField.DIST)) != 0:
        put(m, d, world, s, at, dist)
        at += 1
    if (fields & (1 << MjtRayDataField.DIR)) != 0:
        put_vec3(m, d, world, s, at, along)
        at += 3
    if (fields & (1 << MjtRayDataField.ORIGIN)) != 0:
        put_vec3(m, d, world, s, at, origin)
        at += 3
    if (fields & (1 << MjtRayDataField.POINT)) != 0:
        point = wp.vec3(0.0, 0.0, 0.0)
        if dist >= 0.0:
            point = origin + dist * along
        put_vec3(m, d, world, s, at, point)
        at += 3
    if (fields & (1 << MjtRayDataField.NORMAL)) != 0:
        put_vec3(m, d, world, s, at, normal)
        at += 3
    if (fields & (1 << MjtRayDataField.DEPTH)) != 0:
        put(m, d, world, s, at, depth)


@wp.func
def sense_ray(m: ModelFields, d: DataFields, world: int, s: int, ray: int):
    """Ray number ``ray`` of sensor ``s``."""
    kind = m.sensor_objtype[s]
    id = m.sensor_objid[s]
    mat = object_mat(m, d, world, kind, id)
    origin = object_pos(m, d, world, kind, id)
    ahead = wp.vec3(mat[0, 2], mat[1, 2], mat[2, 2])
    along = ahead
    rays = int(1)
    if m.nsensecamera > 0 and kind != MjtObj.SITE:
        rays = m.cam_resolution[id][0] * m.cam_resolution[id][1]
        offset = pixel_offset(m, world, id, ray)
        ahead = -ahead
        along = ahead
        if m.cam_projection[id] == 0:
            along = wp.normalize(mat * wp.vec3(offset[0], offset[1], -1.0))
        else:
            origin += 0.5 * m.cam_fovy[world, id] * (mat * wp.vec3(offset[0], offset[1], 0.0))
    seen = cast(m, d, world, origin, along, object_body(m, kind, id), ALL_GROUPS, 1)
    depth = seen.dist
    if seen.geom >= 0:
        depth = seen.dist * wp.dot(along, ahead)
    else:
        along = wp.vec3(0.0, 0.0, 0.0)
    at = ray * (m.sensor_dim[s] / rays)
    write_ray(m, d, world, s, at, seen.dist, along, origin, seen.normal, depth)


@wp.func
def rangefinders(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """All rays of all rangefinders."""
    if m.nsenseray > 0 and (m.opt_disableflags & MjtDisableBit.SENSOR) == 0:
        place_boxes(m, d, world, lane, nlane)
        for i in range(lane, m.nsenseray, nlane):
            sense_ray(m, d, world, m.sense_ray[i][0], m.sense_ray[i][1])
    sync()
