// Dense linear algebra of one warp: the 32-lane branches of `factor`, `solve` and what is like them.
//
// The first 32 columns are factored in registers, a column a lane, and rows go round through shared memory. Rows from 32
// on come before: row by row from the last, each lane sums one column over the rows below, and where a row has few
// columns two or four groups of lanes share that sum. Solving keeps vectors of up to 64 in registers, two numbers of each
// a lane, and hands pivots round by shuffles: no barrier in its loops.
#pragma once
#include "team.h"

#if CUDA_WARP
#define ALL_LANES 0xffffffffu

// Reciprocal root of a pivot, to the last bit but one.
INLINE static float warp_reciprocal_root(float pivot) {
    const float d = fmaxf(pivot, 1e-12f), guess = rsqrtf(d);
    return guess * (1.5f - 0.5f * d * guess * guess);
}

// Row j of the factor, `r` in U, from the row `from` of A and the rows below it up to `end`, which meet a column where
// `whole` is true or their first block lies before it.
INLINE static void warp_factor_row(const float* U, float* r, const float* from, const int* block, int j, int ld,
                                   int end, bool whole, int lane) {
    const int low = 16 * block[2 * j], cols = j + 1 - low;
    const int shift = cols <= 8 ? 3 : cols <= 16 ? 4 : 5, parts = 32 >> shift;
    const int part = lane >> shift, at = lane & ((1 << shift) - 1);
    const int below = (j + 1 + part) * ld, step = parts * ld;
    float inv = 0.0f;
    for (int c0 = low + ((cols - 1) & ~31); c0 >= low; c0 -= 32) {
        const int c = c0 + at;
        const bool mine = part == 0 && c <= j;
        float s = 0.0f;
        if (c <= j) {
            const float* p = U + (below + j);
            const float* q = U + (below + c);
            for (int k = j + 1 + part; k < end; k += parts, p += step, q += step) {
                if (whole || 16 * block[2 * k] <= (j < c ? j : c)) s += *p * *q;
            }
        }
        if (shift < 5) s += __shfl_xor_sync(ALL_LANES, s, 16);
        if (shift < 4) s += __shfl_xor_sync(ALL_LANES, s, 8);
        if (mine) s = from[c] - s;
        if (c0 + 32 > j) inv = warp_reciprocal_root(__shfl_sync(ALL_LANES, s, j - c0));
        if (mine) r[c] = c == j ? inv : s * inv;
    }
    if (lane < (j & ~15) + 15 - j) r[j + 1 + lane] = 0.0f;
    __syncwarp();
}

// From A to L, which may be one, the first 32 columns: A[k][lane] is in register k. `block` says where rows begin. Of n
// rows those from 32 on are rows of L already, and are taken off one after the other before the rest is eliminated.
INLINE static void warp_factor_in_registers(const float* A, float* U, const int* block, int la, int ld, int n,
                                            int lane) {
    if (n < 1) return;
    __shared__ float4 rows[2][8];
    float a[32];
    const int lead = n < 32 ? n : 32;
    const unsigned late = __ballot_sync(ALL_LANES, lane < n && block[2 * lane] != 0);  // rows that begin at column 16
    const unsigned stored = lane < 16 ? ~late : 0xffff0000u, below = stored & (ALL_LANES << lane);
    const float* p = A + (lane < n ? lane : n - 1);
#pragma unroll
    for (int k = 0; k < 32; k++, p += k < n ? la : 0) a[k] = *p;  // all on their way at a time, then some are taken
#pragma unroll
    for (int k = 0; k < 32; k++) a[k] = k < n && (below >> k & 1u) ? a[k] : 0.0f;
    for (int k = 32; k < n; k++) {
        if (block[2 * k] >= 2) continue;  // it begins after these columns
        const float l = lane >= 16 * block[2 * k] ? U[k * ld + lane] : 0.0f;
        ((float*)rows[k & 1])[lane] = l;
        __syncwarp();
#pragma unroll
        for (int j = 0; j < 32; j += 4) {
            const float4 c = rows[k & 1][j / 4];
            a[j] -= c.x * l;
            a[j + 1] -= c.y * l;
            a[j + 2] -= c.z * l;
            a[j + 3] -= c.w * l;
        }
    }
    __syncwarp();
    float* r = U + (lead - 1) * ld + lane;
#pragma unroll
    for (int top = 24; top >= 0; top -= 8) {
        if (top >= n) continue;
#pragma unroll
        for (int k = top + 7; k >= top; k--) {
            if (k >= n) continue;
            const float inv = warp_reciprocal_root(__shfl_sync(ALL_LANES, a[k], k));
            const float l = lane < k ? a[k] * inv : 0.0f;
            ((float*)rows[k & 1])[lane] = l;
            __syncwarp();
#pragma unroll
            for (int j = 0; j < k; j += 4) {
                const float4 c = rows[k & 1][j / 4];
                a[j] -= c.x * l;
                if (j + 1 < k) a[j + 1] -= c.y * l;
                if (j + 2 < k) a[j + 2] -= c.z * l;
                if (j + 3 < k) a[j + 3] -= c.w * l;
            }
            if (stored >> k & 1u) *r = lane == k ? inv : l;
            r -= ld;
        }
    }
    __syncwarp();
}

