// Stretches of a world's rows copied from array to array, or looked over, in vectors where a team is one lane.
//
// One lane goes from world to world: rows of the next are on their way to the cache while it is busy with this one.
#pragma once
#include "simd16.h"

#if ONE_LANE
#include "vector_copy_lane.h"
#else
#include "vector_copy_team.h"
#endif

INLINE static void copy_row(const Floats& source, int first, const Floats& target, int begin, int world, int n,
                            int lane, int nlane) {
    OPAQUE(world);
    copy(ROW(source) + first, ROW(target) + begin, n, lane, nlane);
    PREFETCH(source);
    PREFETCH(target);
}

INLINE static void shift_row(const Floats& source, int first, const Floats& zero, int at, float sign,
                             const Floats& target, int begin, int world, int n, int lane, int nlane) {
    OPAQUE(world);
    shift(ROW(source) + first, sign, ROW(zero) + at, ROW(target) + begin, n, lane, nlane);
    PREFETCH(source);
    PREFETCH(target);
}

INLINE static void copy_spatial(const Spatials& source, int first, const Spatials& target, int begin, int world, int n,
                                int lane, int nlane) {
    OPAQUE(world);
    copy(ROW(source) + 6 * first, ROW(target) + 6 * begin, 6 * n, lane, nlane);
    PREFETCH(source);
    PREFETCH(target);
}

INLINE static float any_beyond(const Floats& values, float limit, int first, int world, int n, int lane, int nlane) {
    OPAQUE(world);
    return beyond(ROW(values) + first, limit, n, lane, nlane);
}

INLINE static float any_beyond_spatial(const Spatials& values, float limit, int first, int world, int n, int lane,
                                       int nlane) {
    OPAQUE(world);
    return beyond(ROW(values) + 6 * first, limit, 6 * n, lane, nlane);
}
