// Costs of scalar rows by a team, whose lanes take rows in turn (scalar_cost.h).
#pragma once

INLINE static float scalar_update(const Ints& type, const Floats& D, const Floats& R, const Floats& frictionloss,
                                  const Floats& jar, const Floats& force, const Floats& active, int world, int nrow,
                                  int lane, int nlane) {
    OPAQUE(world);
    const ScalarRows rows = {WORLD(int, type), ROW(D), ROW(R), ROW(frictionloss)};
    const float* x = ROW(jar);
    float* f = ROW(force);
    float* w = ROW(active);
    float cost = 0.0f;
    for (int r = lane; r < nrow; r += nlane) cost += update_row(rows, r, x[r], f, w);
    return cost;
}

// Slope and curvature of the cost at jar + alpha jv; with `dual` the slope has that of 1/2 f'A f in it.
struct Slope {
    ScalarRows rows;
    const float *x, *v, *from, *to;
    float alpha;

    INLINE float slope(int r, float a, bool quadratic, bool dual) const {
        const float own = quadratic ? rows.D[r] * a : rows.beyond(r, a);
        // the slope of 1/2 f'A f is linear in alpha: from its value at 0 to that at 1
        return dual ? own + from[r] + alpha * (to[r] - from[r]) : own;
    }

    INLINE wp::vec2 sum(bool dual, int nrow, int lane, int nlane) const {
        // phi'(alpha) = sum of v s(jar + alpha jv); phi'' = sum of D v^2 over rows whose cost is quadratic there
        float first = 0.0f, second = 0.0f;
        for (int r = lane; r < nrow; r += nlane) {
            const float a = x[r] + alpha * v[r];
            const bool quadratic = rows.quadratic(r, a);
            first += v[r] * slope(r, a, quadratic, dual);
            second += quadratic ? rows.D[r] * v[r] * v[r] : 0.0f;
        }
        return wp::vec2(first, second);
    }
};

INLINE static wp::vec2 scalar_slope(const Ints& type, const Floats& D, const Floats& R, const Floats& frictionloss,
                                    const Floats& jar, const Floats& jv, float alpha, int world, int nrow, int lane,
                                    int nlane) {
    OPAQUE(world);
    const Slope s = {{WORLD(int, type), ROW(D), ROW(R), ROW(frictionloss)}, ROW(jar), ROW(jv), nullptr, nullptr, alpha};
    return s.sum(false, nrow, lane, nlane);
}

INLINE static wp::vec2 dual_slope(const Ints& type, const Floats& D, const Floats& R, const Floats& frictionloss,
                                  const Floats& jar, const Floats& jv, const Floats& dual, const Floats& target,
                                  float alpha, int world, int nrow, int lane, int nlane) {
    OPAQUE(world);
    const Slope s = {
        {WORLD(int, type), ROW(D), ROW(R), ROW(frictionloss)}, ROW(jar), ROW(jv), ROW(dual), ROW(target), alpha};
    return s.sum(true, nrow, lane, nlane);
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
    for (int r = lane; r < nrow; r += nlane) count[0] += changed(rows, r, x[r], f, w);
    return (float)count[0];
}
