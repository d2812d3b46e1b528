"""Object frames of sensors: bodies (inertial frame), xbodies, geoms, sites, cameras."""

import warp as wp

from newtonlite.core.mujoco import MjtObj
from newtonlite.math.quaternion import quat_mul
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.point import lever, linear_at


@wp.func
def object_body(m: ModelFields, kind: int, id: int) -> int:
    """The body an object belongs to."""
    b = id
    if kind == MjtObj.GEOM:
        b = m.geom_bodyid[id]
    elif kind == MjtObj.SITE:
        b = m.site_bodyid[id]
    elif m.nsensecamera > 0 and kind == MjtObj.CAMERA:
        b = m.cam_bodyid[id]
    return b


@wp.func
def object_pos(m: ModelFields, d: DataFields, world: int, kind: int, id: int) -> wp.vec3:
    """Position [m] of an object."""
    pos = wp.vec3(0.0, 0.0, 0.0)
    if kind == MjtObj.XBODY:
        pos = d.xpos[world, id]
    elif kind == MjtObj.BODY:
        pos = d.xipos[world, id]
    elif kind == MjtObj.GEOM:
        pos = d.geom_xpos[world, id]
    elif kind == MjtObj.SITE:
        pos = d.site_xpos[world, id]
    elif m.nsensecamera > 0 and kind == MjtObj.CAMERA:
        pos = d.cam_xpos[world, id]
    return pos


@wp.func
def object_mat(m: ModelFields, d: DataFields, world: int, kind: int, id: int) -> wp.mat33:
    """Orientation of an object."""
    mat = d.xmat[world, 0]
    if kind == MjtObj.XBODY:
        mat = d.xmat[world, id]
    elif kind == MjtObj.BODY:
        mat = d.ximat[world, id]
    elif kind == MjtObj.GEOM:
        mat = d.geom_xmat[world, id]
    elif kind == MjtObj.SITE:
        mat = d.site_xmat[world, id]
    elif m.nsensecamera > 0 and kind == MjtObj.CAMERA:
        mat = d.cam_xmat[world, id]
    return mat


@wp.func
def object_quat(m: ModelFields, d: DataFields, world: int, kind: int, id: int) -> wp.quat:
    """The same as a quaternion; that of a camera is fixed to its body, however it tracks."""
    local = wp.quat(1.0, 0.0, 0.0, 0.0)
    if kind == MjtObj.BODY:
        local = m.body_iquat[world, id]
    elif kind == MjtObj.GEOM:
        local = m.geom_quat[world, id]
    elif kind == MjtObj.SITE:
        local = m.site_quat[world, id]
    elif m.nsensecamera > 0 and kind == MjtObj.CAMERA:
        local = m.cam_quat[world, id]
    return quat_mul(d.xquat[world, object_body(m, kind, id)], local)


@wp.func
def object_velocity(m: ModelFields, d: DataFields, world: int, kind: int, id: int) -> wp.spatial_vector:
    """Angular and linear velocity of an object [rad/s, m/s], world axes."""
    b = object_body(m, kind, id)
    v = d.cvel[world, b]
    arm = lever(m, d, world, b, object_pos(m, d, world, kind, id))
    return wp.spatial_vector(wp.spatial_top(v), linear_at(v, arm))


@wp.func
def object_acceleration(m: ModelFields, d: DataFields, world: int, kind: int, id: int) -> wp.vec3:
    """Linear acceleration of an object as an accelerometer feels it [m/s^2], world axes: gravity pushes up."""
    b = object_body(m, kind, id)
    v = d.cvel[world, b]
    arm = lever(m, d, world, b, object_pos(m, d, world, kind, id))
    return linear_at(d.cacc[world, b], arm) + wp.cross(wp.spatial_top(v), linear_at(v, arm))
