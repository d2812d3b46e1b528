// Places of trees in a sparse Hessian, and the profile of its rows (profile_factor.py). One lane does it. Of a tree whose
// root carries many branches the root and every branch count as a tree here.
#pragma once

enum {
    MANY_NEIGHBOURS = 32,  // of a tree that goes to the border: the band would be as wide as it has neighbours
    WIDEST_BORDER = 64,    // dofs
    UNSEEN = -1,
    BORDER = -2  // stamps of trees, beside those of searches
};

// Trees that constraint rows tie to each other: neighbours of tree t are adjacent[start[t]] on, degree[t] of them.
struct TreeGraph {
    const int *nnz, *adr, *super, *col, *tree, *carries, *linkadr, *link;
    int *adjacent, *start, *degree, *stamp, *listed;
    int nrow, ntree;

    // Trees of a row in `listed`, each once and in the order of its entries, without roots that carry others: those are
    // in the border whatever they are tied to. Returns how many.
    INLINE int trees_of(int r) const {
        int count = 0;
        for (int e = 0, before = -1; e < nnz[r]; e++) {
            const int t = tree[col[adr[r] + e]];
            if (t == before || carries[t]) continue;
            before = t;
            int f = 0;
            while (f < count && listed[f] != t) f++;
            if (f == count) listed[count++] = t;
        }
        return count;
    }

    // Trees that the inertia ties to tree t, beside those of rows.
    INLINE int links(int t) const { return linkadr[t + 1] - linkadr[t]; }

    // Pairs of trees of the inertia and of all rows, counted in `degree` or written behind `start`.
    INLINE void pairs(bool write) const {
        for (int t = 0; t < ntree; t++) {
            degree[t] = links(t);
            for (int k = 0; write && k < degree[t]; k++) adjacent[start[t] + k] = link[linkadr[t] + k];
        }
        for (int r = 0; r < nrow; r += super[r] + 1) {  // one for rows with the same columns, as those of a contact
            const int count = trees_of(r);
            for (int e = 1; e < count; e++) {
                for (int f = 0; f < e; f++) {
                    const int t = listed[e], u = listed[f];
                    if (write) adjacent[start[t] + degree[t]] = u, adjacent[start[u] + degree[u]] = t;
                    degree[t]++, degree[u]++;
                }
            }
        }
    }

    // Neighbours of every tree, each once; returns whether there is room for them.
    INLINE bool connect(int room) const {
        pairs(false);
        int sum = 0;
        for (int t = 0; t < ntree; t++) {
            start[t] = sum;
            sum += degree[t];
        }
        if (sum > room) return false;
        pairs(true);
        for (int t = 0; t < ntree; t++) stamp[t] = -1;
        for (int t = 0; t < ntree; t++) {
            int count = 0;
            for (int k = 0; k < degree[t]; k++) {
                const int u = adjacent[start[t] + k];
                if (stamp[u] == t) continue;
                stamp[u] = t;
                adjacent[start[t] + count++] = u;
            }
            degree[t] = count;
        }
        return true;
    }

    // Breadth first from a tree, neighbours by their degrees: trees in `met` as they are met, stamped with `mark`;
    // returns how many. Trees of the border are not entered.
    INLINE int search(int from, int* met, int mark) const {
        int count = 1;
        met[0] = from;
        stamp[from] = mark;
        for (int at = 0; at < count; at++) {
            const int begin = count, t = met[at];
            for (int k = 0; k < degree[t]; k++) {
                const int u = adjacent[start[t] + k];
                if (stamp[u] == mark || stamp[u] == BORDER) continue;
                stamp[u] = mark;
                int p = count++;
                for (; p > begin && degree[met[p - 1]] > degree[u]; p--) met[p] = met[p - 1];
                met[p] = u;
            }
        }
        return count;
    }

    // All trees but those of the border in `order`, each component from a tree that ends a search of it on; how many.
    INLINE int order_band(int* order) const {
        int listed = 0;
        for (int t = 0; t < ntree; t++) {
            if (stamp[t] != UNSEEN) continue;
            const int count = search(t, order + listed, ntree);
            search(order[listed + count - 1], order + listed, ntree + 1);
            listed += count;
        }
        return listed;
    }
};

