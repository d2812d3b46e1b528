"""Stretches of a world's rows copied from array to array, or looked over, in vectors where a team is one lane.

One lane goes from world to world: rows of the next are on their way to the cache while it is busy with this one.
"""

import warp as wp

from newtonlite.solvers.mujoco.kernels.native import A1, native

SPATIAL = wp.array2d(dtype=wp.spatial_vector)

_EACH = """
#if WP_TILE_BLOCK_DIM == 1
    #define STEP(T, k) *(T*)(t + k) = {value};
    if (n < 16) for (int k = 0; k < n; k++) { STEP(float, k) }
    else { for (int k = 0; k < n - 16; k += 16) { STEP(V, k) } STEP(V, n - 16) }
    #undef STEP
#else
    #define T float
    for (int k = lane; k < n; k += nlane) t[k] = {value};
    #undef T
#endif
"""

_AHEAD = """
#if WP_TILE_BLOCK_DIM == 1
    for (int k = 0; k < (int)({a}.shape[1] * {a}.strides[1]) + 63; k += 64) __builtin_prefetch((const char*)ROW({a}) + {a}.strides[0] + k);
#endif
"""


def ahead(*arrays: str) -> str:
    """Lines of a snippet that ask for the next world's rows of some arrays; nothing changes but when they arrive."""
    return "".join(_AHEAD.replace("{a}", a) for a in arrays)


def _each(head: str, value: str) -> str:
    return native(head + _EACH.replace("{value}", value) + ahead("source", "target"))


@wp.func_native(_each("const float* s = ROW(source) + first; float* t = ROW(target) + begin;", "*(const T*)(s + k)"))
def copy_row(source: A1, first: int, target: A1, begin: int, world: int, n: int, lane: int, nlane: int):
    """``target[world, begin + k] = source[world, first + k]`` for k < n."""
    ...


@wp.func_native(
    _each(
        "const float* s = ROW(source) + first; const float* z = ROW(zero) + at; float* t = ROW(target) + begin;",
        "*(const T*)(s + k) + sign * *(const T*)(z + k)",
    )
)
def shift_row(source: A1, first: int, zero: A1, at: int, sign: float, target: A1, begin: int, world: int, n: int, lane: int, nlane: int):
    """``target[world, begin + k] = source[world, first + k] + sign zero[world, at + k]`` for k < n."""
    ...


@wp.func_native(
    _each("const float* s = ROW(source) + 6 * first; float* t = ROW(target) + 6 * begin; n *= 6;", "*(const T*)(s + k)")
)
def copy_spatial(source: SPATIAL, first: int, target: SPATIAL, begin: int, world: int, n: int, lane: int, nlane: int):
    """``target[world, begin + k] = source[world, first + k]`` for k < n."""
    ...


_LOOK = """
#if WP_TILE_BLOCK_DIM == 1
    const auto beyond = [=](const V a) __attribute__((always_inline)) { return ~((a <= limit) & (a >= -limit)); };
    if (n < 16) { for (int k = 0; k < n; k++) if (!(fabsf(x[k]) <= limit)) return 1.0f; return 0.0f; }
    auto found = beyond(*(const V*)(x + n - 16));
    for (int k = 0; k < n - 16; k += 16) found |= beyond(*(const V*)(x + k));
    return __builtin_reduce_or(found) ? 1.0f : 0.0f;
#else
    float found = 0.0f;
    for (int k = lane; k < n; k += nlane) if (!(fabsf(x[k]) <= limit)) found = 1.0f;
    return found;
#endif
"""


@wp.func_native(native("const float* x = ROW(values) + first;" + _LOOK))
def any_beyond(values: A1, limit: float, first: int, world: int, n: int, lane: int, nlane: int) -> float:
    """1 where this lane's share of ``values[world, first:first + n]`` has a magnitude above ``limit``, or NaN, else 0."""
    ...


@wp.func_native(native("const float* x = ROW(values) + 6 * first; n *= 6;" + _LOOK))
def any_beyond_spatial(values: SPATIAL, limit: float, first: int, world: int, n: int, lane: int, nlane: int) -> float:
    """The same of n spatial vectors."""
    ...
