"""Actuator shortcuts with inputs or states of their own: PID servos, orientation servos, direct-current motors."""

import warnings

from newtonlite.core.errors import NewtonWarning
from newtonlite.core.motor import SheetError, motor
from newtonlite.core.mujoco import MjtBias, MjtCtrlInput, MjtDyn, MjtGain, MjtLimited
from newtonlite.importers.mjcf.read import Node
from newtonlite.schema.actuator import PRM1


def prm(*numbers: float) -> tuple[float, ...]:
    """Ten parameters, the rest zero."""
    return numbers + (0.0,) * (10 - len(numbers))


def damping(node: Node, before: float) -> float:
    """Third bias parameter: minus the damping, or a positive damping ratio."""
    given = node.values
    if given.get("kv") and "dampratio" in given:
        warnings.warn(
            str(node.error("'kv' counts, not 'dampratio'; keep one", "dampratio")), NewtonWarning, stacklevel=2
        )
    for name in ("kv", "dampratio"):
        if given.get(name, 0.0) < 0:
            raise node.error(f"{given[name]:g} is negative; give at least 0", name)
    return (
        -given["kv"]
        if given.get("kv") or ("kv" in given and "dampratio" not in given)
        else given.get("dampratio", before)
    )


def check_order(node: Node) -> None:
    """ParseError where inputs are not in MuJoCo's order, or one is there twice."""
    listed = list(node.values.get("input") or ())
    if listed != sorted(set(listed)):
        raise node.error("list each input once, in the order pos, vel, ff, voltage", "input")


def pid(node: Node, f: dict) -> None:
    """force = kp (position - length) + kv (velocity - speed) + ki integral + feed-forward"""
    given, mine = node.values, f["gaintype"] == MjtGain.PID
    check_order(node)
    kp = given.get("kp", -f["biasprm"][1] if mine else 1.0)
    ki = given.get("ki", f["gainprm"][0] if mine else 0.0)
    bound, slew = (given.get(name, f["dynprm"][k] if mine else 0.0) for k, name in enumerate(("imax", "slewmax")))
    spec = sum(f.get("input") or ()) or MjtCtrlInput.POS | MjtCtrlInput.VEL
    stateful = ki > 0 or slew > 0
    if stateful and not spec & MjtCtrlInput.POS:
        raise node.error(
            "an integral or a rate limit needs the input 'pos'",
            "ki" if "ki" in given else "slewmax" if "slewmax" in given else None,
        )
    f |= {
        "gaintype": MjtGain.PID,
        "gainprm": prm(ki),
        "biastype": MjtBias.AFFINE,
        "biasprm": prm(0.0, -kp, damping(node, f["biasprm"][2] if mine else 0.0)),
    }
    f |= {
        "dyntype": MjtDyn.PID if stateful else MjtDyn.NONE,
        "dynprm": prm(bound if ki > 0 else 0.0, slew if slew > 0 else 0.0),
    }
    if "posrange" in given:
        f["ctrlrange"] = given["posrange"]


def orientation(node: Node, f: dict) -> None:
    """torque = kp log(q^-1 q_target) - kv omega"""
    given, mine = node.values, f["gaintype"] == MjtGain.SO3
    kp = given.get("kp", f["gainprm"][0] if mine else 1.0)
    f |= {"gaintype": MjtGain.SO3, "gainprm": prm(kp), "biastype": MjtBias.SO3, "dyntype": MjtDyn.NONE, "dynprm": PRM1}
    f["biasprm"] = prm(0.0, -kp, damping(node, f["biasprm"][2] if mine else 0.0))
    f.setdefault("ctrllimited", MjtLimited.AUTO)
    if f.get("forcerange", (0.0, 0.0))[0] != 0:
        raise node.error(
            "bounds the size of the torque; the lower bound must be 0", "forcerange" if "forcerange" in given else None
        )


def dcmotor(node: Node, f: dict) -> None:
    """A direct-current motor from its data sheet; what one element leaves out may stand in a default class of the same
    kind.
    """
    check_order(node)
    try:
        made = motor(f, f.get("resistance") or 0.0, sum(f.get("input") or ()))
    except SheetError as error:
        raise node.error(str(error), error.entry if error.entry in node.values else None) from None
    f |= {
        "dyntype": MjtDyn.DCMOTOR,
        "gaintype": MjtGain.DCMOTOR,
        "biastype": MjtBias.DCMOTOR,
        "actearly": True,
        "actdim": -1,
    }
    f |= {name: getattr(made, name) for name in ("gainprm", "dynprm", "biasprm")}
    if "saturation" in node.values:
        f |= {"forcerange": (-made.torque, made.torque), "forcelimited": int(made.torque > 0)}
