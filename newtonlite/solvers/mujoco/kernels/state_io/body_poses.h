// Poses and velocities of bodies in a scene's words: (x, y, z, w), and velocities of centres of mass.
#pragma once
#include "../primitives/simd4.h"

INLINE static void write_body_q(const Ints& link_of_body, const Vec3s& body_ipos, const Vec3s& xpos, const Quats& xquat,
                                const Spatials& xvel, const Transforms& body_q, const Spatials& body_qd, int world,
                                int lane, int nlane) {
    OPAQUE(world);
    const int* link = WORLD(int, link_of_body);
    const float* com = ROW(body_ipos);
    const float* X = ROW(xpos);
    const float* R = ROW(xquat);
    const float* vel = ROW(xvel);
    float* pose = ROW(body_q);
    float* rate = ROW(body_qd);
    for (int b = 1 + lane; b < xpos.shape[1]; b += nlane) {
        const F q = four(R + 4 * b), w = three(vel + 6 * b + 3);
        put(pose + 7 * link[b], three(X + 3 * b));
        put_four(pose + 7 * link[b] + 3, PICK(q, 1, 2, 3, 0));
        put(rate + 6 * link[b], three(vel + 6 * b) + cross(w, turn(q, three(com + 3 * b))));
        put(rate + 6 * link[b] + 3, w);
    }
    PREFETCH(body_q);
    PREFETCH(body_qd);
}
