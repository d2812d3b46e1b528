"""Actuators of the ``mujoco`` namespace, in the order of the model."""

import warnings

import numpy as np

from newtonlite.core.enums import CtrlSource, CtrlType, TrnType
from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.core.motor import control_count, control_signature, motor_activations, pid_activations
from newtonlite.core.mujoco import MjtCtrlInput, MjtDyn, MjtGain, MjtJoint, MjtLimited, MjtTrn
from newtonlite.solvers.mujoco.compile.actuator_rows import RANGES, ActuatorRows, ControlSource
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.target_actuators import following, shared_gains
from newtonlite.solvers.mujoco.compile.worlds import Worlds, as_numpy

TRN = {
    TrnType.UNDEFINED: None,
    TrnType.JOINT: MjtTrn.JOINT,
    TrnType.JOINT_IN_PARENT: MjtTrn.JOINTINPARENT,
    TrnType.TENDON: MjtTrn.TENDON,
    TrnType.SITE: MjtTrn.SITE,
    TrnType.BODY: MjtTrn.BODY,
    TrnType.SLIDERCRANK: MjtTrn.SLIDERCRANK,
}


def own_actuators(m: CompiledModel, w: Worlds, rows: ActuatorRows) -> None:
    """Append the actuators of the ``mujoco`` namespace; those whose target does not exist are left out with a warning."""
    if not w.has("mujoco:actuator_trntype"):
        return
    warn_homeless(w)
    labels = w.first_labels("mujoco:actuator_label", "mujoco:actuator")
    followers, numbers = following(w), engine_numbers(m, w)
    for i in range(w.size("mujoco:actuator")):
        where = f"actuator '{labels[i]}'" if labels[i] else f"actuator {i}"
        kinds = {
            name: int(w.cell(f"mujoco:actuator_{name}", i)) for name in ("dyntype", "gaintype", "biastype", "actearly")
        }
        target = own_target(m, w, i, kinds["gaintype"], numbers)
        if target is None:
            named = w.first_labels("mujoco:actuator_target_label", "mujoco:actuator")[i]
            text = f"{where}: unresolved target '{named}'" if named else f"{where}: its target does not exist"
            warnings.warn(f"{text}; the actuator is left out", NewtonWarning, stacklevel=2)
            continue
        if not kinds["dyntype"] and is_limited(w, i, "act"):
            raise ModelError(
                f"{where}: limits of the activation need dynamics; give it a dyntype, or leave actlimited and actrange out"
            )
        kinds["ctrlspec"] = control_signature(kinds["gaintype"], own_int(w, i, "ctrlspec"))
        kinds["actnum"] = activations(w, i, kinds)
        source, index = source_of(m, w, i, target)
        rows.add(
            **target,
            **kinds,
            **shared_gains(m, w, i, target, source, followers),
            forcelimited=is_limited(w, i, "force"),
            actlimited=is_limited(w, i, "act"),
            label=labels[i],
            outputs=3 if kinds["gaintype"] == MjtGain.SO3 else 1,
            controls=own_controls(w, i, kinds, source, index),
            group=own_int(w, i, "group"),
            history=[own_int(w, i, "nsample"), own_int(w, i, "interp")],
            own=i,
        )


def warn_homeless(w: Worlds) -> None:
    """Warn of actuators that are in no world, where worlds are stepped side by side: no engine has them."""
    if w.worlds is None or not w.has("mujoco:actuator_world"):
        return
    lost = np.flatnonzero(as_numpy(w.find("mujoco:actuator_world")) < 0)
    if len(lost):
        names = (
            w.find("mujoco:actuator_target_label") if w.has("mujoco:actuator_target_label") else [""] * (lost.max() + 1)
        )
        what = ", ".join(f"actuator {row} (unresolved target '{names[row]}')" for row in lost[:5].tolist())
        warnings.warn(f"{what} belong to no world; they are left out", NewtonWarning, stacklevel=2)


def own_int(w: Worlds, i: int, name: str) -> int:
    """An integer of actuator ``i``, 0 where the model does not carry it."""
    return int(w.cell(f"mujoco:actuator_{name}", i)) if w.has(f"mujoco:actuator_{name}") else 0


def activations(w: Worlds, i: int, kinds: dict) -> int:
    """Activation variables of actuator ``i``: as many as it says, else what its dynamics and their parameters need."""
    kind, actdim = kinds["dyntype"], int(w.cell("mujoco:actuator_actdim", i))
    if actdim >= 0:
        return actdim
    dyn, gain = (w.cell(f"mujoco:actuator_{name}", i) for name in ("dynprm", "gainprm"))
    if kind == MjtDyn.PID:
        return pid_activations(dyn, gain)
    if kind == MjtDyn.DCMOTOR:
        return motor_activations(dyn, gain)
    if kind == MjtDyn.INTEGRATOR and kinds["gaintype"] == MjtGain.SO3:
        return 3
    return int(kind != MjtDyn.NONE)


