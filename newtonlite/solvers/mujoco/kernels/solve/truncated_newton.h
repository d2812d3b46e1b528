// Products with a sparse Hessian and steps of conjugate gradients on it (truncated_newton.py).
#pragma once
#include "../primitives/compressed_rows.h"
#include "../primitives/long_vectors.h"

#if ONE_LANE
// y += J' w J x of `many` rows with the same n columns, one after the other from a on.
INLINE static void add_curved(const float* a, const int* col, int n, int many, const float* w, const float* x,
                              float* y) {
    float s[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int e = 0; e < n; e++)
        for (int k = 0; k < many; k++) s[k] += a[k * n + e] * x[col[e]];
    for (int k = 0; k < many; k++) s[k] *= w[k];
    for (int e = 0; e < n; e++) {
        float push = s[0] * a[e];
        for (int k = 1; k < many; k++) push += s[k] * a[k * n + e];
        y[col[e]] += push;
    }
}
#endif

INLINE static void add_curvature(const Floats& J, const Ints& rownnz, const Ints& rowadr, const Ints& rowsuper,
                                 const Ints& colind, const Floats& JT, const Ints& JT_rowadr, const Ints& JT_colind,
                                 const Floats& weight, const Floats& x, const Floats& work, const Floats& y, int world,
                                 int nrow, int n, int lane, int nlane) {
    OPAQUE(world);
    const float *a = ROW(J), *w = ROW(weight), *v = ROW(x);
    const int *nnz = WORLD(int, rownnz), *adr = WORLD(int, rowadr), *col = WORLD(int, colind);
    float* out = ROW(y);
#if ONE_LANE
    // a row at a time, there and back
    const int* super = WORLD(int, rowsuper);
    for (int r = 0, many; r < nrow; r += many) {
        const float* first = a + adr[r];
        const int* at = col + adr[r];
        many = super[r] == 3 ? 4 : super[r] == 2 ? 3 : 1;
        bool some = false;
        for (int k = 0; k < many; k++) some |= w[r + k] != 0.0f;
        if (!some) continue;
        if (many == 4)
            add_curved(first, at, nnz[r], 4, w + r, v, out);
        else if (many == 3)
            add_curved(first, at, nnz[r], 3, w + r, v, out);
        else if (nnz[r] == EDGE_ENTRIES)
            add_curved(first, at, EDGE_ENTRIES, 1, w + r, v, out);
        else
            add_curved(first, at, nnz[r], 1, w + r, v, out);
    }
#else
    // lanes take rows, then columns, whose entries are in the order of rows
    float* push = ROW(work);
    for (int r = lane; r < nrow; r += nlane) {
        float s = 0.0f;
        for (int e = adr[r], end = e + nnz[r]; e < end; e++) s += a[e] * v[col[e]];
        push[r] = w[r] * s;
    }
    SYNC();
    const float* b = ROW(JT);
    const int *begin = WORLD(int, JT_rowadr), *row = WORLD(int, JT_colind);
    for (int i = lane; i < n; i += nlane) {
        float s = out[i];
        for (int e = begin[i]; e < begin[i + 1]; e++) s += b[e] * push[row[e]];
        out[i] = s;
    }
    SYNC();
#endif
}

INLINE static void curvature_metric(const Floats& M, const Floats& JT, const Ints& JT_rowadr, const Ints& JT_colind,
                                    const Floats& weight, const Floats& metric, int world, int n, int lane, int nlane) {
    OPAQUE(world);
    const int lm = LD(M);
    const float *A = ROW(M), *b = ROW(JT), *w = ROW(weight);
    const int *begin = WORLD(int, JT_rowadr), *row = WORLD(int, JT_colind);
    float* out = ROW(metric);
    for (int i = lane; i < whole_blocks(n); i += nlane) {
        float s = i < n ? A[i * lm + i] : 1.0f;
        for (int e = i < n ? begin[i] : 0; i < n && e < begin[i + 1]; e++) s += w[row[e]] * b[e] * b[e];
        out[i] = 1.0f / s;
    }
    SYNC();
}

INLINE static float bend_along(const Floats& direction, const Floats& product, int world, int n, int lane, int nlane) {
    OPAQUE(world);
    float *p = ROW(direction), *h = ROW(product);
    Numbers sum = Numbers{};
    NUMBERS(n) sum += AT(p) * AT(h);
    return together(sum);
}

INLINE static wp::vec2 residual_step(const Floats& x, const Floats& residual, const Floats& direction,
                                     const Floats& product, const Floats& metric, float alpha, int world, int n,
                                     int lane, int nlane) {
    OPAQUE(world);
    float *v = ROW(x), *r = ROW(residual), *p = ROW(direction), *h = ROW(product), *z = ROW(metric);
    Numbers size = Numbers{}, squares = Numbers{};
    NUMBERS(n) {
        AT(v) += alpha * AT(p);
        const Numbers left = AT(r) + alpha * AT(h);
        AT(r) = left;
        size += left * left * AT(z);
        squares += left * left;
    }
    return wp::vec2(together(size), together(squares));
}

INLINE static void turn_direction(const Floats& direction, const Floats& residual, const Floats& metric, float beta,
                                  int world, int n, int lane, int nlane) {
    OPAQUE(world);
    float *p = ROW(direction), *r = ROW(residual), *z = ROW(metric);
    NUMBERS(n) AT(p) = beta * AT(p) - AT(r) * AT(z);
}
