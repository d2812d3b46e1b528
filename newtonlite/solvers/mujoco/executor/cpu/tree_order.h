// Order of an island's trees, in which rows of H reach little to the left.
//
// Cuthill and McKee, Reducing the Bandwidth of Sparse Symmetric Matrices, 1969, from a start that is far from others
// (George and Liu, An Implementation of a Pseudoperipheral Node Finder, 1979). Rows of H are stored from their leftmost
// block on, so that the bandwidth is what a factor costs; least degree first was slower (docs/decisions/0023).
#pragma once
#include "island_tables.h"

// Trees of the island with dofs in blocks t[0] to t[1] of a row: a number of `trees`, their count.
INLINE static int trees_in(const IslandCall& c, const int* island_of, int island, const int* t, int* trees) {
    const int* tree_of = (const int*)c.dof_treeid.data;
    const int low = BLOCK * t[0], high = BLOCK * t[3] < c.nv ? BLOCK * t[3] : c.nv;
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

// Breadth-first search from a tree, neighbours in order of their degrees: numbers of trees as they are met. Trees that no
// path of rows leads to, as those that only elasticity ties to an island, follow, each with what it leads to.
INLINE static void search_breadth_first(const Graph& g, int start, int ntree, int* met, unsigned long long* seen) {
    // the set of trees that have been met, and the list of them, from start on
    for (int w = 0; w < g.words; w++) seen[w] = 0;
    met[0] = start;
    seen[start >> 6] |= 1ull << (start & 63);
    for (int at = 0, count = 1, next = 0; at < ntree; at++) {
        // the end of what the last start leads to: the lowest tree not met yet is a start as well
        if (at == count) {
            while (seen[next >> 6] >> (next & 63) & 1) next++;
            seen[next >> 6] |= 1ull << (next & 63);
            met[count++] = next;
        }

        // neighbours not met yet, inserted into the list by their degrees
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
    // two trees have no order to choose
    for (int i = 0; i < ntree; i++) c.order[i] = trees[i];
    if (ntree < 3) return;

    // numbers of trees within the island, for the time being where their first dofs will be
    const Graph g = {c.graph, (ntree + 63) >> 6};
    for (int i = 0; i < (ntree + 1) * g.words; i++) c.graph[i] = 0;
    for (int i = 0; i < ntree; i++) c.first_dof[trees[i]] = i;
    join_trees(c, world, island, rows, nrow, g);

    // the last tree of a search is far from its start: a second search from there gives a long, narrow order
    int* met = c.trees;
    search_breadth_first(g, 0, ntree, met, g.set(ntree));
    search_breadth_first(g, met[ntree - 1], ntree, met, g.set(ntree));
    for (int i = 0; i < ntree; i++) c.order[i] = trees[met[i]];
}
