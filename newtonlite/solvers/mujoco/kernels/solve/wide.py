"""Sums in double over float32 numbers: what a last correction of the acceleration is made of, and the slopes of sweeps.

``M x - qfrc_smooth - J' f``, ``J x - aref`` and ``A f + b`` are differences of numbers far larger than themselves, of which float32 sums lose the digits.
"""

import warp as wp

from newtonlite.solvers.mujoco.kernels.native import A1, A2, B2, native

I1 = wp.array2d(dtype=int)
D1 = wp.array2d(dtype=wp.float64)

_WIDE = """
#if WP_TILE_BLOCK_DIM == 1
    typedef double W __attribute__((vector_size(64)));
    typedef float H __attribute__((vector_size(32), aligned(4)));
#define WIDE(p) __builtin_convertvector(*(const H*)(p), W)
#endif
"""
_TAIL = """
#if WP_TILE_BLOCK_DIM == 1
#undef WIDE
#endif
"""

_RESIDUAL = native(_WIDE + """
    const int ld = LD(J); const float* A = ROW(J); const float* v = ROW(x); const float* a0 = ROW(aref);
    float* out = ROW(jar); float* rest = ROW(low);
    const int* block = INT4(row_block);
#if WP_TILE_BLOCK_DIM == 1
    ONCE {
    for (int r = 0; r < nrow; r++) {
        const float* a = A + r * ld; const int* t = block + 4 * r;
        W s0 = W{0}, s1 = W{0};
        for (int b = 16 * t[0]; b < 16 * t[1]; b += 16) { s0 += WIDE(a + b) * WIDE(v + b); s1 += WIDE(a + b + 8) * WIDE(v + b + 8); }
        for (int b = 16 * t[2]; b < 16 * t[3]; b += 16) { s0 += WIDE(a + b) * WIDE(v + b); s1 += WIDE(a + b + 8) * WIDE(v + b + 8); }
        s0 += s1;
        const double s = ((s0[0] + s0[1]) + (s0[2] + s0[3])) + ((s0[4] + s0[5]) + (s0[6] + s0[7])) - (double)a0[r];
        out[r] = (float)s; rest[r] = (float)(s - (double)out[r]);
    }
    } CALL;
#else
    for (int r = lane; r < nrow; r += nlane) {
        const float* a = A + r * ld; double s = -(double)a0[r];
        for (int q = 4 * r; q < 4 * r + 4; q += 2) for (int j = 16 * block[q]; j < 16 * block[q + 1]; j++) s += (double)a[j] * (double)v[j];
        out[r] = (float)s; rest[r] = (float)(s - (double)out[r]);
    }
#endif
""" + _TAIL)  # fmt: skip


@wp.func_native(_RESIDUAL)
def row_residuals(J: A2, row_block: B2, x: A1, aref: A1, jar: A1, low: A1, world: int, nrow: int, lane: int, nlane: int):
    """``jar + low = J x - aref``: the rounded difference, and what rounding took off."""
    ...


_GRADIENT = native(_WIDE + """
#define ADD(range, row, t) for (int b = (range)[0] > c0 ? (range)[0] : c0; b < ((range)[1] < c1 ? (range)[1] : c1); b++) { \\
    sum[2 * (b - c0)] += t * WIDE((row) + 16 * b); sum[2 * (b - c0) + 1] += t * WIDE((row) + 16 * b + 8); }
#define KEEP(to) for (int b = c0; b < c1; b++) { \\
    *(H*)(to + 16 * b) = __builtin_convertvector(sum[2 * (b - c0)], H); *(H*)(to + 16 * b + 8) = __builtin_convertvector(sum[2 * (b - c0) + 1], H); }
    const int lm = LD(M), lj = LD(J); const float* Mp = ROW(M); const float* Jp = ROW(J); const float* v = ROW(x);
    const float* s = ROW(smooth); const float* f = ROW(force); const float* w = ROW(active); const float* x0 = ROW(jar);
    const float* x1 = ROW(low); const int* kind = AT(const int, type); float* c = ROW(constraint); float* g = ROW(grad);
    const int* block = (const int*)dof_block.data; const int* rows = INT4(row_block);
#define FORCE(r) (w[r] != 0.0f ? -(double)w[r] * ((double)x0[r] + (double)x1[r]) : (double)f[r] + (kind[r] > 2 ? (double)x1[r] : 0.0))
#if WP_TILE_BLOCK_DIM == 1
    ONCE {
    const int nblock = lm / 16;
    for (int c0 = 0, first = 0; c0 < nblock; c0 += 8) {  // so many blocks of sums lie close
        const int c1 = c0 + 8 < nblock ? c0 + 8 : nblock;
        W sum[16];
        for (int b = c0; b < c1; b++) { sum[2 * (b - c0)] = -WIDE(s + 16 * b); sum[2 * (b - c0) + 1] = -WIDE(s + 16 * b + 8); }
        while (first < n && block[2 * first + 1] <= c0) first++;  // trees come one after the other
        for (int i = first; i < n && block[2 * i] < c1; i++) ADD(block + 2 * i, Mp + i * lm, (double)v[i]);
        KEEP(c)
        for (int r = 0; r < nrow; r++) if (f[r] != 0.0f && rows[4 * r] < c1 && c0 < rows[4 * r + 3]) {
            const double t = -FORCE(r);
            ADD(rows + 4 * r, Jp + r * lj, t);
            ADD(rows + 4 * r + 2, Jp + r * lj, t);
        }
        KEEP(g)
    }
    } CALL;
#else
    for (int j = lane; j < lm; j += nlane) {
        double a = 0.0;
        if (j < n) {
            a = -(double)s[j];
            for (int i = 16 * block[2 * j]; i < 16 * block[2 * j + 1] && i < n; i++) a += (double)v[i] * (double)Mp[i * lm + j];
        }
        c[j] = (float)a;
        for (int r = 0; r < nrow; r++) if (REACHES(rows + 4 * r, j / 16)) a -= FORCE(r) * (double)Jp[r * lj + j];
        g[j] = (float)a;
    }
#endif
#undef FORCE
#undef ADD
#undef KEEP
""" + _TAIL)  # fmt: skip


