// Bodies placed by a team: all of them as if their parents were the world, then moved level by level
// (forward_kinematics.h).
#pragma once

// A body that was placed apart goes with its parent.
INLINE static void move(const Tree& tree, int b) {
    const int on = tree.parent[b];
    const F turned = four(tree.R + 4 * on), q = times(turned, four(tree.R + 4 * b)),
            arm = turn(turned, three(tree.X + 3 * b));
    put(tree.X + 3 * b, three(tree.X + 3 * on) + arm);
    put_four(tree.R + 4 * b, q * (1.5f - 0.5f * square(q)));
    if (tree.moving) {
        const F w = three(tree.vel + 6 * on + 3), v = three(tree.vel + 6 * on) + cross(w, arm);
        put(tree.vel + 6 * b, v + turn(turned, three(tree.vel + 6 * b)));
        put(tree.vel + 6 * b + 3, w + turn(turned, three(tree.vel + 6 * b + 3)));
    }
}

// The same of a body's joints.
INLINE static void move_joints(const Tree& tree, int b) {
    const int on = tree.parent[b], first = tree.jntadr[b], last = first + tree.jntnum[b];
    const F turned = four(tree.R + 4 * on), p = three(tree.X + 3 * on);
    for (int j = first; on > 0 && j < last; j++) {
        put(tree.anchor + 3 * j, p + turn(turned, three(tree.anchor + 3 * j)));
        put(tree.axis + 3 * j, turn(turned, three(tree.axis + 3 * j)));
    }
}

INLINE static void place_bodies(const Tree& tree, const Ints& level_adr, const Ints& level_body, int nbody, int nq,
                                int lane, int nlane) {
    HalfAngles half_angles(tree.Q, tree.Q0, nq);
    const int* adr = level_adr.data;
    const int nlevel = level_adr.shape[0] - 1;
    for (int b = 1 + lane; b < nbody; b += nlane) tree.place(b, half_angles, true);
    SYNC();
    for (int level = 1; level < nlevel; level++) {
        for (int k = adr[level] + lane; k < adr[level + 1]; k += nlane) move(tree, level_body.data[k]);
        SYNC();
    }
    if (!tree.moving)
        for (int b = 1 + lane; b < nbody; b += nlane) move_joints(tree, b);
}
