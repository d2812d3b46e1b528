"""Repair of masses and inertias that no solid has, with Newton's rules and numbers."""

from dataclasses import dataclass

import numpy as np

SINGLE = float(np.finfo(np.float32).eps)
SLACK = 1.0e-5
"""Relative slack of the triangle inequality for inertias that a file gives: what rounding in files leaves of it."""


@dataclass
class InertiaBounds:
    """Inertia bounds that the builder was given: least principal moments, and the amount added beyond the shortfall [kg
    m^2]."""

    relative: float = 1.0e-6
    absolute: float = 1.0e-10
    extra: float = 1.0e-6
    balance: bool = True
    least_mass: float | None = None
    least_moment: float | None = None


def suspects(mass: np.ndarray, tensor: np.ndarray, given: np.ndarray, rules: InertiaBounds) -> np.ndarray:
    """Bodies [k] that ``repaired`` may change; ``given`` [n] bool are those whose inertia a file gave, which may be
    thin or without extent.
    """
    finite = np.isfinite(mass) & np.isfinite(tensor).reshape(-1, 9).all(axis=1)
    moments = np.linalg.eigvalsh(0.5 * np.where(finite[:, None, None], tensor + tensor.transpose(0, 2, 1), 0.0))
    small = moments[:, 0] < np.where(
        given, -SLACK * moments[:, 2], np.maximum(rules.relative * moments[:, 2], rules.absolute)
    )
    flat = moments[:, 0] + moments[:, 1] < moments[:, 2] - np.maximum(
        np.where(given, SLACK, SINGLE) * moments[:, 2], rules.absolute
    )
    skew = np.abs(tensor - tensor.transpose(0, 2, 1)).reshape(-1, 9).max(axis=1, initial=0.0) > 0.0
    low = (rules.least_mass is not None) & (mass < (rules.least_mass or 0.0)) | (rules.least_moment is not None) & (
        moments[:, 0] < (rules.least_moment or 0.0)
    )
    wrong = (mass > 0.0) & (small | flat | skew | low) | (mass == 0.0) & ~given & tensor.reshape(-1, 9).any(axis=1)
    return np.flatnonzero(~finite | (mass < 0.0) | wrong)


def repaired(mass: float, tensor: np.ndarray, given: bool, rules: InertiaBounds) -> tuple[float, np.ndarray, list[str]]:
    """Mass and inertia [3, 3] as a solid may have them, and what was wrong with those of a body."""
    said: list[str] = []
    if not (np.isfinite(mass) and np.isfinite(tensor).all()):
        return 0.0, np.zeros((3, 3)), ["NaN/Inf in mass or inertia; both are set to 0"]
    if mass < 0.0:
        said.append(f"Negative mass {mass:g}; it is set to 0")
        mass = 0.0
    elif rules.least_mass is not None and 0.0 < mass < rules.least_mass:
        said.append(f"mass {mass:g} is below bound {rules.least_mass:g}; it is raised")
        mass = rules.least_mass
    if mass == 0.0:
        if tensor.any() and not given:
            said.append("a body without mass should have zero inertia; it is set to 0")
            tensor = np.zeros((3, 3))
        return mass, tensor, said
    even = 0.5 * (tensor + tensor.T)
    if not np.allclose(tensor, even, rtol=1.0e-5, atol=1.0e-8):
        said.append("the inertia is not symmetric; the mean of both halves counts")
        tensor = even
    moments = np.linalg.eigvalsh(even)
    lift = lacking(moments, given, rules, said)
    return mass, positive_inertia(tensor + lift * np.eye(3)) if lift else tensor, said


def lacking(moments: np.ndarray, given: bool, rules: InertiaBounds, said: list[str]) -> float:
    """Shortfall to add to all principal moments [3, ascending]; the reasons are added to ``said``."""
    least = -SLACK * moments[2] if given else max(rules.relative * moments[2], rules.absolute)
    lift = 0.0
    if moments[0] < least:
        said.append(f"Eigenvalues below threshold detected: {moments}; the least allowed is {max(least, 0.0):g}")
        lift = max(least, 0.0) - moments[0] + rules.extra
    if rules.least_moment is not None and moments[0] + lift < rules.least_moment:
        said.append(f"Minimum eigenvalue {moments[0] + lift:g} is below bound {rules.least_moment:g}; it is raised")
        lift = rules.least_moment - moments[0]
    one, two, three = moments + lift
    if one + two < three - max((SLACK if given else SINGLE) * three, rules.absolute):
        said.append(
            f"moments {one:g}, {two:g}, {three:g} break the triangle inequality{'; they are balanced' if rules.balance else ''}"
        )
        lift += three - one - two + (0.0 if given else rules.extra) if rules.balance else 0.0
    return lift


def positive_inertia(tensor: np.ndarray) -> np.ndarray:
    """A tensor whose moments stay positive when it is kept in float32."""
    for _ in range(8):
        moments = np.linalg.eigvalsh(tensor.astype(np.float32).astype(float))
        if moments[0] > 0.0:
            break
        tensor = tensor + np.eye(3) * (2.0 * abs(moments[0]) + 4.0 * SINGLE * moments[2])
    return tensor
