// Sums over the body tree by a team: up to the roots of trees, or down from them.
//
// Up to 16 lanes take a tree, whose bodies are numbered depth first and follow one another; a lane takes one number of
// every body, so that nobody waits for another lane.
#pragma once
#include "team.h"

// Roots are children of the world; the last tree ends with the bodies.
struct Trees {
    const int *parent, *root;
    int nroot, nbody, group, ngroup, first_number, step;

    INLINE Trees(const Ints& body_parentid, const Ints& child_adr, const Ints& child_body, int lane, int nlane)
        : parent(body_parentid.data),
          root(child_body.data + child_adr.data[0]),
          nroot(child_adr.data[1] - child_adr.data[0]),
          nbody(body_parentid.shape[0]),
          group(lane >> 4),
          ngroup((nlane + 15) >> 4),
          first_number(lane & 15),
          step(nlane < 16 ? nlane : 16) {}

    INLINE int end(int tree) const { return tree + 1 < nroot ? root[tree + 1] : nbody; }

    INLINE void add_to_parents(float* X, int width) const {
        for (int c = first_number; c < width; c += step)
            for (int t = group; t < nroot; t += ngroup)
                for (int b = end(t) - 1, first = root[t]; b > first; b--) X[parent[b] * width + c] += X[b * width + c];
    }

    INLINE void add_parents(float* X, int width) const {
        for (int c = first_number; c < width; c += step)
            for (int t = group; t < nroot; t += ngroup)
                for (int b = root[t], last = end(t); b < last; b++) X[b * width + c] += X[parent[b] * width + c];
    }
};

INLINE static void add_positions_to_parents(const Ints& body_parentid, const Ints& child_adr, const Ints& child_body,
                                            const Vec3s& x, int world, int lane, int nlane) {
    OPAQUE(world);
    Trees(body_parentid, child_adr, child_body, lane, nlane).add_to_parents(ROW(x), 3);
}

INLINE static void add_inertias_to_parents(const Ints& body_parentid, const Ints& child_adr, const Ints& child_body,
                                           const Inertias& x, int world, int lane, int nlane) {
    OPAQUE(world);
    Trees(body_parentid, child_adr, child_body, lane, nlane).add_to_parents(ROW(x), 10);
}

INLINE static void add_forces_to_parents(const Ints& body_parentid, const Ints& child_adr, const Ints& child_body,
                                         const Spatials& x, int world, int lane, int nlane) {
    OPAQUE(world);
    Trees(body_parentid, child_adr, child_body, lane, nlane).add_to_parents(ROW(x), 6);
}

INLINE static void add_motions_of_parents(const Ints& body_parentid, const Ints& child_adr, const Ints& child_body,
                                          const Spatials& x, int world, int lane, int nlane) {
    OPAQUE(world);
    Trees(body_parentid, child_adr, child_body, lane, nlane).add_parents(ROW(x), 6);
}
