"""Camera and light frames: fixed to their body, tracking it, or aimed at another."""

import warp as wp

from newtonlite.core.mujoco import MjtCamLight
from newtonlite.math.quaternion import quat_mul, quat_to_mat
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def viewpoint(d: DataFields, world: int, mode: int, b: int, pos: wp.vec3, pos0: wp.vec3, poscom0: wp.vec3) -> wp.vec3:
    """Position of a camera or light."""
    if mode == MjtCamLight.TRACK:
        return d.xpos[world, b] + pos0
    if mode == MjtCamLight.TRACKCOM:
        return d.subtree_com[world, b] + poscom0
    return d.xpos[world, b] + d.xmat[world, b] * pos


@wp.func
def aim(d: DataFields, world: int, mode: int, target: int) -> wp.vec3:
    """Point that a camera or light is turned towards."""
    if mode == MjtCamLight.TARGETBODYCOM:
        return d.subtree_com[world, target]
    return d.xpos[world, target]


@wp.func
def is_tracking(mode: int) -> bool:
    """Whether it keeps its orientation of qpos0."""
    return mode == MjtCamLight.TRACK or mode == MjtCamLight.TRACKCOM


@wp.func
def is_aimed(mode: int, target: int) -> bool:
    """Whether it looks at a body."""
    return (mode == MjtCamLight.TARGETBODY or mode == MjtCamLight.TARGETBODYCOM) and target >= 0


@wp.func
def place_camera(m: ModelFields, d: DataFields, world: int, c: int):
    """Frame of camera ``c``: it looks along -z, x to the right; one that looks at a body keeps x level."""
    b = m.cam_bodyid[c]
    mode = m.cam_mode[c]
    target = m.cam_targetbodyid[c]
    pos = viewpoint(d, world, mode, b, m.cam_pos[world, c], m.cam_pos0[world, c], m.cam_poscom0[world, c])
    mat = wp.identity(3, dtype=float)
    if is_aimed(mode, target):
        back = wp.normalize(pos - aim(d, world, mode, target))
        right = wp.normalize(wp.cross(wp.vec3(0.0, 0.0, 1.0), back))
        mat = wp.matrix_from_cols(right, wp.normalize(wp.cross(back, right)), back)
    elif is_tracking(mode):
        for i in range(3):
            for k in range(3):
                mat[i, k] = m.cam_mat0[world, c, 3 * i + k]
    else:
        mat = quat_to_mat(quat_mul(d.xquat[world, b], m.cam_quat[world, c]))
    d.cam_xpos[world, c] = pos
    d.cam_xmat[world, c] = mat


@wp.func
def place_light(m: ModelFields, d: DataFields, world: int, k: int):
    """Position and direction of light ``k``."""
    b = m.light_bodyid[k]
    mode = m.light_mode[k]
    target = m.light_targetbodyid[k]
    pos = viewpoint(d, world, mode, b, m.light_pos[world, k], m.light_pos0[world, k], m.light_poscom0[world, k])
    toward = d.xmat[world, b] * m.light_dir[world, k]
    if is_aimed(mode, target):
        toward = aim(d, world, mode, target) - pos
    elif is_tracking(mode):
        toward = m.light_dir0[world, k]
    d.light_xpos[world, k] = pos
    d.light_xdir[world, k] = wp.normalize(toward)


@wp.func
def sensor_camera_frames(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Frames of the cameras, where a sensor needs one."""
    for c in range(lane, m.nsensecamera, nlane):
        place_camera(m, d, world, c)
    sync()


@wp.func
def camera_frames(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Frames of all cameras and lights, for those who ask."""
    for c in range(lane, m.ncam, nlane):
        place_camera(m, d, world, c)
    for k in range(lane, m.nlight, nlane):
        place_light(m, d, world, k)
    sync()
