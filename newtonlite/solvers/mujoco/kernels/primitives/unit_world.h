// Unit quaternions of one world (simd4.h).
#pragma once

// A quaternion of length 1; no rotation where there is nothing to divide by.
INLINE static F unit(F q) {
    const float n = sqrtf(square(q));
    return n < 1e-15f ? F{1.0f, 0.0f, 0.0f, 0.0f} : q * (1.0f / n);
}
