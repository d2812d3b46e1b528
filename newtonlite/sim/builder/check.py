"""Checks of builder arguments: each returns the value in the builder's own form or raises ModelError.

``where`` says which argument of which call is meant; a message is ``where: what was found; what to do``.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.limits import SINGLE, SMALLEST, beyond
from newtonlite.core.types import Axis
from newtonlite.math.transform import IDENTITY

UNIT = 1.0e-6
"""Squared norms below this are no direction."""
FLOAT = frozenset((float,))


def finite_array(value: Any, shape: tuple[int, ...], where: str) -> np.ndarray:
    """Finite numbers of a given shape, as float64; a flat list fills a matrix."""
    if type(value) is tuple and len(shape) == 1 and len(value) == shape[0] and FLOAT.issuperset(map(type, value)):
        if sum(map(abs, value)) <= SINGLE:  # false for NaN
            return np.array(value)
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{where}: {value!r} is not numeric; give numbers of shape {shape}") from None
    if array.shape != shape and array.size == math.prod(shape):
        array = array.reshape(shape)
    if array.shape != shape:
        raise ModelError(f"{where}: shape {array.shape}; give shape {shape}")
    if not (np.abs(array) <= SINGLE).all():
        raise ModelError(f"{where}: {array.tolist()} {beyond(array)}")
    return array


def narrowed(array: np.ndarray, where: str) -> np.ndarray:
    """Numbers in single precision; ModelError where some that are finite would no longer be."""
    try:
        with np.errstate(over="raise"):
            return array.astype(np.float32)
    except FloatingPointError:
        row = int(np.argmax((np.isfinite(array) & (np.abs(array) > SINGLE)).reshape(len(array), -1).any(axis=1)))
        raise ModelError(f"{where}: row {row} is {array[row].tolist()}, which {beyond(array[row])}") from None


def tensor(value: Any, where: str) -> np.ndarray:
    """Nine numbers as a matrix [3, 3], whatever they are."""
    try:
        return np.array(value, dtype=float).reshape(3, 3)
    except (TypeError, ValueError):
        raise ModelError(f"{where}: {value!r} is no matrix; give shape (3, 3)") from None


def real(value: Any, where: str) -> float:
    """A number, whatever it is."""
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{where}: {value!r} is not numeric; give a number") from None
    if SINGLE < abs(result) < np.inf:
        raise ModelError(f"{where}: {result:g} {beyond(np.array(result))}")
    return result


def number(value: Any, where: str, *, low: float = -np.inf, above: bool = False) -> float:
    """A finite number not under ``low`` (over it, where ``above``: by so much that single precision tells)."""
    result = value if type(value) is float and -SINGLE <= value <= SINGLE else float(finite_array(value, (), where))
    if result < low or (above and result - low < SMALLEST):
        raise ModelError(f"{where}: {result:g}; give a number {'over' if above else 'of at least'} {low:g}")
    return result


def share(value: Any, where: str) -> float:
    """A number from 0 to 1."""
    result = number(value, where, low=0.0)
    if result > 1.0:
        raise ModelError(f"{where}: {result:g}; give a number from 0 to 1")
    return result


def sizes(values: dict[str, Any], where: str) -> list[float]:
    """Positive finite lengths, by name."""
    return [number(value, f"{where} {name}", low=0.0, above=True) for name, value in values.items()]


def vector(value: Any, where: str, n: int = 3) -> np.ndarray:
    """``n`` finite numbers; zeros for None."""
    return np.zeros(n) if value is None else finite_array(value, (n,), where)


def direction(value: Any, where: str) -> np.ndarray:
    """A unit vector ``[3]`` along an axis name, an Axis, or a vector of any length but zero."""
    if isinstance(value, (str, Axis)) or (isinstance(value, (int, np.integer)) and not isinstance(value, bool)):
        return np.array(Axis.from_any(value).to_vector())
    v = finite_array(value, (3,), where)
    length = np.linalg.norm(v)
    if length * length < UNIT * UNIT:
        raise ModelError(f"{where}: {v.tolist()} has no direction; give a vector that is not zero")
    return v / length


def rotation(value: Any, where: str) -> np.ndarray:
    """A unit quaternion (x, y, z, w) from one of any length but zero."""
    q = finite_array(value, (4,), where)
    length = math.sqrt(float(q @ q))
    if length * length < UNIT:
        raise ModelError(f"{where}: {q.tolist()} is no rotation; give a quaternion (x, y, z, w) that is not zero")
    return q if abs(length - 1.0) < UNIT else q / length


def pose(value: Any, where: str) -> np.ndarray:
    """A transform ``[7]``; the identity for None; ``(p, q)`` and seven numbers alike."""
    if value is None:
        return IDENTITY.copy()
    if not isinstance(value, np.ndarray) and len(value) == 2:
        return np.append(finite_array(value[0], (3,), f"{where} position"), rotation(value[1], f"{where} rotation"))
    x = finite_array(value, (7,), where)
    return np.append(x[:3], rotation(x[3:], f"{where} rotation"))


def pose_numbers(value: Any, where: str) -> tuple[float, ...]:
    """``pose`` as a tuple."""
    if type(value) is tuple and len(value) == 7 and FLOAT.issuperset(map(type, value)):
        a, b, c, d = value[3:]
        if abs(a * a + b * b + c * c + d * d - 1.0) < UNIT and sum(map(abs, value)) <= SINGLE:  # false for NaN
            return value
    return tuple(pose(value, where).tolist())


def index(value: Any, count: int, what: str, where: str, *, low: int = 0) -> int:
    """A row number between ``low`` and ``count`` (exclusive)."""
    try:
        i = value.__index__()
    except AttributeError:
        raise ModelError(f"{where}: {value!r} is no {what} index; give a whole number") from None
    if not low <= i < count:
        known = f"{count} so far" if count else "none yet"
        raise ModelError(
            f"{where}: {what} {i} does not exist ({known}); add it first{' or use -1 for the world' if low < 0 else ''}"
        )
    return i


def inertia(value: Any, where: str) -> np.ndarray:
    """A symmetric positive semidefinite ``[3, 3]`` inertia that some mass distribution can have."""
    m = finite_array(value, (3, 3), where)
    if not m.any():
        return m
    scale = max(np.abs(m).max(), 1.0e-30)
    if np.abs(m - m.T).max() > UNIT * scale:
        raise ModelError(f"{where}: {m.tolist()} is not symmetric; give a symmetric inertia tensor")
    moments = np.linalg.eigvalsh(m)
    if moments[0] < -UNIT * scale:
        raise ModelError(
            f"{where}: principal moment {moments[0]:g} is negative; give an inertia about the centre of mass"
        )
    return 0.5 * (m + m.T)


def color(value: Sequence[float] | None, default: Sequence[float], where: str) -> tuple[float, ...]:
    """An RGB triple."""
    return tuple(default) if value is None else tuple(finite_array(value, (3,), where).tolist())
