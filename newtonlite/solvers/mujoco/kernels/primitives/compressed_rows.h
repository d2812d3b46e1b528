// Products of compressed sparse rows, by a team of lanes that take rows or columns in turn (compressed_rows.py).
#pragma once
#include "simd16.h"

enum { EDGE_ENTRIES = 6 };  // of a row of two points that are free to move, for loops of known length

#if ONE_LANE
// J x of `many` rows with the same n columns, one after the other from a on.
INLINE static void mul_rows(const float* a, const int* col, int n, int many, const float* x, float* y) {
    float s[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int e = 0; e < n; e++)
        for (int k = 0; k < many; k++) s[k] += a[k * n + e] * x[col[e]];
    for (int k = 0; k < many; k++) y[k] = s[k];
}

// y += J' f of such rows.
INLINE static void add_rows_t(const float* a, const int* col, int n, int many, const float* f, float* y) {
    bool some = false;
    for (int k = 0; k < many; k++) some |= f[k] != 0.0f;
    if (!some) return;
    for (int e = 0; e < n; e++) {
        float s = f[0] * a[e];
        for (int k = 1; k < many; k++) s += f[k] * a[k * n + e];
        y[col[e]] += s;
    }
}
#endif

INLINE static void csr_mul(const Floats& J, const Ints& rownnz, const Ints& rowadr, const Ints& rowsuper,
                           const Ints& colind, const Floats& x, const Floats& y, int world, int nrow, int lane,
                           int nlane) {
    OPAQUE(world);
    const float *a = ROW(J), *v = ROW(x);
    const int *nnz = WORLD(int, rownnz), *adr = WORLD(int, rowadr), *col = WORLD(int, colind);
    float* out = ROW(y);
#if ONE_LANE
    // rows of one constraint go together: a column is looked up once for all of them
    const int* super = WORLD(int, rowsuper);
    for (int r = 0, many; r < nrow; r += many) {
        const float* first = a + adr[r];
        many = super[r] == 3 ? 4 : super[r] == 2 ? 3 : 1;
        if (many == 4)
            mul_rows(first, col + adr[r], nnz[r], 4, v, out + r);
        else if (many == 3)
            mul_rows(first, col + adr[r], nnz[r], 3, v, out + r);
        else if (nnz[r] == EDGE_ENTRIES)
            mul_rows(first, col + adr[r], EDGE_ENTRIES, 1, v, out + r);
        else
            mul_rows(first, col + adr[r], nnz[r], 1, v, out + r);
    }
#else
    for (int r = lane; r < nrow; r += nlane) {
        float s = 0.0f;
        for (int e = adr[r], end = e + nnz[r]; e < end; e++) s += a[e] * v[col[e]];
        out[r] = s;
    }
#endif
}

INLINE static void csr_mul_t(const Floats& J, const Ints& rownnz, const Ints& rowadr, const Ints& rowsuper,
                             const Ints& colind, const Floats& JT, const Ints& JT_rowadr, const Ints& JT_colind,
                             const Floats& f, const Floats& y, int world, int nrow, int n, int lane, int nlane) {
    OPAQUE(world);
    const float* w = ROW(f);
    float* out = ROW(y);
    const int width = whole_blocks(n);
#if ONE_LANE
    // one lane goes through the rows, and adds to the columns as they come
    const float* a = ROW(J);
    const int *nnz = WORLD(int, rownnz), *adr = WORLD(int, rowadr), *col = WORLD(int, colind);
    const int* super = WORLD(int, rowsuper);
    for (int b = 0; b < width; b += BLOCK) *(V*)(out + b) = V{0};
    for (int r = 0, many; r < nrow; r += many) {
        const float* first = a + adr[r];
        many = super[r] == 3 ? 4 : super[r] == 2 ? 3 : 1;
        if (many == 4)
            add_rows_t(first, col + adr[r], nnz[r], 4, w + r, out);
        else if (many == 3)
            add_rows_t(first, col + adr[r], nnz[r], 3, w + r, out);
        else if (nnz[r] == EDGE_ENTRIES)
            add_rows_t(first, col + adr[r], EDGE_ENTRIES, 1, w + r, out);
        else
            add_rows_t(first, col + adr[r], nnz[r], 1, w + r, out);
    }
#else
    // lanes have columns of their own
    const float* a = ROW(JT);
    const int *adr = WORLD(int, JT_rowadr), *row = WORLD(int, JT_colind);
    for (int i = lane; i < width; i += nlane) {
        float s = 0.0f;
        if (i < n)
            for (int e = adr[i]; e < adr[i + 1]; e++) s += a[e] * w[row[e]];
        out[i] = s;
    }
#endif
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

INLINE static void merge_columns(const Floats& J, const Ints& rownnz, const Ints& rowadr, const Ints& colind, int world,
                                 int row, int nrow) {
    OPAQUE(world);
    const int first = WORLD(int, rowadr)[row], width = WORLD(int, rownnz)[row];
    float* a = ROW(J) + first;
    int *col = WORLD(int, colind) + first, count = 0;

    // entries of a column in its first place
    for (int e = 0; e < width; e++) {
        int k = 0;
        while (k < count && col[k] != col[e]) k++;
        for (int r = 0; r < nrow; r++)
            a[r * width + k] = k < count ? a[r * width + k] + a[r * width + e] : a[r * width + e];
        if (k == count) col[count++] = col[e];
    }

    // those that are left: what moves both sides alike has come to 0
    int used = 0;
    for (int k = 0; k < count; k++) {
        bool some = false;
        for (int r = 0; r < nrow; r++) some |= a[r * width + k] != 0.0f;
        if (!some) continue;
        for (int r = 0; r < nrow; r++) a[r * width + used] = a[r * width + k];
        col[used++] = col[k];
    }
    count = used;

    // rows side by side
    for (int r = 0; r < nrow; r++) {
        for (int k = 0; k < count; k++) {
            a[r * count + k] = a[r * width + k];
            col[r * count + k] = col[k];
        }
        WORLD(int, rowadr)[row + r] = first + r * count;
        WORLD(int, rownnz)[row + r] = count;
    }
}
