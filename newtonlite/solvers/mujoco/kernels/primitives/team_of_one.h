// A team of one lane, which has nobody to wait for or to add up with (team.h).
#pragma once

INLINE static bool one_lane() {
    return true;
}

INLINE static float team_sum(const Floats& work, int world, float x) {
    return x;
}

INLINE static wp::vec2i team_scan(const Ints& work, int world, int n) {
    return wp::vec2i(0, n);
}
