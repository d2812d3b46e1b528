// The Delassus matrix A = J M^-1 J' from half-solved rows, and the system of the active constraint rows.
//
// With M = L'L, B = L^-T [J', smooth] gives A = B'B and, in its last column, J qacc_smooth. Constraint rows lie side by
// side, so a lane, or an element of a vector, works on one of them. dense.h says what `block` arrays hold.
#pragma once
#include "../primitives/simd16.h"
#include "../primitives/warp_algebra.h"

#if ONE_LANE
#include "delassus_lane.h"
#else
#include "delassus_team.h"
#endif

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
