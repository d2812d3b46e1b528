// Dense linear algebra of one warp: the 32-lane branches of `factor`, `solve` and what is like them.
//
// A factor is taken row by row from the last: each lane sums one column over the rows below, and where a row has few
// columns two or four groups of lanes share that sum, so that no lane idles. Solving keeps the vector in registers, two
// numbers a lane, and hands pivots round by shuffles: no barrier in its loops.
#pragma once
#include "team.h"

#if CUDA_WARP
#define ALL_LANES 0xffffffffu

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
        if (c0 + 32 > j) {
            const float d = fmaxf(__shfl_sync(ALL_LANES, s, j - c0), 1e-12f), guess = rsqrtf(d);
            inv = guess * (1.5f - 0.5f * d * guess * guess);
        }
        if (mine) r[c] = c == j ? inv : s * inv;
    }
    if (lane < (j & ~15) + 15 - j) r[j + 1 + lane] = 0.0f;
    __syncwarp();
}

// In place A = L'L.
INLINE static void warp_factor(float* U, const int* block, int ld, int n, int lane) {
    bool whole = true;
    for (int i = lane; i < n; i += 32) whole &= block[2 * i] == 0;
    float* r = U + (n - 1) * ld;
    if (__all_sync(ALL_LANES, whole)) {
        for (int j = n - 1; j >= 0; j--, r -= ld) warp_factor_row(U, r, r, block, j, ld, n, true, lane);
    } else {
        for (int j = n - 1; j >= 0; j--, r -= ld) warp_factor_row(U, r, r, block, j, ld, n, false, lane);
    }
}

// The same from A to L, where row j meets only the dofs of its subtree.
INLINE static void warp_factor_tree(const float* A, float* L, const int* block, const int* end, int la, int ld, int n,
                                    int lane) {
    float* r = L + (n - 1) * ld;
    for (int j = n - 1; j >= 0; j--, r -= ld) warp_factor_row(L, r, A + j * la, block, j, ld, end[j], true, lane);
}

// In place x := (L'L)^-1 x, for up to 64 numbers.
INLINE static void warp_solve(const float* U, float* v, const int* block, int ld, int n, int lane) {
    const int i = lane, h = lane + 32;
    const bool has = i < n, more = h < n;
    float x0 = has ? v[i] : 0.0f, x1 = more ? v[h] : 0.0f;
    const float g0 = has ? U[i * ld + i] : 0.0f, g1 = more ? U[h * ld + h] : 0.0f;
    const int low0 = has ? 16 * block[2 * i] : n, low1 = more ? 16 * block[2 * h] : n;
    for (int k = n - 1; k >= 32; k--) {
        const float* u = U + k * ld;
        const float c = __shfl_sync(ALL_LANES, x1 * g1, k - 32);
        const int low = __shfl_sync(ALL_LANES, low1, k - 32);
        if (i >= low) x0 -= c * u[i];
        if (h >= low && h < k) x1 -= c * u[h];
        if (h == k) x1 = c;
    }
    for (int k = (n < 32 ? n : 32) - 1; k >= 0; k--) {
        const float c = __shfl_sync(ALL_LANES, x0 * g0, k);
        const int low = __shfl_sync(ALL_LANES, low0, k);
        if (i >= low && i < k) x0 -= c * U[k * ld + i];
        if (i == k) x0 = c;
    }
    for (int k = 0; k < n && k < 32; k++) {
        const float c = __shfl_sync(ALL_LANES, x0 * g0, k);
        if (i > k && low0 <= k) x0 -= c * U[i * ld + k];
        if (low1 <= k) x1 -= c * U[h * ld + k];
        if (i == k) x0 = c;
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

// x = L^-1 B [f, 1], for up to 64 dofs.
INLINE static void warp_half_solve(const float* B, const float* f, const float* L, const int* end, float* out, int lb,
                                   int ll, int nrow, int n, int lane) {
    const int i = lane, h = lane + 32;
    float x0 = 0.0f, x1 = 0.0f;
    for (int part = 0; part < 2; part++) {
        const int k = lane + 32 * part;
        float s = 0.0f;
        if (k < n) {
            for (int c = 0; c < nrow; c++) s += B[k * lb + c] * f[c];
            s += B[k * lb + nrow];
        }
        if (part)
            x1 = s;
        else
            x0 = s;
    }
    const float g0 = i < n ? L[i * ll + i] : 0.0f, g1 = h < n ? L[h * ll + h] : 0.0f;
    const int end0 = i < n ? end[i] : 0, end1 = h < n ? end[h] : 0;
    for (int k = 0; k < n && k < 32; k++) {
        const float c = __shfl_sync(ALL_LANES, x0 * g0, k);
        const int last = __shfl_sync(ALL_LANES, end0, k);
        if (i > k && i < last) x0 -= c * L[i * ll + k];
        if (h < last) x1 -= c * L[h * ll + k];
        if (i == k) x0 = c;
    }
    for (int k = 32; k < n; k++) {
        const float c = __shfl_sync(ALL_LANES, x1 * g1, k - 32);
        const int last = __shfl_sync(ALL_LANES, end1, k - 32);
        if (h > k && h < last) x1 -= c * L[h * ll + k];
        if (h == k) x1 = c;
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
