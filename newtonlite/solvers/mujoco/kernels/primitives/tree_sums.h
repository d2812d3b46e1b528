// Sums over the body tree by a team: up to the roots of trees, or down from them.
//
// A group of 16 lanes takes a tree, whose bodies are numbered depth first and follow one another; a lane takes one number
// of every body, so that nobody waits for another lane.
#pragma once
#include "team.h"

// Bodies `first` to `last` - 1 are tree `t`; roots are children of the world.
struct Trees {
    const int *parent, *root;
    int nroot, nbody;

    INLINE Trees(const Ints& body_parentid, const Ints& child_adr, const Ints& child_body)
        : parent(body_parentid.data),
          root(child_body.data + child_adr.data[0]),
          nroot(child_adr.data[1] - child_adr.data[0]),
          nbody(body_parentid.shape[0]) {}

    INLINE void add_to_parents(float* X, int width, int lane, int nlane) const {
        const int c = lane & 15;
        if (c >= width) return;
        for (int t = lane >> 4; t < nroot; t += nlane > 16 ? nlane >> 4 : 1) {
            const int first = root[t], last = t + 1 < nroot ? root[t + 1] : nbody;
            for (int b = last - 1; b > first; b--) X[parent[b] * width + c] += X[b * width + c];
        }
    }

    INLINE void add_parents(float* X, int width, int lane, int nlane) const {
        const int c = lane & 15;
        if (c >= width) return;
        for (int t = lane >> 4; t < nroot; t += nlane > 16 ? nlane >> 4 : 1) {
            const int first = root[t], last = t + 1 < nroot ? root[t + 1] : nbody;
            for (int b = first; b < last; b++) X[b * width + c] += X[parent[b] * width + c];
        }
    }
};

INLINE static void add_positions_to_parents(const Ints& body_parentid, const Ints& child_adr, const Ints& child_body,
                                            const Vec3s& x, int world, int lane, int nlane) {
    OPAQUE(world);
    Trees(body_parentid, child_adr, child_body).add_to_parents(ROW(x), 3, lane, nlane);
}

INLINE static void add_inertias_to_parents(const Ints& body_parentid, const Ints& child_adr, const Ints& child_body,
                                           const Inertias& x, int world, int lane, int nlane) {
    OPAQUE(world);
    Trees(body_parentid, child_adr, child_body).add_to_parents(ROW(x), 10, lane, nlane);
}

INLINE static void add_forces_to_parents(const Ints& body_parentid, const Ints& child_adr, const Ints& child_body,
                                         const Spatials& x, int world, int lane, int nlane) {
    OPAQUE(world);
    Trees(body_parentid, child_adr, child_body).add_to_parents(ROW(x), 6, lane, nlane);
}

INLINE static void add_motions_of_parents(const Ints& body_parentid, const Ints& child_adr, const Ints& child_body,
                                          const Spatials& x, int world, int lane, int nlane) {
    OPAQUE(world);
    Trees(body_parentid, child_adr, child_body).add_parents(ROW(x), 6, lane, nlane);
}
