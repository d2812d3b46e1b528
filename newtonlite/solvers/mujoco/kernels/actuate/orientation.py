"""Orientation servos: a torque along the shortest rotation to the target, on three outputs."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtCtrlChart
from newtonlite.math.quaternion import axis_angle_to_quat, quat_conj, quat_mul, quat_normalize, quat_to_rotvec
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.actuate.activation import next_activation


@wp.func
def rotvec_to_quat(v: wp.vec3) -> wp.quat:
    """Rotation by ``|v|`` [rad] about ``v``."""
    angle = wp.length(v)
    if angle < MINVAL:
        return wp.quat(1.0, 0.0, 0.0, 0.0)
    return axis_angle_to_quat(v / angle, angle)


@wp.func
def orientation_target(m: ModelFields, d: DataFields, world: int, u: int) -> wp.quat:
    """Orientation asked for: by activations, by a rotation vector, or by a quaternion of any length."""
    c = m.actuator_ctrladr[u]
    if m.actuator_ctrlspec[u] == MjtCtrlChart.QUAT:
        return quat_normalize(
            wp.quat(d.control[world, c], d.control[world, c + 1], d.control[world, c + 2], d.control[world, c + 3])
        )
    v = wp.vec3(0.0, 0.0, 0.0)
    for k in range(3):
        if m.actuator_actnum[u] > 0:
            slot = m.actuator_actadr[u] + k
            v[k] = d.act[world, slot]
            if m.actuator_actearly[u] != 0:
                v[k] = next_activation(m, d, world, u, slot, d.act_dot[world, slot])
        else:
            v[k] = d.control[world, c + k]
    return rotvec_to_quat(v)


@wp.func
def orientation_force(m: ModelFields, d: DataFields, world: int, u: int):
    """``kp log(q^-1 q_target) - kv omega``, its norm within the force range."""
    o = m.actuator_outadr[u]
    turn = wp.vec3(d.actuator_length[world, o], d.actuator_length[world, o + 1], d.actuator_length[world, o + 2])
    speed = wp.vec3(d.actuator_velocity[world, o], d.actuator_velocity[world, o + 1], d.actuator_velocity[world, o + 2])
    error = quat_to_rotvec(quat_mul(quat_conj(rotvec_to_quat(turn)), orientation_target(m, d, world, u)))
    force = m.actuator_gainprm[world, u][0] * error + m.actuator_biasprm[world, u][2] * speed
    if m.actuator_forcelimited[u] != 0:
        size = wp.length(force)
        bound = m.actuator_forcerange[world, u][1]
        if size > bound:
            force = force * (bound / size)
    for k in range(3):
        d.actuator_force[world, o + k] = force[k]
