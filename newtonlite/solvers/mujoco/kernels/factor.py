"""Factors of dense matrices, ``A = L'L``, and solving with them: see ``dense`` for how rows lie.

Factors are taken leaf first, which fills in nothing on a kinematic tree; the factor's diagonal holds reciprocals.
"""

import warp as wp

from newtonlite.solvers.mujoco.kernels.native import A1, A2, B1, native

_FACTOR = native("""
#define SUBTRACT(to, c, from, low, end) if (c != 0.0f) for (int b = low; b <= (end); b += 16) *(V*)((to) + b) -= c * *(const V*)((from) + b)
#define FOUR(to, b) { V s = *(const V*)((to) + b); \\
    s -= c0 * *(const V*)(r + b); s -= c1 * *(const V*)(r1 + b); s -= c2 * *(const V*)(r2 + b); s -= c3 * *(const V*)(r3 + b); *(V*)((to) + b) = s; }
    const int ld = LD(A); float* U = ROW(A); const int* block = INT2(row_block);
#if WP_TILE_BLOCK_DIM == 1
    ONCE {
    const int MOST = 256, FEW = 6;
    for (int i = n - 1, first; i >= 0; i = first - 1) {
        const int top = i & ~15, low = 16 * block[2 * i];
        float inv[4];
        first = i;
        while (first > top && i - first < 3 && 16 * block[2 * first - 2] == low) first--;
        for (int k = i; k >= first; k--) {
            float* r = U + k * ld;
            const float d = r[k];
            inv[i - k] = 1.0f / sqrtf(d > 1e-12f ? d : 1e-12f);
            for (int b = low; b < top; b += 16) *(V*)(r + b) *= inv[i - k];
            *(V*)(r + top) = left(*(const V*)(r + top), k) * inv[i - k];
            for (int j = first; j < k; j++) SUBTRACT(U + j * ld, r[j], r, low, top);
        }
        const float* r = U + i * ld;
        if (i - first == 3) {
            const float* r1 = r - ld; const float* r2 = r1 - ld; const float* r3 = r2 - ld;
            int used[MOST], count = 0;  // blocks that the four have something in, where they reach far
            const bool listed = top - low > 16 * FEW && top - low < 16 * (MOST - 1);
            if (listed) {
                for (int b = low; b < top; b += 16) {
                    bool some = false;
                    for (int k = b; k < b + 16; k++) some |= r[k] != 0.0f || r1[k] != 0.0f || r2[k] != 0.0f || r3[k] != 0.0f;
                    if (some) used[count++] = b;
                }
                used[count++] = top;
                for (int a = 0; a < count; a++) for (int j = used[a]; j < used[a] + 16 && j < first; j++) {
                    const float c0 = r[j], c1 = r1[j], c2 = r2[j], c3 = r3[j];
                    if (c0 != 0.0f || c1 != 0.0f || c2 != 0.0f || c3 != 0.0f) for (int e = 0; e <= a; e++) FOUR(U + j * ld, used[e])
                }
            } else for (int j = low; j < first; j++) {
                const float c0 = r[j], c1 = r1[j], c2 = r2[j], c3 = r3[j];
                if (c0 != 0.0f || c1 != 0.0f || c2 != 0.0f || c3 != 0.0f) {
                    for (int b = low; b <= (j & ~15); b += 16) FOUR(U + j * ld, b)
                }
            }
        } else for (int k = i; k >= first; k--) {
            r = U + k * ld;
            for (int j = low; j < first; j++) SUBTRACT(U + j * ld, r[j], r, low, j & ~15);
        }
        for (int k = i; k >= first; k--) *(V*)(U + k * ld + top) += inv[i - k] * only(k);
    }
    } CALL;
#else
    for (int i = n - 1; i >= 0; i--) {
        const float d = U[i * ld + i], inv = 1.0f / sqrtf(d > 1e-12f ? d : 1e-12f);
        const int low = 16 * block[2 * i];
        SYNC;
        for (int j = lane; j < ld; j += nlane) {
            if (j >= low && j < i) U[i * ld + j] *= inv;
            if (j > i && j < (i & ~15) + 16) U[i * ld + j] = 0.0f;
            if (j == i) U[i * ld + i] = inv;
        }
        SYNC;
        for (int j = low + lane; j < i; j += nlane) for (int k = j; k < i; k++) U[k * ld + j] -= U[i * ld + k] * U[i * ld + j];
        SYNC;
    }
#endif
#undef SUBTRACT
#undef FOUR
""")


@wp.func_native(_FACTOR)
def factor(A: A2, row_block: B1, world: int, n: int, lane: int, nlane: int):
    """In place ``A = L'L``, leaf first, from the lower triangle; the diagonal of L is stored as its reciprocal."""
    ...


