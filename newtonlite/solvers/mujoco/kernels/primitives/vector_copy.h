// Stretches of a world's rows copied from array to array, or looked over, in vectors where a team is one lane.
//
// One lane goes from world to world: rows of the next are on their way to the cache while it is busy with this one.
#pragma once
#include "simd16.h"

INLINE static void copy(const float* s, float* t, int n, int lane, int nlane) {
#if ONE_LANE
    if (n < 16) {
        for (int k = 0; k < n; k++) t[k] = s[k];
    } else {
        for (int k = 0; k < n - 16; k += 16) *(V*)(t + k) = *(const V*)(s + k);
        *(V*)(t + n - 16) = *(const V*)(s + n - 16);
    }
#else
    for (int k = lane; k < n; k += nlane) t[k] = s[k];
#endif
}

INLINE static void shift(const float* s, float sign, const float* z, float* t, int n, int lane, int nlane) {
#if ONE_LANE
    if (n < 16) {
        for (int k = 0; k < n; k++) t[k] = s[k] + sign * z[k];
    } else {
        for (int k = 0; k < n - 16; k += 16) *(V*)(t + k) = *(const V*)(s + k) + sign * *(const V*)(z + k);
        *(V*)(t + n - 16) = *(const V*)(s + n - 16) + sign * *(const V*)(z + n - 16);
    }
#else
    for (int k = lane; k < n; k += nlane) t[k] = s[k] + sign * z[k];
#endif
}

INLINE static void copy_row(const Floats& source, int first, const Floats& target, int begin, int world, int n,
                            int lane, int nlane) {
    OPAQUE(world);
    copy(ROW(source) + first, ROW(target) + begin, n, lane, nlane);
    PREFETCH(source);
    PREFETCH(target);
}

INLINE static void shift_row(const Floats& source, int first, const Floats& zero, int at, float sign,
                             const Floats& target, int begin, int world, int n, int lane, int nlane) {
    OPAQUE(world);
    shift(ROW(source) + first, sign, ROW(zero) + at, ROW(target) + begin, n, lane, nlane);
    PREFETCH(source);
    PREFETCH(target);
}

INLINE static void copy_spatial(const Spatials& source, int first, const Spatials& target, int begin, int world, int n,
                                int lane, int nlane) {
    OPAQUE(world);
    copy(ROW(source) + 6 * first, ROW(target) + 6 * begin, 6 * n, lane, nlane);
    PREFETCH(source);
    PREFETCH(target);
}

// 1 where a number of this lane's share of n is beyond the limit, or not a number.
INLINE static float beyond(const float* x, float limit, int n, int lane, int nlane) {
#if ONE_LANE
    if (n < 16) {
        for (int k = 0; k < n; k++)
            if (!(fabsf(x[k]) <= limit)) return 1.0f;
        return 0.0f;
    }
    const V last = *(const V*)(x + n - 16);
    VI found = ~((last <= limit) & (last >= -limit));
    for (int k = 0; k < n - 16; k += 16) {
        const V a = *(const V*)(x + k);
        found |= ~((a <= limit) & (a >= -limit));
    }
    return __builtin_reduce_or(found) ? 1.0f : 0.0f;
#else
    float found = 0.0f;
    for (int k = lane; k < n; k += nlane)
        if (!(fabsf(x[k]) <= limit)) found = 1.0f;
    return found;
#endif
}

INLINE static float any_beyond(const Floats& values, float limit, int first, int world, int n, int lane, int nlane) {
    OPAQUE(world);
    return beyond(ROW(values) + first, limit, n, lane, nlane);
}

INLINE static float any_beyond_spatial(const Spatials& values, float limit, int first, int world, int n, int lane,
                                       int nlane) {
    OPAQUE(world);
    return beyond(ROW(values) + 6 * first, limit, 6 * n, lane, nlane);
}
