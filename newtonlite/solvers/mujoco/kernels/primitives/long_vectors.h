// Sums and updates of vectors over many dofs: whole blocks of 16 by one lane, numbers in turn by a team (long_vectors.py).
#pragma once
#include "simd16.h"

#if ONE_LANE
typedef V Numbers;
#define NUMBERS(n) for (int k = 0; k < (n); k += BLOCK)
#define AT(x) (*(V*)((x) + k))
INLINE static float together(V s) {
    return total(s);
}
#else
typedef float Numbers;
#define NUMBERS(n) for (int k = lane; k < (n); k += nlane)
#define AT(x) ((x)[k])
INLINE static float together(float s) {
    return s;
}
#endif

INLINE static float gradient_vectors(const Floats& Ma, const Floats& smooth, const Floats& constraint,
                                     const Floats& grad, const Floats& search, int world, int n, int lane, int nlane) {
    OPAQUE(world);
    float *a = ROW(Ma), *f = ROW(smooth), *c = ROW(constraint), *g = ROW(grad), *s = ROW(search);
    Numbers sum = Numbers{};
    NUMBERS(n) {
        const Numbers x = AT(a) - AT(f) - AT(c);
        AT(g) = x;
        AT(s) = -x;
        sum += x * x;
    }
    return together(sum);
}

INLINE static wp::vec3 conjugate_sums(const Floats& grad, const Floats& search, const Floats& Mgrad, const Floats& last,
                                      int world, int n, int lane, int nlane) {
    OPAQUE(world);
    float *g = ROW(grad), *s = ROW(search), *z = ROW(Mgrad), *p = ROW(last);
    Numbers size = Numbers{}, mixed = Numbers{}, along = Numbers{};
    NUMBERS(n) {
        size -= AT(g) * AT(s);
        mixed += AT(g) * AT(z);
        along += AT(g) * AT(p);
    }
    return wp::vec3(together(size), together(mixed), together(along));
}

INLINE static float conjugate_vectors(const Floats& grad, const Floats& search, const Floats& Mgrad, const Floats& last,
                                      float beta, int world, int n, int lane, int nlane) {
    OPAQUE(world);
    float *g = ROW(grad), *s = ROW(search), *z = ROW(Mgrad), *p = ROW(last);
    Numbers slope = Numbers{};
    NUMBERS(n) {
        const Numbers x = AT(s), y = x + beta * AT(p);
        AT(z) = -x;
        AT(s) = y;
        slope += AT(g) * y;
    }
    return together(slope);
}

INLINE static wp::vec2 gauss_sums(const Floats& search, const Floats& Ma, const Floats& smooth, const Floats& Mv,
                                  int world, int n, int lane, int nlane) {
    OPAQUE(world);
    float *s = ROW(search), *a = ROW(Ma), *f = ROW(smooth), *v = ROW(Mv);
    Numbers first = Numbers{}, second = Numbers{};
    NUMBERS(n) {
        first += AT(s) * (AT(a) - AT(f));
        second += AT(s) * AT(v);
    }
    return wp::vec2(together(first), together(second));
}

INLINE static void add_scaled(const Floats& y, const Floats& x, float alpha, int world, int n, int lane, int nlane) {
    OPAQUE(world);
    float *to = ROW(y), *from = ROW(x);
    NUMBERS(n) AT(to) += alpha * AT(from);
}

INLINE static void copy_vector(const Floats& y, const Floats& x, int world, int n, int lane, int nlane) {
    OPAQUE(world);
    float *to = ROW(y), *from = ROW(x);
    NUMBERS(n) AT(to) = AT(from);
}
