"""Positions: body, joint, geom and site frames from qpos."""

from typing import Any

import warp as wp

from newtonlite.math.quaternion import axis_angle_to_quat, quat_mul, quat_normalize, quat_rotate, quat_to_mat, quat_trim
from newtonlite.solvers.mujoco.enums import FREE, HINGE, SLIDE
from newtonlite.solvers.mujoco.kernels.team import sync


@wp.func
def read_quat(m: Any, d: Any, world: int, adr: int):
    """Normalised quaternion stored at ``qpos[adr:adr+4]``."""
    return quat_normalize(
        wp.quat(d.qpos[world, adr], d.qpos[world, adr + 1], d.qpos[world, adr + 2], d.qpos[world, adr + 3])
    )


@wp.func
def place_body(m: Any, d: Any, world: int, b: int, pos: wp.vec3, quat: wp.quat):
    """Write the frames that hang on a body's pose."""
    mat = quat_to_mat(quat)
    d.xpos[world, b] = pos
    d.xquat[world, b] = quat
    d.xmat[world, b] = mat
    d.xipos[world, b] = pos + mat * m.body_ipos[world, b]
    d.ximat[world, b] = mat * quat_to_mat(m.body_iquat[world, b])


@wp.func
def move_body(m: Any, d: Any, world: int, b: int):
    """Pose of body ``b`` from its parent's and its joints, in order."""
    first = m.body_jntadr[b]
    count = m.body_jntnum[b]
    mocap = m.body_mocapid[b]
    pos = wp.vec3(0.0, 0.0, 0.0)
    quat = wp.quat(1.0, 0.0, 0.0, 0.0)
    free = bool(False)
    if count == 1:
        free = m.jnt_type[first] == FREE
    if free:
        adr = m.jnt_qposadr[first]
        pos = wp.vec3(d.qpos[world, adr], d.qpos[world, adr + 1], d.qpos[world, adr + 2])
        quat = read_quat(m, d, world, adr + 3)
        d.xanchor[world, first] = pos
        d.xaxis[world, first] = m.jnt_axis[world, first]
    elif m.nmocap > 0 and mocap >= 0:
        pos = d.mocap_pos[world, mocap]
        quat = quat_normalize(d.mocap_quat[world, mocap])
    else:
        p = m.body_parentid[b]
        pos = d.xpos[world, p] + d.xmat[world, p] * m.body_pos[world, b]
        quat = quat_mul(d.xquat[world, p], m.body_quat[world, b])
        for j in range(first, first + count):
            adr = m.jnt_qposadr[j]
            axis = m.jnt_axis[world, j]
            anchor = pos + quat_rotate(quat, m.jnt_pos[world, j])
            turned = quat_rotate(quat, axis)
            d.xanchor[world, j] = anchor
            d.xaxis[world, j] = turned
            kind = m.jnt_type[j]
            if kind == SLIDE:
                pos = pos + turned * (d.qpos[world, adr] - m.qpos0[world, adr])
            else:
                if kind == HINGE:
                    quat = quat_mul(quat, axis_angle_to_quat(axis, d.qpos[world, adr] - m.qpos0[world, adr]))
                else:
                    quat = quat_mul(quat, read_quat(m, d, world, adr))
                pos = anchor - quat_rotate(quat, m.jnt_pos[world, j])
        if count > 0:
            quat = quat_trim(quat)
    place_body(m, d, world, b, pos, quat)


@wp.func
def kinematics(m: Any, d: Any, world: int, lane: int, nlane: int):
    """``x_b = x_parent o X_b o prod_j exp(S_j (q_j - q0_j))``, level by level; then geoms and sites."""
    if lane == 0:
        place_body(m, d, world, 0, wp.vec3(0.0, 0.0, 0.0), wp.quat(1.0, 0.0, 0.0, 0.0))
    sync()
    for level in range(m.nlevel):
        for k in range(m.level_adr[level] + lane, m.level_adr[level + 1], nlane):
            move_body(m, d, world, m.level_body[k])
        sync()
    for g in range(lane, m.ngeom, nlane):
        b = m.geom_bodyid[g]
        d.geom_xpos[world, g] = d.xpos[world, b] + d.xmat[world, b] * m.geom_pos[world, g]
        d.geom_xmat[world, g] = quat_to_mat(quat_mul(d.xquat[world, b], m.geom_quat[world, g]))
    for s in range(lane, m.nsite, nlane):
        b = m.site_bodyid[s]
        d.site_xpos[world, s] = d.xpos[world, b] + d.xmat[world, b] * m.site_pos[world, s]
        d.site_xmat[world, s] = quat_to_mat(quat_mul(d.xquat[world, b], m.site_quat[world, s]))
