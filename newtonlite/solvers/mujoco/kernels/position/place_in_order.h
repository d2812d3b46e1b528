// Bodies placed in order, each on its parent, by one lane (forward_kinematics.h).
#pragma once

NOINLINE static void place_in_order(const Tree tree, int nbody, int nq) {
    HalfAngles half_angles(tree.Q, tree.Q0, nq);
    for (int b = 1; b < nbody; b++) tree.place(b, half_angles, false);
}

INLINE static void place_bodies(const Tree& tree, const Ints& level_adr, const Ints& level_body, int nbody, int nq,
                                int lane, int nlane) {
    place_in_order(tree, nbody, nq);
}
