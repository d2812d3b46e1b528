"""Actuators of the ``mujoco`` namespace, driven by ``control.mujoco.ctrl``."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from newtonlite.core.enums import CtrlType, JointType
from newtonlite.core.errors import ModelError
from newtonlite.core.motor import SHEET, SheetError, motor
from newtonlite.core.mujoco import MjtBias, MjtCtrlInput
from newtonlite.sim.builder import check
from newtonlite.solvers.mujoco.authoring.rows import add_row, entity, finite_numbers, same_world, switch, word

DYN = ("none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "pid", "user")
GAIN = ("fixed", "affine", "muscle", "dcmotor", "so3", "pid", "user")
BIAS = ("none", "affine", "muscle", "dcmotor", "so3", "user")
INPUTS = {
    "pos": MjtCtrlInput.POS,
    "vel": MjtCtrlInput.VEL,
    "ff": MjtCtrlInput.FF,
    "voltage": MjtCtrlInput.VOLTAGE,
    "none": MjtCtrlInput.NONE,
}
GEAR = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass
class ActuatorTarget:
    """Actuator target: a joint, tendon, site (its shape) or body by ``index``; ``joint``, ``site`` and their like make
    one.

    ``dof`` says which axis of a joint with several, counted within the joint. ``secondary_index`` is the reference site
    of a site, or the slider of a slider-crank. Targets belong to the world that is open, or to none.
    """

    class Kind(Enum):
        """Kinds of targets."""

        JOINT = "joint"
        JOINT_DOF = "joint_dof"
        JOINT_IN_PARENT = "joint_in_parent"
        TENDON = "tendon"
        SITE = "site"
        BODY = "body"
        SLIDER_CRANK = "slider_crank"

    kind: Kind
    index: int
    secondary_index: int = -1
    dof: int | None = None

    @classmethod
    def joint(cls, joint: int, *, dof: int | None = None) -> "ActuatorTarget":
        """A joint, and which of its axes where it has several; balls and free joints take no axis but a gear of 3 or 6
        numbers.
        """
        return cls(cls.Kind.JOINT, int(joint), dof=None if dof is None else int(dof))

    @classmethod
    def joint_dof(cls, dof: int) -> "ActuatorTarget":
        """An axis of a joint by its row of ``joint_qd``."""
        return cls(cls.Kind.JOINT_DOF, int(dof))

    @classmethod
    def tendon(cls, tendon: int) -> "ActuatorTarget":
        """A tendon, by what ``add_tendon_fixed`` or ``add_tendon_spatial`` returned."""
        return cls(cls.Kind.TENDON, int(tendon))

    @classmethod
    def site(cls, site: int, *, refsite: int | None = None) -> "ActuatorTarget":
        """A site, by its shape; relative to another one where that is given."""
        return cls(cls.Kind.SITE, int(site), -1 if refsite is None else int(refsite))

    @classmethod
    def body(cls, body: int) -> "ActuatorTarget":
        """A body."""
        return cls(cls.Kind.BODY, int(body))

    @classmethod
    def slider_crank(cls, cranksite: int, slidersite: int) -> "ActuatorTarget":
        """The sites of a crank and its slider."""
        return cls(cls.Kind.SLIDER_CRANK, int(cranksite), int(slidersite))


Kind = ActuatorTarget.Kind
TRANSMISSION = {
    Kind.JOINT: 0,
    Kind.JOINT_DOF: 0,
    Kind.JOINT_IN_PARENT: 1,
    Kind.TENDON: 2,
    Kind.SITE: 3,
    Kind.BODY: 4,
    Kind.SLIDER_CRANK: 5,
}
"""``SolverMuJoCo.TrnType`` of each kind."""


def add_actuator_general(
    builder: Any,
    target: ActuatorTarget,
    *,
    dyntype: int | str = "none",
    gaintype: int | str = "fixed",
    biastype: int | str = "none",
    dynprm: Sequence[float] = (1.0,),
    gainprm: Sequence[float] = (1.0,),
    biasprm: Sequence[float] = (0.0,),
    gear: Sequence[float] = (1.0,),
    ctrlrange: Sequence[float] | None = None,
    ctrllimited: bool | int | str = "auto",
    forcerange: Sequence[float] | None = None,
    forcelimited: bool | int | str = "auto",
    actrange: Sequence[float] | None = None,
    actlimited: bool | int | str = "auto",
    actdim: int | None = None,
    actearly: bool = False,
    cranklength: float | None = None,
    ctrl: float = 0.0,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add an actuator of force ``gain(...) * (ctrl or activation) + bias(...)``; ``ctrl`` is where its control starts."""
    where = "add_actuator_general"
    values = {
        "actuator_dyntype": word(dyntype, DYN, f"{where} dyntype"),
        "actuator_gaintype": word(gaintype, GAIN, f"{where} gaintype"),
        "actuator_biastype": word(biastype, BIAS, f"{where} biastype"),
        "actuator_dynprm": finite_numbers(dynprm, 10, f"{where} dynprm"),
        "actuator_gainprm": finite_numbers(gainprm, 10, f"{where} gainprm"),
        "actuator_biasprm": finite_numbers(biasprm, 10, f"{where} biasprm"),
        "actuator_actdim": -1 if actdim is None else int(actdim),
        "actuator_actearly": bool(actearly),
        "ctrl_type": CtrlType.GENERAL,
        **_range("act", actrange, actlimited, where),
    }
    values |= _common(builder, target, where, gear, ctrlrange, ctrllimited, forcerange, forcelimited, cranklength, ctrl)
    return add_row(builder, "actuator", values, custom_attributes)


