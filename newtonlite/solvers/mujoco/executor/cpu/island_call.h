// A world's solvers, called for one island after the other with arrays of the island alone (island_call.py).
//
// MuJoCo documentation, Computation: Constraint islands. solve_island makes the problem of an island, runs the solvers
// on it and gives the world what it found; solve_islands does so for all islands of a world. Which trees and rows are
// in which island is known before (list_islands); kernels do not know that they solve an island.
#pragma once
#include "free_trees.h"
#include "tree_order.h"

// Run all solvers for the island that their views hold.
INLINE static void run_solvers(const void* const* kernels, int count, int world) {
    for (int i = 0; i < count; i++) {
        // code, launch bounds and arguments of one kernel; its views are those of the island already
        const void* const* entry = kernels + 3 * i;
        char* arguments = (char*)entry[2];
        // the worlds to run for, behind the two views: this one
        *(int*)(arguments + 16) = world;
        *(int*)(arguments + 20) = world + 1;
        ((void (*)(const void*, const void*))entry[0])(entry[1], arguments);
    }
}

INLINE static void copy(char* to, const char* from, int size) {
    int k = 0;
    for (; k + 4 <= size; k += 4) *(int*)(to + k) = *(const int*)(from + k);
}

// Dofs of an island's trees side by side: where each begins, tables of dofs, and their inertia. Returns how many.
INLINE static int place_dofs(const IslandCall& c, int world, const int* trees, int ntree) {
    // dofs are numbered anew, tree after tree
    int n = 0;
    for (int t = 0; t < ntree; t++) {
        c.first_dof[trees[t]] = n;
        n += ((const int*)c.tree_dofnum.data)[trees[t]];
    }

    // from the world's fields to the island's, which have a place for it
    const int *end = (const int*)c.of.dof_end.data, *parent = (const int*)c.of.dof_parentid.data;
    int *own_end = (int*)c.island.dof_end.data, *own_parent = (int*)c.island.dof_parentid.data;
    int* block = (int*)c.island.dof_block.data;
    const int lm = LD(c.of.M), ld = whole_blocks(n);
    const float* M = ROW(c.of.M);
    float* own = (float*)c.island.M.data;

    // inertia and tables of one tree, shifted by how far its dofs move
    for (int t = 0; t < ntree; t++) {
        const int adr = ((const int*)c.tree_dofadr.data)[trees[t]], count = ((const int*)c.tree_dofnum.data)[trees[t]];
        const int to = c.first_dof[trees[t]], shift = to - adr;
        for (int i = to; i < to + count; i++) {
            const int from = i - shift;
            block[2 * i] = to / BLOCK;
            block[2 * i + 1] = whole_blocks(to + count) / BLOCK;
            own_end[i] = end[from] + shift;
            own_parent[i] = parent[from] < 0 ? -1 : parent[from] + shift;
            float* row = own + i * ld;
            // a row of M from its block on: zeros around the numbers of the tree
            for (int b = to & ~(BLOCK - 1); b < to + count; b += BLOCK) *(V*)(row + b) = V{0};
            for (int j = 0; j < count; j++) row[to + j] = M[from * lm + adr + j];
        }
    }
    return n;
}

// Dofs of an island, first and last + 1.
struct Stretch {
    int first, last;
};

INLINE static Stretch dofs_of(const IslandCall& c, int tree) {
    const int first = tree < 0 ? 0 : c.first_dof[tree];
    return {first, tree < 0 ? 0 : first + ((const int*)c.tree_dofnum.data)[tree]};
}

// Blocks of a row that acts on dofs in two stretches, of which one may be empty.
INLINE static void set_blocks(int* block, Stretch a, Stretch b) {
    // one stretch counts as both, the left one comes first
    if (a.first == a.last) a = b;
    if (b.first == b.last) b = a;
    if (b.first < a.first) {
        const Stretch other = a;
        a = b;
        b = other;
    }

    // in blocks of 16; stretches that touch become one, and the second is empty
    block[0] = a.first / BLOCK, block[1] = whole_blocks(a.last) / BLOCK;
    block[2] = b.first / BLOCK, block[3] = whole_blocks(b.last) / BLOCK;
    if (block[2] <= block[1]) {
        block[1] = block[3] > block[1] ? block[3] : block[1];
        block[2] = block[3] = block[1];
    }
}

// Numbers of a row for a tree, as far as they lie in its blocks t.
INLINE static void copy_tree(const IslandCall& c, int tree, const int* t, const float* from, float* to) {
    if (tree < 0) return;
    const int adr = ((const int*)c.tree_dofadr.data)[tree], end = adr + ((const int*)c.tree_dofnum.data)[tree];
    const int shift = c.first_dof[tree] - adr;
    for (int q = 0; q < 4; q += 2) {
        const int low = BLOCK * t[q] > adr ? BLOCK * t[q] : adr, high = BLOCK * t[q + 1] < end ? BLOCK * t[q + 1] : end;
        for (int i = low; i < high; i++) to[i + shift] = from[i];
    }
}

