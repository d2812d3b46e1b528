"""Reference pose constants of a scene: equality poses, damping ratios, tendon dead bands. Run at ``qpos0``, after the
inverse weights.
"""

import warp as wp

from newtonlite.core.mujoco import MjtEq, MjtGain, MjtJoint
from newtonlite.math.quaternion import quat_conj, quat_mul, quat_rotate, quat_to_mat
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.actuate.moment import moment
from newtonlite.solvers.mujoco.kernels.constant.invweight0 import clear_row, inverse_weight
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

FROM_POSE = wp.constant(
    11
)  # place among a tie's numbers that says: a weld's relative pose is that of the reference coordinates


@wp.func
def equality_poses(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Relative poses of bodies that are tied: where the second end of a connect is, and how the bodies of a weld stand."""
    if m.neq > 0:
        for k in range(lane, m.neq, nlane):
            if m.eq_posed[k] != 0:
                equality_pose(m, d, world, k)
        sync()


@wp.func
def equality_pose(m: ModelFields, d: DataFields, world: int, k: int):
    """One tie: the anchor is given in the first body of a connect, the second one of a weld."""
    here = m.eq_body[k][0]
    there = m.eq_body[k][1]
    if m.eq_type[k] == MjtEq.WELD:
        if m.eq_data[world, k, FROM_POSE] == 0.0:
            return
        turn = quat_mul(quat_conj(d.xquat[world, here]), d.xquat[world, there])
        for c in range(4):
            m.eq_data[world, k, 6 + c] = turn[c]
        here = m.eq_body[k][1]
        there = m.eq_body[k][0]
    anchor = wp.vec3(m.eq_data[world, k, 0], m.eq_data[world, k, 1], m.eq_data[world, k, 2])
    point = d.xpos[world, here] + quat_rotate(d.xquat[world, here], anchor)
    seen = quat_rotate(quat_conj(d.xquat[world, there]), point - d.xpos[world, there])
    for c in range(3):
        m.eq_data[world, k, 3 + c] = seen[c]


@wp.func
def view_references(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Cameras and lights at the reference pose: from their body, and from the centre of mass of its subtree or the target's."""
    if m.ncam > 0:
        for c in range(lane, m.ncam, nlane):
            body = m.cam_bodyid[c]
            arm = quat_rotate(d.xquat[world, body], m.cam_pos[world, c])
            mat = quat_to_mat(quat_mul(d.xquat[world, body], m.cam_quat[world, c]))
            m.cam_pos0[world, c] = arm
            m.cam_poscom0[world, c] = d.xpos[world, body] + arm - aimed_com(d, world, body, m.cam_targetbodyid[c])
            for i in range(3):
                for k in range(3):
                    m.cam_mat0[world, c, 3 * i + k] = mat[i, k]
    if m.nlight > 0:
        for k in range(lane, m.nlight, nlane):
            body = m.light_bodyid[k]
            arm = quat_rotate(d.xquat[world, body], m.light_pos[world, k])
            m.light_pos0[world, k] = arm
            m.light_poscom0[world, k] = d.xpos[world, body] + arm - aimed_com(d, world, body, m.light_targetbodyid[k])
            m.light_dir0[world, k] = wp.normalize(quat_rotate(d.xquat[world, body], m.light_dir[world, k]))
    sync()


@wp.func
def aimed_com(d: DataFields, world: int, body: int, target: int) -> wp.vec3:
    """Centre of mass of the subtree of a target, of ``body`` where there is none."""
    if target >= 0:
        return d.subtree_com[world, target]
    return d.subtree_com[world, body]


@wp.func
def damping_ratios(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Damping of position servos that were given a ratio: critical is ``2 sqrt(kp I)`` for the inertia ``I`` that an
    actuator feels.
    """
    for u in range(m.nactuator):
        ratio = m.actuator_dampratio[world, u]
        if ratio > 0.0:
            inverse = float(0.0)
            for o in range(m.actuator_outadr[u], m.actuator_outadr[u] + m.actuator_outnum[u]):
                clear_row(m, d, world, lane, nlane)
                for k in range(m.push_adr[o] + lane, m.push_adr[o + 1], nlane):
                    i = m.push_dof[k]
                    d.grad[world, i] = moment(m, d, world, o, i)
                sync()
                inverse += inverse_weight(m, d, world, lane, nlane) / float(m.actuator_outnum[u])
            if lane == 0:
                write_damping(m, world, u, ratio, inverse)
    sync()


@wp.func
def write_damping(m: ModelFields, world: int, u: int, ratio: float, inverse: float):
    """Damping of one servo whose bias undoes its gain at the setpoint, none of one that moves nothing; others keep the
    number as it is.
    """
    bias = m.actuator_biasprm[world, u]
    kp = m.actuator_gainprm[world, u][0]
    if m.actuator_gaintype[u] == MjtGain.PID:
        kp = -bias[1]
    found = ratio
    if kp == -bias[1]:
        found = 0.0
        if inverse > 0.0:
            found = -2.0 * wp.sqrt(wp.max(kp / inverse, 0.0)) * ratio
    bias[2] = found
    m.actuator_biasprm[world, u] = bias


@wp.func
def spring_lengths(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Dead bands of tendons that hang loose in the springs' reference pose: their length there."""
    if m.ntendon > 0:
        for t in range(lane, m.ntendon, nlane):
            if m.tendon_slack[t] != 0:
                m.tendon_lengthspring[world, t] = wp.vec2(d.ten_length[world, t], d.ten_length[world, t])
        sync()


@wp.func
def body_length(m: ModelFields, d: DataFields, world: int, b: int) -> float:
    """Reach of a body from its centre of mass [m]: to its joints, those of its children, and around its geoms."""
    com = d.xipos[world, b]
    reach = float(1.0e-5)
    for j in range(m.njnt):
        on = m.jnt_bodyid[j]
        if on == b or m.body_parentid[on] == b:
            reach = wp.max(reach, wp.length(com - d.xanchor[world, j]))
    for g in range(m.ngeom):
        if m.geom_bodyid[g] == b and m.geom_rbound[world, g] > 0.0:
            reach = wp.max(reach, m.geom_rbound[world, g] + wp.length(com - d.geom_xpos[world, g]))
    return reach


@wp.func
def dof_lengths(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Lengths that turn angular speeds of sleeping trees into linear ones: the reach of the body that a dof turns."""
    if m.nsleep > 0:
        for i in range(lane, m.nv, nlane):
            j = m.dof_jntid[i]
            kind = m.jnt_type[j]
            if kind == MjtJoint.HINGE or kind == MjtJoint.BALL or (kind == MjtJoint.FREE and i >= m.jnt_dofadr[j] + 3):
                m.dof_length[world, i] = body_length(m, d, world, m.jnt_bodyid[j])
        sync()
