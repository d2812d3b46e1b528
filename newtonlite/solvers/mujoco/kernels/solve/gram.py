"""The problem in constraint space: ``A = J M^-1 J'`` from half-solved rows, and the system of the active rows.

With ``M = L'L``, ``B = L^-T [J' , qfrc_smooth]`` gives ``A = B'B`` and, in its last column, ``J qacc_smooth``.
Rows stay side by side in memory, so one lane (or one vector element) works on one constraint row.
"""

import warp as wp

from newtonlite.solvers.mujoco.kernels.native import A1, A2, B1, B2, native

I1 = wp.array2d(dtype=int)

_HALF = native("""
    const int ld = LD(B), lj = LD(J), ll = LD(L), ncol = nrow + 1;
    float* Bp = ROW(B); const float* Jp = ROW(J); const float* Lp = ROW(L); const float* g = ROW(smooth);
    const int* block = INT4(row_block); const int* end = (const int*)dof_end.data;
#if WP_TILE_BLOCK_DIM == 1
    const int width = (ncol + 15) & ~15;
    for (int k = 0; k < n; k++) for (int b = 0; b < width; b += 16) *(V*)(Bp + k * ld + b) = V{0};
    for (int r = 0; r < nrow; r++) for (int q = 4 * r; q < 4 * r + 4; q += 2) {
        const int hi = 16 * block[q + 1] < n ? 16 * block[q + 1] : n;
        for (int i = 16 * block[q]; i < hi; i++) Bp[i * ld + r] = Jp[r * lj + i];
    }
    for (int i = 0; i < n; i++) Bp[i * ld + nrow] = g[i];
    for (int b = 0; b < width; b += 16) for (int j = n - 1; j >= 0; j--) {
        float* row = Bp + j * ld + b;
        V s0 = *(const V*)row, s1 = s0 - s0;
        int k = end[j] - 1;
        for (; k - 1 > j; k -= 2) {
            s0 -= Lp[k * ll + j] * *(const V*)(Bp + k * ld + b);
            s1 -= Lp[(k - 1) * ll + j] * *(const V*)(Bp + (k - 1) * ld + b);
        }
        if (k > j) s0 -= Lp[k * ll + j] * *(const V*)(Bp + k * ld + b);
        *(V*)row = (s0 + s1) * Lp[j * ll + j];
    }
#else
    for (int c = lane; c < ncol; c += nlane) {
        for (int k = 0; k < n; k++) Bp[k * ld + c] = c == nrow ? g[k] : REACHES(block + 4 * c, k / 16) ? Jp[c * lj + k] : 0.0f;
        for (int j = n - 1; j >= 0; j--) {
            float s = Bp[j * ld + c];
            for (int k = j + 1; k < end[j]; k++) s -= Lp[k * ll + j] * Bp[k * ld + c];
            Bp[j * ld + c] = s * Lp[j * ll + j];
        }
    }
#endif
""")


@wp.func_native(_HALF)
def half_solve_rows(
    J: A2, row_block: B2, smooth: A1, L: A2, dof_end: wp.array(dtype=int), B: A2, world: int, nrow: int, n: int, lane: int, nlane: int
):  # fmt: skip
    """``B = L^-T [J', smooth]``, each dof from those of its subtree; column ``nrow`` belongs to the smooth force."""
    ...


