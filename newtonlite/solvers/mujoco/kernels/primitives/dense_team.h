// Dense matrices and rows by a team of lanes, which take columns in turn (dense.h).
#pragma once

INLINE static void mass_rows(const Spatials& cdof, const Spatials& force, const Floats& ancestor,
                             const Floats& armature, const Vec2is& dof_block, const Floats& M, int world, int n,
                             int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(M), lm = (int)(ancestor.strides[0] >> 2);
    const float* S = ROW(cdof);
    const float* F = ROW(force);
    const float* arm = ROW(armature);
    const plain* mask = (const plain*)ancestor.data;
    const int* block = (const int*)dof_block.data;
    float* Mp = ROW(M);
    const int width = whole_blocks(n);
    for (int j = lane; j < width; j += nlane) {
        const int own = j < n ? j : n - 1, end = 16 * block[2 * own + 1];
        // rows that reach the block of this column: those of the trees that begin and end in it
        const int last_own = (j | 15) < n ? j | 15 : n - 1, below = 16 * block[2 * last_own + 1];
        const float* s = S + own * 6;
        const float s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3], s4 = s[4], s5 = s[5], more = arm[own];
        for (int i0 = 16 * block[2 * (j & ~15)]; i0 < n && i0 < below;
             i0 += 4) {  // four rows are on their way at a time
            float row[4];
            int first[4], last[4];
            for (int q = 0; q < 4; q++) {
                const int i = i0 + q < n ? i0 + q : n - 1;
                const float* f = F + i * 6;
                row[q] = mask[i * lm + j] * (s0 * f[0] + s1 * f[1] + s2 * f[2] + s3 * f[3] + s4 * f[4] + s5 * f[5]) +
                         (i == j ? more : 0.0f);
                first[q] = 16 * block[2 * i];
                last[q] = 16 * block[2 * i + 1];
            }
            for (int q = 0; q < 4; q++) {
                const int i = i0 + q;
                if (i < n && (j <= i || j >= n) && first[q] <= j && j < last[q]) Mp[i * ld + j] = row[q];
                if (j < i && i < n && i < end) Mp[j * ld + i] = first[q] <= j ? row[q] : 0.0f;
            }
        }
    }
}

INLINE static void sym_mul(const Floats& A, const Vec2is& dof_block, const Floats& x, const Floats& y, int world, int n,
                           int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(A);
    const float* M = ROW(A);
    const float* v = ROW(x);
    float* out = ROW(y);
    const int* block = (const int*)dof_block.data;
    const int width = whole_blocks(n);
    for (int j = lane; j < width; j += nlane) {
        float s = 0.0f;
        if (j < n) {
            const int end = 16 * block[2 * j + 1] < n ? 16 * block[2 * j + 1] : n;
            for (int i = 16 * block[2 * j]; i < end; i++)
                if (16 * block[2 * i] <= j && j < 16 * block[2 * i + 1]) s += v[i] * M[i * ld + j];
        }
        out[j] = s;
    }
}

INLINE static void rows_mul(const Floats& J, const Vec4is& row_block, const Floats& x, const Floats& y, int world,
                            int nrow, int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(J);
    const float* A = ROW(J);
    const float* v = ROW(x);
    float* out = ROW(y);
    const int* block = WORLD(int, row_block);
    for (int r = lane; r < nrow; r += nlane) {
        const float* a = A + r * ld;
        float s = 0.0f;
        for (int q = 4 * r; q < 4 * r + 4; q += 2) {
            for (int j = 16 * block[q]; j < 16 * block[q + 1]; j++) s += a[j] * v[j];
        }
        out[r] = s;
    }
}

INLINE static void rows_mul_t(const Floats& J, const Vec4is& row_block, const Floats& force, const Floats& y, int world,
                              int nrow, int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(J);
    const float* A = ROW(J);
    const float* f = ROW(force);
    float* out = ROW(y);
    const int* block = WORLD(int, row_block);
    for (int j = lane; j < ld; j += nlane) {
        float s = 0.0f;
        for (int r = 0; r < nrow; r++) {
            if (REACHES(block + 4 * r, j / 16)) s += f[r] * A[r * ld + j];
        }
        out[j] = s;
    }
}

