// The Delassus matrix by one lane: 16 rows side by side in a vector (delassus.h).
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
    // B begins as [J', smooth]: a column for each row, written where the row's blocks have numbers
    const int width = whole_blocks(ncol);
    for (int k = 0; k < n; k++)
        for (int b = 0; b < width; b += BLOCK) *(V*)(Bp + k * ld + b) = V{0};
    for (int r = 0; r < nrow; r++) {
        for (int q = 4 * r; q < 4 * r + 4; q += 2) {
            const int hi = BLOCK * block[q + 1] < n ? BLOCK * block[q + 1] : n;
            for (int i = BLOCK * block[q]; i < hi; i++) Bp[i * ld + r] = Jp[r * lj + i];
        }
    }
    for (int i = 0; i < n; i++) Bp[i * ld + nrow] = g[i];

    // L' b = column, 16 columns at a time: from the last dof on, each less what the dofs of its subtree take
    for (int b = 0; b < width; b += BLOCK) {
        for (int j = n - 1; j >= 0; j--) {
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
    }
}

// Stretches of dofs, from[0] to from[1] and from[2] to from[3], that reach all of those of up to four rows from r on.
INLINE static void joint_stretches(int* from, const int* block, int r, int nrow, int n) {
    for (int q = 0; q < 4; q++) from[q] = block[4 * r + q];
    for (int i = r + 1; i < r + 4 && i < nrow; i++) {
        for (int q = 0; q < 4; q++) {
            const int t = block[4 * i + q];
            from[q] = (q & 1) == (t > from[q]) ? t : from[q];
        }
    }
    if (from[2] <= from[1]) {
        from[1] = from[3];
        from[2] = from[3];
    }
    for (int q = 0; q < 4; q++) from[q] = BLOCK * from[q] < n ? BLOCK * from[q] : n;
}

INLINE static void delassus(const Floats& B, const Vec4is& row_block, const Floats& A, int world, int nrow, int n,
                            int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(A), lb = LD(B), ncol = nrow + 1;
    float* Ap = ROW(A);
    const float* Bp = ROW(B);
    const int* block = WORLD(int, row_block);

    // four rows of A at a time share what they load of B, over the dofs that any of the four reaches
    for (int r = 0; r < nrow; r += 4) {
        int from[4];
        joint_stretches(from, block, r, nrow, n);
        for (int b = 0; b < ncol; b += BLOCK) {
            V s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
            for (int q = 0; q < 4; q += 2) {
                for (int k = from[q]; k < from[q + 1]; k++) {
                    const float* p = Bp + k * lb + r;
                    const V column = *(const V*)(Bp + k * lb + b);
                    s0 += p[0] * column;
                    s1 += p[1] * column;
                    s2 += p[2] * column;
                    s3 += p[3] * column;
                }
            }
            *(V*)(Ap + r * ld + b) = s0;
            *(V*)(Ap + (r + 1) * ld + b) = s1;
            *(V*)(Ap + (r + 2) * ld + b) = s2;
            *(V*)(Ap + (r + 3) * ld + b) = s3;
        }
    }
}

INLINE static void delassus_mul(const Floats& A, const Floats& force, const Floats& y, int world, int nrow, int lane,
                                int nlane) {
    OPAQUE(world);
    const int ld = LD(A);
    const float* Ap = ROW(A);
    const float* f = ROW(force);
    float* out = ROW(y);
    // A is symmetric: y as a sum of rows of A, of which those without force cost nothing
    for (int b = 0; b < nrow; b += BLOCK) *(V*)(out + b) = V{0};
    for (int r = 0; r < nrow; r++) {
        if (f[r] == 0.0f) continue;
        for (int b = 0; b < nrow; b += BLOCK) *(V*)(out + b) += f[r] * *(const V*)(Ap + r * ld + b);
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
    const int* parent = (const int*)dof_parentid.data;

    // y = B [force, 1]: the pad of the last block is 0 but for the 1 beside the smooth force
    const int whole = nrow & ~(BLOCK - 1);
    V last = V{0};
    for (int b = whole; b < nrow; b++) last[b - whole] = f[b];
    last[nrow - whole] = 1.0f;
    for (int k = 0; k < n; k++) {
        const float* row = Bp + k * lb;
        V s = last * *(const V*)(row + whole);
        for (int b = 0; b < whole; b += BLOCK) s += *(const V*)(f + b) * *(const V*)(row + b);
        out[k] = total(s);
    }

    // L x = y from the root on: a dof less what its ancestors give it
    for (int k = 0; k < n; k++) {
        const float* l = Lp + k * ll;
        const int p = parent[k];
        float s = out[k];
        if (p >= 0) {
            for (int j = parent[p]; j >= 0; j = parent[j]) s -= l[j] * out[j];
            s -= l[p] * out[p];  // the one that is just found
        }
        out[k] = s * l[k];
    }
}