def engine_numbers(m: CompiledModel, w: Worlds) -> dict[str, dict[int, int]]:
    """For each kind of target, the engine's number of each of the scene's, counted within the world."""
    held = {"dof": m.newton_dof, "mujoco:tendon": m.newton_tendon, "body": m.newton_body, "site": m.newton_site}
    numbers = {}
    for kind, scene in held.items():
        scene = np.asarray(scene).tolist()
        numbers[kind] = dict(
            zip(reversed(scene), range(len(scene) - 1, -1, -1), strict=True)
        )  # the first of equal ones
    return numbers


def own_target(m: CompiledModel, w: Worlds, i: int, gaintype: int, numbers: dict[str, dict[int, int]]) -> dict | None:
    """Transmission of actuator ``i``; None where its target does not exist."""
    kind = TRN[int(w.cell("mujoco:actuator_trntype", i))]
    target, second = w.cell("mujoco:actuator_trnid", i)
    turn = gaintype == MjtGain.SO3
    if kind in (MjtTrn.JOINT, MjtTrn.JOINTINPARENT):
        dof = int(w.local("dof", target))
        number = numbers["dof"].get(dof)
        if dof >= 0 and number is not None:
            return dict(trntype=MjtTrn.SO3 if turn else kind, trnid=[int(m.dof_jntid[number]), -1])
    elif kind in (MjtTrn.TENDON, MjtTrn.BODY) and target >= 0:
        frequency = "mujoco:tendon" if kind == MjtTrn.TENDON else "body"
        number = numbers[frequency].get(int(w.local(frequency, target)))
        if number is not None:
            return dict(trntype=kind, trnid=[number, -1])
    elif kind in (MjtTrn.SITE, MjtTrn.SLIDERCRANK):
        name = "refsite" if kind == MjtTrn.SITE else "slidersite"
        if second < 0 and w.has(f"mujoco:actuator_{name}"):
            second = own_int(w, i, name)
        pair = [numbers["site"].get(int(w.local("shape", s)), -1) if s >= 0 else -1 for s in (target, second)]
        if pair[0] >= 0 and (pair[1] >= 0 or kind == MjtTrn.SITE):
            return dict(trntype=MjtTrn.SO3 if turn else kind, trnid=pair)
    return None


def is_limited(w: Worlds, i: int, name: str) -> int:
    """Whether a range of actuator ``i`` holds. ``auto`` (2) means limited where a range was given."""
    authored, given = (int(w.cell(f"mujoco:actuator_{key}", i)) for key in (f"{name}limited", f"has_{name}range"))
    return given if authored == MjtLimited.AUTO else authored


def own_controls(w: Worlds, i: int, kinds: dict, source: int, index: int) -> list[dict]:
    """Controls of actuator ``i``: its signature's, each with its range; the first from ``source``, further ones from
    ``ctrl_more``.
    """
    gain, spec = kinds["gaintype"], kinds["ctrlspec"]
    own = dict(limited=is_limited(w, i, "ctrl"), range=0)
    if gain == MjtGain.PID:
        bands = [own if bit == MjtCtrlInput.POS else band(w, i, name) for bit, name in PID_INPUTS if spec & bit]
    else:
        bands = [own] * control_count(gain, spec)
    places = [(source, index), *((ControlSource.MORE_1 + k, i) for k in range(len(bands) - 1))]
    return [dict(source=s, index=n, **values) for (s, n), values in zip(places, bands, strict=False)]


PID_INPUTS = ((MjtCtrlInput.POS, ""), (MjtCtrlInput.VEL, "velrange"), (MjtCtrlInput.FF, "ffrange"))


def band(w: Worlds, i: int, name: str) -> dict:
    """A range that holds where it is not empty."""
    if not w.has(f"mujoco:actuator_{name}"):
        return dict(limited=0, range=-1)
    values = w.get(f"mujoco:actuator_{name}")[..., i, :]
    return dict(limited=int(np.any(values[..., 0] < values[..., 1])), range=RANGES.index(name))


def source_of(m: CompiledModel, w: Worlds, i: int, target: dict) -> tuple[int, int]:
    """Source of the first control: the actuator's own ``ctrl``, or the target of the joint it drives."""
    j = int(target["trnid"][0])
    direct = int(w.cell("mujoco:ctrl_source", i)) == CtrlSource.CTRL_DIRECT
    if direct or target["trntype"] != MjtTrn.JOINT or m.jnt_type[j] <= MjtJoint.BALL:
        return ControlSource.CTRL, i
    if int(w.cell("mujoco:ctrl_type", i)) == CtrlType.VELOCITY:
        return ControlSource.TARGET_QD, m.newton_dof[m.jnt_dofadr[j]]
    return ControlSource.TARGET_Q, m.newton_coord[m.jnt_qposadr[j]]
