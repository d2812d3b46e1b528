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