_FACTOR_TREE = native("""
    const int la = LD(A), ld = LD(L); const float* Ap = ROW(A); float* Lp = ROW(L);
    const int* block = (const int*)dof_block.data; const int* end = (const int*)dof_end.data;
#if WP_TILE_BLOCK_DIM == 1
    ONCE {
    for (int j = n - 1; j >= 0; j--) {
        const int top = j & ~15; float* r = Lp + j * ld;
        for (int b = 16 * block[2 * j]; b <= top; b += 16) {
            V s0 = *(const V*)(Ap + j * la + b), s1 = s0 - s0;
            int k = end[j] - 1;
            for (; k - 1 > j; k -= 2) {
                s0 -= Lp[k * ld + j] * *(const V*)(Lp + k * ld + b);
                s1 -= Lp[(k - 1) * ld + j] * *(const V*)(Lp + (k - 1) * ld + b);
            }
            if (k > j) s0 -= Lp[k * ld + j] * *(const V*)(Lp + k * ld + b);
            *(V*)(r + b) = s0 + s1;
        }
        const float d = r[j], inv = 1.0f / sqrtf(d > 1e-12f ? d : 1e-12f);
        for (int b = 16 * block[2 * j]; b < top; b += 16) *(V*)(r + b) *= inv;
        *(V*)(r + top) = (left(*(const V*)(r + top), j) + only(j)) * inv;
    }
    } CALL;
#else
    for (int j = n - 1; j >= 0; j--) {
        const int low = 16 * block[2 * j];
        float d = Ap[j * la + j];
        for (int k = j + 1; k < end[j]; k++) d -= Lp[k * ld + j] * Lp[k * ld + j];
        const float inv = 1.0f / sqrtf(d > 1e-12f ? d : 1e-12f);
        for (int i = low + lane; i < (j & ~15) + 16; i += nlane) {
            float s = 0.0f;
            if (i < j) {
                s = Ap[j * la + i];
                for (int k = j + 1; k < end[j]; k++) s -= Lp[k * ld + j] * Lp[k * ld + i];
                s *= inv;
            }
            Lp[j * ld + i] = i == j ? inv : s;
        }
        SYNC;
    }
#endif
""")


@wp.func_native(_FACTOR_TREE)
def factor_tree(
    A: A2, dof_block: wp.array(dtype=wp.vec2i), dof_end: wp.array(dtype=int), L: A2, world: int, n: int, lane: int, nlane: int
):
    """``A = L'L`` for a matrix with the pattern of M: row ``j`` meets only the dofs of its subtree, ``j + 1`` to ``dof_end``."""
    ...


_SOLVE = native("""
    const int ld = LD(L); const float* U = ROW(L); float* v = ROW(x); float* y = ROW(work); const int* block = INT2(row_block);
#if WP_TILE_BLOCK_DIM == 1
    ONCE {
    for (int k = n - 1; k >= 0; k--) {
        const float* u = U + k * ld; const float c = v[k] * u[k];
        for (int b = 16 * block[2 * k]; b <= (k & ~15); b += 16) *(V*)(v + b) -= c * *(const V*)(u + b);
        y[k] = c;
    }
    V found = V{0};
    for (int k = 0; k < n; k++) {
        const float* u = U + k * ld; const int top = k & ~15;
        if (k == top) found = V{0};
        V s = *(const V*)(u + top) * found;
        for (int b = 16 * block[2 * k]; b < top; b += 16) s += *(const V*)(u + b) * *(V*)(v + b);
        v[k] = (y[k] - total(s)) * u[k];
        found += v[k] * only(k);
    }
    } CALL;
#else
    (void)y;
    for (int k = n - 1; k >= 0; k--) {
        const float c = v[k] * U[k * ld + k];
        SYNC;
        for (int j = 16 * block[2 * k] + lane; j <= k; j += nlane) { if (j < k) v[j] -= c * U[k * ld + j]; else v[k] = c; }
        SYNC;
    }
    for (int k = 0; k < n; k++) {
        const float c = v[k] * U[k * ld + k];
        SYNC;
        for (int i = k + lane; i < n; i += nlane) { if (i == k) v[k] = c; else if (k >= 16 * block[2 * i]) v[i] -= c * U[i * ld + k]; }
        SYNC;
    }
#endif
""")


@wp.func_native(_SOLVE)
def solve(L: A2, row_block: B1, x: A1, work: A1, world: int, n: int, lane: int, nlane: int):
    """In place ``x := (L'L)^-1 x`` with a factor from ``factor``; ``work`` is a row of scratch."""
    ...
