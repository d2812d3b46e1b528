"""Actuator shortcuts: each element stands for a ``general`` actuator, whose fields it sets.

What a default class says for one shortcut is forgotten by another one; what it says by ``general`` is kept where it
fits.
"""

import math
import warnings

from newtonlite.core.errors import NewtonWarning
from newtonlite.core.mujoco import MjtBias, MjtCtrlInput, MjtDyn, MjtGain, MjtLimited
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.servos import dcmotor, orientation, pid, prm
from newtonlite.schema.actuator import PRM0, PRM1

MUSCLE_GAIN = (0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2, 0.0)
MUSCLE_DYNPRM = (0.01, 0.04) + (0.0,) * 8
MUSCLE_NAMES = ("range", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax")
CONTROLS_OF = {
    "position": MjtCtrlInput.POS,
    "velocity": MjtCtrlInput.VEL,
    "intvelocity": MjtCtrlInput.VEL,
    "cylinder": MjtCtrlInput.PRESSURE,
}
"""Meaning of the control of shortcuts."""
OWN_CONTROLS = ("dcmotor", "orientation", "pid")
"""Shortcuts that say themselves what their controls mean."""
LAWS = ("general", "plugin")
"""Elements that leave the parameters of gain, bias and dynamics as they are."""
FIELDS = ("dyntype", "gaintype", "biastype", "dynprm", "gainprm", "biasprm", "actdim", "actearly")
START = {
    "dyntype": MjtDyn.NONE,
    "gaintype": MjtGain.FIXED,
    "biastype": MjtBias.NONE,
    "dynprm": PRM1,
    "gainprm": PRM1,
    "biasprm": PRM0,
    "actdim": -1,
    "actearly": False,
}


def apply(node: Node, fields: dict) -> dict:
    """The fields of a general actuator after a node, which may stand in a default class, has said its part."""
    fields = {**START, **fields}
    for name, value in node.values.items():
        old = fields.get(name, node.element.attr(name).default)
        fields[name] = value + old[len(value) :] if isinstance(value, tuple) and isinstance(old, tuple) else value
    tag, before = node.tag, fields.get("shortcut", "general")
    if tag not in LAWS:
        natural = {
            "damper": MjtGain.AFFINE,
            "muscle": MjtGain.MUSCLE,
            "dcmotor": MjtGain.DCMOTOR,
            "orientation": MjtGain.SO3,
            "pid": MjtGain.PID,
        }.get(tag, MjtGain.FIXED)
        if before not in (tag, "general") or fields["gaintype"] != natural or tag == "motor":
            fields |= START
        SHORTCUTS[tag](node, fields)
    fields["shortcut"] = tag
    if tag in OWN_CONTROLS or (tag == "general" and "input" in node.values):
        fields["ctrlspec"] = sum(set(fields.get("input") or ()))
    elif tag != "general":
        fields["ctrlspec"] = CONTROLS_OF.get(tag, 0)
    if "inheritrange" in node.values and "ctrlrange" in node.values and node.values["inheritrange"] > 0:
        raise node.error("cannot have both 'ctrlrange' and 'inheritrange'; keep one", "inheritrange")
    if "ctrlrange" in node.values:
        fields["inheritrange"] = 0.0
    return fields


def not_negative(node: Node, *names: str) -> None:
    """ParseError where one of some gains is negative."""
    for name in names:
        if node.values.get(name, 0.0) < 0:
            raise node.error(f"{node.values[name]:g} is negative; give at least 0", name)


def motor(node: Node, f: dict) -> None:
    """force = ctrl"""


def position(node: Node, f: dict) -> None:
    """force = kp (ctrl - length) - kv velocity; a positive third bias parameter is a damping ratio."""
    given = node.values
    not_negative(node, "kv", "dampratio", "timeconst")
    if given.get("kv") and "dampratio" in given:
        warnings.warn(
            str(node.error("'kv' counts, not 'dampratio'; keep one", "dampratio")), NewtonWarning, stacklevel=2
        )
    kp, damping = given.get("kp", f["gainprm"][0]), f["biasprm"][2]
    damping = (
        -given["kv"]
        if given.get("kv") or ("kv" in given and "dampratio" not in given)
        else given.get("dampratio", damping)
    )
    f |= {"gaintype": MjtGain.FIXED, "gainprm": prm(kp), "biastype": MjtBias.AFFINE, "biasprm": prm(0.0, -kp, damping)}
    if "timeconst" in given:
        f |= {
            "dyntype": MjtDyn.FILTEREXACT if given["timeconst"] > 0 else MjtDyn.NONE,
            "dynprm": prm(given["timeconst"]),
        }
    elif f["dyntype"] != MjtDyn.FILTEREXACT:
        f |= {"dyntype": MjtDyn.NONE, "dynprm": PRM1}


def intvelocity(node: Node, f: dict) -> None:
    """A position servo whose target is the integral of the control."""
    position(node, f)
    f |= {"dyntype": MjtDyn.INTEGRATOR, "actlimited": MjtLimited.AUTO}


def velocity(node: Node, f: dict) -> None:
    """force = kv (ctrl - velocity)"""
    kv = node.values.get("kv", f["gainprm"][0])
    f |= {
        "gaintype": MjtGain.FIXED,
        "gainprm": prm(kv),
        "biastype": MjtBias.AFFINE,
        "biasprm": prm(0.0, 0.0, -kv),
        "dyntype": MjtDyn.NONE,
        "dynprm": PRM1,
    }


def damper(node: Node, f: dict) -> None:
    """force = - kv velocity ctrl"""
    kv = node.values.get("kv", -f["gainprm"][2])
    if kv < 0:
        raise node.error(f"the damping {kv:g} is negative; give at least 0", "kv" if "kv" in node.values else None)
    if min(f.get("ctrlrange", (0.0, 0.0))) < 0:
        raise node.error("the control of a damper cannot be negative; let the range start at 0", "ctrlrange")
    f |= {
        "gaintype": MjtGain.AFFINE,
        "gainprm": prm(0.0, 0.0, -kv),
        "biastype": MjtBias.NONE,
        "biasprm": PRM0,
        "dyntype": MjtDyn.NONE,
        "dynprm": PRM1,
        "ctrllimited": 1,
    }


def cylinder(node: Node, f: dict) -> None:
    """force = area pressure + bias; the pressure follows the control with a time constant."""
    given = node.values
    area = given.get("area", f["gainprm"][0])
    if "diameter" in given:
        area = math.pi / 4 * given["diameter"] ** 2
    bias = given.get("bias", f["biasprm"][:3])
    dynprm = prm(given.get("timeconst", f["dynprm"][0]))
    f |= {
        "dyntype": MjtDyn.FILTER,
        "dynprm": dynprm,
        "gaintype": MjtGain.FIXED,
        "gainprm": prm(area),
        "biastype": MjtBias.AFFINE,
        "biasprm": prm(*bias),
    }


def muscle(node: Node, f: dict) -> None:
    """A muscle: nine parameters of its curves, three of its activation."""
    given = node.values
    gain, dyn = (f["gainprm"], f["dynprm"]) if f["gaintype"] == MjtGain.MUSCLE else (MUSCLE_GAIN, MUSCLE_DYNPRM)
    gain, dyn = list(gain), list(dyn)
    gain[0:2] = map(known, given.get("range", gain[0:2]), gain[0:2])
    for i, name in enumerate(MUSCLE_NAMES[1:], 2):
        gain[i] = known(given.get(name, gain[i]), gain[i])
    dyn[0:2] = map(known, given.get("timeconst", dyn[0:2]), dyn[0:2])
    not_negative(node, "tausmooth")
    dyn[2] = given.get("tausmooth", dyn[2])
    f |= {
        "dyntype": MjtDyn.MUSCLE,
        "gaintype": MjtGain.MUSCLE,
        "biastype": MjtBias.MUSCLE,
        "dynprm": tuple(dyn),
        "gainprm": tuple(gain),
        "biasprm": tuple(gain),
    }


def known(value: float, before: float) -> float:
    """A parameter of a muscle; negative ones leave it as it was."""
    return value if value >= 0 else before


def adhesion(node: Node, f: dict) -> None:
    """force = gain ctrl, spread over the contacts of a body"""
    not_negative(node, "gain")
    gain = node.values.get("gain", f["gainprm"][0])
    f |= {
        "dyntype": MjtDyn.NONE,
        "dynprm": PRM1,
        "gaintype": MjtGain.FIXED,
        "gainprm": prm(gain),
        "biastype": MjtBias.NONE,
        "biasprm": PRM0,
        "ctrllimited": 1,
    }


SHORTCUTS = {
    f.__name__: f
    for f in (motor, position, intvelocity, velocity, damper, cylinder, muscle, adhesion, pid, orientation, dcmotor)
}
