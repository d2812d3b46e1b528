// Costs of scalar rows by one lane, in blocks of 16 rows (scalar_cost.h).
#pragma once

NOINLINE static float update_one_lane(const ScalarRows rows, const float* x, float* f, float* w, int nrow) {
    // 16 sums, so that the loop over a block is one vector operation
    float cost[BLOCK] = {0.0f}, sum = 0.0f;
    for (int b = 0; b < nrow; b += BLOCK)
        for (int i = 0; i < BLOCK; i++) cost[i] += update_row(rows, b + i, x[b + i], f, w);
    for (int i = 0; i < BLOCK; i++) sum += cost[i];
    return sum;
}

INLINE static float scalar_update(const Ints& type, const Floats& D, const Floats& R, const Floats& frictionloss,
                                  const Floats& jar, const Floats& force, const Floats& active, int world, int nrow,
                                  int lane, int nlane) {
    OPAQUE(world);
    const ScalarRows rows = {WORLD(int, type), ROW(D), ROW(R), ROW(frictionloss)};
    const float* x = ROW(jar);
    float* f = ROW(force);
    float* w = ROW(active);
    return update_one_lane(rows, x, f, w, nrow);
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
    }
};

NOINLINE static wp::vec2 primal_sum(const Slope s, int nrow) {
    return s.sum(false, nrow, 0, 1);
}

NOINLINE static wp::vec2 dual_sum(const Slope s, int nrow) {
    return s.sum(true, nrow, 0, 1);
}

INLINE static wp::vec2 scalar_slope(const Ints& type, const Floats& D, const Floats& R, const Floats& frictionloss,
                                    const Floats& jar, const Floats& jv, float alpha, int world, int nrow, int lane,
                                    int nlane) {
    OPAQUE(world);
    const Slope s = {{WORLD(int, type), ROW(D), ROW(R), ROW(frictionloss)}, ROW(jar), ROW(jv), nullptr, nullptr, alpha};
    return primal_sum(s, nrow);
}

INLINE static wp::vec2 dual_slope(const Ints& type, const Floats& D, const Floats& R, const Floats& frictionloss,
                                  const Floats& jar, const Floats& jv, const Floats& dual, const Floats& target,
                                  float alpha, int world, int nrow, int lane, int nlane) {
    OPAQUE(world);
    const Slope s = {
        {WORLD(int, type), ROW(D), ROW(R), ROW(frictionloss)}, ROW(jar), ROW(jv), ROW(dual), ROW(target), alpha};
    return dual_sum(s, nrow);
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
    for (int b = 0; b < nrow; b += BLOCK)
        for (int i = 0; i < BLOCK; i++) count[i] += changed(rows, b + i, x[b + i], f, w);
    for (int i = 1; i < BLOCK; i++) count[0] += count[i];
    return (float)count[0];
}
