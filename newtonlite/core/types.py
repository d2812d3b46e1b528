"""Vector types of the engine, axes, and argument types of the public interface."""

from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.constants import MAXVAL as MAXVAL
from newtonlite.core.errors import ModelError
from newtonlite.core.warp_log import quiet

quiet()

vec5 = wp.types.vector(5, wp.float32)
vec10 = wp.types.vector(10, wp.float32)
vec6d = wp.types.vector(6, wp.float64)
vec10d = wp.types.vector(10, wp.float64)

Vec2 = Sequence[float]
Vec3 = Sequence[float]
Vec4 = Sequence[float]
Quat = Sequence[float]
Mat33 = Sequence[Any]
Transform = Sequence[float] | np.ndarray | Any
Devicelike = Any


@cache
def cell_shape(dtype: Any) -> tuple[int, ...]:
    """Shape of one element of a Warp array; empty for numbers, structs and what is no type of Warp's."""
    if not isinstance(dtype, type) or not wp.types.type_is_composite(dtype):
        return ()
    one = dtype()
    return (len(one), len(one[0])) if wp.types.type_is_matrix(dtype) else (len(one),)


def scalar_type(dtype: Any) -> Any:
    """Type of the numbers in an element of a Warp array; a number's own type."""
    return getattr(dtype, "_wp_scalar_type_", dtype)


class Axis(IntEnum):
    """A coordinate axis."""

    X = 0
    Y = 1
    Z = 2

    def __str__(self) -> str:
        """The letter."""
        return self.name

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __eq__(self, other: object) -> bool:
        """Whether it is that axis, or that axis' number or letter, in either case."""
        return self.name == other.strip().upper() if isinstance(other, str) else int(self) == other

    def __hash__(self) -> int:
        return int.__hash__(self)

    @classmethod
    def from_string(cls, text: str) -> "Axis":
        """The axis called ``"x"``, ``"y"`` or ``"z"``, in either case."""
        try:
            return cls[text.strip().upper()]
        except KeyError:
            raise ModelError(f"axis {text!r}: unknown; use 'X', 'Y' or 'Z'") from None

    @classmethod
    def from_any(cls, value: "AxisType") -> "Axis":
        """The axis given as an ``Axis``, its number, or its letter."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            return cls.from_string(value)
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and 0 <= value <= 2:
            return cls(int(value))
        raise ModelError(f"axis {value!r}: unknown; use an Axis, 'X', 'Y', 'Z' or 0, 1, 2")

    def to_vector(self) -> tuple[float, float, float]:
        """Unit vector along the axis."""
        return (float(self == 0), float(self == 1), float(self == 2))

    def to_vec3(self) -> wp.vec3:
        """Unit vector along the axis, as a Warp vector."""
        return wp.vec3(*self.to_vector())

    def quat_between_axes(self, other: "Axis") -> wp.quat:
        """Rotation (x, y, z, w) that carries this axis onto ``other``."""
        return quat_between_axes(self, other)


AxisType = Axis | str | int


def quat_between_axes(*axes: AxisType) -> wp.quat:
    """Rotation (x, y, z, w) that carries the first axis onto the second, then onto the third, and so on."""
    total = np.array([0.0, 0.0, 0.0, 1.0])
    for first, second in zip(axes, axes[1:]):
        total = _turn(Axis.from_any(first), Axis.from_any(second), total)
    return wp.quat(*total.tolist())


def _turn(first: Axis, second: Axis, q: np.ndarray) -> np.ndarray:
    """A quarter turn from one axis to another, after ``q``."""
    if first == second:
        return q
    half = np.sqrt(0.5)
    v = half * np.cross(first.to_vector(), second.to_vector())
    xyz = half * q[:3] + q[3] * v + np.cross(v, q[:3])
    return np.append(xyz, half * q[3] - v @ q[:3])
