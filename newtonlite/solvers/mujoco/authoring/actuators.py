"""Actuators of the ``mujoco`` namespace, driven by ``control.mujoco.ctrl``."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from newtonlite.core.errors import ModelError
from newtonlite.core.motor import FF, NO_INPUT, POS, SHEET, VEL, VOLTAGE, SheetError, motor
from newtonlite.sim.builder import check
from newtonlite.solvers.mujoco.authoring.rows import add_row, entity, numbers, switch, word

DYN = ("none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "pid", "user")
GAIN = ("fixed", "affine", "muscle", "dcmotor", "so3", "pid", "user")
BIAS = ("none", "affine", "muscle", "dcmotor", "so3", "user")
POSITION, VELOCITY, GENERAL, MOTOR = 0, 1, 2, 3
INPUTS = {"pos": POS, "vel": VEL, "ff": FF, "voltage": VOLTAGE, "none": NO_INPUT}
AFFINE = 1
GEAR = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass
class ActuatorTarget:
    """What an actuator acts on: a joint, tendon, site (its shape) or body by ``index``.

    ``dof`` says which axis of a joint with several, counted within the joint. ``secondary_index`` is the reference site of a site,
    or the slider of a slider-crank.
    """

    class Kind(IntEnum):
        """Kinds of targets, numbered as ``SolverMuJoCo.TrnType``."""

        JOINT = 0
        JOINT_IN_PARENT = 1
        TENDON = 2
        SITE = 3
        BODY = 4
        SLIDERCRANK = 5

    kind: Kind
    index: int
    secondary_index: int = -1
    dof: int | None = None


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
        "actuator_dynprm": numbers(dynprm, 10, f"{where} dynprm"),
        "actuator_gainprm": numbers(gainprm, 10, f"{where} gainprm"),
        "actuator_biasprm": numbers(biasprm, 10, f"{where} biasprm"),
        "actuator_actdim": -1 if actdim is None else int(actdim),
        "actuator_actearly": bool(actearly),
        "ctrl_type": GENERAL,
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
    return add_row(builder, "actuator", values | {"ctrl_type": GENERAL}, custom_attributes)


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
    values |= _servo(kp, -kp, damping) | {"ctrl_type": POSITION}
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
    values |= _servo(kv, 0.0, -kv) | {"ctrl_type": VELOCITY}
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
    """Add a direct-current motor from its data sheet, under MJCF's names; ``input`` lists its controls, as ``"pos vel ff voltage"``."""
    where = "add_actuator_dcmotor"
    sheet = dict(motorconst=motorconst, nominal=nominal, saturation=saturation, inductance=inductance, cogging=cogging)
    sheet |= dict(controller=controller, thermal=thermal, lugre=lugre)
    for name, length in SHEET.items():
        numbers(sheet[name], length, f"{where} {name}")
    spec = _inputs(input, f"{where} input")
    try:
        made = motor(sheet, check.number(resistance, f"{where} resistance", low=0.0), spec)
    except SheetError as error:
        raise ModelError(f"{where} {error.entry}: {error}") from None
    band = (-made.torque, made.torque) if made.torque > 0 else None
    values = _common(builder, target, where, gear, ctrlrange, ctrllimited, band, int(made.torque > 0), cranklength, ctrl)
    values |= {f"actuator_{name}": getattr(made, name) for name in ("gainprm", "dynprm", "biasprm")}
    values |= {"actuator_dyntype": DYN.index("dcmotor"), "actuator_gaintype": GAIN.index("dcmotor"), "actuator_biastype": BIAS.index("dcmotor")}
    damped = numbers(damping, 3, f"{where} damping")
    values |= {"actuator_damping": damped[0], "actuator_dampingpoly": tuple(damped[1:])}
    values |= {"actuator_armature": check.number(armature, f"{where} armature", low=0.0), "actuator_ctrlspec": spec}
    return add_row(builder, "actuator", values | {"actuator_actearly": True, "ctrl_type": MOTOR}, custom_attributes)


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
        "actuator_biastype": AFFINE,
        "actuator_gainprm": numbers(gain, 10, "gain"),
        "actuator_biasprm": numbers((0.0, position, velocity), 10, "bias"),
    }


def _common(builder, target, where, gear, ctrlrange, ctrllimited, forcerange, forcelimited, cranklength, ctrl) -> dict:
    """Target, gear, ranges and first control of any actuator."""
    values = {
        "actuator_gear": numbers(gear, 6, f"{where} gear"),
        "actuator_cranklength": None if cranklength is None else check.number(cranklength, f"{where} cranklength", low=0.0),
        "ctrl": check.number(ctrl, f"{where} ctrl"),
    }
    values |= _range("ctrl", ctrlrange, ctrllimited, where) | _range("force", forcerange, forcelimited, where)
    return values | _target(builder, target, where)


def _range(name: str, band: Sequence[float] | None, limited: Any, where: str) -> dict:
    """A range, whether it was given, and whether it limits."""
    values = {
        f"actuator_{name}limited": switch(limited, f"{where} {name}limited"),
        f"actuator_has_{name}range": int(band is not None),
    }
    if band is not None:
        values[f"actuator_{name}range"] = low, high = numbers(band, 2, f"{where} {name}range")
        if low > high:
            raise ModelError(f"{where} {name}range: {low:g} to {high:g} is reversed; swap them")
    return values


def _target(builder: Any, target: ActuatorTarget, where: str) -> dict:
    """Type and index of the transmission; a joint is stored as its degree of freedom."""
    if not isinstance(target, ActuatorTarget):
        raise ModelError(f"{where}: target {target!r}; give an ActuatorTarget")
    Kind = ActuatorTarget.Kind
    kind = Kind(target.kind)
    counts = {
        Kind.TENDON: ("tendon", builder.custom_frequency_counts.get("mujoco:tendon", 0)),
        Kind.BODY: ("body", builder.body_count),
    }
    index, second = target.index, int(target.secondary_index)
    if kind in (Kind.JOINT, Kind.JOINT_IN_PARENT):
        index = _dof(builder, target, where)
    else:
        what, count = counts.get(kind, ("site", builder.shape_count))
        index = entity(builder, index, count, what, where)
    return {"actuator_trntype": int(kind), "actuator_trnid": (index, second)}


def _dof(builder: Any, target: ActuatorTarget, where: str) -> int:
    """The degree of freedom that a joint target means."""
    joint = entity(builder, target.index, builder.joint_count, "joint", where)
    first = builder.joint_qd_start[joint]
    last = builder.joint_qd_start[joint + 1] if joint + 1 < builder.joint_count else builder.joint_dof_count
    axis = 0 if target.dof is None else int(target.dof)
    if not 0 <= axis < last - first:
        raise ModelError(f"{where}: joint {joint} has {last - first} axes, not one of number {axis}; count from 0")
    return first + axis
