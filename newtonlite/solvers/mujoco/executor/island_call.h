// A world's solvers, called for one island after the other with arrays of the island alone (island_call.py).
#pragma once
#include "../kernels/primitives/factor.h"

// What is copied for every dof, constraint row or contact of an island: `size` bytes each.
struct Copy {
    wp::array_t<char> world, island;
    long long size;
};

struct Copies {
    const Copy* list;
    long long count;
};

// Numbers in views of an island that depend on its size: dofs, trees, blocks of 16 dofs, rows up to which it is solved
// in constraint space, bytes of a matrix row over dofs and of one over constraint rows.
enum { MANY = -2 };  // in place of the trees of a row that may act on any number of them
enum { NV, NTREE, NBLOCK, NDUAL, DOF_ROW, EFC_ROW, NSIZE };
struct Place {
    int* number;
    long long what;
};

// What a solver reads of a problem, a world's or an island's, that is not copied as it is.
struct Problem {
    Ints nefc, ne, nf, nl, ncon, solver_niter;
    Floats stat_meaninertia, M, efc_J;
    Vec4is efc_block;
    Ints efc_id, contact_efc_address;
    Vec2is dof_block;
    Ints dof_end, dof_parentid;
};

struct IslandCall {
    Problem of, island;
    Ints nisland, island_row, island_adr, island_tree, island_treeadr, tree_island, efc_tree;
    Ints tree_dofadr, tree_dofnum, dof_treeid;
    Vec2is H_block;
    Floats H, work, qacc, qacc_smooth, qfrc_smooth, qfrc_constraint;
    Copies dofs_in, dofs_out, rows_in, rows_out, contacts_in, contacts_out, dofs_cleared;
    const Place* places;
    const void* const* kernels;  // of every solver: code, launch bounds, arguments with the views of islands
    int* first_dof;              // of every tree of the island, in the island
    int *trees, *order;          // lists of trees
    unsigned long long* graph;   // sets of trees
    int nplace, nkernel, nv, ntree, ndual, by_dofs;
};

INLINE static int up16(int n) {
    return (n + 15) & ~15;
}

// Run all solvers for the island that their views hold.
INLINE static void run_solvers(const void* const* kernels, int count, int world) {
    for (int i = 0; i < count; i++) {
        const void* const* entry = kernels + 3 * i;
        char* arguments = (char*)entry[2];
        *(int*)(arguments + 16) = world;
        *(int*)(arguments + 20) = world + 1;
        ((void (*)(const void*, const void*))entry[0])(entry[1], arguments);
    }
}

INLINE static void copy(char* to, const char* from, int size) {
    int k = 0;
    for (; k + 4 <= size; k += 4) *(int*)(to + k) = *(const int*)(from + k);
}

// qacc = M^-1 qfrc_smooth of a tree that no constraint row acts on, with one step of iterative refinement.
INLINE static void solve_free_tree(const IslandCall& c, int world, int tree) {
    const int first = ((const int*)c.tree_dofadr.data)[tree], n = ((const int*)c.tree_dofnum.data)[tree];
    const int ld = up16(n), lm = LD(c.of.M);
    const float *M = ROW(c.of.M) + first * lm + first, *f = ROW(c.qfrc_smooth) + first;
    float *U = (float*)c.H.data, *x = (float*)c.work.data, *y = U + n * ld;
    float *qacc = ROW(c.qacc) + first, *smooth = ROW(c.qacc_smooth) + first;
    float* force = ROW(c.qfrc_constraint) + first;
    int* block = (int*)c.H_block.data;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) U[i * ld + j] = M[i * lm + j];
        block[2 * i] = 0;
    }
    for (int b = 0; b < ld; b += 16) *(V*)(x + b) = V{0};
    for (int i = 0; i < n; i++) x[i] = f[i];
    factor_one_lane(U, block, ld, n);
    solve_one_lane(U, x, y, block, ld, n);
    for (int i = 0; i < n; i++) qacc[i] = x[i];
    for (int i = 0; i < n; i++) {
        double left = f[i];
        for (int j = 0; j < n; j++) left -= (double)M[i * lm + j] * (double)qacc[j];
        x[i] = (float)left;
    }
    solve_one_lane(U, x, y, block, ld, n);
    for (int i = 0; i < n; i++) {
        qacc[i] = smooth[i] = qacc[i] + x[i];
        force[i] = 0.0f;
    }
}

enum { SMALL = 6, WIDTH = 16 };
typedef double WideV __attribute__((vector_size(128)));

