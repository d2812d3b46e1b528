// Points and quaternions four numbers at a time: a quaternion is (w, x, y, z), a point or vector (0, x, y, z).
//
// One lane works on vectors, with fused multiply-adds named one by one, so that every program rounds alike; the lanes of
// a team on structs.
#pragma once
#include "team.h"

#if ONE_LANE
#include "simd4_lane.h"
#else
#include "simd4_team.h"
#endif

// a x b
INLINE static F cross(F a, F b) {
    const F c = fused(a, PICK(b, 0, 2, 3, 1), minus(by(PICK(a, 0, 2, 3, 1), b)));
    return F{0.0f, c[2], c[3], c[1]};
}

// A vector turned by a unit quaternion: v + 2 q x (w v + q x v)
INLINE static F turn(F q, F v) {
    return fused(each(2.0f), cross(q, fused(each(q[0]), v, cross(q, v))), v);
}

// Product of two quaternions.
INLINE static F times(F a, F b) {
    const F x = F{-1.0f, 1.0f, -1.0f, 1.0f}, y = F{-1.0f, 1.0f, 1.0f, -1.0f}, z = F{-1.0f, -1.0f, 1.0f, 1.0f};
    return fused(z * a[3], PICK(b, 3, 2, 1, 0),
                 fused(y * a[2], PICK(b, 2, 3, 0, 1), fused(x * a[1], PICK(b, 1, 0, 3, 2), b * a[0])));
}

INLINE static F conjugate(F q) {
    return minus(F{-q[0], q[1], q[2], q[3]});
}
INLINE static float square(F q) {
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

#if defined(SPMD)
#include "unit_gang.h"
#else
#include "unit_world.h"
#endif
