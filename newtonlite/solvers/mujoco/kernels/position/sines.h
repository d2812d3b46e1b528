// Sines and cosines of 16 numbers at a time.
#pragma once

// Sines and cosines of 16 numbers: x = k pi/2 + r, |r| <= pi/4 (Cody and Waite, pi/2 in three parts); minimax polynomials
// in r^2; the C library's where k gets large.
typedef plain V16 __attribute__((vector_size(64), aligned(4)));
INLINE static void sine_and_cosine(V16 x, plain* s, plain* c) {
    typedef int K __attribute__((vector_size(64), aligned(4)));
    V16 n = x * 0.636619772f + 12582912.0f;
    const K k = (K)n;
    n -= 12582912.0f;
    const V16 r = ((x - n * 1.5703125f) - n * 4.83751297e-4f) - n * 7.54979013e-8f, z = r * r;
    const V16 a = r + r * z * (-1.666665386e-1f + z * (8.332113040e-3f - z * 1.950874123e-4f));
    const V16 b = 1.0f - 0.5f * z + z * z * (4.166664565e-2f + z * (-1.388730604e-3f + z * 2.443120502e-5f));
    const K other = ((K)a ^ (K)b) & -(k & 1);
    *(V16*)s = (V16)(((K)a ^ other) ^ ((k & 2) << 30));
    *(V16*)c = (V16)(((K)b ^ other) ^ (((k + 1) & 2) << 30));
    const K large = (x > 8192.0f) | (x < -8192.0f);
    if (__builtin_reduce_or(large)) {
        for (int i = 0; i < 16; i++) {
            if (large[i]) {
                s[i] = wp::sin(x[i]);
                c[i] = wp::cos(x[i]);
            }
        }
    }
}