// Numbers of trees of up to six dofs, one tree per SIMD lane: inertia, of which the rest is 1, and a vector.
struct SmallTrees {
    alignas(64) float M[SMALL][SMALL][WIDTH];
    alignas(64) float x[SMALL][WIDTH];

    INLINE V& inertia(int i, int j) { return *(V*)M[i][j]; }
    INLINE V& vector(int i) { return *(V*)x[i]; }
};

// In place x := (L D L')^-1 x, and the first time M = L D L', with 1 / D on the diagonal.
INLINE static void solve_small(V L[SMALL][SMALL], V* x) {
    for (int i = 0; i < SMALL; i++)
        for (int j = 0; j < i; j++) x[i] -= L[i][j] * x[j];
    for (int i = 0; i < SMALL; i++) x[i] *= L[i][i];
    for (int i = SMALL - 1; i >= 0; i--)
        for (int j = i + 1; j < SMALL; j++) x[i] -= L[j][i] * x[j];
}

INLINE static void factor_small(SmallTrees& t, V L[SMALL][SMALL]) {
    for (int j = 0; j < SMALL; j++) {
        V d = t.inertia(j, j);
        V scaled[SMALL];
        for (int k = 0; k < j; k++) {
            scaled[k] = L[j][k];
            L[j][k] *= L[k][k];
            d -= scaled[k] * L[j][k];
        }
        const VI large = d > 1e-12f;
        L[j][j] = 1.0f / (large ? d : V{} + 1e-12f);
        for (int i = j + 1; i < SMALL; i++) {
            V s = t.inertia(i, j);
            for (int k = 0; k < j; k++) s -= L[i][k] * L[j][k];
            L[i][j] = s;
        }
    }
}

// The same for up to 16 trees of up to six dofs.
INLINE static void solve_small_trees(const IslandCall& c, int world, const int* trees, int count) {
    const int *adr = (const int*)c.tree_dofadr.data, *num = (const int*)c.tree_dofnum.data;
    const int lm = LD(c.of.M);
    const float *M = ROW(c.of.M), *f = ROW(c.qfrc_smooth);
    float *qacc = ROW(c.qacc), *smooth = ROW(c.qacc_smooth), *force = ROW(c.qfrc_constraint);
    SmallTrees t;
    for (int i = 0; i < SMALL; i++) {
        for (int j = 0; j <= i; j++) t.inertia(i, j) = V{} + (i == j ? 1.0f : 0.0f);
        t.vector(i) = V{0};
    }
    for (int k = 0; k < count; k++) {
        const int first = adr[trees[k]];
        for (int i = 0; i < num[trees[k]]; i++) {
            for (int j = 0; j <= i; j++) t.M[i][j][k] = M[(first + i) * lm + first + j];
            t.x[i][k] = f[first + i];
        }
    }
    V L[SMALL][SMALL], x[SMALL], left[SMALL];
    factor_small(t, L);
    for (int i = 0; i < SMALL; i++) x[i] = t.vector(i);
    solve_small(L, x);
    for (int i = 0; i < SMALL; i++) {
        WideV sum = __builtin_convertvector(t.vector(i), WideV);
        for (int j = 0; j < SMALL; j++)
            sum -= __builtin_convertvector(t.inertia(i > j ? i : j, i > j ? j : i), WideV) *
                   __builtin_convertvector(x[j], WideV);
        left[i] = __builtin_convertvector(sum, V);
    }
    solve_small(L, left);
    for (int i = 0; i < SMALL; i++) t.vector(i) = x[i] + left[i];
    for (int k = 0; k < count; k++) {
        const int first = adr[trees[k]];
        for (int i = 0; i < num[trees[k]]; i++) {
            qacc[first + i] = smooth[first + i] = t.x[i][k];
            force[first + i] = 0.0f;
        }
    }
}

// All trees that no constraint row acts on.
INLINE static void solve_free_trees(const IslandCall& c, int world, const int* trees, int count) {
    int small[WIDTH], found = 0;
    for (int k = 0; k < count; k++) {
        if (((const int*)c.tree_dofnum.data)[trees[k]] > SMALL) {
            solve_free_tree(c, world, trees[k]);
            continue;
        }
        small[found++] = trees[k];
        if (found == WIDTH) {
            solve_small_trees(c, world, small, found);
            found = 0;
        }
    }
    if (found) solve_small_trees(c, world, small, found);
}