def add_actuator_motor(
    builder: Any,
    target: ActuatorTarget,
    *,
    gear: Sequence[float] = (1.0,),
    ctrlrange: Sequence[float] | None = None,
    ctrllimited: bool | int | str = "auto",
    forcerange: Sequence[float] | None = None,
    forcelimited: bool | int | str = "auto",
    cranklength: float | None = None,
    ctrl: float = 0.0,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add an actuator whose force is its control."""
    where = "add_actuator_motor"
    values = _common(builder, target, where, gear, ctrlrange, ctrllimited, forcerange, forcelimited, cranklength, ctrl)
    return add_row(builder, "actuator", values | {"ctrl_type": CtrlType.GENERAL}, custom_attributes)


def add_actuator_position(
    builder: Any,
    target: ActuatorTarget,
    *,
    kp: float = 1.0,
    kv: float = 0.0,
    dampratio: float = 0.0,
    gear: Sequence[float] = (1.0,),
    ctrlrange: Sequence[float] | None = None,
    ctrllimited: bool | int | str = "auto",
    forcerange: Sequence[float] | None = None,
    forcelimited: bool | int | str = "auto",
    cranklength: float | None = None,
    ctrl: float = 0.0,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a servo: ``kp (ctrl - length) - kv velocity``; ``dampratio`` stands in for ``kv``, 1 for critical damping."""
    where = "add_actuator_position"
    if kv and dampratio:
        raise ModelError(f"{where}: kv and dampratio both say how it is damped; give one of them")
    kp = check.number(kp, f"{where} kp", low=0.0)
    damping = -check.number(kv, f"{where} kv", low=0.0) or check.number(dampratio, f"{where} dampratio", low=0.0)
    values = _common(builder, target, where, gear, ctrlrange, ctrllimited, forcerange, forcelimited, cranklength, ctrl)
    values |= _servo(kp, -kp, damping) | {"ctrl_type": CtrlType.POSITION}
    return add_row(builder, "actuator", values, custom_attributes)


def add_actuator_velocity(
    builder: Any,
    target: ActuatorTarget,
    *,
    kv: float = 1.0,
    gear: Sequence[float] = (1.0,),
    ctrlrange: Sequence[float] | None = None,
    ctrllimited: bool | int | str = "auto",
    forcerange: Sequence[float] | None = None,
    forcelimited: bool | int | str = "auto",
    cranklength: float | None = None,
    ctrl: float = 0.0,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a damper towards a speed: ``kv (ctrl - velocity)``."""
    where = "add_actuator_velocity"
    kv = check.number(kv, f"{where} kv", low=0.0)
    values = _common(builder, target, where, gear, ctrlrange, ctrllimited, forcerange, forcelimited, cranklength, ctrl)
    values |= _servo(kv, 0.0, -kv) | {"ctrl_type": CtrlType.VELOCITY}
    return add_row(builder, "actuator", values, custom_attributes)


def add_actuator_dcmotor(
    builder: Any,
    target: ActuatorTarget,
    *,
    motorconst: Sequence[float] = (0.0,),
    resistance: float = 0.0,
    nominal: Sequence[float] = (0.0,),
    saturation: Sequence[float] = (0.0,),
    inductance: Sequence[float] = (0.0,),
    cogging: Sequence[float] = (0.0,),
    controller: Sequence[float] = (0.0,),
    thermal: Sequence[float] = (0.0,),
    lugre: Sequence[float] = (0.0,),
    input: str | int = "voltage",
    gear: Sequence[float] = (1.0,),
    damping: Sequence[float] = (0.0,),
    armature: float = 0.0,
    ctrlrange: Sequence[float] | None = None,
    ctrllimited: bool | int | str = "auto",
    cranklength: float | None = None,
    ctrl: float = 0.0,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a direct-current motor from its data sheet, under MJCF's names; ``input`` lists its controls, as ``"pos vel
    ff voltage"``.
    """
    where = "add_actuator_dcmotor"
    sheet = dict(motorconst=motorconst, nominal=nominal, saturation=saturation, inductance=inductance, cogging=cogging)
    sheet |= dict(controller=controller, thermal=thermal, lugre=lugre)
    for name, length in SHEET.items():
        finite_numbers(sheet[name], length, f"{where} {name}")
    spec = _inputs(input, f"{where} input")
    try:
        made = motor(sheet, check.number(resistance, f"{where} resistance", low=0.0), spec)
    except SheetError as error:
        raise ModelError(f"{where} {error.entry}: {error}") from None
    band = (-made.torque, made.torque) if made.torque > 0 else None
    values = _common(
        builder, target, where, gear, ctrlrange, ctrllimited, band, int(made.torque > 0), cranklength, ctrl
    )
    values |= {f"actuator_{name}": getattr(made, name) for name in ("gainprm", "dynprm", "biasprm")}
    values |= {
        "actuator_dyntype": DYN.index("dcmotor"),
        "actuator_gaintype": GAIN.index("dcmotor"),
        "actuator_biastype": BIAS.index("dcmotor"),
    }
    damped = finite_numbers(damping, 3, f"{where} damping")
    values |= {"actuator_damping": damped[0], "actuator_dampingpoly": tuple(damped[1:])}
    values |= {"actuator_armature": check.number(armature, f"{where} armature", low=0.0), "actuator_ctrlspec": spec}
    return add_row(
        builder, "actuator", values | {"actuator_actearly": True, "ctrl_type": CtrlType.DCMOTOR}, custom_attributes
    )


def _inputs(listed: str | int, where: str) -> int:
    """Bits of a list of inputs in MuJoCo's order."""
    if isinstance(listed, int) and not isinstance(listed, bool):
        return listed
    bits = [INPUTS.get(name, 0) for name in str(listed).split()]
    if not bits or 0 in bits or bits != sorted(set(bits)):
        raise ModelError(f"{where}: {listed!r}; give some of {', '.join(INPUTS)}, in this order")
    return sum(bits)


def _servo(gain: float, position: float, velocity: float) -> dict:
    """Types and parameters of ``gain ctrl + position length + velocity speed``."""
    return {
        "actuator_biastype": MjtBias.AFFINE,
        "actuator_gainprm": finite_numbers(gain, 10, "gain"),
        "actuator_biasprm": finite_numbers((0.0, position, velocity), 10, "bias"),
    }


def _common(builder, target, where, gear, ctrlrange, ctrllimited, forcerange, forcelimited, cranklength, ctrl) -> dict:
    """Target, gear, ranges and first control of any actuator."""
    values = {
        "actuator_gear": finite_numbers(gear, 6, f"{where} gear"),
        "actuator_cranklength": None
        if cranklength is None
        else check.number(cranklength, f"{where} cranklength", low=0.0),
        "ctrl": check.number(ctrl, f"{where} ctrl"),
    }
    values |= _range("ctrl", ctrlrange, ctrllimited, where) | _range("force", forcerange, forcelimited, where)
    return values | _target(builder, target, where, gear)


def _range(name: str, band: Sequence[float] | None, limited: Any, where: str) -> dict:
    """A range, whether it was given, and whether it limits."""
    values = {
        f"actuator_{name}limited": switch(limited, f"{where} {name}limited"),
        f"actuator_has_{name}range": int(band is not None),
    }
    if band is not None:
        values[f"actuator_{name}range"] = low, high = finite_numbers(band, 2, f"{where} {name}range")
        if low > high:
            raise ModelError(f"{where} {name}range: {low:g} to {high:g} is reversed; swap them")
    return values


def _target(builder: Any, target: ActuatorTarget, where: str, gear: Any) -> dict:
    """Type and index of the transmission; a joint is stored as its degree of freedom."""
    if not isinstance(target, ActuatorTarget):
        raise ModelError(f"{where}: target {target!r}; give an ActuatorTarget")
    kind = Kind(target.kind)
    index, second = target.index, int(target.secondary_index)
    if kind in (Kind.JOINT, Kind.JOINT_DOF, Kind.JOINT_IN_PARENT):
        index = _dof(builder, target, kind, where, gear)
    elif kind == Kind.TENDON:
        index = entity(builder, index, builder.custom_frequency_counts.get("mujoco:tendon", 0), "tendon", where)
        same_world(builder, builder.custom_attributes["mujoco:tendon_world"].values[index], "tendon", index, where)
    elif kind == Kind.BODY:
        index = entity(builder, index, builder.body_count, "body", where)
        same_world(builder, builder.body_world[index], "body", index, where)
    else:
        for site in (index, second) if second >= 0 or kind == Kind.SLIDER_CRANK else (index,):
            entity(builder, site, builder.shape_count, "site", where)
            same_world(builder, builder.shape_world[site], "site", site, where)
    return {"actuator_trntype": TRANSMISSION[kind], "actuator_trnid": (index, second)}


def _dof(builder: Any, target: ActuatorTarget, kind: ActuatorTarget.Kind, where: str, gear: Any) -> int:
    """The degree of freedom that a joint target means: the first one of a ball or free joint, which is driven as a
    whole.
    """
    if kind == Kind.JOINT_DOF:
        dof = entity(builder, target.index, builder.joint_dof_count, "joint dof", where)
        joint = int(np.searchsorted(np.asarray(builder.joint_qd_start), dof, side="right")) - 1
    else:
        joint = entity(builder, target.index, builder.joint_count, "joint", where)
    same_world(builder, builder.joint_world[joint], "joint", joint, where)
    first = builder.joint_qd_start[joint]
    last = builder.joint_qd_start[joint + 1] if joint + 1 < builder.joint_count else builder.joint_dof_count
    whole = {JointType.BALL: 3, JointType.FREE: 6, JointType.DISTANCE: 6}.get(builder.joint_type[joint])
    if whole:
        given = len(np.atleast_1d(np.asarray(gear, float)))
        if kind == Kind.JOINT_DOF or target.dof is not None or given != whole:
            raise ModelError(
                f"{where}: joint {joint} turns freely, it takes no dof but a native MuJoCo gear of {whole} numbers; give that"
            )
        return first
    axis = dof - first if kind == Kind.JOINT_DOF else target.dof
    if axis is None and last - first != 1:
        raise ModelError(f"{where}: joint {joint} has {last - first} axes; say which one with dof")
    axis = 0 if axis is None else int(axis)
    if not 0 <= axis < last - first:
        raise ModelError(f"{where}: joint {joint} has {last - first} axes, not one of number {axis}; count dof from 0")
    return first + axis
