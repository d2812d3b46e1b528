// Sums in double by a team, whose lanes have rows or columns of their own (float64_sums.h).
#pragma once

INLINE static void row_residuals(const Floats& J, const Vec4is& row_block, const Floats& x, const Floats& aref,
                                 const Floats& jar, const Floats& low, int world, int nrow, int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(J);
    const float* A = ROW(J);
    const float* v = ROW(x);
    const float* a0 = ROW(aref);
    float* out = ROW(jar);
    float* rest = ROW(low);
    const int* block = WORLD(int, row_block);
    // as one lane does: a difference in double, left in two floats
    for (int r = lane; r < nrow; r += nlane) {
        const float* a = A + r * ld;
        double s = -(double)a0[r];
        for (int q = 4 * r; q < 4 * r + 4; q += 2) {
            for (int j = BLOCK * block[q]; j < BLOCK * block[q + 1]; j++) s += (double)a[j] * (double)v[j];
        }
        out[r] = (float)s;
        rest[r] = (float)(s - (double)out[r]);
    }
}

INLINE static void gradient_sums_float64(const Floats& M, const Vec2is& dof_block, const Floats& x,
                                         const Floats& smooth, const Floats& J, const Vec4is& row_block,
                                         const Ints& type, const Floats& force, const Floats& active, const Floats& jar,
                                         const Floats& low, const Floats& constraint, const Floats& grad, int world,
                                         int n, int nrow, int lane, int nlane) {
    OPAQUE(world);
    const int lm = LD(M);
    const float* Mp = ROW(M);
    const float* v = ROW(x);
    const float* s = ROW(smooth);
    float* c = ROW(constraint);
    float* g = ROW(grad);
    const int* block = (const int*)dof_block.data;
    const GradientRows rows = {ROW(J),           ROW(active),           ROW(force), ROW(jar), ROW(low),
                               WORLD(int, type), WORLD(int, row_block), LD(J),      nrow};
    // a lane has a column: M x - smooth first, rounded once for the constraint force, then less J' f
    for (int j = lane; j < lm; j += nlane) {
        double a = 0.0;
        if (j < n) {
            a = -(double)s[j];
            for (int i = BLOCK * block[2 * j]; i < BLOCK * block[2 * j + 1] && i < n; i++)
                a += (double)v[i] * (double)Mp[i * lm + j];
        }
        c[j] = (float)a;
        for (int r = 0; r < nrow; r++) {
            if (REACHES(rows.block + 4 * r, j / BLOCK)) a -= rows.force(r) * (double)rows.J[r * rows.ld + j];
        }
        g[j] = (float)a;
    }
}

INLINE static void half_solve_gradient(const Floats& L, const Ints& dof_end, const Ints& dof_parentid,
                                       const Floats& grad, const Floats& B, const Floats& y, int world, int n, int nrow,
                                       int lane, int nlane) {
    OPAQUE(world);
    const int ll = LD(L), lb = LD(B);
    float* g = ROW(grad);
    const float* Lp = ROW(L);
    float* Bp = ROW(B);
    float* out = ROW(y);
    const int* end = (const int*)dof_end.data;
#if CUDA_WARP
    // L' y = grad, in registers of a warp where they hold it
    if (n <= 64) {
        const int i = lane, h = lane + 32;
        float x[1] = {i < n ? g[i] : 0.0f}, y[1] = {h < n ? g[h] : 0.0f};
        warp_transposed_half_solve(Lp, end, ll, n, x, y, 1, lane);
        if (i < n) g[i] = x[0];
        if (h < n) g[h] = y[0];
        __syncwarp();
    } else
#endif
        for (int k = n - 1; k >= 0; k--) {
            const float* l = Lp + k * ll;
            const float h = g[k] * l[k];
            SYNC();
            for (int j = lane; j <= k; j += nlane) {
                if (j == k)
                    g[j] = h;
                else if (k < end[j])
                    g[j] -= l[j] * h;
            }
            SYNC();
        }
    for (int c = lane; c < nrow; c += nlane) {
        const float* b = Bp + c;
        float s = 0.0f;
        for (int k = 0; k < n; k++, b += lb) s += g[k] * *b;
        out[c] = s;
    }
    for (int k = lane; k < n; k += nlane) Bp[k * lb + nrow] = -g[k];
}

INLINE static void add_row_float64(const Floats& A, int row, double scale, const Doubles& y, int world, int nrow,
                                   int lane, int nlane) {
    OPAQUE(world);
    const float* a = ROW(A) + row * LD(A);
    double* out = WORLD(double, y);
    for (int c = lane; c < nrow; c += nlane) out[c] += scale * (double)a[c];
}
