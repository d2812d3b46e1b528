"""Reset of worlds to the model's reference pose or to a keyframe, on the device."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.solvers.mujoco.data import FIELDS, INITIAL, KEPT, LASTING
from newtonlite.solvers.mujoco.fields import FAMILIES, convex, integrate, ray, sleep, solver, team
from newtonlite.solvers.mujoco.graph_capture import outside_capture

kernel_module(__name__)

KEY = {
    "time": "key_time",
    "qpos": "key_qpos",
    "qvel": "key_qvel",
    "act": "key_act",
    "ctrl": "key_ctrl",
    "mocap_pos": "key_mpos",
    "mocap_quat": "key_mquat",
    "plastic": "key_plastic",
}


@wp.kernel(enable_backward=False)
def put_rows(choice: wp.array[int], rows: wp.array2d[float], out: wp.array2d[float]):
    """Row ``choice[world]`` into the world; nothing where there is no such row."""
    world, i = wp.tid()
    k = choice[world]
    if k >= 0 and k < rows.shape[0] and i < rows.shape[1]:
        out[world, i] = rows[k, i]


INTERNAL = (solver, team, convex, sleep, ray, integrate)
"""Families of fields whose scratch is no result."""
RESULTS = tuple(
    f.name for family in FAMILIES if family not in INTERNAL for f in getattr(family, "DATA", ()) if f.role == "scratch"
)
"""Poses, velocities and forces that a forward pass leaves beside outputs."""


@wp.kernel(enable_backward=False)
def clear_rows(choice: wp.array[int], out: wp.array2d[int]):
    """Nothing in the worlds that choose a row."""
    world, i = wp.tid()
    if choice[world] >= 0:
        out[world, i] = 0


def clear_results(d, choice: wp.array) -> None:
    """Clear what the last forward pass left in the chosen worlds; lists of contacts and rows are empty by their counts."""
    sizes = d.engine.sizes
    for name in RESULTS:
        array = d.engine.arrays.get(name)
        if array is None or not array.size or not sizes.keys().isdisjoint((FIELDS[name].dims or "").split()):
            continue
        _clear(array, choice)


def _clear(array: wp.array, choice: wp.array) -> None:
    """Write zeros into the chosen worlds of an array, whatever its numbers are."""
    shape = (len(array), array.size // len(array) * wp.types.type_size(array.dtype))
    out = wp.array(ptr=array.ptr, dtype=int, shape=shape, device=array.device, capacity=array.capacity)
    wp.launch(clear_rows, shape, [choice, out], device=array.device)


def reset_worlds(m, d, mask: wp.array | None, key, only: tuple = ()) -> None:
    """Reset the worlds of ``mask [nworld]`` (all when None) to qpos0, or worlds to keyframes ``key`` (one, or one per
    world; -1: leave).

    ``only`` names the fields to reset, all when empty.

    Raises StateError for masks or keyframes of the wrong kind.
    """
    keyed = key is not None
    choice = _keys(m, d, key) if keyed else _mask(d, mask)
    most = int(m.source.nkey) if keyed else 1
    first = _first_row(d, choice, 1, most)
    if not only:
        clear_results(d, first)
    if d.userdata.size and (not only or "userdata" in only):
        _clear(d.userdata, first)
    for f in FIELDS.values():
        array = d.engine.arrays.get(f.name)
        if array is None or f.role not in KEPT or f.name in LASTING or not array.size or (only and f.name not in only):
            continue
        if keyed and f.name in KEY:
            rows = np.asarray(getattr(m.source, KEY[f.name]), np.float32).reshape(int(m.source.nkey), -1)
            _put(array, choice, rows, d.held)
        elif f.name in INITIAL:
            initial = INITIAL[f.name](m)
            _put(array, _first_row(d, choice, len(initial), most), initial, d.held)
        else:
            _clear(array, first)


def _put(array: wp.array, choice: wp.array, rows: np.ndarray, held: list) -> None:
    """Write rows of numbers into the chosen worlds of an array; ``held`` keeps what a recorded graph reads."""
    width = array.size // len(array) * wp.types.type_size(array.dtype)
    kind = wp.int32 if array.dtype in (int, wp.int32) else wp.float32
    if kind is wp.int32:
        rows = np.ascontiguousarray(rows, np.int32).view(np.float32)  # bits are copied
    if rows.shape == (1, 1):
        rows = np.repeat(rows, width, axis=1)
    out = wp.array(ptr=array.ptr, dtype=float, shape=(len(array), width), device=array.device, capacity=array.capacity)
    with outside_capture(array.device):
        source = wp.array(np.ascontiguousarray(rows, np.float32), dtype=float, device=array.device)
    if array.device.is_capturing:
        held.append(source)
    wp.launch(put_rows, out.shape, [choice, source, out], device=array.device)


@wp.kernel(enable_backward=False)
def initial_rows(choice: wp.array[int], most: int, own: bool, out: wp.array[int]):
    """Row 0, or its own, for each world whose choice there is."""
    world = wp.tid()
    k = choice[world]
    row = wp.where(own, world, 0)
    out[world] = wp.where(k >= 0 and k < most, row, -1)


def _first_row(d, choice: wp.array, count: int, most: int) -> wp.array:
    """Row 0 for the worlds that choose one of ``most`` or, where every world has a row, its own."""
    out = _numbers(d)
    wp.launch(initial_rows, choice.shape, [choice, most, count > 1, out], device=choice.device)
    return out


@wp.kernel(enable_backward=False)
def zero_where(mask: wp.array[bool], out: wp.array[int]):
    """0 for worlds of the mask, -1 for the others."""
    world = wp.tid()
    out[world] = wp.where(mask[world], 0, -1)


@wp.kernel(enable_backward=False)
def zero_where_not_zero(mask: wp.array[Any], out: wp.array[int]):
    """0 for worlds with a number in the mask, -1 for the others."""
    world = wp.tid()
    out[world] = wp.where(mask[world] != mask.dtype(0), 0, -1)


def _numbers(d, value: int = 0) -> wp.array:
    """A whole number per world, which a graph may be recorded with."""
    with outside_capture(d.engine.device):
        made = wp.full(d.nworld, value, dtype=int, device=d.engine.device)
    if d.engine.device.is_capturing:
        d.held.append(made)
    return made


def _mask(d, mask) -> wp.array:
    """Row 0 for the worlds of the mask, -1 for the others."""
    if mask is None:
        return _numbers(d)
    if (
        not isinstance(mask, wp.array)
        or mask.shape != (d.nworld,)
        or mask.dtype not in (wp.bool, bool, int, wp.int32, wp.uint8)
    ):
        raise StateError(f"reset: expected a Warp array of bool or int with shape ({d.nworld},), got {mask!r:.80}")
    out = _numbers(d)
    kernel = zero_where if mask.dtype in (wp.bool, bool) else zero_where_not_zero
    wp.launch(kernel, d.nworld, [mask, out], device=d.engine.device)
    return out


def _keys(m, d, key) -> wp.array:
    """Keyframe of every world. One that does not exist is an error; in an array, which is the device's, it leaves its
    world as it is.
    """
    nkey = int(m.source.nkey)
    if isinstance(key, wp.array):
        if key.shape != (d.nworld,) or key.dtype not in (int, wp.int32):
            raise StateError(
                f"key: expected a Warp array of int with shape ({d.nworld},), got {key.dtype.__name__}{list(key.shape)}"
            )
        return key
    if not 0 <= int(key) < nkey:
        raise StateError(f"key={key}: the model has {nkey} keyframes; expected 0 to {nkey - 1}")
    return _numbers(d, int(key))
