"""Worlds put back to the model's reference pose or to a keyframe, on the device."""

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco.data import FIELDS, INITIAL, KEPT, LASTING

KEY = {"time": "key_time", "qpos": "key_qpos", "qvel": "key_qvel", "act": "key_act", "ctrl": "key_ctrl", "mocap_pos": "key_mpos",
       "mocap_quat": "key_mquat"}  # fmt: skip


@wp.kernel(enable_backward=False)
def put_rows(choice: wp.array[int], rows: wp.array2d[float], out: wp.array2d[float]):
    """Row ``choice[world]`` into the world; nothing where it is negative."""
    world, i = wp.tid()
    k = choice[world]
    if k >= 0 and i < rows.shape[1]:
        out[world, i] = rows[k, i]


def reset_worlds(m, d, mask: wp.array | None, key, only: tuple = ()) -> None:
    """Reset the worlds of ``mask [nworld]`` (all when None) to qpos0, or worlds to keyframes ``key`` (one, or one per world; -1: leave).

    ``only`` names the fields to reset, all when empty.

    Raises StateError for masks or keyframes of the wrong kind.
    """
    keyed = key is not None
    choice = _keys(m, d, key) if keyed else _mask(d, mask)
    for f in FIELDS.values():
        array = d.engine.arrays.get(f.name)
        if array is None or f.role not in KEPT or f.name in LASTING or not array.size or (only and f.name not in only):
            continue
        if keyed and f.name in KEY:
            rows = np.asarray(getattr(m.source, KEY[f.name]), np.float32).reshape(int(m.source.nkey), -1)
            _put(array, choice, rows)
        else:
            initial = INITIAL[f.name](m) if f.name in INITIAL else np.zeros((1, 1), np.float32)
            _put(array, _first_row(choice, len(initial)), initial)


def _put(array: wp.array, choice: wp.array, rows: np.ndarray) -> None:
    """Write rows of numbers into the chosen worlds of an array."""
    width = array.size // len(array) * wp.types.type_size(array.dtype)
    kind = wp.int32 if array.dtype in (int, wp.int32) else wp.float32
    if kind is wp.int32:
        rows = np.ascontiguousarray(rows, np.int32).view(np.float32)  # bits are copied
    if rows.shape == (1, 1):
        rows = np.repeat(rows, width, axis=1)
    out = wp.array(ptr=array.ptr, dtype=float, shape=(len(array), width), device=array.device, capacity=array.capacity)
    source = wp.array(np.ascontiguousarray(rows, np.float32), dtype=float, device=array.device)
    wp.launch(put_rows, out.shape, [choice, source, out], device=array.device)


@wp.kernel(enable_backward=False)
def own_rows(choice: wp.array[int], out: wp.array[int]):
    """Each chosen world its own row."""
    world = wp.tid()
    out[world] = wp.where(choice[world] >= 0, world, -1)


def _first_row(choice: wp.array, count: int) -> wp.array:
    """The choice, with row 0 for all worlds or, where every world has a row, its own."""
    if count == 1:
        return choice
    out = wp.empty_like(choice)
    wp.launch(own_rows, choice.shape, [choice, out], device=choice.device)
    return out


@wp.kernel(enable_backward=False)
def zero_where(mask: wp.array[bool], out: wp.array[int]):
    """0 for worlds of the mask, -1 for the others."""
    world = wp.tid()
    out[world] = wp.where(mask[world], 0, -1)


def _mask(d, mask) -> wp.array:
    """Row 0 for the worlds of the mask, -1 for the others."""
    device = d.engine.device
    if mask is None:
        return wp.zeros(d.nworld, dtype=int, device=device)
    if not isinstance(mask, wp.array) or mask.shape != (d.nworld,) or mask.dtype not in (wp.bool, bool, int, wp.int32, wp.uint8):
        raise StateError(f"reset: expected a Warp array of bool or int with shape ({d.nworld},), got {mask!r:.80}")
    if mask.dtype not in (wp.bool, bool):
        mask = wp.array(mask.numpy() != 0, dtype=wp.bool, device=device)
    out = wp.empty(d.nworld, dtype=int, device=device)
    wp.launch(zero_where, d.nworld, [mask, out], device=device)
    return out


def _keys(m, d, key) -> wp.array:
    """Keyframe of every world, checked on the host where it is one number."""
    nkey = int(m.source.nkey)
    if isinstance(key, wp.array):
        if key.shape != (d.nworld,) or key.dtype not in (int, wp.int32):
            raise StateError(f"key: expected a Warp array of int with shape ({d.nworld},), got {key.dtype.__name__}{list(key.shape)}")
        highest = int(key.numpy().max(initial=-1))
    else:
        highest = int(key)
        if highest < 0:
            raise StateError(f"key={key}: expected 0 to {nkey - 1}")
    if highest >= nkey:
        raise StateError(f"key={highest}: the model has {nkey} keyframes")
    return key if isinstance(key, wp.array) else wp.full(d.nworld, int(key), dtype=int, device=d.engine.device)
