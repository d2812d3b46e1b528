// Factors and solutions by one lane, in vectors of 16 numbers (factor.h).
#pragma once

// Pivot of row k, which has something from column `low` on. One that rounding has taken all of is as large as what it
// is below 0, and as the diagonals of the rows before bear: what is left of them stays positive.
INLINE static float pivot(const float* U, const float* r, int ld, int k, int low) {
    float d = r[k];
    if (d > 1e-12f) return d;
    d = d < -1e-12f ? -d : 1e-12f;
    for (int j = low; j < k; j++) {
        const float other = U[j * ld + j];
        if (r[j] * r[j] > d * other && other > 0.0f) d = r[j] * r[j] / other;
    }
    return d;
}

// Row `to` less c times row `from`, in blocks `low` to `end`.
INLINE static void subtract(float* to, float c, const float* from, int low, int end) {
    if (c != 0.0f)
        for (int b = low; b <= end; b += 16) *(V*)(to + b) -= c * *(const V*)(from + b);
}

// The same with four rows, r and those before it.
INLINE static void subtract_four(float* to, const float* c, const float* r, int ld, int b) {
    V s = *(const V*)(to + b);
    s -= c[0] * *(const V*)(r + b);
    s -= c[1] * *(const V*)(r - ld + b);
    s -= c[2] * *(const V*)(r - 2 * ld + b);
    s -= c[3] * *(const V*)(r - 3 * ld + b);
    *(V*)(to + b) = s;
}

INLINE static bool any(const float* c) {
    return c[0] != 0.0f || c[1] != 0.0f || c[2] != 0.0f || c[3] != 0.0f;
}

// Take row r and the three before it out of the rows before `first`; they have something in blocks `low` to `top`.
INLINE static void eliminate_four(float* U, const float* r, int ld, int first, int low, int top) {
    const int MOST = 256, FEW = 6;
    if (top - low <= 16 * FEW || top - low >= 16 * (MOST - 1)) {
        for (int j = low; j < first; j++) {
            const float c[4] = {r[j], r[j - ld], r[j - 2 * ld], r[j - 3 * ld]};
            if (!any(c)) continue;
            for (int b = low; b <= (j & ~15); b += 16) subtract_four(U + j * ld, c, r, ld, b);
        }
        return;
    }
    int used[MOST], count = 0;  // blocks in which there is a number other than 0
    for (int b = low; b < top; b += 16) {
        bool some = false;
        for (int k = b; k < b + 16; k++)
            some |= r[k] != 0.0f || r[k - ld] != 0.0f || r[k - 2 * ld] != 0.0f || r[k - 3 * ld] != 0.0f;
        if (some) used[count++] = b;
    }
    used[count++] = top;
    for (int a = 0; a < count; a++) {
        for (int j = used[a]; j < used[a] + 16 && j < first; j++) {
            const float c[4] = {r[j], r[j - ld], r[j - 2 * ld], r[j - 3 * ld]};
            if (!any(c)) continue;
            for (int e = 0; e <= a; e++) subtract_four(U + j * ld, c, r, ld, used[e]);
        }
    }
}

// Rows begin to n - 1, which have nothing in columns of those before.
NOINLINE static void factor_one_lane(float* U, const int* block, int ld, int n, int begin = 0) {
    for (int i = n - 1, first; i >= begin; i = first - 1) {
        const int top = i & ~15, low = 16 * block[2 * i];
        float inv[4];
        first = i;
        while (first > top && first > begin && i - first < 3 && 16 * block[2 * first - 2] == low) first--;
        for (int k = i; k >= first; k--) {
            float* r = U + k * ld;
            inv[i - k] = reciprocal_root(pivot(U, r, ld, k, low));
            for (int b = low; b < top; b += 16) *(V*)(r + b) *= inv[i - k];
            *(V*)(r + top) = left(*(const V*)(r + top), k) * inv[i - k];
            for (int j = first; j < k; j++) subtract(U + j * ld, r[j], r, low, top);
        }
        if (i - first == 3) {
            eliminate_four(U, U + i * ld, ld, first, low, top);
        } else {
            for (int k = i; k >= first; k--)
                for (int j = low; j < first; j++) subtract(U + j * ld, U[k * ld + j], U + k * ld, low, j & ~15);
        }
        for (int k = i; k >= first; k--) *(V*)(U + k * ld + top) += inv[i - k] * only(k);
    }
}

NOINLINE static void factor_tree_one_lane(const float* Ap, float* Lp, const int* block, const int* end, int la, int ld,
                                          int n, int begin = 0) {
    for (int j = n - 1; j >= begin; j--) {
        const int top = j & ~15;
        float* r = Lp + j * ld;
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
        const float inv = reciprocal_root(r[j]);
        for (int b = 16 * block[2 * j]; b < top; b += 16) *(V*)(r + b) *= inv;
        *(V*)(r + top) = (left(*(const V*)(r + top), j) + only(j)) * inv;
    }
}

NOINLINE static void solve_one_lane(const float* U, float* v, float* y, const int* block, int ld, int n,
                                    int begin = 0) {
    for (int k = n - 1; k >= begin; k--) {
        const float* u = U + k * ld;
        const float c = v[k] * u[k];
        for (int b = 16 * block[2 * k]; b <= (k & ~15); b += 16) *(V*)(v + b) -= c * *(const V*)(u + b);
        y[k] = c;
    }
    V found = V{0};
    for (int k = begin; k < n; k++) {
        const float* u = U + k * ld;
        const int top = k & ~15;
        if (k == top) found = V{0};
        V s = *(const V*)(u + top) * found;
        for (int b = 16 * block[2 * k]; b < top; b += 16) s += *(const V*)(u + b) * *(V*)(v + b);
        v[k] = (y[k] - total(s)) * u[k];
        found += v[k] * only(k);
    }
}

INLINE static void factor(const Floats& A, const Vec2is& row_block, int world, int n, int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(A);
    float* U = ROW(A);
    const int* block = WORLD(int, row_block);
    factor_one_lane(U, block, ld, n);
}

INLINE static void solve_damped_tree(const Floats& A, const Vec2is& dof_block, const Floats& damping, const Floats& H,
                                     const Floats& x, const Floats& work, int world, int first, int last) {
    const int la = LD(A), ld = LD(H);
    const float *M = ROW(A), *add = ROW(damping);
    float* U = ROW(H);
    const int* block = (const int*)dof_block.data;
    for (int i = first; i < last; i++) {
        for (int b = 16 * block[2 * i]; b <= i; b += 16) *(V*)(U + i * ld + b) = *(const V*)(M + i * la + b);
        U[i * ld + i] += add[i];
    }
    factor_one_lane(U, block, ld, last, first);
    solve_one_lane(U, ROW(x), ROW(work), block, ld, last, first);
}

INLINE static void factor_tree(const Floats& A, const Vec2is& dof_block, const Ints& dof_end, const Floats& L,
                               int world, int n, int lane, int nlane) {
    OPAQUE(world);
    const int la = LD(A), ld = LD(L);
    const float* Ap = ROW(A);
    float* Lp = ROW(L);
    const int* block = (const int*)dof_block.data;
    const int* end = (const int*)dof_end.data;
    factor_tree_one_lane(Ap, Lp, block, end, la, ld, n);
}

INLINE static void solve(const Floats& L, const Vec2is& row_block, const Floats& x, const Floats& work, int world,
                         int n, int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(L);
    const float* U = ROW(L);
    float* v = ROW(x);
    const int* block = WORLD(int, row_block);
    solve_one_lane(U, v, ROW(work), block, ld, n);
}
