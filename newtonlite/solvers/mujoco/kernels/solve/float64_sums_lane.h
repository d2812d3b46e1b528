// Sums in double by one lane, eight at a time (float64_sums.h).
#pragma once

// Eight doubles, and eight floats as they lie in a row.
typedef double W __attribute__((vector_size(64)));
typedef float H __attribute__((vector_size(32), aligned(4)));

INLINE static W wide(const float* p) {
    return __builtin_convertvector(*(const H*)p, W);
}

NOINLINE static void row_residuals_one_lane(const float* A, const int* block, const float* v, const float* a0,
                                            float* out, float* rest, int ld, int nrow) {
    // eight products at a time, over the two stretches that the row reaches
    for (int r = 0; r < nrow; r++) {
        const float* a = A + r * ld;
        const int* t = block + 4 * r;
        W s0 = W{0}, s1 = W{0};
        for (int q = 0; q < 4; q += 2) {
            for (int b = BLOCK * t[q]; b < BLOCK * t[q + 1]; b += BLOCK) {
                s0 += wide(a + b) * wide(v + b);
                s1 += wide(a + b + 8) * wide(v + b + 8);
            }
        }
        s0 += s1;
        // the difference is taken in double, and left in two floats: the rounded one and the rest
        const double s = ((s0[0] + s0[1]) + (s0[2] + s0[3])) + ((s0[4] + s0[5]) + (s0[6] + s0[7])) - (double)a0[r];
        out[r] = (float)s;
        rest[r] = (float)(s - (double)out[r]);
    }
}

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
    row_residuals_one_lane(A, block, v, a0, out, rest, ld, nrow);
}

// Add t times the blocks of a row that lie in `range` and in c0 to c1, of which `sum` has the sums.
INLINE static void add_blocks(W* sum, const int* range, const float* row, double t, int c0, int c1) {
    for (int b = range[0] > c0 ? range[0] : c0; b < (range[1] < c1 ? range[1] : c1); b++) {
        sum[2 * (b - c0)] += t * wide(row + BLOCK * b);
        sum[2 * (b - c0) + 1] += t * wide(row + BLOCK * b + 8);
    }
}

INLINE static void round_blocks(const W* sum, float* to, int c0, int c1) {
    for (int b = c0; b < c1; b++) {
        *(H*)(to + BLOCK * b) = __builtin_convertvector(sum[2 * (b - c0)], H);
        *(H*)(to + BLOCK * b + 8) = __builtin_convertvector(sum[2 * (b - c0) + 1], H);
    }
}

NOINLINE static void gradient_one_lane(const float* M, const int* block, const float* x, const float* smooth,
                                       const GradientRows rows, float* constraint, float* grad, int lm, int n) {
    // 128 columns at a time: their sums stay in cache while rows of M and J pass by
    const int nblock = lm / BLOCK;
    for (int c0 = 0, first = 0; c0 < nblock; c0 += 8) {  // so many blocks of sums lie close
        const int c1 = c0 + 8 < nblock ? c0 + 8 : nblock;
        W sum[16];
        for (int b = c0; b < c1; b++) {
            sum[2 * (b - c0)] = -wide(smooth + BLOCK * b);
            sum[2 * (b - c0) + 1] = -wide(smooth + BLOCK * b + 8);
        }
        // M x - smooth: x_i times row i of M, which is symmetric, for rows that reach these columns
        while (first < n && block[2 * first + 1] <= c0) first++;  // trees come one after the other
        for (int i = first; i < n && block[2 * i] < c1; i++)
            add_blocks(sum, block + 2 * i, M + i * lm, (double)x[i], c0, c1);
        round_blocks(sum, constraint, c0, c1);
        // less J' f, in the sums that are not rounded yet
        for (int r = 0; r < rows.nrow; r++) {
            const int* t = rows.block + 4 * r;
            if (rows.f[r] == 0.0f || t[0] >= c1 || c0 >= t[3]) continue;
            const double force = -rows.force(r);
            add_blocks(sum, t, rows.J + r * rows.ld, force, c0, c1);
            add_blocks(sum, t + 2, rows.J + r * rows.ld, force, c0, c1);
        }
        round_blocks(sum, grad, c0, c1);
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
    gradient_one_lane(Mp, block, v, s, rows, c, g, lm, n);
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
    const int* parent = (const int*)dof_parentid.data;

    // L' y = grad: from the last dof on, a dof that is found is taken off its ancestors
    for (int k = n - 1; k >= 0; k--) {
        const float* l = Lp + k * ll;
        const float h = g[k] * l[k];
        g[k] = h;
        for (int j = parent[k]; j >= 0; j = parent[j]) g[j] -= l[j] * h;
    }

    // B' y, a block of rows at a time
    for (int b = 0; b < nrow; b += BLOCK) {
        V s0 = V{0}, s1 = V{0};
        int k = 0;
        for (; k + 1 < n; k += 2) {
            s0 += g[k] * *(const V*)(Bp + k * lb + b);
            s1 += g[k + 1] * *(const V*)(Bp + (k + 1) * lb + b);
        }
        if (k < n) s0 += g[k] * *(const V*)(Bp + k * lb + b);
        *(V*)(out + b) = s0 + s1;
    }

    // the last column of B, for the solve that follows
    for (int k = 0; k < n; k++) Bp[k * lb + nrow] = -g[k];
}

INLINE static void add_row_float64(const Floats& A, int row, double scale, const Doubles& y, int world, int nrow,
                                   int lane, int nlane) {
    OPAQUE(world);
    const float* a = ROW(A) + row * LD(A);
    double* out = WORLD(double, y);
    typedef double WU __attribute__((vector_size(64), aligned(8)));
    for (int b = 0; b < nrow; b += 8) *(WU*)(out + b) += scale * wide(a + b);
}
