// Factors and solutions by a team: a warp in registers, or lanes that take columns in turn (factor.h).
#pragma once

INLINE static void factor(const Floats& A, const Vec2is& row_block, int world, int n, int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(A);
    float* U = ROW(A);
    const int* block = WORLD(int, row_block);
#if CUDA_WARP
    warp_factor(U, block, ld, n, lane);
#else
    for (int i = n - 1; i >= 0; i--) {
        const float inv = reciprocal_root(U[i * ld + i]);
        const int low = 16 * block[2 * i];
        SYNC();
        for (int j = low + lane; j < (i & ~15) + 16; j += nlane) {
            if (j < i) U[i * ld + j] *= inv;
            if (j > i) U[i * ld + j] = 0.0f;
            if (j == i) U[i * ld + i] = inv;
        }
        SYNC();
        for (int j = low + lane; j < i; j += nlane) {
            for (int k = j; k < i; k++) U[k * ld + j] -= U[i * ld + k] * U[i * ld + j];
        }
        SYNC();
    }
#endif
}

INLINE static void solve_damped_tree(const Floats& A, const Vec2is& dof_block, const Floats& damping, const Floats& H,
                                     const Floats& x, const Floats& work, int world, int first, int last) {}

INLINE static void factor_tree(const Floats& A, const Vec2is& dof_block, const Ints& dof_end, const Floats& L,
                               int world, int n, int lane, int nlane) {
    OPAQUE(world);
    const int la = LD(A), ld = LD(L);
    const float* Ap = ROW(A);
    float* Lp = ROW(L);
    const int* block = (const int*)dof_block.data;
    const int* end = (const int*)dof_end.data;
#if CUDA_WARP
    warp_factor_tree(Ap, Lp, block, end, la, ld, n, lane);
#else
    for (int j = n - 1; j >= 0; j--) {
        const int low = 16 * block[2 * j];
        float d = Ap[j * la + j];
        for (int k = j + 1; k < end[j]; k++) d -= Lp[k * ld + j] * Lp[k * ld + j];
        const float inv = reciprocal_root(d);
        for (int i = low + lane; i < (j & ~15) + 16; i += nlane) {
            float s = 0.0f;
            if (i < j) {
                s = Ap[j * la + i];
                for (int k = j + 1; k < end[j]; k++) s -= Lp[k * ld + j] * Lp[k * ld + i];
                s *= inv;
            }
            Lp[j * ld + i] = i == j ? inv : s;
        }
        SYNC();
    }
#endif
}

// In place x := (L'L)^-1 x by a team of any size.
INLINE static void solve_team(const float* U, float* v, const int* block, int ld, int n, int lane, int nlane) {
    for (int k = n - 1; k >= 0; k--) {
        const float c = v[k] * U[k * ld + k];
        SYNC();
        for (int j = 16 * block[2 * k] + lane; j <= k; j += nlane) {
            if (j < k)
                v[j] -= c * U[k * ld + j];
            else
                v[k] = c;
        }
        SYNC();
    }
    for (int k = 0; k < n; k++) {
        const float c = v[k] * U[k * ld + k];
        const int below = ld < whole_blocks(n) && 16 * block[2 * k + 1] < n ? 16 * block[2 * k + 1] : n;
        SYNC();
        for (int i = k + lane; i < below; i += nlane) {
            if (i == k)
                v[k] = c;
            else if (k >= 16 * block[2 * i])
                v[i] -= c * U[i * ld + k];
        }
        SYNC();
    }
}

INLINE static void solve(const Floats& L, const Vec2is& row_block, const Floats& x, const Floats& work, int world,
                         int n, int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(L);
    const float* U = ROW(L);
    float* v = ROW(x);
    const int* block = WORLD(int, row_block);
#if CUDA_WARP
    if (n <= 64) {
        warp_solve(U, v, block, ld, n, lane);
        return;
    }
#endif
    solve_team(U, v, block, ld, n, lane, nlane);
}
