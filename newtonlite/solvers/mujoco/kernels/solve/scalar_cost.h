// Constraint rows whose cost is a function of one number, over whole vectors: equality, dry friction, one-sided.
//
// The formulas are those of cost.slope_row; rows of elliptic cones have no cost here. Rows between `nrow` and the next
// multiple of 16 must be neutral (clear_pad). The numbers of efc_cost come from Python (kernels/constraint/row.py).
#pragma once
#include "../primitives/simd16.h"

// What the cost of a row is made of: s(x) is D x^2 / 2 where it is quadratic, and linear with slope +-bound beyond.
struct ScalarRows {
    const int* kind;
    const float *D, *R, *bound;

    INLINE bool quadratic(int r, float x) const {
        return kind[r] == QUADRATIC || (kind[r] == HUBER && fabsf(x) < R[r] * bound[r]) ||
               (kind[r] == HALF_QUADRATIC && x < 0.0f);
    }
    INLINE float beyond(int r, float x) const { return kind[r] == HUBER ? (x > 0.0f ? bound[r] : -bound[r]) : 0.0f; }
};

INLINE static void clear_pad(const Ints& type, const Floats& D, const Floats& R, const Floats& frictionloss,
                             const Floats& jar, const Floats& jv, int world, int nrow, int lane, int nlane) {
    OPAQUE(world);
    float* Dp = ROW(D);
    float* Rp = ROW(R);
    float* b = ROW(frictionloss);
    float* x = ROW(jar);
    float* v = ROW(jv);
    int* kind = WORLD(int, type);

    // one-sided rows at jar = 0 have neither cost nor force, whatever they are multiplied by
    for (int r = nrow + lane; r < whole_blocks(nrow); r += nlane) {
        Dp[r] = 0.0f;
        Rp[r] = 0.0f;
        b[r] = 0.0f;
        x[r] = 0.0f;
        v[r] = 0.0f;
        kind[r] = HALF_QUADRATIC;
    }
}

// Set force and curvature of one row; returns its cost.
INLINE static float update_row(const ScalarRows& rows, int r, float a, float* f, float* w) {
    const bool quadratic = rows.quadratic(r, a);
    const float far = rows.beyond(r, a);
    const float act = quadratic ? rows.D[r] : 0.0f;
    w[r] = act;
    f[r] = quadratic ? -act * a : -far;
    return quadratic ? 0.5f * act * a * a : far * a - 0.5f * rows.R[r] * far * far;
}

#if ONE_LANE
NOINLINE static float update_one_lane(const ScalarRows rows, const float* x, float* f, float* w, int nrow) {
    // 16 sums, so that the loop over a block is one vector operation
    float cost[BLOCK] = {0.0f}, sum = 0.0f;
    for (int b = 0; b < nrow; b += BLOCK)
        for (int i = 0; i < BLOCK; i++) cost[i] += update_row(rows, b + i, x[b + i], f, w);
    for (int i = 0; i < BLOCK; i++) sum += cost[i];
    return sum;
}
#endif

INLINE static float scalar_update(const Ints& type, const Floats& D, const Floats& R, const Floats& frictionloss,
                                  const Floats& jar, const Floats& force, const Floats& active, int world, int nrow,
                                  int lane, int nlane) {
    OPAQUE(world);
    const ScalarRows rows = {WORLD(int, type), ROW(D), ROW(R), ROW(frictionloss)};
    const float* x = ROW(jar);
    float* f = ROW(force);
    float* w = ROW(active);
#if ONE_LANE
    return update_one_lane(rows, x, f, w, nrow);
#else
    float cost = 0.0f;
    for (int r = lane; r < nrow; r += nlane) cost += update_row(rows, r, x[r], f, w);
    return cost;
#endif
}

// Slope and curvature of the cost at jar + alpha jv; with `dual` the slope has that of 1/2 f'A f in it.
struct Slope {
    ScalarRows rows;
    const float *x, *v, *from, *to;
    float alpha;

    INLINE float slope(int r, float a, bool quadratic, bool dual) const {
        const float own = quadratic ? rows.D[r] * a : rows.beyond(r, a);
        return dual ? own + from[r] + alpha * (to[r] - from[r]) : own;
    }

