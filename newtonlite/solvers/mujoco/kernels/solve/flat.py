"""Rows whose cost is a function of one number, over whole vectors: equality, dry friction, one-sided.

Models with pyramidal cones have no others.  The formulas are those of ``cost.update_row`` and ``cost.slope_row``; rows
between ``nrow`` and the next multiple of 16 must be neutral (``clear_pad``).
"""

import warp as wp

from newtonlite.solvers.mujoco.kernels.native import A1, native

I1 = wp.array2d(dtype=int)

_HEAD = """
    const float* x = ROW(jar); const float* Dp = ROW(D); const float* Rp = ROW(R); const float* bound = ROW(frictionloss);
    const int* kind = AT(int, type);
#define QUADRATIC(r, a) (kind[r] == 0 || (kind[r] == 1 && fabsf(a) < Rp[r] * bound[r]) || (kind[r] == 2 && a < 0.0f))
#define BEYOND(r, a) (kind[r] == 1 ? (a > 0.0f ? bound[r] : -bound[r]) : 0.0f)
"""
_TAIL = "\n#undef QUADRATIC\n#undef BEYOND\n"

_CLEAR = native("""
    float* Dp = ROW(D); float* Rp = ROW(R); float* b = ROW(frictionloss); float* x = ROW(jar); float* v = ROW(jv);
    int* kind = AT(int, type);
    for (int r = nrow + lane; r < ((nrow + 15) & ~15); r += nlane) {
        Dp[r] = 0.0f; Rp[r] = 0.0f; b[r] = 0.0f; x[r] = 0.0f; v[r] = 0.0f; kind[r] = 2;
    }
""")


@wp.func_native(_CLEAR)
def clear_pad(type: I1, D: A1, R: A1, frictionloss: A1, jar: A1, jv: A1, world: int, nrow: int, lane: int, nlane: int):
    """Make the rows between ``nrow`` and the next multiple of 16 neutral."""
    ...


_UPDATE = native(_HEAD + """
    float* f = ROW(force); float* w = ROW(active);
#if WP_TILE_BLOCK_DIM == 1
    const auto body = [=]() __attribute__((noinline)) -> float {
    float cost[16] = {0.0f}, sum = 0.0f;
    for (int b = 0; b < nrow; b += 16) for (int i = 0; i < 16; i++) {
        const int r = b + i; const float a = x[r];
        const bool quadratic = QUADRATIC(r, a);
        const float far = BEYOND(r, a);
        const float act = quadratic ? Dp[r] : 0.0f;
        w[r] = act;
        f[r] = quadratic ? -act * a : -far;
        cost[i] += quadratic ? 0.5f * act * a * a : far * a - 0.5f * Rp[r] * far * far;
    }
    for (int i = 0; i < 16; i++) sum += cost[i];
    return sum; };
    return body();
#else
    float cost = 0.0f;
    for (int r = lane; r < nrow; r += nlane) {
        const float a = x[r]; const bool quadratic = QUADRATIC(r, a); const float far = BEYOND(r, a);
        const float act = quadratic ? Dp[r] : 0.0f;
        w[r] = act;
        f[r] = quadratic ? -act * a : -far;
        cost += quadratic ? 0.5f * act * a * a : far * a - 0.5f * Rp[r] * far * far;
    }
    return cost;
#endif
""" + _TAIL)  # fmt: skip


@wp.func_native(_UPDATE)
def flat_update(
    type: I1, D: A1, R: A1, frictionloss: A1, jar: A1, force: A1, active: A1, world: int, nrow: int, lane: int, nlane: int
) -> float:
    """Force and curvature of every row; returns this lane's share of the cost."""
    ...


_SLOPE = _HEAD + """
    const float* v = ROW(jv);
#if WP_TILE_BLOCK_DIM == 1
    const auto body = [=]() __attribute__((noinline)) -> wp::vec_t<2, float> {
    float first[16] = {0.0f}, second[16] = {0.0f}, s1 = 0.0f, s2 = 0.0f;
    for (int b = 0; b < nrow; b += 16) for (int i = 0; i < 16; i++) {
        const int r = b + i; const float a = x[r] + alpha * v[r];
        const bool quadratic = QUADRATIC(r, a);
        first[i] += v[r] * ((quadratic ? Dp[r] * a : BEYOND(r, a)) + PULL);
        second[i] += quadratic ? Dp[r] * v[r] * v[r] : 0.0f;
    }
    for (int i = 0; i < 16; i++) { s1 += first[i]; s2 += second[i]; }
    return wp::vec_t<2, float>(s1, s2); };
    return body();
#else
    float first = 0.0f, second = 0.0f;
    for (int r = lane; r < nrow; r += nlane) {
        const float a = x[r] + alpha * v[r]; const bool quadratic = QUADRATIC(r, a);
        first += v[r] * ((quadratic ? Dp[r] * a : BEYOND(r, a)) + PULL);
        second += quadratic ? Dp[r] * v[r] * v[r] : 0.0f;
    }
    return wp::vec_t<2, float>(first, second);
#endif
""" + _TAIL

_SLOPE_ROWS = native(_SLOPE.replace("PULL", "0.0f"))
_SLOPE_DUAL = native("    const float* from = ROW(dual); const float* to = ROW(target);\n" + _SLOPE.replace("PULL", "from[r] + alpha * (to[r] - from[r])"))


@wp.func_native(_SLOPE_ROWS)
def flat_slope(
    type: I1, D: A1, R: A1, frictionloss: A1, jar: A1, jv: A1, alpha: float, world: int, nrow: int, lane: int, nlane: int
) -> wp.vec2:
    """This lane's share of slope and curvature of the cost at ``jar + alpha jv``."""
    ...


@wp.func_native(_SLOPE_DUAL)
def dual_slope(
    type: I1, D: A1, R: A1, frictionloss: A1, jar: A1, jv: A1, dual: A1, target: A1, alpha: float, world: int, nrow: int,
    lane: int, nlane: int,
) -> wp.vec2:  # fmt: skip
    """The same with the slope of ``1/2 f'A f`` in it, from ``dual`` to ``target``.

    Row by row it is ``jv (f + s'(jar))``, which vanishes at the solution without a difference of large sums.
    """
    ...


_CHANGES = native(_HEAD + """
    const float* w = ROW(active); const float* f = ROW(force);
    int count[16] = {0};
#if WP_TILE_BLOCK_DIM == 1
    for (int b = 0; b < nrow; b += 16) for (int i = 0; i < 16; i++) {
        const int r = b + i; const float a = x[r];
        const bool quadratic = QUADRATIC(r, a);
        count[i] += (quadratic != (w[r] != 0.0f)) | (!quadratic & (kind[r] == 1) & (BEYOND(r, a) != -f[r]));
    }
    for (int i = 1; i < 16; i++) count[0] += count[i];
#else
    for (int r = lane; r < nrow; r += nlane) {
        const float a = x[r]; const bool quadratic = QUADRATIC(r, a);
        count[0] += (quadratic != (w[r] != 0.0f)) | (!quadratic & (kind[r] == 1) & (BEYOND(r, a) != -f[r]));
    }
#endif
    return (float)count[0];
""" + _TAIL)  # fmt: skip


@wp.func_native(_CHANGES)
def flat_changes(
    type: I1, D: A1, R: A1, frictionloss: A1, jar: A1, force: A1, active: A1, world: int, nrow: int, lane: int, nlane: int
) -> float:
    """This lane's count of rows that lie on another piece of their cost than ``active`` and ``force`` say."""
    ...