INLINE static void copy_rows(const Floats& A, const Vec2is& dof_block, const Vec2is& row_block, const Floats& H,
                             int world, int n, int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(A);
    const float* M = ROW(A);
    float* Hp = ROW(H);
    const int* block = WORLD(int, row_block);
    const int* own = (const int*)dof_block.data;
    const int width = whole_blocks(n);
    for (int j = lane; j < width; j += nlane) {
        // rows that are no longer than their tree have nothing in the columns of others
        const int last_own = (j | 15) < n ? j | 15 : n - 1;
        const int below = ld < width ? 16 * own[2 * last_own + 1] : n;
        for (int i0 = j & ~15; i0 < n && i0 < below; i0 += 4) {  // four rows are on their way at a time
            float row[4];
            int low[4];
            for (int q = 0; q < 4; q++) {
                const int i = i0 + q < n ? i0 + q : n - 1;
                const float a = M[i * ld + j];
                row[q] = j >= 16 * own[2 * i] ? a : 0.0f;
                low[q] = 16 * block[2 * i];
            }
            for (int q = 0; q < 4; q++)
                if (i0 + q < n && j >= low[q]) Hp[(i0 + q) * ld + j] = row[q];
        }
    }
}

// Four numbers that are loaded together.
struct alignas(16) Four {
    float at[4];
};

INLINE static void add_rows(const Floats& J, const Vec4is& row_block, const Floats& weight, const Floats& H, int world,
                            int nrow, int n, int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(J);
    const float* A = ROW(J);
    const float* w = ROW(weight);
    float* Hp = ROW(H);
    const int* block = WORLD(int, row_block);
    // H in tiles of 4 by 4, whose numbers stay in registers while a lane goes through the rows
    const int side = (n + 3) / 4;
    for (int tile = lane; tile < side * (side + 1) / 2; tile += nlane) {
        int i = (int)(0.5f * (sqrtf(8.0f * tile + 1.0f) - 1.0f));
        i += (i + 1) * (i + 2) / 2 <= tile;
        const int j = tile - i * (i + 1) / 2;
        float s[4][4] = {};
        bool some = false;
        for (int r = 0; r < nrow; r++) {
            const int* t = block + 4 * r;
            const float c = w[r];
            if (c == 0.0f || !REACHES(t, i / 4) || !REACHES(t, j / 4)) continue;
            const Four p = *(const Four*)(A + r * ld + 4 * i), q = *(const Four*)(A + r * ld + 4 * j);
            for (int y = 0; y < 4; y++) {
                const float u = c * p.at[y];
                for (int x = 0; x < 4; x++) s[y][x] += u * q.at[x];
            }
            some = true;
        }
        float* h = Hp + 4 * i * ld + 4 * j;
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 4; x++)
                if (some && 4 * i + y < n && (i != j || x <= y)) h[y * ld + x] += s[y][x];
    }
}

INLINE static void add_combined_row(const Floats& J, const Vec4is& row_block, const Floats& coef, int coef0, int row,
                                    int dim, const Floats& H, const Floats& work, int world, int n, int lane,
                                    int nlane) {
    OPAQUE(world);
    const int ld = LD(J);
    const float* A = ROW(J) + row * ld;
    const float* c = ROW(coef) + coef0;
    float* Hp = ROW(H);
    float* a = ROW(work);
    const int* t = WORLD(int, row_block) + 4 * row;
    SYNC();
    for (int j = 16 * t[0] + lane; j < 16 * t[3] && j < n; j += nlane) {
        float s = 0.0f;
        if (REACHES(t, j / 16)) {
            for (int k = 0; k < dim; k++) s += c[k] * A[k * ld + j];
        }
        a[j] = s;
    }
    SYNC();
    for (int j = 16 * t[0] + lane; j < 16 * t[3] && j < n; j += nlane) {
        if (a[j] == 0.0f) continue;
        for (int q = 0; q < 4; q += 2) {
            const int hi = 16 * t[q + 1] < n ? 16 * t[q + 1] : n;
            for (int i = 16 * t[q] > j ? 16 * t[q] : j; i < hi; i++) Hp[i * ld + j] += a[j] * a[i];
        }
    }
    SYNC();
}

INLINE static void zero_rows(const Floats& J, int world, int row, int nrow, int lo, int hi, int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(J);
    float* A = ROW(J) + row * ld;
    for (int j = 16 * lo + lane; j < 16 * hi; j += nlane) {
        for (int r = 0; r < nrow; r++) A[r * ld + j] = 0.0f;
    }
}