_GRAM = native("""
    const int ld = LD(A), lb = LD(B), ncol = nrow + 1;
    float* Ap = ROW(A); const float* Bp = ROW(B); const int* block = INT4(row_block);
#if WP_TILE_BLOCK_DIM == 1
    for (int r = 0; r < nrow; r += 4) {
        int at[4];  // stretches of dofs that reach all of those of four rows
        for (int q = 0; q < 4; q++) at[q] = block[4 * r + q];
        for (int i = r + 1; i < r + 4 && i < nrow; i++) for (int q = 0; q < 4; q++) {
            const int t = block[4 * i + q];
            at[q] = (q & 1) == (t > at[q]) ? t : at[q];
        }
        if (at[2] <= at[1]) { at[1] = at[3]; at[2] = at[3]; }
        for (int q = 0; q < 4; q++) at[q] = 16 * at[q] < n ? 16 * at[q] : n;
        for (int b = 0; b < ncol; b += 16) {
            V s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
            for (int q = 0; q < 4; q += 2) for (int k = at[q]; k < at[q + 1]; k++) {
                const float* p = Bp + k * lb + r; const V q = *(const V*)(Bp + k * lb + b);
                s0 += p[0] * q; s1 += p[1] * q; s2 += p[2] * q; s3 += p[3] * q;
            }
            *(V*)(Ap + r * ld + b) = s0; *(V*)(Ap + (r + 1) * ld + b) = s1; *(V*)(Ap + (r + 2) * ld + b) = s2; *(V*)(Ap + (r + 3) * ld + b) = s3;
        }
    }
#else
    (void)block;
    for (int c = lane; c < ncol; c += nlane) for (int r = 0; r < nrow; r++) {
        float s = 0.0f;
        for (int k = 0; k < n; k++) s += Bp[k * lb + r] * Bp[k * lb + c];
        Ap[r * ld + c] = s;
    }
#endif
""")


@wp.func_native(_GRAM)
def gram(B: A2, row_block: B2, A: A2, world: int, nrow: int, n: int, lane: int, nlane: int):
    """``A = B'B``: rows 0 to nrow - 1, columns 0 to nrow; a row of B' reaches no further than that of J it is made of. The arrays have room for 4 rows and 16 columns more."""
    ...


_GRAM_MUL = native("""
    const int ld = LD(A); const float* Ap = ROW(A); const float* f = ROW(force); float* out = ROW(y);
#if WP_TILE_BLOCK_DIM == 1
    for (int b = 0; b < nrow; b += 16) *(V*)(out + b) = V{0};
    for (int r = 0; r < nrow; r++) if (f[r] != 0.0f) for (int b = 0; b < nrow; b += 16) *(V*)(out + b) += f[r] * *(const V*)(Ap + r * ld + b);
#else
    for (int c = lane; c < nrow; c += nlane) {
        float s = 0.0f;
        for (int r = 0; r < nrow; r++) s += f[r] * Ap[r * ld + c];
        out[c] = s;
    }
#endif
""")


@wp.func_native(_GRAM_MUL)
def gram_mul(A: A2, force: A1, y: A1, world: int, nrow: int, lane: int, nlane: int):
    """``y = A force``."""
    ...


_SYSTEM = native("""
    const int ld = LD(A), lk = LD(K); const float* Ap = ROW(A); const float* w = ROW(active); const float* f = ROW(force); const float* bp = ROW(b);
    float* Kp = ROW(K); float* q = ROW(rhs); float* g = ROW(root); int* list = AT(int, index); int* block = INT2(K_block);
    int count = 0, held = 0;
    for (int r = 0; r < nrow; r++) { if (lane == 0) list[count] = r; count += w[r] != 0.0f; held |= (w[r] == 0.0f) & (f[r] != 0.0f); }
    SYNC;
    for (int i = lane; i < count; i += nlane) g[i] = sqrtf(w[list[i]]);
    SYNC;
    for (int i = lane; i < count; i += nlane) {
        const int r = list[i]; const float s = g[i]; const float* a = Ap + r * ld;
        float push = bp[r];
        if (held) for (int t = 0; t < nrow; t++) if (w[t] == 0.0f) push += a[t] * f[t];
        q[i] = -s * push;
        for (int j = 0; j < i; j++) Kp[i * lk + j] = s * g[j] * a[list[j]];
        for (int j = i; j < (i & ~15) + 16; j++) Kp[i * lk + j] = 0.0f;
        Kp[i * lk + i] = 1.0f + w[r] * a[r];
        block[2 * i] = 0;
    }
    for (int i = count + lane; i < ((count + 15) & ~15); i += nlane) q[i] = 0.0f;
    SYNC;
    return count;
""")


