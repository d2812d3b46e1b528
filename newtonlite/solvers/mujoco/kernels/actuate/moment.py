"""Actuator moment: force on a dof per unit force of an actuator's output, the gradient of its length."""

import warp as wp

from newtonlite.core.mujoco import MjtJoint, MjtTrn
from newtonlite.math.quaternion import quat_conj, quat_rotate
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.position.kinematics import read_quat
from newtonlite.solvers.mujoco.kernels.primitives.tendon_entries import entry_of_dof, tendon_row


@wp.func
def moment(m: ModelFields, d: DataFields, world: int, o: int, i: int) -> float:
    """Moment arm of output ``o`` on dof ``i``, one of those it pushes."""
    if m.nmomentrow > 0 and m.out_momentrow[o] >= 0:
        return d.actuator_moment[world, m.out_momentrow[o], i]
    gear = m.actuator_gear[world, o]
    u = m.out_actuator[o]
    target = m.actuator_trnid[u][0]
    if m.ntendon > 0 and m.actuator_trntype[u] == MjtTrn.TENDON:
        return tendon_moment(m, d, world, target, i) * gear[0]
    kind = m.jnt_type[target]
    if kind > MjtJoint.BALL:
        return gear[0]
    k = i - m.jnt_dofadr[target]
    adr = m.jnt_qposadr[target]
    if kind == MjtJoint.FREE:
        if k < 3:
            return gear[k]
        k -= 3
        adr += 3
        gear = wp.spatial_vector(gear[3], gear[4], gear[5], 0.0, 0.0, 0.0)
    axis = wp.vec3(gear[0], gear[1], gear[2])
    if m.actuator_trntype[u] == MjtTrn.JOINTINPARENT:
        axis = quat_rotate(quat_conj(read_quat(m, d, world, adr)), axis)
    return axis[k]


@wp.func
def tendon_moment(m: ModelFields, d: DataFields, world: int, t: int, i: int) -> float:
    """Change of a tendon's length with dof ``i``."""
    if m.nspatial > 0 and m.tendon_spatial[t] != 0:
        e = entry_of_dof(m, t, i)
        if e < 0:
            return 0.0
        return d.ten_J[world, tendon_row(m, t), e]
    arm = float(0.0)
    for k in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
        if m.wrap_dofadr[k] == i:
            arm += m.wrap_prm[world, k]
    return arm


@wp.func
def output_speed(m: ModelFields, d: DataFields, world: int, o: int) -> float:
    """Rate of an output's length: moment times qvel over the dofs it pushes."""
    speed = float(0.0)
    for k in range(m.push_adr[o], m.push_adr[o + 1]):
        i = m.push_dof[k]
        speed += moment(m, d, world, o, i) * d.qvel[world, i]
    return speed
