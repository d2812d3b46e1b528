// Factors A = L'L of dense matrices, and solving with them; dense.h says how rows lie.
//
// Rows are eliminated leaf first, which fills in nothing on a kinematic tree. The diagonal of L holds reciprocals.
#pragma once
#include "simd16.h"
#include "warp_algebra.h"

INLINE static float reciprocal_root(float d) {
    return 1.0f / sqrtf(d > 1e-12f ? d : 1e-12f);
}

#if ONE_LANE
#include "factor_lane.h"
#else
#include "factor_team.h"
#endif
