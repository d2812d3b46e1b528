// Stretches of rows by a team, whose lanes take numbers in turn (vector_copy.h).
#pragma once

INLINE static void copy(const float* s, float* t, int n, int lane, int nlane) {
    for (int k = lane; k < n; k += nlane) t[k] = s[k];
}

INLINE static void shift(const float* s, float sign, const float* z, float* t, int n, int lane, int nlane) {
    for (int k = lane; k < n; k += nlane) t[k] = s[k] + sign * z[k];
}

// 1 where a number of this lane's share of n is beyond the limit, or not a number.
INLINE static float beyond(const float* x, float limit, int n, int lane, int nlane) {
    float found = 0.0f;
    for (int k = lane; k < n; k += nlane)
        if (!(fabsf(x[k]) <= limit)) found = 1.0f;
    return found;
}