@wp.func_native(_GRADIENT)
def wide_gradient(
    M: A2, dof_block: wp.array(dtype=wp.vec2i), x: A1, smooth: A1, J: A2, row_block: B2, type: I1, force: A1, active: A1, jar: A1,
    low: A1, constraint: A1, grad: A1, world: int, n: int, nrow: int, lane: int, nlane: int,
):  # fmt: skip
    """``constraint = M x - smooth`` and ``grad = constraint - J' f``, each rounded once; ``f`` is ``-active (jar + low)``, or
    ``force`` of other rows, with ``low`` added in cones (types 3 and 4)."""
    ...


_HALF = native("""
    const int ll = LD(L), lb = LD(B); float* g = ROW(grad); const float* Lp = ROW(L); float* Bp = ROW(B); float* out = ROW(y);
    const int* parent = (const int*)dof_parentid.data; const int* block = (const int*)dof_block.data;
#if WP_TILE_BLOCK_DIM == 1
    (void)block;
    for (int k = n - 1; k >= 0; k--) {
        const float* l = Lp + k * ll; const float h = g[k] * l[k];
        g[k] = h;
        for (int j = parent[k]; j >= 0; j = parent[j]) g[j] -= l[j] * h;
    }
    for (int b = 0; b < nrow; b += 16) {
        V s0 = V{0}, s1 = V{0}; int k = 0;
        for (; k + 1 < n; k += 2) { s0 += g[k] * *(const V*)(Bp + k * lb + b); s1 += g[k + 1] * *(const V*)(Bp + (k + 1) * lb + b); }
        if (k < n) s0 += g[k] * *(const V*)(Bp + k * lb + b);
        *(V*)(out + b) = s0 + s1;
    }
    for (int k = 0; k < n; k++) Bp[k * lb + nrow] = -g[k];
#else
    (void)parent;
    for (int k = n - 1; k >= 0; k--) {
        const float* l = Lp + k * ll; const float h = g[k] * l[k];
        SYNC;
        for (int j = 16 * block[2 * k] + lane; j <= k; j += nlane) { if (j < k) g[j] -= l[j] * h; else g[j] = h; }
        SYNC;
    }
    for (int c = lane; c <= nrow; c += nlane) {
        float s = 0.0f;
        if (c < nrow) { for (int k = 0; k < n; k++) s += g[k] * Bp[k * lb + c]; out[c] = s; }
        else for (int k = 0; k < n; k++) Bp[k * lb + nrow] = -g[k];
    }
#endif
""")


@wp.func_native(_HALF)
def half_solve_gradient(
    L: A2, dof_block: wp.array(dtype=wp.vec2i), dof_parentid: wp.array(dtype=int), grad: A1, B: A2, y: A1, world: int, n: int,
    nrow: int, lane: int, nlane: int,
):  # fmt: skip
    """In place ``grad := L^-T grad``; its negative is column ``nrow`` of ``B``, and ``y = J M^-1 grad`` of the gradient before."""
    ...


_ADD = native(_WIDE + """
    const float* a = ROW(A) + row * LD(A); double* out = AT(double, y);
#if WP_TILE_BLOCK_DIM == 1
    typedef double WU __attribute__((vector_size(64), aligned(8)));
    for (int b = 0; b < nrow; b += 8) *(WU*)(out + b) += scale * WIDE(a + b);
#else
    for (int c = lane; c < nrow; c += nlane) out[c] += scale * (double)a[c];
#endif
""" + _TAIL)


@wp.func_native(_ADD)
def add_wide_row(A: A2, row: int, scale: wp.float64, y: D1, world: int, nrow: int, lane: int, nlane: int):
    """``y += scale A[row]``; ``y`` has room for whole blocks of 8."""
    ...
