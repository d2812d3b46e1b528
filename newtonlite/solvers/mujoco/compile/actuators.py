"""Actuators: those that drive joint targets first, then the ones of the ``mujoco`` namespace.

Each actuator reads its control from one place of Newton's ``Control``, told by ``ctrl_from`` (a ``Source``) and ``ctrl_index``.
"""

import warnings
from enum import IntEnum

import numpy as np

from newtonlite.core.enums import JointTargetMode as Mode
from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.solvers.mujoco.enums import BALL, FREE

from .transmission import BODY, JOINT, JOINT_IN_PARENT, SITE, SLIDERCRANK, TENDON
from .worlds import Worlds


class Source(IntEnum):
    """Where an actuator's control comes from; ``index`` counts within the world."""

    TARGET_Q = 0  # control.joint_target_q[index], plus the joint's ref
    TARGET_QD = 1  # control.joint_target_qd[index]
    BALL_X = 2  # rotation vector of the quaternion at control.joint_target_q[index]
    BALL_Y = 3
    BALL_Z = 4
    CTRL = 5  # control.mujoco.ctrl[index]


TRN = {-1: None, 0: JOINT, 1: JOINT_IN_PARENT, 2: TENDON, 3: SITE, 4: BODY, 5: SLIDERCRANK}
AFFINE, AUTO, CTRL_DIRECT, VELOCITY = 1, 2, 1, 1
INTS = ("trntype", "dyntype", "gaintype", "biastype", "ctrllimited", "forcelimited", "actlimited", "actnum", "group")
REALS = ("armature", "damping")
WIDTH = {"trnid": 2, "gear": 6, "dynprm": 10, "gainprm": 10, "biasprm": 10}
WIDTH |= {"ctrlrange": 2, "forcerange": 2, "actrange": 2, "lengthrange": 2}


class Rows:
    """Actuators under construction: one dictionary each, holding what differs from MuJoCo's default motor."""

    def __init__(self):
        self.rows: list[dict] = []

    def add(self, **values) -> None:
        """Append an actuator."""
        self.rows.append(values)

    def column(self, name: str) -> np.ndarray:
        """One field of all actuators: [nu, width], or [nworld, nu, width] where a value has a world dimension."""
        values = [np.asarray(row.get(name, default(name))) for row in self.rows]
        if not values:
            return np.zeros((0, *np.shape(default(name))), np.asarray(default(name)).dtype)
        width = np.ndim(default(name))
        return np.stack(np.broadcast_arrays(*values), axis=-1 - width)


def default(name: str):
    """MuJoCo's default for an actuator field."""
    if name in INTS or name in ("source", "index"):
        return 0
    if name in REALS:
        return 0.0
    value = np.zeros(WIDTH[name])
    if name == "trnid":
        return np.full(2, -1)
    if name in ("gear", "dynprm", "gainprm"):
        value[0] = 1.0
    return value


def compile_actuators(m, w: Worlds) -> None:
    """Fill the actuator arrays."""
    rows = Rows()
    target_actuators(m, w, rows)
    custom_actuators(m, w, rows)
    m.nu = m.nactuator = len(rows.rows)
    m.names_actuator = [row.get("label", "") for row in rows.rows]
    m.set(**{f"actuator_{name}": rows.column(name) for name in INTS + REALS + tuple(WIDTH)})
    m.actuator_ctrlnum = np.ones(m.nu, np.int32)
    m.actuator_ctrladr = np.arange(m.nu, dtype=np.int32)
    m.na = int(m.actuator_actnum.sum())
    m.actuator_actadr = np.where(m.actuator_actnum > 0, np.cumsum(m.actuator_actnum) - m.actuator_actnum, -1).astype(np.int32)
    m.nout = m.nactuator
    m.nhistory = 0
    m.actuator_outadr, m.actuator_outnum = m.actuator_ctrladr, m.actuator_ctrlnum
    m.actuator_ctrlspec = m.actuator_actearly = np.zeros(m.nu, np.int32)
    m.actuator_history, m.actuator_historyadr = np.zeros((m.nu, 2), np.int32), np.full(m.nu, -1, np.int32)
    m.actuator_delay, m.actuator_cranklength = np.zeros(m.nu), np.zeros(m.nu)
    m.set(ctrl_from=rows.column("source"), ctrl_index=rows.column("index"))


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
                rows.add(**common, **q, **servo(ke[..., dof], ke[..., dof], kd[..., dof]))
            elif kind == Mode.VELOCITY:
                rows.add(**common, **qd, **servo(kd[..., dof], 0.0, kd[..., dof]))
            elif kind == Mode.POSITION_VELOCITY:
                rows.add(**common, **q, **servo(ke[..., dof], ke[..., dof], 0.0))
                rows.add(**common, **qd, **servo(kd[..., dof], 0.0, kd[..., dof]))


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


