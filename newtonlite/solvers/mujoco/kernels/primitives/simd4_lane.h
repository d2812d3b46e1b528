// Four numbers as a vector, for one lane (simd4.h).
#pragma once

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
