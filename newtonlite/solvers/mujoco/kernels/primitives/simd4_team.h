// Four numbers as a struct, for the lanes of a team, and for a gang, of which every number is one of 16 worlds (simd4.h).
#pragma once

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
