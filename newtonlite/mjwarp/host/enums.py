"""MuJoCo's enumerations under the names of its Python module: ``mjtGeom.mjGEOM_BOX``."""

from enum import IntEnum

from newtonlite.core.mujoco import PREFIXES

KINDS = {"m" + kind.__name__[1:]: kind for kind in PREFIXES}
"""Enumerations by MuJoCo's name of them."""


def members(kind: type) -> dict[str, int]:
    """Names and numbers of an enumeration, as MuJoCo's Python module has them."""
    return {PREFIXES[kind] + word: int(value) for word, value in kind.__members__.items()}


__all__ = sorted(KINDS)
globals().update({name: IntEnum(name, members(kind), module=__name__) for name, kind in KINDS.items()})
