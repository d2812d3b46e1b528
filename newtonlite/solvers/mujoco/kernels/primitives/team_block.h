// A team of several warps, or of fibers on the CPU: sums and scans through memory (team.h).
#pragma once

INLINE static bool one_lane() {
    return false;
}

INLINE static float team_sum(const Floats& work, int world, float x) {
    float* slot = ROW(work);
    int count = WP_TILE_BLOCK_DIM;
#if defined(__CUDA_ARCH__)
    for (int o = 16; o > 0; o >>= 1) x += __shfl_xor_sync(0xffffffffu, x, o);
    count = WP_TILE_BLOCK_DIM / 32;
    if ((threadIdx.x & 31) == 0) slot[threadIdx.x >> 5] = x;
#else
    slot[WP_TILE_THREAD_IDX] = x;
#endif
    SYNC();
    float total = 0.0f;
    for (int i = 0; i < count; i++) total += slot[i];
    SYNC();
    return total;
}

INLINE static wp::vec2i team_scan(const Ints& work, int world, int n) {
    int* slot = WORLD(int, work);
    slot[WP_TILE_THREAD_IDX] = n;
    SYNC();
    int before = 0, total = 0;
    for (int i = 0; i < WP_TILE_BLOCK_DIM; i++) {
        if (i < WP_TILE_THREAD_IDX) before += slot[i];
        total += slot[i];
    }
    SYNC();
    return wp::vec2i(before, total);
}