// In place A = L'L.
INLINE static void warp_factor(float* U, const int* block, int ld, int n, int lane) {
    bool whole = true;
    for (int i = 32 + lane; i < n; i += 32) whole &= block[2 * i] == 0;
    float* r = U + (n - 1) * ld;
    if (__all_sync(ALL_LANES, whole)) {
        for (int j = n - 1; j >= 32; j--, r -= ld) warp_factor_row(U, r, r, block, j, ld, n, true, lane);
    } else {
        for (int j = n - 1; j >= 32; j--, r -= ld) {
            int end = n;
            for (int k0 = (n - 1) & ~31;; k0 -= 32) {  // up to the last row that meets column j
                const int k = k0 + lane;
                const unsigned meets = __ballot_sync(ALL_LANES, k < n && k >= j && 16 * block[2 * k] <= j);
                end = k0 + 32 - __clz(meets);
                if (meets || k0 <= j) break;
            }
            warp_factor_row(U, r, r, block, j, ld, end, false, lane);
        }
    }
    warp_factor_in_registers(U, U, block, ld, ld, n, lane);
}

// The same from A to L, where row j meets only the dofs of its subtree.
INLINE static void warp_factor_tree(const float* A, float* L, const int* block, const int* end, int la, int ld, int n,
                                    int lane) {
    float* r = L + (n - 1) * ld;
    for (int j = n - 1; j >= 32; j--, r -= ld) warp_factor_row(L, r, A + j * la, block, j, ld, end[j], true, lane);
    warp_factor_in_registers(A, L, block, la, ld, n, lane);
}

// In place x := (L'L)^-1 x, for up to 64 numbers.
INLINE static void warp_solve(const float* U, float* v, const int* block, int ld, int n, int lane) {
    if (n < 1) return;
    const int i = lane, h = lane + 32;
    const bool has = i < n, more = h < n;
    const int at = has ? i : n - 1;
    float x0 = has ? v[i] : 0.0f, x1 = more ? v[h] : 0.0f;
    const float g0 = U[at * (ld + 1)], g1 = more ? U[h * (ld + 1)] : 0.0f;
    const int low0 = has ? 16 * block[2 * at] : n, low1 = more ? 16 * block[2 * h] : n;
    const float *row = U + (n - 1) * ld, *column = U + at * ld;
    for (int k = n - 1; k >= 32; k--, row -= ld) {
        const float c = __shfl_sync(ALL_LANES, x1 * g1, k - 32);
        const int low = __shfl_sync(ALL_LANES, low1, k - 32);
        if (i >= low) x0 -= c * row[i];
        if (h >= low && h < k) x1 -= c * row[h];
        if (h == k) x1 = c;
    }
    for (int k = (n < 32 ? n : 32) - 1; k >= 0; k--, row -= ld) {
        const float u = row[at], c = __shfl_sync(ALL_LANES, x0 * g0, k);
        const int low = __shfl_sync(ALL_LANES, low0, k);
        x0 = i == k ? c : i >= low && i < k ? x0 - c * u : x0;
    }
    for (int k = 0; k < n && k < 32; k++) {
        const float u = column[k], c = __shfl_sync(ALL_LANES, x0 * g0, k);
        x0 = i == k ? c : i > k && low0 <= k ? x0 - c * u : x0;
        if (low1 <= k) x1 -= c * U[h * ld + k];
    }
    for (int k = 32; k < n; k++) {
        const float c = __shfl_sync(ALL_LANES, x1 * g1, k - 32);
        if (h > k && low1 <= k) x1 -= c * U[h * ld + k];
        if (h == k) x1 = c;
    }
    if (has) v[i] = x0;
    if (more) v[h] = x1;
    __syncwarp();
}