    INLINE wp::vec2 sum(bool dual, int nrow, int lane, int nlane) const {
#if ONE_LANE
        float first[BLOCK] = {0.0f}, second[BLOCK] = {0.0f}, s1 = 0.0f, s2 = 0.0f;
        for (int b = 0; b < nrow; b += BLOCK) {
            for (int i = 0; i < BLOCK; i++) {
                const int r = b + i;
                const float a = x[r] + alpha * v[r];
                const bool quadratic = rows.quadratic(r, a);
                first[i] += v[r] * slope(r, a, quadratic, dual);
                second[i] += quadratic ? rows.D[r] * v[r] * v[r] : 0.0f;
            }
        }
        for (int i = 0; i < BLOCK; i++) {
            s1 += first[i];
            s2 += second[i];
        }
        return wp::vec2(s1, s2);
#else
        float first = 0.0f, second = 0.0f;
        for (int r = lane; r < nrow; r += nlane) {
            const float a = x[r] + alpha * v[r];
            const bool quadratic = rows.quadratic(r, a);
            first += v[r] * slope(r, a, quadratic, dual);
            second += quadratic ? rows.D[r] * v[r] * v[r] : 0.0f;
        }
        return wp::vec2(first, second);
#endif
    }
};

#if ONE_LANE
NOINLINE static wp::vec2 primal_sum(const Slope s, int nrow) {
    return s.sum(false, nrow, 0, 1);
}

NOINLINE static wp::vec2 dual_sum(const Slope s, int nrow) {
    return s.sum(true, nrow, 0, 1);
}
#endif

INLINE static wp::vec2 scalar_slope(const Ints& type, const Floats& D, const Floats& R, const Floats& frictionloss,
                                    const Floats& jar, const Floats& jv, float alpha, int world, int nrow, int lane,
                                    int nlane) {
    OPAQUE(world);
    const Slope s = {{WORLD(int, type), ROW(D), ROW(R), ROW(frictionloss)}, ROW(jar), ROW(jv), nullptr, nullptr, alpha};
#if ONE_LANE
    return primal_sum(s, nrow);
#else
    return s.sum(false, nrow, lane, nlane);
#endif
}

INLINE static wp::vec2 dual_slope(const Ints& type, const Floats& D, const Floats& R, const Floats& frictionloss,
                                  const Floats& jar, const Floats& jv, const Floats& dual, const Floats& target,
                                  float alpha, int world, int nrow, int lane, int nlane) {
    OPAQUE(world);
    const Slope s = {
        {WORLD(int, type), ROW(D), ROW(R), ROW(frictionloss)}, ROW(jar), ROW(jv), ROW(dual), ROW(target), alpha};
#if ONE_LANE
    return dual_sum(s, nrow);
#else
    return s.sum(true, nrow, lane, nlane);
#endif
}

// Whether a row lies on another piece of its cost than force and curvature say; none of a cone does.
INLINE static int changed(const ScalarRows& rows, int r, float a, const float* f, const float* w) {
    const bool quadratic = rows.quadratic(r, a);
    const bool other = quadratic != (w[r] != 0.0f) && rows.kind[r] <= HALF_QUADRATIC;
    return other | (!quadratic & (rows.kind[r] == HUBER) & (rows.beyond(r, a) != -f[r]));
}

INLINE static float scalar_boundaries(const Ints& type, const Floats& D, const Floats& R, const Floats& frictionloss,
                                      const Floats& jar, const Floats& force, const Floats& active, int world, int nrow,
                                      int lane, int nlane) {
    OPAQUE(world);
    const ScalarRows rows = {WORLD(int, type), ROW(D), ROW(R), ROW(frictionloss)};
    const float* x = ROW(jar);
    const float* w = ROW(active);
    const float* f = ROW(force);
    int count[BLOCK] = {0};
#if ONE_LANE
    for (int b = 0; b < nrow; b += BLOCK)
        for (int i = 0; i < BLOCK; i++) count[i] += changed(rows, b + i, x[b + i], f, w);
    for (int i = 1; i < BLOCK; i++) count[0] += count[i];
#else
    for (int r = lane; r < nrow; r += nlane) count[0] += changed(rows, r, x[r], f, w);
#endif
    return (float)count[0];
}
