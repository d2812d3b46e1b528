// A sparse Hessian by rows from their first column on: order, rows, factor, solution (profile_factor.py).
#pragma once
#include "../primitives/factor.h"
#include "profile_order.h"

// Rows of a profile: nb border columns, then columns from low[p] on.
struct Profile {
    float* H;
    const int *adr, *low;
    int n, nb;

    // What column j of row p is counted from: border columns of any row, and the others of a row of the band.
    INLINE float* border(int p) const { return H + adr[p]; }
    INLINE float* band(int p) const { return H + adr[p] + (p < nb ? 0 : nb - low[p]); }
    INLINE float* at(int p, int q) const { return q < nb ? border(p) + q : band(p) + q; }
};

INLINE static Profile profile_of(const Ints& shape, const Ints& low, const Ints& rowadr, const Floats& H, int world) {
    const int* s = WORLD(int, shape);
    return {ROW(H), WORLD(int, rowadr), WORLD(int, low), s[0], s[1]};
}

// Add w J_r to row p of H, as far as its columns lie to the left.
INLINE static void add_row_to(const Profile& P, int p, float w, const float* a, const int* col, int nnz,
                              const int* place, const int* tree, int own) {
    for (int e = 0; e < nnz; e++) {
        const int q = place[col[e]];
        if (q <= p && (own < 0 || tree[col[e]] == own)) *P.at(p, q) += w * a[e];
    }
}

// The same for up to four rows with the same columns, from a on and `step` numbers apart.
INLINE static void add_rows_to(const Profile& P, int p, const float* w, int count, const float* a, int step,
                               const int* col, int nnz, const int* place, const int* tree, int own) {
    for (int e = 0; e < nnz; e++) {
        const int q = place[col[e]];
        if (q > p || (own >= 0 && tree[col[e]] != own)) continue;
        float s = w[0] * a[e];
        for (int k = 1; k < count; k++) s += w[k] * a[k * step + e];
        *P.at(p, q) += s;
    }
}

enum { MANY_ENTRIES = 128 };  // of a row, beyond which its products are added one by one

#if ONE_LANE
typedef float V4 __attribute__((vector_size(16), aligned(4)));

// Entries of a group of rows with the same columns that are in the band, in runs of up to four whose places follow each
// other, such as the dofs of a node: first entry and its place, how many; and what columns are counted from in each
// entry's row of H.
struct BandRuns {
    int entry[MANY_ENTRIES], place[MANY_ENTRIES], length[MANY_ENTRIES], tree[MANY_ENTRIES];
    float* band[MANY_ENTRIES];
    V4 four[4][MANY_ENTRIES];  // numbers of the rows in a run, zeros behind them
};

// Add w_k J_k' J_k of `count` rows, from a on and `step` numbers apart, for entries e and f of the band.
INLINE static void add_pair(const BandRuns& g, const float* w, int count, const float* a, int step, int p, int e, int q,
                            int f) {
    float s = 0.0f;
    for (int k = 0; k < count; k++) s += w[k] * a[k * step + e] * a[k * step + f];
    // the lower of both places is the column; a dof that the row has twice counts in both orders
    if (q == p && f != e) s += s;
    (q > p ? g.band[f] : g.band[e])[q > p ? p : q] += s;
}

// The same for all entries of runs m and n, of which m may be n.
INLINE static void add_runs(const BandRuns& g, const float* w, int count, const float* a, int step, int m, int n) {
    // rows of H of the run to the right, columns of the one to the left; four of these, as the row has room up to its
    // diagonal's block: more than the run has get zeros added, above the diagonal what no one reads
    const bool swapped = g.place[m] > g.place[n];
    const int right = swapped ? m : n, left = swapped ? n : m;
    const int p = g.place[right], q = g.place[left], e0 = g.entry[right], f0 = g.entry[left];
    if ((m != n && q + g.length[left] > p) || q + 3 > (p | (BLOCK - 1))) {
        for (int i = 0; i < g.length[right]; i++)
            for (int j = 0; j < (m == n ? i + 1 : g.length[left]); j++)
                add_pair(g, w, count, a, step, p + i, e0 + i, q + j, f0 + j);
        return;
    }
    for (int i = 0; i < g.length[right]; i++) {
        float* to = g.band[e0 + i] + q;
        V4 s = *(const V4*)to;
        for (int k = 0; k < count; k++) s += w[k] * a[k * step + e0 + i] * g.four[k][left];
        *(V4*)to = s;
    }
}

