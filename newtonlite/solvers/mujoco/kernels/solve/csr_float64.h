// Sums in double over compressed sparse rows, by a team of lanes that take rows or dofs in turn (csr_float64.py).
#pragma once
#include "../primitives/simd16.h"

#if ONE_LANE
// Sum of a_j x_j from j = low on up to high, eight products at a time.
INLINE static double dot_float64(const float* a, const float* x, int low, int high) {
    typedef double W __attribute__((vector_size(64)));
    typedef float H __attribute__((vector_size(32), aligned(4)));
    W sum = W{0};
    int j = low;
    for (; j + 8 <= high; j += 8)
        sum += __builtin_convertvector(*(const H*)(a + j), W) * __builtin_convertvector(*(const H*)(x + j), W);
    double s = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    for (; j < high; j++) s += (double)a[j] * (double)x[j];
    return s;
}
#else
INLINE static double dot_float64(const float* a, const float* x, int low, int high) {
    double s = 0.0;
    for (int j = low; j < high; j++) s += (double)a[j] * (double)x[j];
    return s;
}
#endif

INLINE static void csr_residuals(const Floats& J, const Ints& rownnz, const Ints& rowadr, const Ints& colind,
                                 const Floats& x, const Floats& aref, const Floats& jar, const Floats& low, int world,
                                 int nrow, int lane, int nlane) {
    OPAQUE(world);
    const float *a = ROW(J), *v = ROW(x), *a0 = ROW(aref);
    const int *nnz = WORLD(int, rownnz), *adr = WORLD(int, rowadr), *col = WORLD(int, colind);
    float *out = ROW(jar), *rest = ROW(low);
    for (int r = lane; r < nrow; r += nlane) {
        double s = 0.0;
        for (int e = adr[r], end = e + nnz[r]; e < end; e++) s += (double)a[e] * (double)v[col[e]];
        s -= (double)a0[r];
        out[r] = (float)s;
        rest[r] = (float)(s - (double)out[r]);
    }
}

INLINE static void csr_gradient_float64(const Floats& M, const Vec2is& dof_block, const Ints& coupled_rowadr,
                                        const Ints& coupled_colind, const Floats& couplings, const Floats& x,
                                        const Floats& smooth, const Floats& JT, const Ints& JT_rowadr,
                                        const Ints& JT_colind, const Ints& type, const Floats& force,
                                        const Floats& active, const Floats& jar, const Floats& low,
                                        const Floats& constraint, const Floats& grad, int world, int n, int lane,
                                        int nlane) {
    OPAQUE(world);
    const int lm = LD(M);
    const float *A = ROW(M), *v = ROW(x), *g0 = ROW(smooth), *a = ROW(JT);
    const float *f = ROW(force), *w = ROW(active), *res = ROW(jar), *rest = ROW(low);
    const int *adr = WORLD(int, JT_rowadr), *row = WORLD(int, JT_colind), *kind = WORLD(int, type);
    const int* block = (const int*)dof_block.data;
    const int *link = (const int*)coupled_rowadr.data, *other = (const int*)coupled_colind.data;
    const float* tied = ROW(couplings);
    float *c = ROW(constraint), *g = ROW(grad);
    for (int i = lane; i < n; i += nlane) {
        // M x - smooth over the blocks of the dof's tree, and what it is coupled with beyond
        const int end = BLOCK * block[2 * i + 1] < n ? BLOCK * block[2 * i + 1] : n;
        double s = dot_float64(A + i * lm, v, BLOCK * block[2 * i], end) - (double)g0[i];
        for (int e = link[i]; e < link[i + 1]; e++) s += (double)tied[e] * (double)v[other[e]];
        c[i] = (float)s;

        // less J' f: of rows that are quadratic -active (jar + low), of cones with what rounding took off
        for (int e = adr[i]; e < adr[i + 1]; e++) {
            const int r = row[e];
            const double push = w[r] != 0.0f ? -(double)w[r] * ((double)res[r] + (double)rest[r])
                                             : (double)f[r] + (kind[r] > HALF_QUADRATIC ? (double)rest[r] : 0.0);
            s -= push * (double)a[e];
        }
        g[i] = (float)s;
    }
}
