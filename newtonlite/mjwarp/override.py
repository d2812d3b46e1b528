"""Overrides of a model's fields by name, as command lines give them: ``opt.cone=elliptic``."""

from collections.abc import Iterable
from enum import IntFlag
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.types import cell_shape
from newtonlite.mjwarp import enums
from newtonlite.mjwarp.model import Model
from newtonlite.mjwarp.options import MOST_MATCHES, WARP_ONLY

ENUMS = {
    "opt.broadphase": enums.BroadphaseType,
    "opt.broadphase_filter": enums.BroadphaseFilter,
    "opt.cone": enums.ConeType,
    "opt.disableflags": enums.DisableBit,
    "opt.enableflags": enums.EnableBit,
    "opt.integrator": enums.IntegratorType,
    "opt.solver": enums.SolverType,
    "opt.warn_overflow": enums.OverflowType,
    "opt.deterministic": enums.DeterminismType,
}
JACOBIANS = {"DENSE": 0, "SPARSE": 1, "AUTO": 2}
DEVICE_ONLY = {f"opt.{name}" for name in (*WARP_ONLY, MOST_MATCHES, "warn_overflow", "deterministic", "broadphase")}
DEVICE_ONLY |= {"opt.broadphase_filter"}
HOST_ONLY = {"opt.jacobian", "vis.quality.offsamples"}
BOOLEANS = {"TRUE": True, "FALSE": False}


def override_model(model, overrides: dict[str, Any] | Iterable[str]) -> None:
    """Set fields of a device model, or of the host model it is put from: ``{"opt.iterations": 1}``, or texts such as
    ``opt.disableflags = contact | spring``, ``opt.enableflags=~energy``, ``opt.gravity=0 0 -1``.

    Fields that only the other kind of model has are passed over. ModelError, a ValueError, for unknown fields and
    values that cannot be read.
    """
    if not isinstance(overrides, dict):
        overrides = dict(_split(text) for text in overrides)
    there = HOST_ONLY if isinstance(model, Model) else DEVICE_ONLY
    for path, value in overrides.items():
        if path not in there:
            _set(model, path, value)


def _split(text: str) -> tuple[str, str]:
    path, equals, value = text.partition("=")
    if not equals:
        raise ModelError(f"override {text!r}: expected FIELD=VALUE, such as opt.cone=elliptic")
    return path.strip(), value.strip()


def _set(model, path: str, value) -> None:
    *head, last = path.split(".")
    owner = model
    for name in head:
        owner = _attribute(owner, name, path)
    before = _attribute(owner, last, path)
    try:
        value = _read(path, value, before) if isinstance(value, str) else value
    except (KeyError, ValueError):
        raise ModelError(f"override {path}: {value!r} cannot be read; the field is {before!r} now") from None
    if isinstance(before, np.ndarray):
        before[...] = np.broadcast_to(np.asarray(value, before.dtype), before.shape)
    elif isinstance(before, wp.array) and not isinstance(value, wp.array):
        shape = (*before.shape[1:], *cell_shape(before.dtype))
        number = np.asarray(value, np.float32)
        setattr(
            owner,
            last,
            number.reshape(shape) if number.size == 1 == np.prod(shape, dtype=int) else np.broadcast_to(number, shape),
        )
    else:
        keeps = isinstance(before, (int, float)) and not isinstance(value, bool)
        setattr(owner, last, type(before)(value) if keeps else value)


def _attribute(owner, name: str, path: str):
    try:
        return getattr(owner, name)
    except AttributeError:
        raise ModelError(f"override {path}: there is no such field") from None


def _read(path: str, text: str, before):
    """The value that a text stands for, given what the field is now."""
    if path == "opt.jacobian":
        return JACOBIANS[text.upper()]
    if path == "opt.deterministic" and text.upper() in BOOLEANS:
        return BOOLEANS[text.upper()]
    if path in ENUMS and not text.isdigit():
        return _flags(ENUMS[path], text, int(before))
    if isinstance(before, bool):
        return BOOLEANS[text.upper()]
    if isinstance(before, (np.ndarray, wp.array)):
        return np.array([float(number) for number in text.strip("[]").split()])
    return float(text.strip("[]")) if isinstance(before, float) else int(text)


def _flags(kind, text: str, before: int) -> int:
    """One member, or several joined by ``|``; with ``~`` in front, what was there without them."""
    words = [word.strip().upper() for word in text.split("|")]
    if not issubclass(kind, IntFlag):
        return int(kind[words[0]])
    value = before if any(word.startswith("~") for word in words) else 0
    for word in words:
        bit = int(kind[word.lstrip("~").strip()])
        value = value & ~bit if word.startswith("~") else value | bit
    return value
