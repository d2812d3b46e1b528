"""Rows of a flat array seen as [world, articulation, n], in place."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError

wp.set_module_options({"enable_backward": False})


@wp.kernel
def write_rows(mask: wp.array2d(dtype=wp.bool), values: wp.array3d(dtype=Any), target: wp.array3d(dtype=Any)):
    """Copy the values of the articulations in the mask."""
    world, k, i = wp.tid()
    if mask[world, k]:
        target[world, k, i] = values[world, k, i]


@wp.kernel
def write_chosen(mask: wp.array2d(dtype=wp.bool), values: wp.array3d(dtype=Any), target: wp.indexedarray3d(dtype=Any)):
    """Copy the values of the articulations in the mask to rows that do not lie evenly."""
    world, k, i = wp.tid()
    if mask[world, k]:
        target[world, k, i] = values[world, k, i]


def view_rows(array: wp.array, rows: np.ndarray, where: str) -> Any:
    """``array[rows]`` without copying: an array with strides where rows lie evenly, else an indexed one. ``rows`` is [world, k, n]."""
    if rows.size == 0:
        return wp.zeros((*rows.shape[:2], 0), dtype=array.dtype, device=array.device)
    pattern = rows[0, 0] - rows[0, 0, 0]
    if (rows - rows[..., :1] != pattern).any():
        raise ModelError(f"{where}: the articulations do not lie alike in the scene's arrays; build the worlds with replicate")
    steps = [even(rows[:, 0, 0], where), even(rows[0, :, 0], where)]
    grid = rows[0, 0, 0] + steps[0] * np.arange(rows.shape[0])[:, None] + steps[1] * np.arange(rows.shape[1])
    if (grid != rows[..., 0]).any():
        raise ModelError(f"{where}: the articulations do not lie evenly in the scene's arrays; build the worlds with replicate")
    inner = np.unique(np.diff(pattern))
    size = array.strides[0]
    if len(inner) <= 1:
        step = int(inner[0]) if len(inner) else 1
        return _strided(array, int(rows[0, 0, 0]), rows.shape, (*steps, step), size)
    low = int(pattern.min())
    whole = _strided(array, int(rows[0, 0, 0]) + low, (*rows.shape[:2], int(np.ptp(pattern)) + 1), (*steps, 1), size)
    chosen = wp.array(pattern - low, dtype=int, device=array.device)
    return wp.indexedarray(whole, [None, None, chosen])


def even(values: np.ndarray, where: str) -> int:
    """The step between values that follow one another evenly."""
    steps = np.unique(np.diff(values))
    if len(steps) > 1:
        raise ModelError(f"{where}: the articulations do not lie evenly in the scene's arrays; build the worlds with replicate")
    return int(steps[0]) if len(steps) else 1


def _strided(array: wp.array, first: int, shape: tuple, steps: tuple, size: int) -> wp.array:
    view = wp.array(
        ptr=array.ptr + first * size, dtype=array.dtype, shape=shape, strides=tuple(s * size for s in steps),
        device=array.device, capacity=array.capacity,
    )  # fmt: skip
    view._ref = array  # the memory is the array's
    return view