// Add w_k J_k' J_k of `count` rows with the same columns, from a on and `step` numbers apart, to the rows of H that they
// reach.
INLINE static void add_group(const Profile& P, const float* w, int count, const float* a, int step, const int* col,
                             int nnz, const int* place, const int* tree, bool coupled, BandRuns& g) {
    // what of the rows is in the border, as vectors; what is in the band, by runs
    V edge[4][WIDEST_BORDER / BLOCK + 1];
    int n = 0, blocks = 0, next = -1;
    for (int e = 0; e < nnz; e++) {
        const int p = place[col[e]];
        if (p < P.nb) {
            for (; blocks <= p / BLOCK; blocks++)
                for (int k = 0; k < count; k++) edge[k][blocks] = V{0};
            for (int k = 0; k < count; k++) ((float*)edge[k])[p] += a[k * step + e];
            next = -1;
            continue;
        }
        g.band[e] = P.band(p);
        if (p != next || g.length[n - 1] == 4 || (!coupled && tree[col[e]] != g.tree[n - 1])) {
            g.entry[n] = e;
            g.place[n] = p;
            g.length[n] = 0;
            if (!coupled) g.tree[n] = tree[col[e]];
            n++;
        }
        g.length[n - 1]++;
        next = p + 1;
    }
    for (int r = 0; r < n; r++) {
        for (int k = 0; k < count; k++) {
            const float* b = a + k * step + g.entry[r];
            const int many = g.length[r];
            g.four[k][r] = V4{b[0], many > 1 ? b[1] : 0.0f, many > 2 ? b[2] : 0.0f, many > 3 ? b[3] : 0.0f};
        }
        for (int m = 0; m <= r; m++)
            if (coupled || g.tree[m] == g.tree[r]) add_runs(g, w, count, a, step, m, r);
    }
    if (blocks == 0) return;

    // every row of H that these reach, in the border up to the block of its diagonal
    for (int e = 0; e < nnz; e++) {
        const int p = place[col[e]], end = p < P.nb && p / BLOCK + 1 < blocks ? p / BLOCK + 1 : blocks;
        float* to = P.border(p);
        for (int k = 0; k < count; k++) {
            const float c = w[k] * a[k * step + e];
            for (int b = 0; b < end; b++) *(V*)(to + BLOCK * b) += c * edge[k][b];
        }
    }
}
#endif

INLINE static void profile_inertia(const Floats& M, const Ints& dof_treeid, const Ints& tree_dofadr,
                                   const Ints& tree_dofnum, const Ints& dof_part, const Ints& part_dofadr,
                                   const Ints& part_dofnum, const Ints& part_root, const Ints& coupled_rowadr,
                                   const Ints& coupled_colind, const Floats& couplings, const Ints& shape,
                                   const Ints& place, const Ints& low, const Ints& H_rowadr, const Floats& H, int world,
                                   int nv, bool coupled, int lane, int nlane) {
    OPAQUE(world);
    const Profile P = profile_of(shape, low, H_rowadr, H, world);
    const int lm = LD(M), count = WORLD(int, shape)[2];
    const float* inertia = ROW(M);
    const int* to = WORLD(int, place);
    const int* tree = (const int*)(coupled ? dof_part : dof_treeid).data;
    const int* from = (const int*)(coupled ? part_dofadr : tree_dofadr).data;
    const int* many = (const int*)(coupled ? part_dofnum : tree_dofnum).data;
    const int* root = (const int*)part_root.data;
    const int *link = (const int*)coupled_rowadr.data, *other = (const int*)coupled_colind.data;
    const float* tied = ROW(couplings);

    // zeros, and a diagonal of ones where the border is filled up
    for (int k = lane; k < count; k += nlane) P.H[k] = 0.0f;
    SYNC();
    for (int p = lane; p < P.nb; p += nlane) P.border(p)[p] = 1.0f;
    SYNC();

    // every dof its row: M within the tree and with the stems that carry it, whose places follow each other, and between
    // trees
    for (int i = lane; i < nv; i += nlane) {
        const int p = to[i], t = tree[i];
        const float* row = inertia + i * lm;
        float* own = P.at(p, to[from[t]]);
        for (int k = 0; k <= i - from[t]; k++) own[k] = row[from[t] + k];
        for (int e = link[i]; coupled && e < link[i + 1]; e++)
            if (to[other[e]] <= p) *P.at(p, to[other[e]]) = tied[e];
        for (int u = coupled ? root[t] : -1; u >= 0; u = root[u]) {
            float* carried = P.border(p) + to[from[u]];
            for (int k = 0; k < many[u]; k++) carried[k] = row[from[u] + k];
        }
    }
    SYNC();
}

