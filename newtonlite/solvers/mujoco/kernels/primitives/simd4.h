// Points and quaternions four numbers at a time: a quaternion is (w, x, y, z), a point or vector (0, x, y, z).
//
// One lane works on vectors, with fused multiply-adds named one by one, so that every program rounds alike; the lanes of
// a team on structs.
#pragma once
#include "team.h"

#if ONE_LANE
typedef float F __attribute__((vector_size(16), aligned(4)));
typedef float F2 __attribute__((vector_size(8), aligned(4)));
#define PICK(x, i, j, k, l) __builtin_shufflevector(x, x, i, j, k, l)

INLINE static F by(F a, F b) {
    return a * b;
}
INLINE static F fused(F a, F b, F c) {
    return __builtin_elementwise_fma(a, b, c);
}
INLINE static F each(float a) {
    return F{a, a, a, a};
}
INLINE static F minus(F a) {
    return -a;
}
INLINE static bool some(F x) {
    return __builtin_reduce_or(x != 0.0f) != 0;
}

// Three numbers are stored as they are loaded, one and two: else a load would wait for the store before it.
INLINE static F three(const float* a) {
    const F2 h = *(const F2*)(a + 1);
    return F{0.0f, a[0], h[0], h[1]};
}
INLINE static F four(const float* a) {
    return *(const F*)a;
}
INLINE static void put(float* o, F x) {
    o[0] = x[1];
    *(F2*)(o + 1) = __builtin_shufflevector(x, x, 2, 3);
}
INLINE static void put_four(float* o, F x) {
    *(F*)o = x;
}

#else
struct F {
    float e[4];
    CUDA_CALLABLE float operator[](int i) const { return e[i]; }
    CUDA_CALLABLE F operator+(F o) const { return {e[0] + o.e[0], e[1] + o.e[1], e[2] + o.e[2], e[3] + o.e[3]}; }
    CUDA_CALLABLE F operator-(F o) const { return {e[0] - o.e[0], e[1] - o.e[1], e[2] - o.e[2], e[3] - o.e[3]}; }
    CUDA_CALLABLE F operator*(float s) const { return {e[0] * s, e[1] * s, e[2] * s, e[3] * s}; }
};
#define PICK(x, i, j, k, l)    \
    F {                        \
        x[i], x[j], x[k], x[l] \
    }

INLINE static F by(F a, F b) {
    return F{a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]};
}
INLINE static F fused(F a, F b, F c) {
    return F{fmaf(a[0], b[0], c[0]), fmaf(a[1], b[1], c[1]), fmaf(a[2], b[2], c[2]), fmaf(a[3], b[3], c[3])};
}
INLINE static F each(float a) {
    return F{a, a, a, a};
}
INLINE static F minus(F a) {
    return F{-a[0], -a[1], -a[2], -a[3]};
}
INLINE static bool some(F x) {
    return (bool)(x[0] != 0.0f || x[1] != 0.0f || x[2] != 0.0f || x[3] != 0.0f);
}

INLINE static F three(const float* a) {
    return F{0.0f, a[0], a[1], a[2]};
}
INLINE static F four(const float* a) {
    return F{a[0], a[1], a[2], a[3]};
}
INLINE static void put(float* o, F x) {
    o[0] = x[1];
    o[1] = x[2];
    o[2] = x[3];
}
INLINE static void put_four(float* o, F x) {
    o[0] = x[0];
    o[1] = x[1];
    o[2] = x[2];
    o[3] = x[3];
}
#endif

// a x b
INLINE static F cross(F a, F b) {
    const F c = fused(a, PICK(b, 0, 2, 3, 1), minus(by(PICK(a, 0, 2, 3, 1), b)));
    return F{0.0f, c[2], c[3], c[1]};
}

// A vector turned by a unit quaternion: v + 2 q x (w v + q x v)
INLINE static F turn(F q, F v) {
    return fused(each(2.0f), cross(q, fused(each(q[0]), v, cross(q, v))), v);
}

// Product of two quaternions.
INLINE static F times(F a, F b) {
    const F x = F{-1.0f, 1.0f, -1.0f, 1.0f}, y = F{-1.0f, 1.0f, 1.0f, -1.0f}, z = F{-1.0f, -1.0f, 1.0f, 1.0f};
    return fused(z * a[3], PICK(b, 3, 2, 1, 0),
                 fused(y * a[2], PICK(b, 2, 3, 0, 1), fused(x * a[1], PICK(b, 1, 0, 3, 2), b * a[0])));
}

INLINE static F conjugate(F q) {
    return minus(F{-q[0], q[1], q[2], q[3]});
}
INLINE static float square(F q) {
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

// A quaternion of length 1; no rotation where there is nothing to divide by.
INLINE static F unit(F q) {
    const float n = sqrtf(square(q));
#if defined(SPMD)
    const wp::varying_bool none = n < 1e-15f;
    const float s = 1.0f / n, one = 1.0f, zero = 0.0f;
    return F{wp::where(none, one, q[0] * s), wp::where(none, zero, q[1] * s), wp::where(none, zero, q[2] * s),
             wp::where(none, zero, q[3] * s)};
#else
    return n < 1e-15f ? F{1.0f, 0.0f, 0.0f, 0.0f} : q * (1.0f / n);
#endif
}
