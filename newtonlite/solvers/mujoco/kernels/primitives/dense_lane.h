// Dense matrices and rows by one lane, in vectors of 16 numbers (dense.h).
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
    int first = 0;
    for (int b = 0; b < n; b += 16) {
        float T[6][16];
        for (int c = 0; c < 6; c++)
            for (int j = 0; j < 16; j++) T[c][j] = b + j < n ? S[(b + j) * 6 + c] : 0.0f;
        while (first < n && 16 * block[2 * first + 1] <= b) first++;  // trees come one after the other
        for (int i = first; i < n && 16 * block[2 * i] <= b; i++) {
            V* out = (V*)(Mp + i * ld + b);
            if (b > i) {
                *out = V{0};
                continue;
            }
            const float* f = F + i * 6;
            V s = f[0] * *(V*)T[0] + f[1] * *(V*)T[1] + f[2] * *(V*)T[2] + f[3] * *(V*)T[3] + f[4] * *(V*)T[4] +
                  f[5] * *(V*)T[5];
            *out = *(const V*)(mask + i * lm + b) != 0.0f ? s : V{0};
        }
    }
    for (int i = 0; i < n; i++) {
        float* r = Mp + i * ld;
        for (int j = 16 * block[2 * i]; j < i; j++)
            if (i < 16 * block[2 * j + 1]) Mp[j * ld + i] = r[j];
        r[i] += arm[i];
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
    for (int b = 0; b < n; b += 16) *(V*)(out + b) = V{0};
    for (int i0 = 0, i1 = 0; i0 < n; i0 = i1) {
        const int lo = block[2 * i0], hi = block[2 * i0 + 1];
        while (i1 < n && block[2 * i1] == lo && block[2 * i1 + 1] == hi) i1++;
        for (int b = 16 * lo; b < 16 * hi; b += 16) {
            V s0 = {0}, s1 = {0};
            int i = i0;
            for (; i + 1 < i1; i += 2) {
                s0 += v[i] * *(const V*)(M + i * ld + b);
                s1 += v[i + 1] * *(const V*)(M + (i + 1) * ld + b);
            }
            if (i < i1) s0 += v[i] * *(const V*)(M + i * ld + b);
            *(V*)(out + b) += s0 + s1;
        }
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
    for (int r = 0; r < nrow; r++) {
        const float* a = A + r * ld;
        const int* t = block + 4 * r;
        V s = V{0};
        for (int b = 16 * t[0]; b < 16 * t[1]; b += 16) s += *(const V*)(a + b) * *(const V*)(v + b);
        for (int b = 16 * t[2]; b < 16 * t[3]; b += 16) s += *(const V*)(a + b) * *(const V*)(v + b);
        out[r] = total(s);
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
    for (int b = 0; b < ld; b += 16) *(V*)(out + b) = V{0};
    for (int r = 0; r < nrow; r++) {
        if (f[r] == 0.0f) continue;
        const float* a = A + r * ld;
        const int* t = block + 4 * r;
        for (int b = 16 * t[0]; b < 16 * t[1]; b += 16) *(V*)(out + b) += f[r] * *(const V*)(a + b);
        for (int b = 16 * t[2]; b < 16 * t[3]; b += 16) *(V*)(out + b) += f[r] * *(const V*)(a + b);
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
    for (int i = 0; i < n; i++) {
        int b = 16 * block[2 * i];
        for (; b < 16 * own[2 * i]; b += 16) *(V*)(Hp + i * ld + b) = V{0};
        for (; b <= i; b += 16) *(V*)(Hp + i * ld + b) = *(const V*)(M + i * ld + b);
    }
}

// Blocks `from` to `to` of row h of H: c times row a, and where rows go four at a time the other three.
#define ADD(from, to)                      \
    for (int b = from; b < to; b += 16) {  \
        V s = *(const V*)(h + b);          \
        s += c * *(const V*)(a + b);       \
        if (many == 4) {                   \
            s += c1 * *(const V*)(a1 + b); \
            s += c2 * *(const V*)(a2 + b); \
            s += c3 * *(const V*)(a3 + b); \
        }                                  \
        *(V*)(h + b) = s;                  \
    }

INLINE static bool same(const int* s, const int* t) {
    return s[0] == t[0] && s[1] == t[1] && s[2] == t[2] && s[3] == t[3];
}

INLINE static void add_rows(const Floats& J, const Vec4is& row_block, const Floats& weight, const Floats& H, int world,
                            int nrow, int n, int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(J);
    const float* A = ROW(J);
    const float* w = ROW(weight);
    float* Hp = ROW(H);
    const int* block = WORLD(int, row_block);
    for (int r = 0, many; r < nrow; r += many) {
        const float* a = A + r * ld;
        const int* t = block + 4 * r;
        many = 1;
        while (many < 4 && r + many < nrow && same(t, t + 4 * many)) many++;  // edges of a pyramid go together
        if (many < 4) many = 1;
        const float w1 = w[r + many / 4], w2 = w[r + 2 * (many / 4)], w3 = w[r + 3 * (many / 4)];
        const float* a1 = a + many / 4 * ld;
        const float* a2 = a1 + many / 4 * ld;
        const float* a3 = a2 + many / 4 * ld;
        if (w[r] == 0.0f && w1 == 0.0f && w2 == 0.0f && w3 == 0.0f) continue;
        for (int q = 0; q < 4; q += 2) {
            const int hi = 16 * t[q + 1] < n ? 16 * t[q + 1] : n;
            for (int i = 16 * t[q]; i < hi; i++) {
                float* h = Hp + i * ld;
                const float c = w[r] * a[i], c1 = w1 * a1[i], c2 = w2 * a2[i], c3 = w3 * a3[i];
                if (c != 0.0f || c1 != 0.0f || c2 != 0.0f || c3 != 0.0f) {
                    if (q) ADD(16 * t[0], 16 * t[1])
                    ADD(16 * t[q], i + 1)
                }
            }
        }
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
    for (int q = 0; q < 4; q += 2) {
        const int lo = 16 * t[q], hi = 16 * t[q + 1] < n ? 16 * t[q + 1] : n;
        for (int b = lo; b < hi; b += 16) {
            V s = V{0};
            for (int k = 0; k < dim; k++) s += c[k] * *(const V*)(A + k * ld + b);
            *(V*)(a + b) = s;
        }
        for (int i = lo; i < hi; i++) {
            if (a[i] == 0.0f) continue;
            float* h = Hp + i * ld;
            if (q)
                for (int b = 16 * t[0]; b < 16 * t[1]; b += 16) *(V*)(h + b) += a[i] * *(const V*)(a + b);
            for (int b = lo; b <= i; b += 16) *(V*)(h + b) += a[i] * *(const V*)(a + b);
        }
    }
}

INLINE static void zero_rows(const Floats& J, int world, int row, int nrow, int lo, int hi, int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(J);
    float* A = ROW(J) + row * ld;
    for (int r = 0; r < nrow; r++)
        for (int b = 16 * lo; b < 16 * hi; b += 16) *(V*)(A + r * ld + b) = V{0};
}
