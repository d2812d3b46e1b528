// Vectors of 16 floats, with which one lane works: rows over dofs and constraint rows are padded to whole ones.
#pragma once
#include "team.h"

// Columns or rows of a block: the unit of block arrays, of the pad behind rows, and of a vector.
enum { BLOCK = 16 };

INLINE static int whole_blocks(int n) {
    return (n + BLOCK - 1) & ~(BLOCK - 1);
}

// Whether block b of 16 columns lies in one of the two stretches that a vec4i holds.
#define REACHES(t, b) (((t)[0] <= (b) && (b) < (t)[1]) || ((t)[2] <= (b) && (b) < (t)[3]))

#if ONE_LANE
typedef float V __attribute__((vector_size(64), aligned(4)));
typedef int VI __attribute__((vector_size(64)));

// Sum of a vector's numbers.
INLINE static float total(V s) {
    typedef float V8 __attribute__((vector_size(32)));
    typedef float V4 __attribute__((vector_size(16)));
    const V8 e = __builtin_shufflevector(s, s, 0, 1, 2, 3, 4, 5, 6, 7) +
                 __builtin_shufflevector(s, s, 8, 9, 10, 11, 12, 13, 14, 15);
    const V4 q = __builtin_shufflevector(e, e, 0, 1, 2, 3) + __builtin_shufflevector(e, e, 4, 5, 6, 7);
    const V4 p = q + __builtin_shufflevector(q, q, 2, 3, 0, 1);
    return p[0] + p[1];
}

// What is left of place i in its block. Whole vectors are read: reading numbers just written one by one stalls.
INLINE static V left(V s, int i) {
    static const int mask[48] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    typedef int VU __attribute__((vector_size(64), aligned(4)));
    return (V)((VI)s & (VI) * (const VU*)(mask + 16 - (i & 15)));
}

// A 1 at place i of its block.
INLINE static V only(int i) {
    static const float unit[31] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.0f};
    return *(const V*)(unit + 15 - (i & 15));
}
#endif