// Trees of the island with dofs in blocks t[0] to t[1] of a row: a number of `trees`, their count.
INLINE static int trees_in(const IslandCall& c, const int* island_of, int island, const int* t, int* trees) {
    const int* tree_of = (const int*)c.dof_treeid.data;
    const int low = 16 * t[0], high = 16 * t[3] < c.nv ? 16 * t[3] : c.nv;
    int count = 0;
    if (low < high)
        for (int tree = tree_of[low]; tree <= tree_of[high - 1]; tree++)
            if (island_of[tree] == island) trees[count++] = tree;
    return count;
}

// Graph of an island's trees, of which rows act on two: a set of neighbours of each, as bits.
struct Graph {
    unsigned long long* sets;
    int words;

    INLINE unsigned long long* set(int i) const { return sets + i * words; }
    INLINE void join(int i, int j) const {
        set(i)[j >> 6] |= 1ull << (j & 63);
        set(j)[i >> 6] |= 1ull << (i & 63);
    }
    INLINE int degree(int i) const {
        int count = 0;
        for (int w = 0; w < words; w++) count += __builtin_popcountll(set(i)[w]);
        return count;
    }
};

INLINE static void join_trees(const IslandCall& c, int world, int island, const int* rows, int nrow, const Graph& g) {
    const int *pairs = WORLD(int, c.efc_tree), *block = WORLD(int, c.of.efc_block);
    const int* number = c.first_dof;  // of a tree among those of the island
    for (int i = 0; i < nrow; i++) {
        const int* pair = pairs + 2 * rows[i];
        if (pair[0] == MANY) {
            const int count = trees_in(c, WORLD(int, c.tree_island), island, block + 4 * rows[i], c.trees);
            for (int j = 1; j < count; j++)
                for (int k = 0; k < j; k++) g.join(number[c.trees[j]], number[c.trees[k]]);
        } else if (pair[0] >= 0 && pair[1] >= 0) {
            g.join(number[pair[0]], number[pair[1]]);
        }
    }
}

// Breadth-first search from a tree, neighbours in order of their degrees: numbers of trees as they are met.
INLINE static void search_breadth_first(const Graph& g, int start, int ntree, int* met, unsigned long long* seen) {
    for (int w = 0; w < g.words; w++) seen[w] = 0;
    met[0] = start;
    seen[start >> 6] |= 1ull << (start & 63);
    for (int at = 0, count = 1; at < ntree; at++) {
        const int first = count;
        for (int w = 0; w < g.words; w++) {
            unsigned long long left = g.set(met[at])[w] & ~seen[w];
            seen[w] |= left;
            for (; left; left &= left - 1) {
                const int i = 64 * w + __builtin_ctzll(left);
                int k = count++;
                for (; k > first && g.degree(met[k - 1]) > g.degree(i); k--) met[k] = met[k - 1];
                met[k] = i;
            }
        }
    }
}

// Trees of an island in an order in which rows of H reach little to the left, those that end a search from any tree
// first (Cuthill and McKee 1969; George and Liu 1979).
INLINE static void order_trees(const IslandCall& c, int world, int island, const int* rows, int nrow, const int* trees,
                               int ntree) {
    for (int i = 0; i < ntree; i++) c.order[i] = trees[i];
    if (ntree < 3) return;
    const Graph g = {c.graph, (ntree + 63) >> 6};
    for (int i = 0; i < (ntree + 1) * g.words; i++) c.graph[i] = 0;
    for (int i = 0; i < ntree; i++) c.first_dof[trees[i]] = i;
    join_trees(c, world, island, rows, nrow, g);
    int* met = c.trees;
    search_breadth_first(g, 0, ntree, met, g.set(ntree));
    search_breadth_first(g, met[ntree - 1], ntree, met, g.set(ntree));
    for (int i = 0; i < ntree; i++) c.order[i] = trees[met[i]];
}

