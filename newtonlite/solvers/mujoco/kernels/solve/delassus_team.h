// The Delassus matrix by a team: a lane has rows of its own, a warp columns in registers (delassus.h).
#pragma once

INLINE static void half_solve_rows(const Floats& J, const Vec4is& row_block, const Floats& smooth, const Floats& L,
                                   const Ints& dof_end, const Floats& B, int world, int nrow, int n, int lane,
                                   int nlane) {
    OPAQUE(world);
    const int ld = LD(B), lj = LD(J), ll = LD(L), ncol = nrow + 1;
    float* Bp = ROW(B);
    const float* Jp = ROW(J);
    const float* Lp = ROW(L);
    const float* g = ROW(smooth);
    const int* block = WORLD(int, row_block);
    const int* end = (const int*)dof_end.data;
#if CUDA_WARP
    // up to 64 dofs a warp holds four columns in registers, two dofs per lane
    if (n <= 64) {
        const int h = lane + 32;
        for (int c0 = 0; c0 < ncol; c0 += 4) {
            float x[4], y[4];
            for (int q = 0; q < 4; q++) {
                const int c = c0 + q;
                const int* t = block + 4 * c;
                const float* from = c == nrow ? g : Jp + c * lj;
                x[q] = c <= nrow && lane < n && (c == nrow || REACHES(t, lane / BLOCK)) ? from[lane] : 0.0f;
                y[q] = c <= nrow && h < n && (c == nrow || REACHES(t, h / BLOCK)) ? from[h] : 0.0f;
            }
            warp_transposed_half_solve(Lp, end, ll, n, x, y, 4, lane);
            if (lane < n) *(float4*)(Bp + lane * ld + c0) = make_float4(x[0], x[1], x[2], x[3]);
            if (h < n) *(float4*)(Bp + h * ld + c0) = make_float4(y[0], y[1], y[2], y[3]);
        }
        return;
    }
#endif
    // otherwise every lane solves columns of its own
    for (int c = lane; c < ncol; c += nlane) {
        for (int k = 0; k < n; k++)
            Bp[k * ld + c] = c == nrow ? g[k] : REACHES(block + 4 * c, k / BLOCK) ? Jp[c * lj + k] : 0.0f;
        for (int j = n - 1; j >= 0; j--) {
            float s = Bp[j * ld + c];
            for (int k = j + 1; k < end[j]; k++) s -= Lp[k * ll + j] * Bp[k * ld + c];
            Bp[j * ld + c] = s * Lp[j * ll + j];
        }
    }
}

INLINE static void delassus(const Floats& B, const Vec4is& row_block, const Floats& A, int world, int nrow, int n,
                            int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(A), lb = LD(B), ncol = nrow + 1;
    float* Ap = ROW(A);
    const float* Bp = ROW(B);
    // a lane has four rows of one column
    const int width = whole_blocks(ncol);
    for (int t = lane; t < (nrow + 3) / 4 * width; t += nlane) {
        const int r = 4 * (t / width), c = t % width;
        if (c >= ncol) continue;
        float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
        const float* p = Bp;
        for (int k = 0; k < n; k++, p += lb) {
            const float b = p[c];
            s0 += p[r] * b;
            s1 += p[r + 1] * b;
            s2 += p[r + 2] * b;
            s3 += p[r + 3] * b;
        }
        float* out = Ap + r * ld + c;
        out[0] = s0;
        out[ld] = s1;
        out[2 * ld] = s2;
        out[3 * ld] = s3;
    }
}

INLINE static void delassus_mul(const Floats& A, const Floats& force, const Floats& y, int world, int nrow, int lane,
                                int nlane) {
    OPAQUE(world);
    const int ld = LD(A);
    const float* Ap = ROW(A);
    const float* f = ROW(force);
    float* out = ROW(y);
    for (int c = lane; c < nrow; c += nlane) {
        float s = 0.0f;
        for (int r = 0; r < nrow; r++) s += f[r] * Ap[r * ld + c];
        out[c] = s;
    }
}

INLINE static void dual_acceleration(const Floats& B, const Floats& force, const Floats& L, const Ints& dof_parentid,
                                     const Ints& dof_end, const Floats& x, int world, int nrow, int n, int lane,
                                     int nlane) {
    OPAQUE(world);
    const int lb = LD(B), ll = LD(L);
    const float* Bp = ROW(B);
    const float* Lp = ROW(L);
    const float* f = ROW(force);
    float* out = ROW(x);
    const int* end = (const int*)dof_end.data;
#if CUDA_WARP
    // a warp does both in registers
    if (n <= 64) {
        warp_half_solve(Bp, f, Lp, end, out, lb, ll, nrow, n, lane);
        return;
    }
#endif
    // y = B [force, 1], a dof per lane
    for (int k = lane; k < n; k += nlane) {
        float s = 0.0f;
        for (int c = 0; c < nrow; c++) s += Bp[k * lb + c] * f[c];
        out[k] = s + Bp[k * lb + nrow];
    }
    SYNC();

    // L x = y column by column: a dof that is found is taken off those of its subtree
    for (int k = 0; k < n; k++) {
        const float c = out[k] * Lp[k * ll + k];
        SYNC();
        for (int i = k + lane; i < end[k]; i += nlane) {
            if (i == k)
                out[k] = c;
            else
                out[i] -= c * Lp[i * ll + k];
        }
        SYNC();
    }
}
