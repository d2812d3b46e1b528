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
#include "scalar_cost_lane.h"
#else
#include "scalar_cost_team.h"
#endif

// Whether a row lies on another piece of its cost than force and curvature say; none of a cone does.
INLINE static int changed(const ScalarRows& rows, int r, float a, const float* f, const float* w) {
    const bool quadratic = rows.quadratic(r, a);
    const bool other = quadratic != (w[r] != 0.0f) && rows.kind[r] <= HALF_QUADRATIC;
    return other | (!quadratic & (rows.kind[r] == HUBER) & (rows.beyond(r, a) != -f[r]));
}
