// A team within a warp of a GPU: sums and scans by shuffles (team.h).
#pragma once

INLINE static bool one_lane() {
    return false;
}

INLINE static float team_sum(const Floats& work, int world, float x) {
    for (int o = TEAM_LANES / 2; o > 0; o >>= 1) x += __shfl_xor_sync(TEAM_MASK, x, o);
    return x;
}

INLINE static wp::vec2i team_scan(const Ints& work, int world, int n) {
    int upto = n;
    for (int o = 1; o < TEAM_LANES; o <<= 1) {
        const int below = __shfl_up_sync(TEAM_MASK, upto, o, TEAM_LANES);
        if (lane_id() >= o) upto += below;
    }
    return wp::vec2i(upto - n, __shfl_sync(TEAM_MASK, upto, TEAM_LANES - 1, TEAM_LANES));
}
