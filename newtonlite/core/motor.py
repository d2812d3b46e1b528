"""Direct-current motors: MuJoCo's actuator parameters from a data sheet.

MuJoCo documentation, XML reference: dcmotor.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from newtonlite.core.mujoco import MjtCtrlChart, MjtCtrlInput, MjtGain

SHEET = {
    "motorconst": 2,
    "nominal": 3,
    "saturation": 3,
    "inductance": 2,
    "cogging": 3,
    "controller": 6,
    "thermal": 6,
    "lugre": 5,
}
"""Entries of a sheet and how many numbers each has at most; ``resistance`` is one more."""


INPUTS = MjtCtrlInput.POS | MjtCtrlInput.VEL | MjtCtrlInput.FF
"""Inputs that set points of a control law come by."""


SIGNATURES = {
    int(MjtGain.PID): int(MjtCtrlInput.POS | MjtCtrlInput.VEL),
    int(MjtGain.DCMOTOR): int(MjtCtrlInput.VOLTAGE),
    int(MjtGain.SO3): int(MjtCtrlChart.EXPMAP),
}
"""Control signatures of gain types that have one of their own."""


def control_signature(gaintype: int, given: int) -> int:
    """Control signature of an actuator: as given, or the default of the gain type."""
    return given or SIGNATURES.get(gaintype, 0)


def control_count(gaintype: int, given: int) -> int:
    """Controls of an actuator with a gain type and a signature, 0 for the default one."""
    spec = control_signature(gaintype, given)
    if gaintype == MjtGain.SO3:
        return 4 if spec == MjtCtrlChart.QUAT else 3
    if gaintype not in (MjtGain.PID, MjtGain.DCMOTOR):
        return 1
    return (spec & int(INPUTS | (MjtCtrlInput.VOLTAGE if gaintype == MjtGain.DCMOTOR else 0))).bit_count()


def motor_activations(dynprm: Sequence[float], gainprm: Sequence[float]) -> int:
    """Activation variables of a motor: rate limit, integral, temperature, bristles and current, where it has them."""
    return sum(int(x > 0) for x in (dynprm[7], gainprm[5], dynprm[2], dynprm[5], dynprm[0]))


def pid_activations(dynprm: Sequence[float], gainprm: Sequence[float]) -> int:
    """Activation variables of a PID law: rate limit and integral, where it has them."""
    return int(dynprm[1] > 0) + int(gainprm[0] > 0)


class SheetError(ValueError):
    """A sheet that makes no motor; ``entry`` names what is wrong."""

    def __init__(self, entry: str, text: str):
        super().__init__(text)
        self.entry = entry


class Motor(NamedTuple):
    """Parameters of an actuator of type dcmotor, ten each, and the greatest force (0: no limit)."""

    gainprm: tuple
    dynprm: tuple
    biasprm: tuple
    torque: float


def motor(sheet: Mapping[str, Sequence[float]], resistance: float, spec: int) -> Motor:
    """The motor of a sheet with inputs ``spec`` (bits of POS, VEL, FF, VOLTAGE, NO_INPUT). Raises SheetError."""
    read = {name: [*map(float, sheet.get(name) or ())] for name in SHEET}
    read = {name: values + [0.0] * (SHEET[name] - len(values)) for name, values in read.items()}
    K, R = constants(read, resistance, spec)
    kp, ki, kd, slew, bound, volt = read["controller"]
    check_controller(read["controller"], spec)
    L, tau = read["inductance"]
    torque, current, rate = read["saturation"]
    RT, C, alpha, reference, ambient = thermal(read["thermal"])
    gain = (R, K, alpha, reference, kp, ki, kd, volt)
    dyn = (L / R if L > 0 else tau, rate, RT, C, ambient, *read["lugre"][:2], slew, bound)
    bias = (*read["cogging"], *read["lugre"][2:])
    return Motor(*(prm + (0.0,) * (10 - len(prm)) for prm in (gain, dyn, bias)), torque or K * current)


def constants(read: Mapping, resistance: float, spec: int) -> tuple[float, float]:
    """Motor constant K and resistance R, from themselves or from the nominal point."""
    torque, emf = read["motorconst"]
    volt, stall, speed = read["nominal"]
    if min(torque, emf) < 0:
        raise SheetError("motorconst", "motor constants are not negative")
    nominal = volt / speed if speed > 0 else 0.0
    torque, emf = torque or nominal, emf or nominal
    K = math.sqrt(torque * emf) if torque and emf else torque or emf
    R = resistance or (K * volt / stall if stall > 0 else 0.0)
    if K <= 0 and not spec & MjtCtrlInput.NONE:
        raise SheetError("motorconst", "the motor constant must be positive; give motorconst, or nominal")
    if R <= 0:
        raise SheetError("resistance", "the resistance must be positive; give resistance, or nominal")
    return K, R


def check_controller(controller: Sequence[float], spec: int) -> None:
    """Raise SheetError where gains have no input to work on."""
    if any(controller) and not spec & (MjtCtrlInput.POS | MjtCtrlInput.VEL | MjtCtrlInput.FF):
        raise SheetError("controller", "a controller needs one of the inputs pos, vel, ff")
    if controller[1] and not spec & MjtCtrlInput.POS:
        raise SheetError("controller", "the integral gain needs the input 'pos'")


def thermal(values: Sequence[float]) -> tuple[float, ...]:
    """Thermal resistance and capacity (two of resistance, capacity and time constant say both), coefficient and
    temperatures.
    """
    RT, C, tau, alpha, reference, ambient = values
    if RT or C or tau:
        C = tau / RT if RT and tau else C
        RT = RT or (tau / C if C else 0.0)
        if RT <= 0 or C <= 0:
            raise SheetError("thermal", "give two of resistance, capacitance and timeconst, all positive")
    return RT, C, alpha, reference, ambient
