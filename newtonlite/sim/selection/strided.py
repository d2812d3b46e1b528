"""Strided views: rows of a flat array as [world, articulation, n], in place."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.kernel
def write_rows(mask: wp.array2d[wp.bool], values: wp.array3d[Any], target: wp.array3d[Any]):
    """Copy the values of the articulations in the mask."""
    world, k, i = wp.tid()
    if mask[world, k]:
        target[world, k, i] = values[world, k, i]


@wp.kernel
def write_chosen(mask: wp.array2d[wp.bool], values: wp.array3d[Any], target: wp.indexedarray3d(dtype=Any)):
    """Copy the values of the articulations in the mask to rows that do not lie evenly."""
    world, k, i = wp.tid()
    if mask[world, k]:
        target[world, k, i] = values[world, k, i]


@wp.kernel
def write_roots(mask: wp.array2d[wp.bool], values: wp.array2d[Any], target: wp.array2d[Any]):
    """One value of each articulation in the mask."""
    world, k = wp.tid()
    if mask[world, k]:
        target[world, k] = values[world, k]


@wp.kernel
def write_chosen_roots(mask: wp.array2d[wp.bool], values: wp.array2d[Any], target: wp.indexedarray2d(dtype=Any)):
    """The same in worlds that do not lie evenly."""
    world, k = wp.tid()
    if mask[world, k]:
        target[world, k] = values[world, k]


for _dtype in (float, int):
    wp.overload(write_rows, {"values": wp.array3d(dtype=_dtype), "target": wp.array3d(dtype=_dtype)})
    wp.overload(write_chosen, {"values": wp.array3d(dtype=_dtype), "target": wp.indexedarray3d(dtype=_dtype)})
for _dtype in (wp.transform, wp.spatial_vector):
    wp.overload(write_roots, {"values": wp.array2d(dtype=_dtype), "target": wp.array2d(dtype=_dtype)})
    wp.overload(write_chosen_roots, {"values": wp.array2d(dtype=_dtype), "target": wp.indexedarray2d(dtype=_dtype)})


@wp.kernel
def take_worlds(mask: wp.array[wp.bool], worlds: wp.array[int], found: wp.array2d[wp.bool]):
    """A mask of all worlds for the articulations of some."""
    w, k = wp.tid()
    found[w, k] = mask[worlds[w]]


@wp.kernel
def scatter_rows(mask: wp.array2d[wp.bool], values: wp.array3d[Any], rows: wp.array3d[int], out: wp.array[Any]):
    """Values of the articulations in the mask to rows of an array, wherever they lie."""
    world, k, i = wp.tid()
    if mask[world, k]:
        out[rows[world, k, i]] = values[world, k, i]


def scattered(rows: np.ndarray) -> bool:
    """Whether articulations lie differently in an array, or their rows not one after the other, so that no view shows them
    whose rows are contiguous.
    """
    if rows.size == 0:
        return False
    alike = (rows - rows[..., :1] == rows[0, 0] - rows[0, 0, 0]).all() and (
        rows[..., 0] - rows[:, :1, 0] == rows[0, :, 0] - rows[0, 0, 0]
    ).all()
    return not alike or len(np.unique(np.diff(rows[0, :, 0]))) > 1 or (np.diff(rows[0, 0]) != 1).any()


def view_rows(array: wp.array, rows: np.ndarray, where: str) -> Any:
    """``array[rows]`` without copying: an array with strides where rows lie evenly, else an indexed one. ``rows`` is
    [world, k, n].

    The articulations of each world must lie alike; worlds may lie anywhere.
    """
    if rows.size == 0:
        return wp.zeros((*rows.shape[:2], 0, *array.shape[1:]), dtype=array.dtype, device=array.device)
    pattern = rows[0, 0] - rows[0, 0, 0]
    if (rows - rows[..., :1] != pattern).any() or (
        rows[..., 0] - rows[:, :1, 0] != rows[0, :, 0] - rows[0, 0, 0]
    ).any():
        raise ModelError(
            f"{where}: the articulations do not lie alike in the scene's arrays; build the worlds with replicate"
        )
    step = even(rows[0, :, 0], where)
    jumps, inner = np.unique(np.diff(rows[:, 0, 0])), np.unique(np.diff(pattern))
    size, first = array.strides[0], int(rows[0, 0, 0])
    if len(inner) <= 1 and len(jumps) <= 1:
        # an axis of one row has the stride that makes the array packed, so that one without gaps is contiguous
        worlds, each, count = rows.shape
        along = int(inner[0]) if len(inner) else 1
        across = step if each > 1 else count * along
        steps = (int(jumps[0]) if worlds > 1 else each * across, across, along)
        return _strided(array, first, rows.shape, steps, size)
    low, start = int(pattern.min()), int(rows[:, 0, 0].min())
    shape = (int(np.ptp(rows[:, 0, 0])) + 1, rows.shape[1], int(np.ptp(pattern)) + 1)
    whole = _strided(array, start + low, shape, (1, step, 1), size)
    places = [rows[:, 0, 0] - start, None, pattern - low, *([None] * (array.ndim - 1))]
    return wp.indexedarray(whole, [None if p is None else wp.array(p, dtype=int, device=array.device) for p in places])


def view_values(array: wp.array, first: np.ndarray, dtype: Any, where: str) -> Any:
    """Values of ``dtype`` [world, k], each made of the numbers from row ``first`` [world, k] on, without copying."""
    rows = view_rows(array, first[..., None], where)
    whole, index = (rows.data, rows.indices[0]) if isinstance(rows, wp.indexedarray) else (rows, None)
    view = wp.array(
        ptr=whole.ptr,
        dtype=dtype,
        shape=whole.shape[:2],
        strides=whole.strides[:2],
        device=whole.device,
        capacity=whole.capacity,
    )
    view._ref = array
    return view if index is None else wp.indexedarray(view, [index, None])


def even(values: np.ndarray, where: str) -> int:
    """The step between values that follow one another evenly."""
    steps = np.unique(np.diff(values))
    if len(steps) > 1:
        raise ModelError(
            f"{where}: the articulations do not lie evenly in the scene's arrays; build the worlds with replicate"
        )
    return int(steps[0]) if len(steps) else 1


def _strided(array: wp.array, first: int, shape: tuple, steps: tuple, size: int) -> wp.array:
    view = wp.array(
        ptr=array.ptr + first * size,
        dtype=array.dtype,
        shape=(*shape, *array.shape[1:]),
        strides=(*(s * size for s in steps), *array.strides[1:]),
        device=array.device,
        capacity=array.capacity,
    )
    view._ref = array  # the memory is the array's
    if array.grad is not None:
        view.grad = _strided(array.grad, first, shape, steps, size)
    return view
