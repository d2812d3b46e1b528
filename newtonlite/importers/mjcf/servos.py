"""Actuator shortcuts with inputs or states of their own: PID servos, orientation servos, direct-current motors."""

import math

from newtonlite.schema.actuator import PRM1

from .read import Node

NONE, DCMOTOR_DYN, PID_DYN = 0, 5, 6
DCMOTOR, SO3, PID = 3, 4, 5
AFFINE, DCMOTOR_BIAS, SO3_BIAS = 1, 3, 4
POS, VEL, FF, NO_INPUT = 1, 2, 4, 16


def prm(*numbers: float) -> tuple[float, ...]:
    """Ten parameters, the rest zero."""
    return numbers + (0.0,) * (10 - len(numbers))


def damping(node: Node, before: float) -> float:
    """Third bias parameter: minus the damping, or a positive damping ratio."""
    given = node.values
    if "kv" in given and "dampratio" in given:
        raise node.error("cannot have both 'kv' and 'dampratio'; keep one", "dampratio")
    for name in ("kv", "dampratio"):
        if given.get(name, 0.0) < 0:
            raise node.error(f"{given[name]:g} is negative; give at least 0", name)
    return -given["kv"] if "kv" in given else given.get("dampratio", before)


def check_order(node: Node) -> None:
    """ParseError where inputs are not in MuJoCo's order, or one is there twice."""
    listed = list(node.values.get("input") or ())
    if listed != sorted(set(listed)):
        raise node.error("list each input once, in the order pos, vel, ff, voltage", "input")


def pid(node: Node, f: dict) -> None:
    """force = kp (position - length) + kv (velocity - speed) + ki integral + feed-forward"""
    given, mine = node.values, f["gaintype"] == PID
    check_order(node)
    kp = given.get("kp", -f["biasprm"][1] if mine else 1.0)
    ki = given.get("ki", f["gainprm"][0] if mine else 0.0)
    bound, slew = (given.get(name, f["dynprm"][k] if mine else 0.0) for k, name in enumerate(("imax", "slewmax")))
    spec = sum(f.get("input") or ()) or POS | VEL
    stateful = ki > 0 or slew > 0
    if stateful and not spec & POS:
        raise node.error("an integral or a rate limit needs the input 'pos'", "ki" if "ki" in given else "slewmax" if "slewmax" in given else None)
    f |= {"gaintype": PID, "gainprm": prm(ki), "biastype": AFFINE, "biasprm": prm(0.0, -kp, damping(node, f["biasprm"][2] if mine else 0.0))}
    f |= {"dyntype": PID_DYN if stateful else NONE, "dynprm": prm(bound if ki > 0 else 0.0, slew if slew > 0 else 0.0)}
    if "posrange" in given:
        f["ctrlrange"] = given["posrange"]


def orientation(node: Node, f: dict) -> None:
    """torque = kp log(q^-1 q_target) - kv omega"""
    given, mine = node.values, f["gaintype"] == SO3
    kp = given.get("kp", f["gainprm"][0] if mine else 1.0)
    f |= {"gaintype": SO3, "gainprm": prm(kp), "biastype": SO3_BIAS, "dyntype": NONE, "dynprm": PRM1}
    f["biasprm"] = prm(0.0, -kp, damping(node, f["biasprm"][2] if mine else 0.0))
    if f.get("forcerange", (0.0, 0.0))[0] != 0:
        raise node.error("bounds the size of the torque; the lower bound must be 0", "forcerange" if "forcerange" in given else None)


def dcmotor(node: Node, f: dict) -> None:
    """A direct-current motor from its data sheet; what one element leaves out may stand in a default class of the same kind."""
    check_order(node)
    read = {name: list(f.get(name) or ()) + [0.0] * (n - len(f.get(name) or ())) for name, n in SHEET.items()}
    spec = sum(f.get("input") or ())
    K, R = constants(node, f, read, spec)
    kp, ki, kd, slew, most, volt = read["controller"]
    check_controller(node, read["controller"], spec)
    L, tau = read["inductance"]
    torque, current, rate = read["saturation"]
    RT, C, alpha, reference, ambient = thermal(node, read["thermal"])
    f |= {"dyntype": DCMOTOR_DYN, "gaintype": DCMOTOR, "biastype": DCMOTOR_BIAS, "actearly": True, "actdim": -1}
    f["gainprm"] = prm(R, K, alpha, reference, kp, ki, kd, volt)
    f["dynprm"] = prm(L / R if L > 0 else tau, rate, RT, C, ambient, *read["lugre"][:2], slew, most)
    f["biasprm"] = prm(*read["cogging"], *read["lugre"][2:])
    if "saturation" in node.values:
        torque = torque or K * current
        f |= {"forcerange": (-torque, torque), "forcelimited": int(torque > 0)}


SHEET = {"motorconst": 2, "nominal": 3, "saturation": 3, "inductance": 2, "cogging": 3, "controller": 6, "thermal": 6, "lugre": 5}


def constants(node: Node, f: dict, read: dict, spec: int) -> tuple[float, float]:
    """Motor constant K and resistance R, from themselves or from the nominal point."""
    torque, emf = read["motorconst"]
    volt, stall, speed = read["nominal"]
    if min(torque, emf) < 0:
        raise node.error("motor constants are not negative", "motorconst" if "motorconst" in node.values else None)
    nominal = volt / speed if speed > 0 else 0.0
    torque, emf = torque or nominal, emf or nominal
    K = math.sqrt(torque * emf) if torque and emf else torque or emf
    R = f.get("resistance") or (K * volt / stall if stall > 0 else 0.0)
    if K <= 0 and not spec & NO_INPUT:
        raise node.error("the motor constant must be positive; give motorconst, or nominal")
    if R <= 0:
        raise node.error("the resistance must be positive; give resistance, or nominal")
    return K, R


def check_controller(node: Node, controller: list, spec: int) -> None:
    """ParseError where gains have no input to work on."""
    where = "controller" if "controller" in node.values else None
    if any(controller) and not spec & (POS | VEL | FF):
        raise node.error("a controller needs one of the inputs pos, vel, ff", where)
    if controller[1] and not spec & POS:
        raise node.error("the integral gain needs the input 'pos'", where)


def thermal(node: Node, values: list) -> tuple[float, ...]:
    """Thermal resistance and capacity (two of resistance, capacity and time constant say both), coefficient and temperatures."""
    RT, C, tau, alpha, reference, ambient = values
    if RT or C or tau:
        C = tau / RT if RT and tau else C
        RT = RT or (tau / C if C else 0.0)
        if RT <= 0 or C <= 0:
            raise node.error("give two of resistance, capacitance and timeconst, all positive", "thermal" if "thermal" in node.values else None)
    return RT, C, alpha, reference, ambient