@wp.func_native(_SYSTEM)
def active_system(
    A: A2, active: A1, force: A1, b: A1, K: A2, K_block: B1, rhs: A1, root: A1, index: I1, world: int, nrow: int, lane: int,
    nlane: int,
) -> int:  # fmt: skip
    """``K = I + G'AG`` and ``rhs = -G'(b + A c)`` over the active rows, ``G = sqrt(active)``.

    ``c`` are the forces of saturated rows, ``root`` the diagonal of G.  Returns how many rows are active and lists them in ``index``.
    """
    ...


_SPREAD = native("""
    const float* w = ROW(active); const float* f = ROW(force); const float* q = ROW(rhs); const float* g = ROW(root); float* out = ROW(target); const int* list = AT(const int, index);
    for (int r = lane; r < nrow; r += nlane) out[r] = w[r] != 0.0f ? 0.0f : f[r];
    SYNC;
    for (int i = lane; i < count; i += nlane) out[list[i]] = g[i] * q[i];
    for (int r = nrow + lane; r < ((nrow + 15) & ~15); r += nlane) out[r] = 0.0f;
""")


@wp.func_native(_SPREAD)
def spread_forces(
    active: A1, force: A1, rhs: A1, root: A1, index: I1, target: A1, world: int, nrow: int, count: int, lane: int, nlane: int
):
    """Row forces from the solution of the active system: ``G y``, saturated rows keep theirs."""
    ...


_ACCELERATION = native("""
    const int lb = LD(B), ll = LD(L), ncol = nrow + 1;
    const float* Bp = ROW(B); const float* Lp = ROW(L); const float* f = ROW(force); float* out = ROW(x); const int* parent = (const int*)dof_parentid.data;
#if WP_TILE_BLOCK_DIM == 1
    const int whole = nrow & ~15;
    V last = V{0};
    for (int b = whole; b < nrow; b++) last[b - whole] = f[b];
    last[nrow - whole] = 1.0f;
    for (int k = 0; k < n; k++) {
        const float* row = Bp + k * lb;
        V s = last * *(const V*)(row + whole);
        for (int b = 0; b < whole; b += 16) s += *(const V*)(f + b) * *(const V*)(row + b);
        out[k] = total(s);
    }
    for (int k = 0; k < n; k++) {
        const float* l = Lp + k * ll; const int p = parent[k]; float s = out[k];
        if (p >= 0) {
            for (int j = parent[p]; j >= 0; j = parent[j]) s -= l[j] * out[j];
            s -= l[p] * out[p];  // the one that is just found
        }
        out[k] = s * l[k];
    }
#else
    for (int k = lane; k < n; k += nlane) {
        float s = 0.0f;
        for (int c = 0; c < nrow; c++) s += Bp[k * lb + c] * f[c];
        out[k] = s + Bp[k * lb + nrow];
    }
    SYNC;
    for (int k = 0; k < n; k++) {
        const float c = out[k] * Lp[k * ll + k];
        SYNC;
        for (int i = k + lane; i < end[k]; i += nlane) { if (i == k) out[k] = c; else out[i] -= c * Lp[i * ll + k]; }
        SYNC;
    }
#endif
""".replace("int* parent =", "int* end = (const int*)dof_end.data; (void)end; const int* parent ="))


@wp.func_native(_ACCELERATION)
def dual_acceleration(
    B: A2, force: A1, L: A2, dof_parentid: wp.array(dtype=int), dof_end: wp.array(dtype=int), x: A1, world: int, nrow: int,
    n: int, lane: int, nlane: int,
):  # fmt: skip
    """``x = M^-1 (smooth + J' force) = L^-1 B [force, 1]``; B is zero from there to the end of the block."""
    ...
