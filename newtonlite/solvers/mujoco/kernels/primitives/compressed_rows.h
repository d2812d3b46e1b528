// Products of compressed sparse rows, by a team of lanes that take rows or columns in turn (compressed_rows.py).
#pragma once
#include "simd16.h"

INLINE static void csr_mul(const Floats& J, const Ints& rownnz, const Ints& rowadr, const Ints& colind, const Floats& x,
                           const Floats& y, int world, int nrow, int lane, int nlane) {
    OPAQUE(world);
    const float *a = ROW(J), *v = ROW(x);
    const int *nnz = WORLD(int, rownnz), *adr = WORLD(int, rowadr), *col = WORLD(int, colind);
    float* out = ROW(y);
    for (int r = lane; r < nrow; r += nlane) {
        float s = 0.0f;
        for (int e = adr[r], end = e + nnz[r]; e < end; e++) s += a[e] * v[col[e]];
        out[r] = s;
    }
}

INLINE static void csr_mul_t(const Floats& JT, const Ints& rowadr, const Ints& colind, const Floats& f, const Floats& y,
                             int world, int n, int lane, int nlane) {
    OPAQUE(world);
    const float *a = ROW(JT), *w = ROW(f);
    const int *adr = WORLD(int, rowadr), *row = WORLD(int, colind);
    float* out = ROW(y);
    const int width = whole_blocks(n);
    for (int i = lane; i < width; i += nlane) {
        float s = 0.0f;
        if (i < n)
            for (int e = adr[i]; e < adr[i + 1]; e++) s += a[e] * w[row[e]];
        out[i] = s;
    }
}

INLINE static void csr_transpose(const Floats& J, const Ints& rownnz, const Ints& rowadr, const Ints& colind,
                                 const Floats& JT, const Ints& JT_rowadr, const Ints& JT_colind, int world, int nrow,
                                 int n, int lane, int nlane) {
    OPAQUE(world);
    const float* a = ROW(J);
    const int *nnz = WORLD(int, rownnz), *adr = WORLD(int, rowadr), *col = WORLD(int, colind);
    float* out = ROW(JT);
    int *start = WORLD(int, JT_rowadr), *row = WORLD(int, JT_colind);

    // how many entries each column has, in the place after its own: every lane counts those of columns of its own
    const int each = (n + nlane - 1) / nlane, low = each * lane < n ? each * lane : n;
    const int high = low + each < n ? low + each : n;
    for (int i = low; i < high; i++) start[i + 1] = 0;
    for (int r = 0; r < nrow; r++)
        for (int e = adr[r], end = e + nnz[r]; e < end; e++)
            if (low <= col[e] && col[e] < high) start[col[e] + 1]++;
    SYNC();

    // where each begins, one place later: filling in moves it to where it ends
    if (lane == 0) {
        int sum = 0;
        start[0] = 0;
        for (int i = 1; i <= n; i++) {
            const int count = start[i];
            start[i] = sum;
            sum += count;
        }
    }
    SYNC();

    // row after row, so that a column has its entries in the order of rows
    for (int r = 0; r < nrow; r++)
        for (int e = adr[r], end = e + nnz[r]; e < end; e++)
            if (low <= col[e] && col[e] < high) {
                const int at = start[col[e] + 1]++;
                out[at] = a[e];
                row[at] = r;
            }
    SYNC();
}
