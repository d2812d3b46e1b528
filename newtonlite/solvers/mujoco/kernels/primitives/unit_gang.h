// Unit quaternions of a gang of worlds, of which some may have nothing to divide by (simd4.h).
#pragma once

// A quaternion of length 1; no rotation where there is nothing to divide by.
INLINE static F unit(F q) {
    const float n = sqrtf(square(q));
    const wp::varying_bool none = n < 1e-15f;
    const float s = 1.0f / n, one = 1.0f, zero = 0.0f;
    return F{wp::where(none, one, q[0] * s), wp::where(none, zero, q[1] * s), wp::where(none, zero, q[2] * s),
             wp::where(none, zero, q[3] * s)};
}
