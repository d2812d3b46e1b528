"""Kinematics: body, joint, geom and site frames from qpos."""

import warp as wp

from newtonlite.math.quaternion import quat_mul, quat_normalize, quat_rotate, quat_to_mat
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.position.forward_kinematics import forward_kinematics
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def read_quat(m: ModelFields, d: DataFields, world: int, adr: int):
    """Normalised quaternion stored at ``qpos[adr:adr+4]``."""
    return quat_normalize(
        wp.quat(d.qpos[world, adr], d.qpos[world, adr + 1], d.qpos[world, adr + 2], d.qpos[world, adr + 3])
    )


@wp.func
def geom_pose(m: ModelFields, d: DataFields, world: int, g: int):
    """Pose of a geom from that of its body."""
    b = m.geom_bodyid[g]
    d.geom_xpos[world, g] = d.xpos[world, b] + d.xmat[world, b] * m.geom_pos[world, g]
    d.geom_xmat[world, g] = quat_to_mat(quat_mul(d.xquat[world, b], m.geom_quat[world, g]))


@wp.func
def kinematics(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Frames of the bodies, then of what hangs on them."""
    if lane == 0:
        d.xpos[world, 0] = wp.vec3(0.0, 0.0, 0.0)
        d.xquat[world, 0] = wp.quat(1.0, 0.0, 0.0, 0.0)
    sync()
    forward_kinematics(
        m.body_parentid,
        m.body_jntadr,
        m.body_jntnum,
        m.body_mocapid,
        m.jnt_type,
        m.jnt_qposadr,
        m.jnt_dofadr,
        m.level_adr,
        m.level_body,
        m.body_pos,
        m.body_quat,
        m.jnt_pos,
        m.jnt_axis,
        m.qpos0,
        d.qpos,
        d.qvel,
        d.mocap_pos,
        d.mocap_quat,
        d.xpos,
        d.xquat,
        d.xanchor,
        d.xaxis,
        d.link_vel,
        0,
        world,
        lane,
        nlane,
    )
    for b in range(lane, m.nbody, nlane):
        quat = d.xquat[world, b]
        d.xmat[world, b] = quat_to_mat(quat)
        d.xipos[world, b] = d.xpos[world, b] + quat_rotate(quat, m.body_ipos[world, b])
        d.ximat[world, b] = quat_to_mat(quat_mul(quat, m.body_iquat[world, b]))
    sync()
    for k in range(lane, d.nposedgeom, nlane):
        geom_pose(m, d, world, m.geom_order[k])
    for s in range(lane, m.nsite, nlane):
        b = m.site_bodyid[s]
        d.site_xpos[world, s] = d.xpos[world, b] + d.xmat[world, b] * m.site_pos[world, s]
        d.site_xmat[world, s] = quat_to_mat(quat_mul(d.xquat[world, b], m.site_quat[world, s]))
    sync()


@wp.func
def other_geom_poses(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Poses of the geoms that a step does not need."""
    for k in range(d.nposedgeom + lane, m.ngeom, nlane):
        geom_pose(m, d, world, m.geom_order[k])
    sync()