// Rows of J over the dofs of an island, and their blocks.
INLINE static void place_rows(const IslandCall& c, int world, int island, const int* rows, int nrow, int nv) {
    // J and its blocks in the world, and in the island
    const int lj = LD(c.of.efc_J), ld = whole_blocks(nv);
    const float* J = ROW(c.of.efc_J);
    const int *block = WORLD(int, c.of.efc_block), *island_of = WORLD(int, c.tree_island);
    const int* pairs = WORLD(int, c.efc_tree);
    float* own = (float*)c.island.efc_J.data;
    int* own_block = (int*)c.island.efc_block.data;
    for (int i = 0; i < nrow; i++) {
        const int *t = block + 4 * rows[i], *pair = pairs + 2 * rows[i];
        int* found = own_block + 4 * i;
        const float* from = J + rows[i] * lj;
        float* to = own + i * ld;
        int count = 2;
        const int* trees = pair;
        // a row over any number of trees: those of the island with dofs in its blocks, one stretch over all of them
        if (pair[0] == MANY) {
            count = trees_in(c, island_of, island, t, c.trees);
            trees = c.trees;
            Stretch all = dofs_of(c, trees[0]);
            for (int k = 1; k < count; k++) {
                const Stretch s = dofs_of(c, trees[k]);
                all.first = s.first < all.first ? s.first : all.first;
                all.last = s.last > all.last ? s.last : all.last;
            }
            set_blocks(found, all, all);
        } else {
            set_blocks(found, dofs_of(c, pair[0]), dofs_of(c, pair[1]));
        }
        // numbers of J, tree by tree, into blocks that are cleared
        for (int q = 0; q < 4; q += 2)
            for (int b = BLOCK * found[q]; b < BLOCK * found[q + 1]; b += BLOCK) *(V*)(to + b) = V{0};
        for (int k = 0; k < count; k++) copy_tree(c, trees[k], t, from, to);
    }
}

// Kinds of an island's rows, and its contacts, which are numbered anew. Returns how many contacts.
INLINE static int place_contacts(const IslandCall& c, int world, const int* rows, int nrow) {
    // rows are in the order equality, friction, limit, contact, also within an island: counts tell where each begins
    const int ne = *WORLD(int, c.of.ne), nf = ne + *WORLD(int, c.of.nf), nl = nf + *WORLD(int, c.of.nl);
    const int* id = WORLD(int, c.of.efc_id);
    int *own_id = (int*)c.island.efc_id.data, *address = (int*)c.island.contact_efc_address.data;
    int count[4] = {0, 0, 0, 0}, ncon = 0, last = -1;
    for (int i = 0; i < nrow; i++) {
        const int r = rows[i];
        own_id[i] = id[r];
        count[(r >= ne) + (r >= nf) + (r >= nl)]++;
        // rows of a contact are neighbours: a new id is a new contact, and its fields are copied once
        if (r < nl) continue;
        if (id[r] != last) {
            last = id[r];
            for (int k = 0; k < c.contacts_in.count; k++) {
                const Copy& f = c.contacts_in.list[k];
                copy(f.island.data + ncon * f.size, WORLD(char, f.world) + last * f.size, f.size);
            }
            address[ncon++] = i;
        }
        own_id[i] = ncon - 1;
    }
    *(int*)c.island.ne.data = count[0];
    *(int*)c.island.nf.data = count[1];
    *(int*)c.island.nl.data = count[2];
    *(int*)c.island.nefc.data = nrow;
    *(int*)c.island.ncon.data = ncon;
    return ncon;
}

// Numbers of dofs, into an island or back.
INLINE static void copy_dofs(const IslandCall& c, int world, const Copies& copies, const int* trees, int ntree,
                             bool back) {
    for (int k = 0; k < copies.count; k++) {
        float *all = WORLD(float, copies.list[k].world), *own = (float*)copies.list[k].island.data;
        for (int t = 0; t < ntree; t++) {
            const int adr = ((const int*)c.tree_dofadr.data)[trees[t]];
            const int count = ((const int*)c.tree_dofnum.data)[trees[t]], at = c.first_dof[trees[t]];
            if (back)
                for (int i = 0; i < count; i++) all[adr + i] = own[at + i];
            else
                for (int i = 0; i < count; i++) own[at + i] = all[adr + i];
        }
    }
}

