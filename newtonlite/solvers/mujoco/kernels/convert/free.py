"""Floating bodies between a scene's arrays and the engine's, in both directions.

The scene has the pose of the joint's child frame in its parent frame, ``X_p^-1 X_body X_c``, and the velocity at the centre of mass; the
engine the body's pose, the velocity of its origin in the world frame and the angular one in its own.
"""

import warp as wp

from newtonlite.solvers.mujoco.kernels.four import END_FOUR, FOUR
from newtonlite.solvers.mujoco.kernels.native import A1, native

VEC3 = wp.array2d(dtype=wp.vec3)
POSE = wp.array2d(dtype=wp.transformf)

_FRAMES = (
    FOUR
    + """
    auto reordered = [=](const float* a) { const F q = four(a); return PICK(q, 3, 0, 1, 2); };
    auto back = [=](F q) { return minus(F{-q[0], q[1], q[2], q[3]}); };
    const float* com = ROW(body_ipos) + 3 * body; const float* P = ROW(X_p) + 7 * joint; const float* C = ROW(X_c) + 7 * joint;
    const F none = F{1.0f, 0.0f, 0.0f, 0.0f};  // the frames of a file's floating bodies are those of the bodies
    const bool framed = some(three(P)) || some(reordered(P + 3) - none) || some(three(C)) || some(reordered(C + 3) - none);
"""
)

_TAKE = native(
    _FRAMES
    + """
    const float* Q = ROW(joint_q) + coord; const float* D = ROW(joint_qd) + speed; float* pose = ROW(qpos) + adr; float* rate = ROW(qvel) + dof;
    F p = three(Q), q = reordered(Q + 3), v = three(D), w = three(D + 3);
    if (framed) {
        const F frame = reordered(P + 3);
        q = times(times(frame, q), back(reordered(C + 3)));
        p = three(P) + turn(frame, p) - turn(q, three(C));
        v = turn(frame, v);
        w = turn(frame, w);
    }
    put(pose, p);
    put_four(pose + 3, q);
    put(rate, v - cross(w, turn(q, three(com))));
    put(rate + 3, turn(back(q), w));
"""
    + END_FOUR
)


@wp.func_native(_TAKE)
def take_free(
    joint_q: A1, joint_qd: A1, X_p: POSE, X_c: POSE, body_ipos: VEC3, qpos: A1, qvel: A1, joint: int, body: int, coord: int, speed: int, adr: int,
    dof: int, world: int,
):  # fmt: skip
    """``qpos`` and ``qvel`` of a floating body from the scene's coordinates and speeds."""
    ...


_GIVE = native(
    _FRAMES
    + """
    const float* Q = ROW(qpos) + adr; const float* D = ROW(qvel) + dof; float* pose = ROW(joint_q) + coord; float* rate = ROW(joint_qd) + speed;
    F p = three(Q), q = unit(four(Q + 3)), w = turn(q, three(D + 3)), v = three(D) + cross(w, turn(q, three(com)));
    if (framed) {
        const F frame = back(reordered(P + 3));
        p = turn(frame, p + turn(q, three(C)) - three(P));
        q = times(times(frame, q), reordered(C + 3));
        v = turn(frame, v);
        w = turn(frame, w);
    }
    put(pose, p);
    put_four(pose + 3, PICK(q, 1, 2, 3, 0));
    put(rate, v);
    put(rate + 3, w);
"""
    + END_FOUR
)


@wp.func_native(_GIVE)
def give_free(
    qpos: A1, qvel: A1, X_p: POSE, X_c: POSE, body_ipos: VEC3, joint_q: A1, joint_qd: A1, joint: int, body: int, coord: int, speed: int, adr: int,
    dof: int, world: int,
):  # fmt: skip
    """The scene's coordinates and speeds of a floating body from ``qpos``, normalised, and ``qvel``."""
    ...
