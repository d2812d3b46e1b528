"""Actuators that drive joint targets, by the target mode of each dof."""

import numpy as np

from newtonlite.core.enums import JointTargetMode as Mode
from newtonlite.solvers.mujoco.enums import AFFINE, BALL, FREE

from .actuator_rows import Rows, Source
from .transmission import JOINT
from .worlds import Worlds

CTRL_DIRECT = 1
SERVO, DAMPER, SPRING = 1, 2, 3
"""How an actuator takes the gains of a joint: both, the damping alone, the stiffness alone."""


def target_actuators(m, w: Worlds, rows: Rows) -> None:
    """POSITION: one servo. VELOCITY: one damper. POSITION_VELOCITY: one of each. NONE and EFFORT: none.

    Dofs whose targets are followed by an actuator of the ``mujoco`` namespace are left to that.
    """
    served = served_dofs(w)
    mode, ke, kd = (w.get(f"joint_target_{name}") for name in ("mode", "ke", "kd"))
    for j in range(m.njnt):
        if m.jnt_type[j] == FREE:
            continue
        for axis in range(3 if m.jnt_type[j] == BALL else 1):
            dof = m.newton_dof[m.jnt_dofadr[j] + axis]
            if dof in served:
                continue
            kind = Mode(np.ravel(mode[..., dof])[0])
            common = transmission(m, w, j, axis, dof)
            q = dict(source=Source.BALL_X + axis if m.jnt_type[j] == BALL else Source.TARGET_Q, index=m.newton_coord[m.jnt_qposadr[j]])
            qd = dict(source=Source.TARGET_QD, index=dof)
            if kind == Mode.POSITION:
                rows.add(**common, **q, **servo(ke[..., dof], ke[..., dof], kd[..., dof]), drive=[SERVO, dof])
            elif kind == Mode.VELOCITY:
                rows.add(**common, **qd, **servo(kd[..., dof], 0.0, kd[..., dof]), drive=[DAMPER, dof])
            elif kind == Mode.POSITION_VELOCITY:
                rows.add(**common, **q, **servo(ke[..., dof], ke[..., dof], 0.0), drive=[SPRING, dof])
                rows.add(**common, **qd, **servo(kd[..., dof], 0.0, kd[..., dof]), drive=[DAMPER, dof])


def transmission(m, w: Worlds, j: int, axis: int, dof: int) -> dict:
    """What joint-target actuators of one dof share. A ball's effort limit clamps the actuator; others clamp the joint."""
    gear = np.zeros(6)
    gear[axis] = 1.0
    shared = dict(trntype=JOINT, trnid=[j, -1], gear=gear, label=m.names_joint[j])
    if m.jnt_type[j] == BALL:
        effort = w.get("joint_effort_limit")[..., dof]
        shared |= dict(forcelimited=1, forcerange=np.stack([-effort, effort], axis=-1))
    return shared


def servo(gain, stiffness, damping) -> dict:
    """Force = gain ctrl - stiffness length - damping velocity."""
    gain, stiffness, damping = np.broadcast_arrays(gain, stiffness, damping)
    gainprm, biasprm = np.zeros(gain.shape + (10,)), np.zeros(gain.shape + (10,))
    gainprm[..., 0] = gain
    biasprm[..., 1], biasprm[..., 2] = -stiffness, -damping
    return dict(biastype=AFFINE, gainprm=gainprm, biasprm=biasprm)


def served_dofs(w: Worlds) -> set[int]:
    """Dofs whose joint targets an actuator of the ``mujoco`` namespace follows."""
    if not w.has("mujoco:actuator_trntype"):
        return set()
    follows = (w.first("mujoco:ctrl_source") != CTRL_DIRECT) & (w.first("mujoco:actuator_trntype") == JOINT)
    return set(w.local("dof", w.first("mujoco:actuator_trnid")[follows, 0]).tolist())


def followed_gains(m, w: Worlds, i: int, target: dict, source: int) -> dict:
    """Gains of an actuator that follows joint targets: the joint's, where it has any, the gear is 1 and no ratio is to be resolved."""
    unit = (w.first("mujoco:actuator_gear")[i] == [1, 0, 0, 0, 0, 0]).all() and w.first("mujoco:actuator_biasprm")[i, 2] <= 0
    if source == Source.CTRL or not unit:
        return {}
    dof = m.newton_dof[m.jnt_dofadr[int(target["trnid"][0])]]
    ke, kd = w.get("joint_target_ke")[..., dof], w.get("joint_target_kd")[..., dof]
    if not (np.any(ke) or np.any(kd)):
        return {}
    gains = servo(ke, ke, kd) if source == Source.TARGET_Q else servo(kd, 0.0, kd)
    return {name: gains[name] for name in ("gainprm", "biasprm")} | {"drive": [SERVO if source == Source.TARGET_Q else DAMPER, dof]}
