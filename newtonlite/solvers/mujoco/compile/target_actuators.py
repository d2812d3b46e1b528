"""Target actuators: actuators that drive joint targets, by the target mode of each dof."""

import numpy as np

from newtonlite.core.enums import CtrlSource, CtrlType
from newtonlite.core.enums import JointTargetMode as Mode
from newtonlite.core.mujoco import MjtBias, MjtJoint, MjtTrn
from newtonlite.solvers.mujoco.bindings.actuator import DAMPER, SERVO, SPRING
from newtonlite.solvers.mujoco.compile.actuator_rows import ActuatorRows, ControlSource
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.worlds import Worlds


def target_actuators(m: CompiledModel, w: Worlds, rows: ActuatorRows) -> None:
    """POSITION: one servo. VELOCITY: one damper. POSITION_VELOCITY: one of each. NONE and EFFORT: none.

    Dofs whose targets are followed by an actuator of the ``mujoco`` namespace are left to that.
    """
    served = actuated_dofs(w)
    mode = w.get("joint_target_mode")
    for j in range(m.njnt):
        if m.jnt_type[j] == MjtJoint.FREE:
            continue
        for axis in range(3 if m.jnt_type[j] == MjtJoint.BALL else 1):
            dof = m.newton_dof[m.jnt_dofadr[j] + axis]
            if dof in served:
                continue
            kind = Mode(np.ravel(mode[..., dof])[0])
            common = transmission(m, j, axis)
            q = dict(
                source=ControlSource.BALL_X + axis if m.jnt_type[j] == MjtJoint.BALL else ControlSource.TARGET_Q,
                index=m.newton_coord[m.jnt_qposadr[j]],
            )
            qd = dict(source=ControlSource.TARGET_QD, index=dof)
            if kind == Mode.POSITION:
                rows.add(**common, **q, drive=[SERVO, dof])
            elif kind == Mode.VELOCITY:
                rows.add(**common, **qd, drive=[DAMPER, dof])
            elif kind == Mode.POSITION_VELOCITY:
                rows.add(**common, **q, drive=[SPRING, dof])
                rows.add(**common, **qd, drive=[DAMPER, dof])


def transmission(m: CompiledModel, j: int, axis: int) -> dict:
    """Transmission that joint-target actuators of one dof share; a ball's effort limit clamps them, others the joint."""
    gear = np.zeros(6)
    gear[axis] = 1.0
    clamped = int(m.jnt_type[j] == MjtJoint.BALL)
    return dict(
        trntype=MjtTrn.JOINT,
        trnid=[j, -1],
        gear=gear,
        biastype=MjtBias.AFFINE,
        forcelimited=clamped,
        label=m.names_joint[j],
    )


def actuated_dofs(w: Worlds) -> set[int]:
    """Dofs whose joint targets an actuator of the ``mujoco`` namespace follows."""
    if not w.has("mujoco:actuator_trntype"):
        return set()
    follows = (w.first("mujoco:ctrl_source") != CtrlSource.CTRL_DIRECT) & (
        w.first("mujoco:actuator_trntype") == MjtTrn.JOINT
    )
    return set(w.local("dof", w.first("mujoco:actuator_trnid")[follows, 0]).tolist())


def shared_gains(
    m: CompiledModel, w: Worlds, i: int, target: dict, source: int, following: dict[int, list[int]]
) -> dict:
    """``drive`` of an actuator that takes its gains from joint targets: the joint's, where it has any, no ratio is to be
    resolved, and no other actuator of its kind is among those ``following`` the same dof.

    Where a velocity servo follows the dof too, the damping is that one's, and a position servo keeps none.
    """
    damping = w.cell("mujoco:actuator_biasprm", i)[2]
    if source == ControlSource.CTRL or damping > 0:
        return {}
    position = source == ControlSource.TARGET_Q
    dof = m.newton_dof[m.jnt_dofadr[int(target["trnid"][0])]]
    followers = following.get(int(dof), [])
    alike = followers.count(CtrlType.VELOCITY)
    damped = alike > 0
    if (len(followers) - alike if position else alike) > 1 or (position and damped and damping):
        return {}
    ke, kd = w.get("joint_target_ke")[..., dof], w.get("joint_target_kd")[..., dof]
    if not (np.any(ke) or np.any(kd)):
        return {}
    return {"drive": [DAMPER if not position else SPRING if damped else SERVO, dof]}


def following(w: Worlds) -> dict[int, list[int]]:
    """For each dof the types (``CtrlType``) of the actuators of the ``mujoco`` namespace that follow its targets."""
    on = (w.first("mujoco:ctrl_source") != CtrlSource.CTRL_DIRECT) & (
        w.first("mujoco:actuator_trntype") == MjtTrn.JOINT
    )
    dofs, types = w.local("dof", w.first("mujoco:actuator_trnid")[on, 0]), w.first("mujoco:ctrl_type")[on]
    found: dict[int, list[int]] = {}
    for dof, kind in zip(dofs.tolist(), types.tolist(), strict=True):
        found.setdefault(dof, []).append(int(kind))
    return found
