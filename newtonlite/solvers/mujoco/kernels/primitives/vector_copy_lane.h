// Stretches of rows by one lane, in vectors of 16 numbers (vector_copy.h).
#pragma once

INLINE static void copy(const float* s, float* t, int n, int lane, int nlane) {
    if (n < 16) {
        for (int k = 0; k < n; k++) t[k] = s[k];
    } else {
        for (int k = 0; k < n - 16; k += 16) *(V*)(t + k) = *(const V*)(s + k);
        *(V*)(t + n - 16) = *(const V*)(s + n - 16);
    }
}

INLINE static void shift(const float* s, float sign, const float* z, float* t, int n, int lane, int nlane) {
    if (n < 16) {
        for (int k = 0; k < n; k++) t[k] = s[k] + sign * z[k];
    } else {
        for (int k = 0; k < n - 16; k += 16) *(V*)(t + k) = *(const V*)(s + k) + sign * *(const V*)(z + k);
        *(V*)(t + n - 16) = *(const V*)(s + n - 16) + sign * *(const V*)(z + n - 16);
    }
}

// 1 where a number of this lane's share of n is beyond the limit, or not a number.
INLINE static float beyond(const float* x, float limit, int n, int lane, int nlane) {
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
}
