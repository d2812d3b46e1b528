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


AUTHORED = (
    "trntype",
    "trnid",
    "dyntype",
    "gaintype",
    "biastype",
    "dynprm",
    "gainprm",
    "actdim",
    "actearly",
    "ctrllimited",
    "forcelimited",
    "actlimited",
)
"""Columns of actuators that are looked at one by one."""
OPTIONAL = ("ctrlspec", "group", "nsample", "interp", "refsite", "slidersite")
"""Columns of them that a model may be without."""


def own_actuators(m: CompiledModel, w: Worlds, rows: ActuatorRows) -> None:
    """Append the actuators of the ``mujoco`` namespace; those whose target does not exist are left out with a warning."""
    if not w.has("mujoco:actuator_trntype"):
        return
    warn_homeless(w)
    labels = w.first_labels("mujoco:actuator_label", "mujoco:actuator")
    followers, numbers = following(w), engine_numbers(m, w)
    for i, own in enumerate(authored(w)):
        where = f"actuator '{labels[i]}'" if labels[i] else f"actuator {i}"
        kinds = {name: int(own[name]) for name in ("dyntype", "gaintype", "biastype", "actearly")}
        target = own_target(m, w, own, numbers)
        if target is None:
            named = w.first_labels("mujoco:actuator_target_label", "mujoco:actuator")[i]
            text = f"{where}: unresolved target '{named}'" if named else f"{where}: its target does not exist"
            warnings.warn(f"{text}; the actuator is left out", NewtonWarning, stacklevel=2)
            continue
        if not kinds["dyntype"] and own["actlimited"]:
            raise ModelError(
                f"{where}: limits of the activation need dynamics; give it a dyntype, or leave actlimited and actrange out"
            )
        kinds["ctrlspec"] = control_signature(kinds["gaintype"], own["ctrlspec"])
        kinds["actnum"] = activations(own)
        source, index = source_of(m, own, i, target)
        rows.add(
            **target,
            **kinds,
            **shared_gains(m, w, i, target, source, followers),
            forcelimited=own["forcelimited"],
            actlimited=own["actlimited"],
            label=labels[i],
            outputs=3 if kinds["gaintype"] == MjtGain.SO3 else 1,
            controls=own_controls(w, i, own, kinds["ctrlspec"], source, index),
            group=own["group"],
            history=[own["nsample"], own["interp"]],
            own=i,
        )


def authored(w: Worlds) -> list[dict]:
    """Values that each actuator of the first world has, by name, 0 for what the model does not carry; ``ctrllimited`` and its
    like are 1 where the range holds, which is where one was given, unless it was said otherwise.
    """
    read = lambda name: w.first(f"mujoco:{name}")
    columns = {name: read(f"actuator_{name}") for name in AUTHORED}
    nothing = np.zeros(len(columns["trntype"]), int)
    columns |= {name: read(f"actuator_{name}") if w.has(f"mujoco:actuator_{name}") else nothing for name in OPTIONAL}
    columns |= {name: read(name) for name in ("ctrl_source", "ctrl_type")}
    for name in ("ctrl", "force", "act"):
        said, given = columns[f"{name}limited"], read(f"actuator_has_{name}range")
        columns[f"{name}limited"] = np.where(said == MjtLimited.AUTO, given, said)
    return [dict(zip(columns, row)) for row in zip(*(column.tolist() for column in columns.values()), strict=True)]


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


def activations(own: dict) -> int:
    """Activation variables of an actuator: as many as it says, else what its dynamics and their parameters need."""
    kind, actdim = own["dyntype"], int(own["actdim"])
    if actdim >= 0:
        return actdim
    if kind == MjtDyn.PID:
        return pid_activations(own["dynprm"], own["gainprm"])
    if kind == MjtDyn.DCMOTOR:
        return motor_activations(own["dynprm"], own["gainprm"])
    if kind == MjtDyn.INTEGRATOR and own["gaintype"] == MjtGain.SO3:
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


def own_target(m: CompiledModel, w: Worlds, own: dict, numbers: dict[str, dict[int, int]]) -> dict | None:
    """Transmission of an actuator; None where its target does not exist."""
    kind = TRN[own["trntype"]]
    target, second = own["trnid"]
    turn = own["gaintype"] == MjtGain.SO3
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
            second = own[name]
        pair = [numbers["site"].get(int(w.local("shape", s)), -1) if s >= 0 else -1 for s in (target, second)]
        if pair[0] >= 0 and (pair[1] >= 0 or kind == MjtTrn.SITE):
            return dict(trntype=MjtTrn.SO3 if turn else kind, trnid=pair)
    return None


def own_controls(w: Worlds, i: int, own: dict, spec: int, source: int, index: int) -> list[dict]:
    """Controls of actuator ``i``: its signature's, each with its range; the first from ``source``, further ones from
    ``ctrl_more``.
    """
    first = dict(limited=own["ctrllimited"], range=0)
    count = control_count(own["gaintype"], spec)
    if count == 1 and own["gaintype"] != MjtGain.PID:
        return [dict(source=source, index=index, **first)]
    if own["gaintype"] == MjtGain.PID:
        bands = [first if bit == MjtCtrlInput.POS else band(w, i, name) for bit, name in PID_INPUTS if spec & bit]
    else:
        bands = [first] * count
    places = [(source, index), *((ControlSource.MORE_1 + k, i) for k in range(len(bands) - 1))]
    return [dict(source=s, index=n, **values) for (s, n), values in zip(places, bands, strict=False)]


PID_INPUTS = ((MjtCtrlInput.POS, ""), (MjtCtrlInput.VEL, "velrange"), (MjtCtrlInput.FF, "ffrange"))


def band(w: Worlds, i: int, name: str) -> dict:
    """A range that holds where it is not empty."""
    if not w.has(f"mujoco:actuator_{name}"):
        return dict(limited=0, range=-1)
    values = w.get(f"mujoco:actuator_{name}")[..., i, :]
    return dict(limited=int(np.any(values[..., 0] < values[..., 1])), range=RANGES.index(name))


def source_of(m: CompiledModel, own: dict, i: int, target: dict) -> tuple[int, int]:
    """Source of the first control: the actuator's own ``ctrl``, or the target of the joint it drives."""
    j = int(target["trnid"][0])
    direct = own["ctrl_source"] == CtrlSource.CTRL_DIRECT
    if direct or target["trntype"] != MjtTrn.JOINT or m.jnt_type[j] <= MjtJoint.BALL:
        return ControlSource.CTRL, i
    if own["ctrl_type"] == CtrlType.VELOCITY:
        return ControlSource.TARGET_QD, m.newton_dof[m.jnt_dofadr[j]]
    return ControlSource.TARGET_Q, m.newton_coord[m.jnt_qposadr[j]]
