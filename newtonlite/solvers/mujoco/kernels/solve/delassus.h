// The Delassus matrix A = J M^-1 J' from half-solved rows, and the system of the active constraint rows.
//
// With M = L'L, B = L^-T [J', smooth] gives A = B'B and, in its last column, J qacc_smooth. Constraint rows lie side by
// side, so a lane, or an element of a vector, works on one of them. dense.h says what `block` arrays hold.
#pragma once
#include "../primitives/simd16.h"
#include "../primitives/warp_algebra.h"

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
#if ONE_LANE
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
#else
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
#endif
}

#if ONE_LANE
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
#endif

INLINE static void delassus(const Floats& B, const Vec4is& row_block, const Floats& A, int world, int nrow, int n,
                            int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(A), lb = LD(B), ncol = nrow + 1;
    float* Ap = ROW(A);
    const float* Bp = ROW(B);
#if ONE_LANE
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
#else
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
#endif
}

INLINE static void delassus_mul(const Floats& A, const Floats& force, const Floats& y, int world, int nrow, int lane,
                                int nlane) {
    OPAQUE(world);
    const int ld = LD(A);
    const float* Ap = ROW(A);
    const float* f = ROW(force);
    float* out = ROW(y);
#if ONE_LANE
    // A is symmetric: y as a sum of rows of A, of which those without force cost nothing
    for (int b = 0; b < nrow; b += BLOCK) *(V*)(out + b) = V{0};
    for (int r = 0; r < nrow; r++) {
        if (f[r] == 0.0f) continue;
        for (int b = 0; b < nrow; b += BLOCK) *(V*)(out + b) += f[r] * *(const V*)(Ap + r * ld + b);
    }
#else
    for (int c = lane; c < nrow; c += nlane) {
        float s = 0.0f;
        for (int r = 0; r < nrow; r++) s += f[r] * Ap[r * ld + c];
        out[c] = s;
    }
#endif
}

INLINE static int active_system(const Floats& A, const Floats& active, const Floats& force, const Floats& b,
                                const Floats& K, const Vec2is& K_block, const Floats& rhs, const Floats& root,
                                const Ints& index, int world, int nrow, int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(A), lk = LD(K);
    const float* Ap = ROW(A);
    const float* w = ROW(active);
    const float* f = ROW(force);
    const float* bp = ROW(b);
    float* Kp = ROW(K);
    float* q = ROW(rhs);
    float* g = ROW(root);
    int* list = WORLD(int, index);
    int* block = WORLD(int, K_block);

    // active rows in order, and whether saturated rows have forces that push on them
    int count = 0, held = 0;
#if CUDA_WARP
    count = warp_active_rows(w, f, list, &held, nrow, lane);
#else
    for (int r = 0; r < nrow; r++) {
        if (lane == 0) list[count] = r;
        count += w[r] != 0.0f;
        held |= (w[r] == 0.0f) & (f[r] != 0.0f);
    }
#endif
    SYNC();

    // G is the square root of the curvature, so that K is symmetric with a diagonal of at least 1
    for (int i = lane; i < count; i += nlane) g[i] = sqrtf(w[list[i]]);
    SYNC();

    // right side -G'(b + A c): c are forces that do not change along with jar
    for (int i = lane; i < count; i += nlane) {
        const int r = list[i];
        const float s = g[i];
        const float* a = Ap + r * ld;
        float push = bp[r];
        if (held)
            for (int t = 0; t < nrow; t++)
                if (w[t] == 0.0f) push += a[t] * f[t];
        q[i] = -s * push;
        // lower triangle of K = I + G'AG, and zeros to the end of the block for the factor
        for (int j = 0; j < i; j++) Kp[i * lk + j] = s * g[j] * a[list[j]];
        for (int j = i; j < (i & ~(BLOCK - 1)) + BLOCK; j++) Kp[i * lk + j] = 0.0f;
        Kp[i * lk + i] = 1.0f + w[r] * a[r];
        block[2 * i] = 0;
    }

    // the pad of the right side
    for (int i = count + lane; i < whole_blocks(count); i += nlane) q[i] = 0.0f;
    SYNC();
    return count;
}

INLINE static void spread_forces(const Floats& active, const Floats& force, const Floats& rhs, const Floats& root,
                                 const Ints& index, const Floats& target, int world, int nrow, int count, int lane,
                                 int nlane) {
    OPAQUE(world);
    const float* w = ROW(active);
    const float* f = ROW(force);
    const float* q = ROW(rhs);
    const float* g = ROW(root);
    float* out = ROW(target);
    const int* list = WORLD(const int, index);

    // saturated rows keep their force, the active ones get G y
    for (int r = lane; r < nrow; r += nlane) out[r] = w[r] != 0.0f ? 0.0f : f[r];
    SYNC();
    for (int i = lane; i < count; i += nlane) out[list[i]] = g[i] * q[i];
    for (int r = nrow + lane; r < whole_blocks(nrow); r += nlane) out[r] = 0.0f;
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
#if ONE_LANE
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
#else
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
#endif
}