INLINE static void copy_profile(const Ints& shape, const Floats& source, const Floats& target, int world, int lane,
                                int nlane) {
    OPAQUE(world);
    const float* x = ROW(source);
    float* y = ROW(target);
    for (int k = lane, count = WORLD(int, shape)[2]; k < count; k += nlane) y[k] = x[k];
    SYNC();
}

INLINE static void profile_rows(const Ints& dof_treeid, const Ints& dof_part, const Floats& J, const Ints& rownnz,
                                const Ints& rowadr, const Ints& rowsuper, const Ints& colind, const Floats& JT,
                                const Ints& JT_rowadr, const Ints& JT_colind, const Floats& weight, const Ints& shape,
                                const Ints& place, const Ints& low, const Ints& H_rowadr, const Floats& H, int world,
                                int nv, int begin, int end, bool coupled, int lane, int nlane) {
    OPAQUE(world);
    const Profile P = profile_of(shape, low, H_rowadr, H, world);
    const float *a = ROW(J), *at = ROW(JT), *w = ROW(weight);
    const int *nnz = WORLD(int, rownnz), *adr = WORLD(int, rowadr), *col = WORLD(int, colind);
    const int* super = WORLD(int, rowsuper);
    const int *first = WORLD(int, JT_rowadr), *row = WORLD(int, JT_colind), *to = WORLD(int, place);
    const int* tree = (const int*)(coupled ? dof_part : dof_treeid).data;
#if ONE_LANE
    BandRuns runs;
    for (int r = begin, next; r < end; r = next) {
        // rows with the same columns, in their order
        float c[4];
        bool some = false;
        for (next = r; next < end && next - r < 4 && next - r <= super[r]; next++) {
            c[next - r] = w[next];
            some |= w[next] != 0.0f;
        }
        if (!some) continue;
        if (nnz[r] <= MANY_ENTRIES) {
            add_group(P, c, next - r, a + adr[r], nnz[r], col + adr[r], nnz[r], to, tree, coupled, runs);
            continue;
        }
        for (int e = 0; e < nnz[r]; e++) {
            const int i = col[adr[r] + e];
            float x[4];
            for (int k = 0; k < next - r; k++) x[k] = c[k] * a[adr[r] + k * nnz[r] + e];
            add_rows_to(P, to[i], x, next - r, a + adr[r], nnz[r], col + adr[r], nnz[r], to, tree,
                        coupled ? -1 : tree[i]);
        }
    }
#else
    // every dof its row: D J_ri J_r of every row in the order of rows
    for (int i = lane; i < nv; i += nlane) {
        const int own = coupled ? -1 : tree[i];
        int e = first[i];
        while (e < first[i + 1] && row[e] < begin) e++;
        for (int next; e < first[i + 1] && row[e] < end; e = next) {
            // rows with the same columns, as long as the dof is in each of them once
            const int r = row[e];
            float c[4];
            bool some = false;
            next = e;
            while (next < first[i + 1] && next - e < 4 && next - e <= super[r] && row[next] == r + next - e) {
                c[next - e] = w[row[next]] * at[next];
                some |= c[next - e] != 0.0f;
                next++;
            }
            if (some) add_rows_to(P, to[i], c, next - e, a + adr[r], nnz[r], col + adr[r], nnz[r], to, tree, own);
        }
    }
#endif
    SYNC();
}