// So many vectors x := L^-T x, for up to 64 dofs; of vector q lane i has numbers i and i + 32 in x[q] and y[q]. `end` says how
// far the subtree of a dof goes.
INLINE static void warp_transposed_half_solve(const float* L, const int* end, int ll, int n, float* x, float* y,
                                              int count, int lane) {
    const int i = lane, h = lane + 32;
    const float g0 = i < n ? L[i * ll + i] : 0.0f, g1 = h < n ? L[h * ll + h] : 0.0f;
    const int end0 = i < n ? end[i] : 0, end1 = h < n ? end[h] : 0;
    const float* u = L + (n - 1) * ll;
    for (int k = n - 1; k >= 32; k--, u -= ll) {
        const float g = __shfl_sync(ALL_LANES, g1, k - 32), l0 = u[i] * g, l1 = u[h < k ? h : k] * g;
        const float c0 = k < end0 ? l0 : 0.0f, c1 = h < k && k < end1 ? l1 : 0.0f;
        for (int q = 0; q < count; q++) {
            const float pivot = __shfl_sync(ALL_LANES, y[q], k - 32);
            x[q] -= c0 * pivot;
            y[q] -= c1 * pivot;
        }
    }
    for (int k = (n < 32 ? n : 32) - 1; k >= 0; k--, u -= ll) {
        const float l = u[i < k ? i : k] * __shfl_sync(ALL_LANES, g0, k), c = i < k && k < end0 ? l : 0.0f;
        for (int q = 0; q < count; q++) x[q] -= c * __shfl_sync(ALL_LANES, x[q], k);
    }
    for (int q = 0; q < count; q++) {
        x[q] *= g0;
        y[q] *= g1;
    }
}

// x = L^-1 B [f, 1], for up to 64 dofs.
INLINE static void warp_half_solve(const float* B, const float* f, const float* L, const int* end, float* out, int lb,
                                   int ll, int nrow, int n, int lane) {
    const int i = lane, h = lane + 32;
    const float *b0 = B + (i < n ? i : n - 1) * lb, *b1 = B + (h < n ? h : n - 1) * lb;
    const float *l0 = L + (i < n ? i : n - 1) * ll, *l1 = L + (h < n ? h : n - 1) * ll;
    float x0 = b0[nrow], x1 = b1[nrow];
    for (int c = 0; c < nrow; c++) x0 += b0[c] * f[c];
    const float g0 = L[(i < n ? i : n - 1) * (ll + 1)], g1 = L[(h < n ? h : n - 1) * (ll + 1)];
    const int end0 = i < n ? end[i] : 0;
    if (n <= 32) {
        for (int k = 0; k < n; k++) {
            const float l = l0[k < i ? k : i], c = __shfl_sync(ALL_LANES, x0 * g0, k);
            const int last = __shfl_sync(ALL_LANES, end0, k);
            x0 = i == k ? c : i > k && i < last ? x0 - c * l : x0;
        }
        if (i < n) out[i] = x0;
        __syncwarp();
        return;
    }
    for (int c = 0; c < nrow; c++) x1 += b1[c] * f[c];
    const int end1 = h < n ? end[h] : 0;
    for (int k = 0; k < 32; k++) {
        const float u = l0[k], v = l1[k], c = __shfl_sync(ALL_LANES, x0 * g0, k);
        const int last = __shfl_sync(ALL_LANES, end0, k);
        x0 = i == k ? c : i > k && i < last ? x0 - c * u : x0;
        x1 = h < last ? x1 - c * v : x1;
    }
    for (int k = 32; k < n; k++) {
        const float v = l1[k], c = __shfl_sync(ALL_LANES, x1 * g1, k - 32);
        const int last = __shfl_sync(ALL_LANES, end1, k - 32);
        x1 = h == k ? c : h > k && h < last ? x1 - c * v : x1;
    }
    if (i < n) out[i] = x0;
    if (h < n) out[h] = x1;
    __syncwarp();
}

// Lists the active rows in order and counts them; `held` says whether some row that is not active has a force.
INLINE static int warp_active_rows(const float* active, const float* force, int* list, int* held, int nrow, int lane) {
    int count = 0;
    for (int r0 = 0; r0 < nrow; r0 += 32) {
        const int r = r0 + lane;
        const float on = r < nrow ? active[r] : 0.0f;
        const unsigned some = __ballot_sync(ALL_LANES, on != 0.0f);
        if (on != 0.0f) list[count + __popc(some & ((1u << lane) - 1u))] = r;
        *held |= __any_sync(ALL_LANES, r < nrow && on == 0.0f && force[r] != 0.0f);
        count += __popc(some);
    }
    return count;
}
#endif