def custom_actuators(m, w: Worlds, rows: Rows) -> None:
    """Actuators of the ``mujoco`` namespace, in the order of the model."""
    if not w.has("mujoco:actuator_trntype"):
        return
    labels = w.first_labels("mujoco:actuator_label", "mujoco:actuator")
    values = {name: w.get(f"mujoco:actuator_{name}") for name in ("gear", "gainprm", "biasprm", "dynprm", "lengthrange")}
    extra = {name: w.get(f"mujoco:actuator_{name}") for name in REALS}
    for i in range(w.size("mujoco:actuator")):
        target = custom_target(m, w, i, labels[i])
        if target is None:
            continue
        types = {name: int(w.first(f"mujoco:actuator_{name}")[i]) for name in ("dyntype", "gaintype", "biastype")}
        source = control(m, w, i, target)
        types["group"] = int(w.first("mujoco:actuator_group")[i]) if w.has("mujoco:actuator_group") else 0
        types["actnum"] = activations(types["dyntype"], int(w.first("mujoco:actuator_actdim")[i]))
        prms = {name: v[..., i, :] for name, v in values.items()} | {name: v[..., i] for name, v in extra.items()}
        prms |= followed_gains(m, w, i, target, source)
        rows.add(**target, **types, **limits(w, i), **prms, **source, label=labels[i])


def activations(dyntype: int, actdim: int) -> int:
    """Activation variables of an actuator: as many as it says, else one where it has dynamics."""
    return actdim if actdim >= 0 else int(dyntype != 0)


def served_dofs(w: Worlds) -> set[int]:
    """Dofs whose joint targets an actuator of the ``mujoco`` namespace follows."""
    if not w.has("mujoco:actuator_trntype"):
        return set()
    follows = (w.first("mujoco:ctrl_source") != CTRL_DIRECT) & (w.first("mujoco:actuator_trntype") == JOINT)
    return set(w.local("dof", w.first("mujoco:actuator_trnid")[follows, 0]).tolist())


def followed_gains(m, w: Worlds, i: int, target: dict, source: dict) -> dict:
    """Gains of an actuator that follows joint targets: the joint's, where it has any, the gear is 1 and no ratio is to be resolved."""
    unit = (w.first("mujoco:actuator_gear")[i] == [1, 0, 0, 0, 0, 0]).all() and w.first("mujoco:actuator_biasprm")[i, 2] <= 0
    if source["source"] == Source.CTRL or not unit:
        return {}
    dof = m.newton_dof[m.jnt_dofadr[int(target["trnid"][0])]]
    ke, kd = w.get("joint_target_ke")[..., dof], w.get("joint_target_kd")[..., dof]
    if not (np.any(ke) or np.any(kd)):
        return {}
    gains = servo(ke, ke, kd) if source["source"] == Source.TARGET_Q else servo(kd, 0.0, kd)
    return {name: gains[name] for name in ("gainprm", "biasprm")}


def custom_target(m, w: Worlds, i: int, label: str) -> dict | None:
    """Transmission of a custom actuator; None, after a warning, for one that is skipped."""
    kind = TRN[int(w.first("mujoco:actuator_trntype")[i])]
    target = w.first("mujoco:actuator_trnid")[i]
    if kind in (JOINT, JOINT_IN_PARENT):
        dof = int(w.local("dof", target[0]))
        number = np.flatnonzero(m.newton_dof == dof)
        if dof >= 0 and len(number):
            return dict(trntype=kind, trnid=[m.dof_jntid[number[0]], -1])
    elif kind == TENDON and target[0] >= 0:
        number = np.flatnonzero(m.newton_tendon == w.local("mujoco:tendon", target[0]))
        if len(number):
            return dict(trntype=kind, trnid=[number[0], -1])
    elif kind in (SITE, BODY, SLIDERCRANK):
        text = "site, body and slider-crank transmissions are not supported by SolverMuJoCo; use a joint or tendon"
        raise ModelError(f"actuator '{label}': {text}")
    warnings.warn(f"actuator '{label}': its target does not exist; the actuator is left out", NewtonWarning, stacklevel=2)
    return None


def limits(w: Worlds, i: int) -> dict:
    """Ranges of control, force and activation. ``auto`` (2) means limited where a range was given."""
    found = {}
    for name in ("ctrl", "force", "act"):
        band = w.get(f"mujoco:actuator_{name}range")[..., i, :]
        authored, given = (int(w.first(f"mujoco:actuator_{key}")[i]) for key in (f"{name}limited", f"has_{name}range"))
        found[f"{name}limited"] = given if authored == AUTO else authored
        found[f"{name}range"] = band
    return found


def control(m, w: Worlds, i: int, target: dict) -> dict:
    """Where a custom actuator's control comes from: its own ``ctrl``, or the target of the joint it drives."""
    j = int(target["trnid"][0])
    direct = int(w.first("mujoco:ctrl_source")[i]) == CTRL_DIRECT
    if direct or target["trntype"] != JOINT or m.jnt_type[j] <= BALL:
        return dict(source=Source.CTRL, index=i)
    if int(w.first("mujoco:ctrl_type")[i]) == VELOCITY:
        return dict(source=Source.TARGET_QD, index=m.newton_dof[m.jnt_dofadr[j]])
    return dict(source=Source.TARGET_Q, index=m.newton_coord[m.jnt_qposadr[j]])