// Dofs of an island's trees side by side: where each begins, tables of dofs, and their inertia. Returns how many.
INLINE static int place_dofs(const IslandCall& c, int world, const int* trees, int ntree) {
    int n = 0;
    for (int t = 0; t < ntree; t++) {
        c.first_dof[trees[t]] = n;
        n += ((const int*)c.tree_dofnum.data)[trees[t]];
    }
    const int *end = (const int*)c.of.dof_end.data, *parent = (const int*)c.of.dof_parentid.data;
    int *own_end = (int*)c.island.dof_end.data, *own_parent = (int*)c.island.dof_parentid.data;
    int* block = (int*)c.island.dof_block.data;
    const int lm = LD(c.of.M), ld = up16(n);
    const float* M = ROW(c.of.M);
    float* own = (float*)c.island.M.data;
    for (int t = 0; t < ntree; t++) {
        const int adr = ((const int*)c.tree_dofadr.data)[trees[t]], count = ((const int*)c.tree_dofnum.data)[trees[t]];
        const int to = c.first_dof[trees[t]], shift = to - adr;
        for (int i = to; i < to + count; i++) {
            const int from = i - shift;
            block[2 * i] = to >> 4;
            block[2 * i + 1] = up16(to + count) >> 4;
            own_end[i] = end[from] + shift;
            own_parent[i] = parent[from] < 0 ? -1 : parent[from] + shift;
            float* row = own + i * ld;
            for (int b = to & ~15; b < to + count; b += 16) *(V*)(row + b) = V{0};
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
    if (a.first == a.last) a = b;
    if (b.first == b.last) b = a;
    if (b.first < a.first) {
        const Stretch other = a;
        a = b;
        b = other;
    }
    block[0] = a.first >> 4, block[1] = up16(a.last) >> 4;
    block[2] = b.first >> 4, block[3] = up16(b.last) >> 4;
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
        const int low = 16 * t[q] > adr ? 16 * t[q] : adr, high = 16 * t[q + 1] < end ? 16 * t[q + 1] : end;
        for (int i = low; i < high; i++) to[i + shift] = from[i];
    }
}

// Rows of J over the dofs of an island, and their blocks.
INLINE static void place_rows(const IslandCall& c, int world, int island, const int* rows, int nrow, int nv) {
    const int lj = LD(c.of.efc_J), ld = up16(nv);
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
        for (int q = 0; q < 4; q += 2)
            for (int b = 16 * found[q]; b < 16 * found[q + 1]; b += 16) *(V*)(to + b) = V{0};
        for (int k = 0; k < count; k++) copy_tree(c, trees[k], t, from, to);
    }
}

// Kinds of an island's rows, and its contacts, which are numbered anew. Returns how many contacts.
INLINE static int place_contacts(const IslandCall& c, int world, const int* rows, int nrow) {
    const int ne = *WORLD(int, c.of.ne), nf = ne + *WORLD(int, c.of.nf), nl = nf + *WORLD(int, c.of.nl);
    const int* id = WORLD(int, c.of.efc_id);
    int *own_id = (int*)c.island.efc_id.data, *address = (int*)c.island.contact_efc_address.data;
    int count[4] = {0, 0, 0, 0}, ncon = 0, last = -1;
    for (int i = 0; i < nrow; i++) {
        const int r = rows[i];
        own_id[i] = id[r];
        count[(r >= ne) + (r >= nf) + (r >= nl)]++;
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
    const int few = nv > 16 ? nv : 16, least = c.ndual < few ? c.ndual : few;
    const int sizes[NSIZE] = {nv, ntree, up16(nv) >> 4, c.by_dofs ? least : c.ndual, 4 * up16(nv), 4 * up16(nrow + 4)};
    for (int i = 0; i < c.nplace; i++) *c.places[i].number = sizes[c.places[i].what];
    // solvers weigh what they gain with the inertia of all dofs
    *(float*)c.island.stat_meaninertia.data = *WORLD(float, c.of.stat_meaninertia) * (float)c.nv / (float)nv;
    *(int*)c.island.solver_niter.data = 0;
}

// One island of a world; returns the number of iterations.
INLINE static int solve_island(const IslandCall& c, int world, int island) {
    const int *adr = WORLD(int, c.island_adr), *treeadr = WORLD(int, c.island_treeadr);
    const int *rows = WORLD(int, c.island_row) + adr[island], nrow = adr[island + 1] - adr[island];
    const int *trees = c.order, ntree = treeadr[island + 1] - treeadr[island];
    order_trees(c, world, island, rows, nrow, WORLD(int, c.island_tree) + treeadr[island], ntree);
    const int nv = place_dofs(c, world, trees, ntree);
    for (int k = 0; k < c.dofs_cleared.count; k++)
        *(V*)((float*)c.dofs_cleared.list[k].island.data + ((nv - 1) & ~15)) = V{0};  // the pad
    set_sizes(c, world, nv, ntree, nrow);
    place_rows(c, world, island, rows, nrow, nv);
    const int ncon = place_contacts(c, world, rows, nrow);
    copy_dofs(c, world, c.dofs_in, trees, ntree, false);
    copy_rows(world, c.rows_in, rows, nrow, false);
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
    solve_free_trees(c, world, trees, treeadr[0]);
    for (int k = 0; k < *WORLD(int, c.nisland); k++) {
        const int count = solve_island(c, world, k);
        most = count > most ? count : most;
    }
    *WORLD(int, c.of.solver_niter) = most;
}
