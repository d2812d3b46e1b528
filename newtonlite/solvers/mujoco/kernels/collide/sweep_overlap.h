// Which boxes of a sweep overlap another: sixteen at a time by one lane (sweep_overlap.py).
#pragma once
#include "../primitives/simd16.h"

INLINE static int next_overlap(const Floats& boxes, int world, int first, int last, int axis, float slack) {
    // centres along x, y, z and half sizes along them, each a row over places
    const float* box = ROW(boxes);
    const int row = LD(boxes);
#if ONE_LANE
    typedef float Numbers __attribute__((ext_vector_type(16)));
    typedef float Loose __attribute__((ext_vector_type(16), aligned(4)));
    typedef bool Bits __attribute__((ext_vector_type(16)));
    const float start = box[axis * row + last] - box[(3 + axis) * row + last];
    for (int k = first; k < last; k += 16) {
        const Numbers ahead = *(const Loose*)(box + axis * row + k) + *(const Loose*)(box + (3 + axis) * row + k);
        Numbers gap = start - ahead;
        for (int i = 0; i < 3; i++) {
            const Numbers c = *(const Loose*)(box + i * row + k), h = *(const Loose*)(box + (3 + i) * row + k);
            const float centre = box[i * row + last];
            const Numbers reach = h + box[(3 + i) * row + last];
            const Numbers far = __builtin_elementwise_abs(c) + (centre < 0.0f ? -centre : centre);
            const Numbers apart = __builtin_elementwise_abs(c - centre) - (reach + slack * (reach + far));
            gap = __builtin_elementwise_max(gap, apart);
        }
        unsigned bits = __builtin_bit_cast(unsigned short, __builtin_convertvector(gap <= 0.0f, Bits));
        if (last - k < 16) bits &= (1u << (last - k)) - 1u;
        if (bits) return k + __builtin_ctz(bits);
    }
#endif
    return last;
}