enum { CONE_NUMBERS = 6 };

INLINE static void add_cones(const Ints& dof_treeid, const Floats& J, const Ints& rownnz, const Ints& rowadr,
                             const Ints& colind, const Floats& JT, const Ints& JT_rowadr, const Ints& JT_colind,
                             const Ints& id, const Ints& type, const Ints& address, const Ints& dim,
                             const Ints& on_cone, const Floats& cone_W, const Ints& shape, const Ints& place,
                             const Ints& low, const Ints& H_rowadr, const Floats& H, int world, int nv, int nrow,
                             bool coupled, int lane, int nlane) {
    OPAQUE(world);
    const Profile P = profile_of(shape, low, H_rowadr, H, world);
    const float *a = ROW(J), *W = ROW(cone_W);
    const int *nnz = WORLD(int, rownnz), *adr = WORLD(int, rowadr), *col = WORLD(int, colind);
    const int *to = WORLD(int, place), *contact = WORLD(int, id), *kind = WORLD(int, type);
    const int *begin = WORLD(int, address), *size = WORLD(int, dim), *on = WORLD(int, on_cone);
    const int* tree = (const int*)dof_treeid.data;
#if ONE_LANE
    // contact after contact: rows of W J, which have the columns of the contact's rows
    BandRuns runs;
    float made[CONE_NUMBERS * MANY_ENTRIES];
    const float one[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    bool wide = false;
    for (int r = 0; r < nrow; r++) {
        const int c = contact[r];
        if (kind[r] != CONE_NORMAL || !on[c]) continue;
        wide |= nnz[r] > MANY_ENTRIES;
        if (nnz[r] > MANY_ENTRIES) continue;
        const float *w = W + LD(cone_W) * c, *j = a + adr[r];
        const int n = nnz[r];
        for (int q = 0; q < size[c]; q++) {
            for (int e = 0; e < n; e++) {
                float s = 0.0f;
                for (int k = 0; k < size[c]; k++) s += w[CONE_NUMBERS * q + k] * j[k * n + e];
                made[q * n + e] = s;
            }
        }
        for (int q = 0; q < size[c]; q += 4)
            add_group(P, one, size[c] - q < 4 ? size[c] - q : 4, made + q * n, n, col + adr[r], n, to, tree, coupled,
                      runs);
    }
    if (!wide) return;
#endif
    const float* at = ROW(JT);
    const int *first = WORLD(int, JT_rowadr), *row = WORLD(int, JT_colind);
    for (int i = lane; i < nv; i += nlane) {
        for (int e = first[i]; e < first[i + 1]; e++) {
            const int r = row[e], c = contact[r];
            if (kind[r] < CONE_NORMAL || !on[c] || (ONE_LANE && nnz[r] <= MANY_ENTRIES)) continue;
            // row k of W'W says how the contact's rows go with this one
            const float* w = W + LD(cone_W) * c;
            for (int s = 0, k = r - begin[c]; s < size[c]; s++) {
                float weight = 0.0f;
                for (int q = 0; q < size[c]; q++) weight += w[CONE_NUMBERS * q + k] * w[CONE_NUMBERS * q + s];
                const int other = begin[c] + s;
                add_row_to(P, to[i], weight * at[e], a + adr[other], col + adr[other], nnz[other], to, tree,
                           coupled ? -1 : tree[i]);
            }
        }
    }
    SYNC();
}

#if ONE_LANE
// Blocks `low` to `top` of a row less c times those of four rows, of four rows at once, or of one row less c times one.
INLINE static void take_four(float* to, const float* c, const float* const* r, int low, int top) {
    for (int b = low; b < top; b += BLOCK) {
        V s = *(const V*)(to + b);
        s -= c[0] * *(const V*)(r[0] + b);
        s -= c[1] * *(const V*)(r[1] + b);
        s -= c[2] * *(const V*)(r[2] + b);
        s -= c[3] * *(const V*)(r[3] + b);
        *(V*)(to + b) = s;
    }
}

INLINE static void take_four_of_four(float* const* to, const float* c, const float* const* r, int low, int top) {
    for (int b = low; b < top; b += BLOCK) {
        const V r0 = *(const V*)(r[0] + b), r1 = *(const V*)(r[1] + b), r2 = *(const V*)(r[2] + b),
                r3 = *(const V*)(r[3] + b);
        for (int t = 0; t < 4; t++) {
            V s = *(const V*)(to[t] + b);
            s -= c[4 * t + 0] * r0;
            s -= c[4 * t + 1] * r1;
            s -= c[4 * t + 2] * r2;
            s -= c[4 * t + 3] * r3;
            *(V*)(to[t] + b) = s;
        }
    }
}

INLINE static void take_one(float* to, float c, const float* r, int low, int top) {
    for (int b = low; b < top; b += BLOCK) *(V*)(to + b) -= c * *(const V*)(r + b);
}

// The pivot of a row; one that rounding has taken all of is no smaller than a part of what it was.
INLINE static float positive(float d) {
    return d > 1e-12f ? d : d < -1e-12f ? -d : 1e-12f;
}

// Rows `first` to `last`, up to four of one block with the same first column: their factor.
INLINE static void factor_group(const Profile& P, int first, int last, float* inv) {
    const bool inside = first >= P.nb;
    const int top = last & ~(BLOCK - 1), low = inside ? P.low[last] : 0, side = inside ? P.nb : 0;
    for (int k = last; k >= first; k--) {
        float *r = P.band(k), *edge = P.border(k);
        inv[last - k] = reciprocal_root(positive(r[k]));
        for (int b = 0; b < side; b += BLOCK) *(V*)(edge + b) *= inv[last - k];
        for (int b = low; b < top; b += BLOCK) *(V*)(r + b) *= inv[last - k];
        *(V*)(r + top) = left(*(const V*)(r + top), k) * inv[last - k];
        for (int j = first; j < k; j++) {
            const float c = r[j];
            if (c == 0.0f) continue;
            take_one(P.border(j), c, edge, 0, side);
            take_one(P.band(j), c, r, low, top + BLOCK);
        }
    }
}

NOINLINE static void factor_profile(const Profile& P) {
    for (int last = P.n - 1, first; last >= 0; last = first - 1) {
        // rows that go together
        const int top = last & ~(BLOCK - 1);
        float inv[4];
        first = last;
        while (first > top && last - first < 3 && P.low[first - 1] == P.low[last]) first--;
        factor_group(P, first, last, inv);
        const bool inside = first >= P.nb;
        const int low = inside ? P.low[last] : 0, side = inside ? P.nb : 0;

        if (last - first == 3) {
            const float* r[4] = {P.band(last), P.band(last - 1), P.band(last - 2), P.band(last - 3)};
            const float* edge[4] = {P.border(last), P.border(last - 1), P.border(last - 2), P.border(last - 3)};
            // taken out of the rows to the left, and of the border's: of those of a block that have any part in them, four
            // at a time
            for (int block = low; block < first; block += BLOCK) {
                float *to[BLOCK], *ends[BLOCK], c[4 * BLOCK];
                int count = 0, t = 0;
                for (int j = block; j < block + BLOCK && j < first; j++) {
                    bool some = false;
                    for (int k = 0; k < 4; k++) some |= (c[4 * count + k] = r[k][j]) != 0.0f;
                    if (!some) continue;
                    to[count] = P.band(j);
                    ends[count++] = P.border(j);
                }
                for (; t + 4 <= count; t += 4) {
                    take_four_of_four(ends + t, c + 4 * t, edge, 0, side);
                    take_four_of_four(to + t, c + 4 * t, r, low, block + BLOCK);
                }
                for (; t < count; t++) {
                    take_four(ends[t], c + 4 * t, edge, 0, side);
                    take_four(to[t], c + 4 * t, r, low, block + BLOCK);
                }
            }
            for (int j = 0; j < side; j++) {
                const float c[4] = {edge[0][j], edge[1][j], edge[2][j], edge[3][j]};
                if (c[0] == 0.0f && c[1] == 0.0f && c[2] == 0.0f && c[3] == 0.0f) continue;
                take_four(P.border(j), c, edge, 0, (j & ~(BLOCK - 1)) + BLOCK);
            }
        } else {
            for (int k = last; k >= first; k--) {
                const float *r = P.band(k), *edge = P.border(k);
                for (int j = low; j < first; j++) {
                    if (r[j] == 0.0f) continue;
                    take_one(P.border(j), r[j], edge, 0, side);
                    take_one(P.band(j), r[j], r, low, (j & ~(BLOCK - 1)) + BLOCK);
                }
                for (int j = 0; j < side; j++)
                    if (edge[j] != 0.0f) take_one(P.border(j), edge[j], edge, 0, (j & ~(BLOCK - 1)) + BLOCK);
            }
        }
        for (int k = last; k >= first; k--) *(V*)(P.band(k) + top) += inv[last - k] * only(k);
    }
}

// x := (L'L)^-1 x over places.
NOINLINE static void solve_profile(const Profile& P, float* x, float* y) {
    for (int k = P.n - 1; k >= 0; k--) {
        const float *u = P.band(k), *edge = P.border(k);
        const float c = x[k] * u[k];
        const int side = k < P.nb ? 0 : P.nb, low = k < P.nb ? 0 : P.low[k];
        for (int b = 0; b < side; b += BLOCK) *(V*)(x + b) -= c * *(const V*)(edge + b);
        for (int b = low; b <= (k & ~(BLOCK - 1)); b += BLOCK) *(V*)(x + b) -= c * *(const V*)(u + b);
        y[k] = c;
    }
    V found = V{0};
    for (int k = 0; k < P.n; k++) {
        const float *u = P.band(k), *edge = P.border(k);
        const int top = k & ~(BLOCK - 1), side = k < P.nb ? 0 : P.nb, low = k < P.nb ? 0 : P.low[k];
        if (k == top) found = V{0};
        V s = *(const V*)(u + top) * found;
        for (int b = 0; b < side; b += BLOCK) s += *(const V*)(edge + b) * *(const V*)(x + b);
        for (int b = low; b < top; b += BLOCK) s += *(const V*)(u + b) * *(const V*)(x + b);
        x[k] = (y[k] - total(s)) * u[k];
        found += x[k] * only(k);
    }
}
#endif

// The factor of one tree, whose dofs have places f to f + n - 1, where trees are not coupled.
INLINE static void factor_tree(const Profile& P, int f, int n) {
    for (int k = f + n - 1; k >= f; k--) {
        float* r = P.band(k);
        const float inv = reciprocal_root(r[k]);
        for (int j = f; j < k; j++) r[j] *= inv;
        r[k] = inv;
        for (int j = f; j < k; j++)
            for (int i = f; i <= j; i++) P.band(j)[i] -= r[j] * r[i];
    }
}

// x := (L'L)^-1 x of one tree.
INLINE static void solve_tree(const Profile& P, float* x, int f, int n) {
    for (int k = f + n - 1; k >= f; k--) {
        const float* r = P.band(k);
        x[k] *= r[k];
        for (int j = f; j < k; j++) x[j] -= x[k] * r[j];
    }
    for (int k = f; k < f + n; k++) {
        const float* r = P.band(k);
        float s = x[k];
        for (int j = f; j < k; j++) s -= r[j] * x[j];
        x[k] = s * r[k];
    }
}

INLINE static void profile_factor(const Ints& tree_dofadr, const Ints& tree_dofnum, const Ints& shape, const Ints& low,
                                  const Ints& H_rowadr, const Floats& H, int world, int ntree, bool coupled, int lane,
                                  int nlane) {
    OPAQUE(world);
    const Profile P = profile_of(shape, low, H_rowadr, H, world);
    // trees that have nothing in common: lanes take them in turn
    if (!coupled) {
        for (int t = lane; t < ntree; t += nlane)
            factor_tree(P, ((const int*)tree_dofadr.data)[t], ((const int*)tree_dofnum.data)[t]);
        return;
    }
#if ONE_LANE
    factor_profile(P);
#else
    // row by row: scaled, then taken out of the rows to its left, whose numbers lanes take in turn
    for (int i = P.n - 1; i >= 0; i--) {
        const int side = i < P.nb ? 0 : P.nb, begin = i < P.nb ? 0 : P.low[i], width = side + i - begin;
        const float inv = reciprocal_root(P.band(i)[i]);
        SYNC();
        for (int k = lane; k <= width; k += nlane) {
            const int j = k < side ? k : begin + k - side;
            *P.at(i, j) = j == i ? inv : *P.at(i, j) * inv;
        }
        SYNC();
        for (int a = lane; a < width; a += nlane) {
            const int j = a < side ? a : begin + a - side;
            const float c = *P.at(i, j);
            if (c == 0.0f) continue;
            for (int b = 0; b <= a; b++) {
                const int k = b < side ? b : begin + b - side;
                *P.at(j, k) -= c * *P.at(i, k);
            }
        }
        SYNC();
    }
#endif
}

INLINE static void tree_solve(const Ints& tree_dofadr, const Ints& tree_dofnum, const Ints& shape, const Ints& low,
                              const Ints& H_rowadr, const Floats& H, const Floats& x, int world, int ntree, int lane,
                              int nlane) {
    OPAQUE(world);
    const Profile P = profile_of(shape, low, H_rowadr, H, world);
    for (int t = lane; t < ntree; t += nlane)
        solve_tree(P, ROW(x), ((const int*)tree_dofadr.data)[t], ((const int*)tree_dofnum.data)[t]);
}

INLINE static void profile_solve(const Ints& shape, const Ints& place, const Ints& low, const Ints& H_rowadr,
                                 const Floats& H, const Floats& x, const Floats& work, const Floats& half, int world,
                                 int nv, int lane, int nlane) {
    OPAQUE(world);
    const Profile P = profile_of(shape, low, H_rowadr, H, world);
    float *v = ROW(x), *u = ROW(work);
    const int* to = WORLD(int, place);
    // to the places, with zeros in those that fill up the border
    const int width = whole_blocks(P.n);
    for (int p = lane; p < width; p += nlane) u[p] = 0.0f;
    SYNC();
    for (int i = lane; i < nv; i += nlane) u[to[i]] = v[i];
    SYNC();
#if ONE_LANE
    solve_profile(P, u, ROW(half));
#else
    for (int k = P.n - 1; k >= 0; k--) {
        const int side = k < P.nb ? 0 : P.nb, begin = k < P.nb ? 0 : P.low[k], count = side + k - begin;
        const float c = u[k] * P.band(k)[k];
        SYNC();
        for (int a = lane; a < count; a += nlane) {
            const int j = a < side ? a : begin + a - side;
            u[j] -= c * *P.at(k, j);
        }
        if (lane == 0) u[k] = c;
        SYNC();
    }
    for (int k = 0; k < P.n; k++) {
        // the row's sum, of which every lane has a share
        const int side = k < P.nb ? 0 : P.nb, begin = k < P.nb ? 0 : P.low[k], count = side + k - begin;
        float s = 0.0f;
        for (int a = lane; a < count; a += nlane) {
            const int j = a < side ? a : begin + a - side;
            s += *P.at(k, j) * u[j];
        }
        s = team_sum(half, world, s);
        if (lane == 0) u[k] = (u[k] - s) * P.band(k)[k];
        SYNC();
    }
#endif
    // and back to the dofs
    for (int i = lane; i < nv; i += nlane) v[i] = u[to[i]];
    SYNC();
}
