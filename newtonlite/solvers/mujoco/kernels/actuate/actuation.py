"""Actuation: scalar actuator forces, and generalized forces on dofs."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtTrn
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.actuate.force import limited_force, raw_force
from newtonlite.solvers.mujoco.kernels.actuate.moment import moment
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def sum_on_tendons(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Sum of the actuator forces on each tendon."""
    for t in range(lane, m.ntendon, nlane):
        total = float(0.0)
        for u in range(m.nactuator):
            if m.actuator_trntype[u] == MjtTrn.TENDON and m.actuator_trnid[u][0] == t:
                total += d.actuator_force[world, m.actuator_outadr[u]]
        d.ten_actuatorforce[world, t] = total


@wp.func
def no_actuation(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Actuation is switched off: no forces, activations stand still."""
    for o in range(lane, m.nout, nlane):
        d.actuator_force[world, o] = 0.0
    for i in range(lane, m.na, nlane):
        d.act_dot[world, i] = 0.0
    for i in range(lane, m.nv, nlane):
        d.qfrc_actuator[world, i] = 0.0


@wp.func
def force_on_dofs(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qfrc_actuator = moment' force``, then the clamp on each joint's sum. A joint whose gravity compensation acts as an
    actuator has it where the model has actuators, as in MuJoCo.
    """
    for i in range(lane, m.nv, nlane):
        total = float(0.0)
        j = m.dof_jntid[i]
        for k in range(m.moment_adr[i], m.moment_adr[i + 1]):
            o = m.moment_out[k]
            total += moment(m, d, world, o, i) * d.actuator_force[world, o]
        if m.ngravcomp > 0 and m.nactuator > 0 and m.jnt_actgravcomp[j] != 0:
            total += d.qfrc_gravcomp[world, i]
        if m.jnt_actfrclimited[j] != 0:
            total = wp.clamp(total, m.jnt_actfrcrange[world, j][0], m.jnt_actfrcrange[world, j][1])
        d.qfrc_actuator[world, i] = total


@wp.func
def fwd_actuation(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Controls, rates of activations, forces of actuators, and their sum on the dofs."""
    if (m.opt_disableflags & MjtDisableBit.ACTUATION) != 0:
        no_actuation(m, d, world, lane, nlane)
    else:
        for u in range(lane, m.nactuator, nlane):
            raw_force(m, d, world, u)
        sync()
        if m.ntendonclamp > 0:
            sum_on_tendons(m, d, world, lane, nlane)
            sync()
        for u in range(lane, m.nactuator, nlane):
            limited_force(m, d, world, u)
        sync()
        force_on_dofs(m, d, world, lane, nlane)
    sync()
