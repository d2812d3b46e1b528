"""Stretches of a world's rows copied from array to array, in vectors where a team is one lane."""

import warp as wp

from newtonlite.solvers.mujoco.kernels.dense import A1, native

SPATIAL = wp.array2d(dtype=wp.spatial_vector)

_EACH = """
#if WP_TILE_BLOCK_DIM == 1
    for (int k = 0; k < n; k++) {body}
#else
    for (int k = lane; k < n; k += nlane) {body}
#endif
"""


def _each(head: str, body: str) -> str:
    return native(head + _EACH.replace("{body}", body))


@wp.func_native(_each("const float* s = ROW(source) + first; float* t = ROW(target) + begin;", "t[k] = s[k];"))
def copy_row(source: A1, first: int, target: A1, begin: int, world: int, n: int, lane: int, nlane: int):
    """``target[world, begin + k] = source[world, first + k]`` for k < n."""
    ...


@wp.func_native(
    _each(
        "const float* s = ROW(source) + first; const float* z = ROW(zero) + at; float* t = ROW(target) + begin;",
        "t[k] = s[k] + sign * z[k];",
    )
)
def shift_row(source: A1, first: int, zero: A1, at: int, sign: float, target: A1, begin: int, world: int, n: int, lane: int, nlane: int):
    """``target[world, begin + k] = source[world, first + k] + sign zero[world, at + k]`` for k < n."""
    ...


@wp.func_native(
    _each("const float* s = ROW(source) + 6 * first; float* t = ROW(target) + 6 * begin; n *= 6;", "t[k] = s[k];")
)
def copy_spatial(source: SPATIAL, first: int, target: SPATIAL, begin: int, world: int, n: int, lane: int, nlane: int):
    """``target[world, begin + k] = source[world, first + k]`` for k < n."""
    ...