// Places of the border's dofs: roots that carry others, then trees of many neighbours, as long as it is narrow; returns how
// many dofs.
INLINE static int place_border(const TreeGraph& g, const int* first, const int* many, int* place) {
    int dofs = 0;
    for (int t = 0; t < g.ntree; t++) g.stamp[t] = UNSEEN;
    for (int roots = 1; roots >= 0; roots--) {
        for (int t = 0; t < g.ntree; t++) {
            if (g.stamp[t] == BORDER) continue;
            if (roots ? !g.carries[t] : g.degree[t] - g.links(t) <= MANY_NEIGHBOURS || dofs + many[t] > WIDEST_BORDER)
                continue;
            g.stamp[t] = BORDER;
            for (int i = 0; i < many[t]; i++) place[first[t] + i] = dofs++;
        }
    }
    return dofs;
}

// First column and address of every row; returns the numbers of all rows.
INLINE static int profile(const int* lowest, int n, int nb, int* low, int* adr) {
    // a row that is taken out of those before it makes them reach as far left as itself
    int least = n;
    for (int p = n - 1; p >= nb; p--) {
        least = lowest[p] < least ? lowest[p] : least;
        low[p] = least & ~(BLOCK - 1);
    }

    // border columns, then the row's own up to the end of the diagonal's block
    int sum = 0;
    for (int p = 0; p < n; p++) {
        if (p < nb) low[p] = 0;
        adr[p] = sum;
        sum += (p < nb ? 0 : nb - low[p]) + (p & ~(BLOCK - 1)) + BLOCK;
    }
    return sum;
}

INLINE static void place_trees(const Ints& rownnz, const Ints& rowadr, const Ints& rowsuper, const Ints& colind,
                               const Ints& tree_dofadr, const Ints& tree_dofnum, const Ints& dof_part,
                               const Ints& part_dofadr, const Ints& part_dofnum, const Ints& part_carries,
                               const Ints& part_linkadr, const Ints& part_link, const Ints& adjacent, const Ints& marks,
                               const Ints& shape, const Ints& place, const Ints& low, const Ints& H_rowadr, int world,
                               int from_row, int nrow, int ntree, int npart, int capacity, bool coupled, int lane,
                               int nlane) {
    OPAQUE(world);
    const int* first = (const int*)(coupled ? part_dofadr : tree_dofadr).data;
    const int* many = (const int*)(coupled ? part_dofnum : tree_dofnum).data;
    const int parts = coupled ? npart : ntree;
    int *s = WORLD(int, shape), *to = WORLD(int, place), *left = WORLD(int, low), *mark = WORLD(int, marks);
    const TreeGraph g = {WORLD(int, rownnz) + from_row,
                         WORLD(int, rowadr) + from_row,
                         WORLD(int, rowsuper) + from_row,
                         WORLD(int, colind),
                         (const int*)dof_part.data,
                         (const int*)part_carries.data,
                         (const int*)part_linkadr.data,
                         (const int*)part_link.data,
                         WORLD(int, adjacent),
                         mark,
                         mark + parts,
                         mark + 2 * parts,
                         mark + 3 * parts,
                         nrow,
                         parts};
    SYNC();
    if (lane == 0) {
        s[0] = s[1] = s[2] = 0;
        if (!coupled || g.connect((int)adjacent.shape[1])) {
            // the border, and an order of all others
            int nb = 0, *order = mark + 3 * parts, count = parts;
            for (int t = 0; t < parts; t++) order[t] = t;
            if (coupled) {
                nb = whole_blocks(place_border(g, first, many, to));
                count = g.order_band(order);
            }

            // places tree after tree; a tree reaches to the first of its neighbours that has a place, or to its own
            int n = nb, *begin = mark + 4 * parts;
            for (int t = 0; t < parts; t++) begin[t] = -1;
            for (int k = 0; k < count; k++) {
                const int t = order[k];
                int least = begin[t] = n;
                for (int e = 0; coupled && e < g.degree[t]; e++) {
                    const int b = begin[g.adjacent[g.start[t] + e]];
                    least = b >= 0 && b < least ? b : least;
                }
                for (int i = 0; i < many[t]; i++) {
                    left[n] = least;
                    to[first[t] + i] = n++;
                }
            }
            s[1] = nb;
            s[2] = profile(left, n, nb, left, WORLD(int, H_rowadr));
            s[0] = s[2] <= capacity ? n : 0;
        }
    }
    SYNC();
}
