// Floating bodies between a scene's arrays and the engine's, in both directions.
#pragma once
#include "../primitives/simd4.h"

// The orientation of a transform, which has it as (x, y, z, w).
INLINE static F reordered(const float* a) {
    const F q = four(a);
    return PICK(q, 3, 0, 1, 2);
}

// Whether the joint's frames X_p and X_c are other than the bodies': those of a file's floating bodies are not.
INLINE static bool has_frames(const float* P, const float* C) {
    const F none = F{1.0f, 0.0f, 0.0f, 0.0f};
    return some(three(P)) || some(reordered(P + 3) - none) || some(three(C)) || some(reordered(C + 3) - none);
}

INLINE static void push_free_joints(const Floats& joint_q, const Floats& joint_qd, const Transforms& X_p,
                                    const Transforms& X_c, const Vec3s& body_ipos, const Floats& qpos,
                                    const Floats& qvel, int joint, int body, int coord, int speed, int adr, int dof,
                                    int world) {
    OPAQUE(world);
    const float* com = ROW(body_ipos) + 3 * body;
    const float* P = ROW(X_p) + 7 * joint;
    const float* C = ROW(X_c) + 7 * joint;
    const float* Q = ROW(joint_q) + coord;
    const float* D = ROW(joint_qd) + speed;
    float* pose = ROW(qpos) + adr;
    float* rate = ROW(qvel) + dof;
    F p = three(Q), q = reordered(Q + 3), v = three(D), w = three(D + 3);
    if (has_frames(P, C)) {
        const F frame = reordered(P + 3);
        q = times(times(frame, q), conjugate(reordered(C + 3)));
        p = three(P) + turn(frame, p) - turn(q, three(C));
        v = turn(frame, v);
        w = turn(frame, w);
    }
    put(pose, p);
    put_four(pose + 3, q);
    put(rate, v - cross(w, turn(q, three(com))));
    put(rate + 3, turn(conjugate(q), w));
}

INLINE static void pull_free_joints(const Floats& qpos, const Floats& qvel, const Transforms& X_p,
                                    const Transforms& X_c, const Vec3s& body_ipos, const Floats& joint_q,
                                    const Floats& joint_qd, int joint, int body, int coord, int speed, int adr, int dof,
                                    int world) {
    OPAQUE(world);
    const float* com = ROW(body_ipos) + 3 * body;
    const float* P = ROW(X_p) + 7 * joint;
    const float* C = ROW(X_c) + 7 * joint;
    const float* Q = ROW(qpos) + adr;
    const float* D = ROW(qvel) + dof;
    float* pose = ROW(joint_q) + coord;
    float* rate = ROW(joint_qd) + speed;
    F p = three(Q), q = unit(four(Q + 3)), w = turn(q, three(D + 3)), v = three(D) + cross(w, turn(q, three(com)));
    if (has_frames(P, C)) {
        const F frame = conjugate(reordered(P + 3));
        p = turn(frame, p + turn(q, three(C)) - three(P));
        q = times(times(frame, q), reordered(C + 3));
        v = turn(frame, v);
        w = turn(frame, w);
    }
    put(pose, p);
    put_four(pose + 3, PICK(q, 1, 2, 3, 0));
    put(rate, v);
    put(rate + 3, w);
}
