"""Numeric views: arrays of vectors and structs of the scene and the engine as plain numbers."""

import warp as wp


def width_of_attribute(array: wp.array) -> int:
    """Numbers of one row of the scene's array."""
    return max(1, wp.types.type_size_in_bytes(array.dtype) // 4)  # switches have one byte


def width_of(array: wp.array) -> int:
    """Numbers of one thing in an engine's array [nworld, n, ...]; of one world, where it has no things."""
    width = wp.types.type_size_in_bytes(array.dtype) // 4
    for size in array.shape[2:]:
        width *= size
    return width


def as_1d(array: wp.array, dtype=float) -> wp.array:
    """An array [nworld, ...] as numbers [nworld, n]; worlds may lie apart."""
    width = width_of(array) * (array.shape[1] if array.ndim > 1 else 1)
    if not array.size:
        return wp.zeros((array.shape[0], 0), dtype=dtype, device=array.device)
    strides = (array.strides[0], 4)
    found = wp.array(
        ptr=array.ptr,
        dtype=dtype,
        shape=(array.shape[0], width),
        strides=strides,
        device=array.device,
        capacity=array.capacity,
    )
    found.owner = array
    return found


def as_3d(array: wp.array) -> wp.array:
    """An array [nworld, n] of vectors as numbers [nworld, n, width]."""
    width = width_of(array)
    if array.ndim > 2 or not array.size:
        return array if array.ndim > 2 else wp.zeros((array.shape[0], 0, width), dtype=float, device=array.device)
    shape, strides = (*array.shape[:2], width), (*array.strides[:2], 4)
    found = wp.array(
        ptr=array.ptr, dtype=float, shape=shape, strides=strides, device=array.device, capacity=array.capacity
    )
    found.owner = array
    return found


def as_argument(array: wp.array, kind) -> wp.array:
    """An array as a kernel takes it: as it is, or number by number where the argument is of numbers."""
    if array.dtype == kind.dtype and array.ndim == kind.ndim:
        return array
    return as_1d(array) if kind.ndim == 2 else as_3d(array)