// Numbers of constraint rows, into an island or back.
INLINE static void copy_rows(int world, const Copies& copies, const int* rows, int nrow, bool back) {
    for (int k = 0; k < copies.count; k++) {
        const Copy& f = copies.list[k];
        char* all = WORLD(char, f.world);
        if (f.size == 4 && !back)
            for (int i = 0; i < nrow; i++) ((int*)f.island.data)[i] = ((const int*)all)[rows[i]];
        else if (f.size == 4)
            for (int i = 0; i < nrow; i++) ((int*)all)[rows[i]] = ((const int*)f.island.data)[i];
        else
            for (int i = 0; i < nrow; i++) {
                char *own = f.island.data + i * f.size, *other = all + rows[i] * f.size;
                copy(back ? other : own, back ? own : other, f.size);
            }
    }
}

// Contacts back from an island.
INLINE static void copy_contacts_back(const IslandCall& c, int world, const int* rows, int ncon) {
    const int *id = WORLD(int, c.of.efc_id), *address = (const int*)c.island.contact_efc_address.data;
    for (int k = 0; k < c.contacts_out.count; k++) {
        const Copy& f = c.contacts_out.list[k];
        for (int i = 0; i < ncon; i++)
            copy(WORLD(char, f.world) + id[rows[address[i]]] * f.size, f.island.data + i * f.size, f.size);
    }
}

// Sizes of an island in the views of its kernels.
INLINE static void set_sizes(const IslandCall& c, int world, int nv, int ntree, int nrow) {
    // in constraint space: islands of fewer than 16 rows, or of no more rows than dofs
    const int few = nv > 15 ? nv : 15, least = c.ndual < few ? c.ndual : few;
    const bool many = *WORLD(int, c.of.nefc) > c.ndual;  // as a world of many rows: over the dofs, where rows are stiff
    const int dual = many && *(const int*)c.island.ne.data > 0 ? 0 : least;
    const int sizes[NSIZE] = {nv,
                              ntree,
                              whole_blocks(nv) / BLOCK,
                              c.by_dofs ? dual : c.ndual,
                              4 * whole_blocks(nv),
                              4 * whole_blocks(nrow + 4)};

    // numbers in the kernels' views that depend on the island
    for (int i = 0; i < c.nplace; i++) *c.places[i].number = sizes[c.places[i].what];
    // solvers weigh what they gain with the inertia of all dofs
    *(float*)c.island.stat_meaninertia.data = *WORLD(float, c.of.stat_meaninertia) * (float)c.nv / (float)nv;
    *(int*)c.island.solver_niter.data = 0;
    *(int*)c.island.lost_digits.data = 0;
}

// One island of a world; returns the number of iterations.
INLINE static int solve_island(const IslandCall& c, int world, int island) {
    // rows and trees of the island, trees in the order that keeps rows of H short
    const int *adr = WORLD(int, c.island_adr), *treeadr = WORLD(int, c.island_treeadr);
    const int *rows = WORLD(int, c.island_row) + adr[island], nrow = adr[island + 1] - adr[island];
    const int *trees = c.order, ntree = treeadr[island + 1] - treeadr[island];
    order_trees(c, world, island, rows, nrow, WORLD(int, c.island_tree) + treeadr[island], ntree);

    // the problem: dofs and inertia, rows and J, contacts, sizes, and vectors that go with them
    const int nv = place_dofs(c, world, trees, ntree);
    for (int k = 0; k < c.dofs_cleared.count; k++)
        *(V*)((float*)c.dofs_cleared.list[k].island.data + ((nv - 1) & ~(BLOCK - 1))) = V{0};  // the pad
    place_rows(c, world, island, rows, nrow, nv);
    const int ncon = place_contacts(c, world, rows, nrow);
    set_sizes(c, world, nv, ntree, nrow);
    copy_dofs(c, world, c.dofs_in, trees, ntree, false);
    copy_rows(world, c.rows_in, rows, nrow, false);

    // solve it, and give the world what others read
    run_solvers(c.kernels, c.nkernel, world);
    copy_dofs(c, world, c.dofs_out, trees, ntree, true);
    copy_rows(world, c.rows_out, rows, nrow, true);
    copy_contacts_back(c, world, rows, ncon);
    return *(const int*)c.island.solver_niter.data;
}

// All solvers for a world: trees without constraints, then one island after the other. Every row acts on some tree:
// MuJoCo, and the stages of constraint rows, make none of an empty Jacobian.
INLINE static void solve_islands(unsigned long long call, int world) {
    const IslandCall& c = *(const IslandCall*)call;
    const int* treeadr = WORLD(int, c.island_treeadr);
    const int* trees = WORLD(int, c.island_tree);
    int most = 0;

    // trees of no island come first in island_tree
    bool lost = solve_free_trees(c, world, trees, treeadr[0]);

    // the world has taken as many iterations as its slowest island
    for (int k = 0; k < *WORLD(int, c.nisland); k++) {
        const int count = solve_island(c, world, k);
        most = count > most ? count : most;
        lost |= *(const int*)c.island.lost_digits.data > 0;
    }
    *WORLD(int, c.of.solver_niter) = most;
    if (lost) ++*WORLD(int, c.of.lost_digits);
}
