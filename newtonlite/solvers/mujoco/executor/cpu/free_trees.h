// Trees that no constraint row acts on: qacc = M^-1 qfrc_smooth, with one step of iterative refinement.
//
// Such a tree is no island and has no row, so that its solution is the smooth acceleration (docs/decisions/0023). Trees
// of up to six dofs, as free bodies are, are solved 16 at a time, one in each SIMD lane.
#pragma once
#include "island_tables.h"

typedef double Wide __attribute__((vector_size(64)));
typedef float Narrow __attribute__((vector_size(32), aligned(4)));

// A b, in double precision.
INLINE static double product(const float* a, const float* b, int n) {
    Wide sums = Wide{0};
    int j = 0;
    for (; j + 8 <= n; j += 8)
        sums += __builtin_convertvector(*(const Narrow*)(a + j), Wide) *
                __builtin_convertvector(*(const Narrow*)(b + j), Wide);
    double sum = 0.0;
    for (int k = 0; k < 8; k++) sum += sums[k];
    for (; j < n; j++) sum += (double)a[j] * (double)b[j];
    return sum;
}

enum { FEW_DIGITS = 20000 };  // ratio of inertia to pivot beyond which digits are lost (lost_digits.py)

// A tree of any size; rows and columns count from the block in which it begins.
INLINE static bool solve_free_tree(const IslandCall& c, int world, int tree) {
    // the tree may begin within a block: rows and columns before it are not its own, and are left out
    const int first = ((const int*)c.tree_dofadr.data)[tree], low = first & ~(BLOCK - 1), begin = first - low;
    const int n = begin + ((const int*)c.tree_dofnum.data)[tree], ld = whole_blocks(n), lm = LD(c.of.M);
    const float *M = ROW(c.of.M) + low * lm + low, *f = ROW(c.qfrc_smooth) + low;
    float *U = (float*)c.H.data, *x = (float*)c.work.data;
    float *qacc = ROW(c.qacc) + low, *smooth = ROW(c.qacc_smooth) + low, *force = ROW(c.qfrc_constraint) + low;
    int *block = (int*)c.H_block.data, *end = (int*)c.island.dof_end.data;

    // right side, and tables counted from the block
    for (int b = 0; b < ld; b += BLOCK) *(V*)(x + b) = V{0};
    for (int i = begin; i < n; i++) {
        block[2 * i] = 0;
        end[i] = ((const int*)c.of.dof_end.data)[low + i] - low;
        x[i] = f[i];
    }

    // L'L x = f
    factor_tree_one_lane(M, U, block, end, lm, ld, n, begin);
    solve_one_lane(U, x, smooth, block, ld, n, begin);
    for (int i = begin; i < n; i++) qacc[i] = x[i];

    // refinement: solve again for what M qacc lacks of f, in double
    for (int i = begin; i < n; i++) x[i] = (float)((double)f[i] - product(M + i * lm + begin, qacc + begin, n - begin));
    solve_one_lane(U, x, smooth, block, ld, n, begin);
    for (int i = begin; i < n; i++) {
        qacc[i] = smooth[i] = qacc[i] + x[i];
        force[i] = 0.0f;
    }
    bool lost = false;
    for (int i = begin; i < n; i++) lost |= M[i * lm + i] * U[i * ld + i] * U[i * ld + i] > (float)FEW_DIGITS;
    return lost;
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
        // column j: the pivot less what earlier columns take
        V d = t.inertia(j, j);
        V scaled[SMALL];
        for (int k = 0; k < j; k++) {
            scaled[k] = L[j][k];
            L[j][k] *= L[k][k];
            d -= scaled[k] * L[j][k];
        }
        // a pivot that rounding has left nothing of counts as 1e-12
        const VI large = d > 1e-12f;
        L[j][j] = 1.0f / (large ? d : V{} + 1e-12f);
        // the rest of the column, scaled when it is used
        for (int i = j + 1; i < SMALL; i++) {
            V s = t.inertia(i, j);
            for (int k = 0; k < j; k++) s -= L[i][k] * L[j][k];
            L[i][j] = s;
        }
    }
}

// The same for up to 16 trees of up to six dofs.
INLINE static bool solve_small_trees(const IslandCall& c, int world, const int* trees, int count) {
    const int *adr = (const int*)c.tree_dofadr.data, *num = (const int*)c.tree_dofnum.data;
    const int lm = LD(c.of.M);
    const float *M = ROW(c.of.M), *f = ROW(c.qfrc_smooth);
    float *qacc = ROW(c.qacc), *smooth = ROW(c.qacc_smooth), *force = ROW(c.qfrc_constraint);

    // an identity where a tree has fewer than six dofs: it solves to 0 and disturbs nothing
    SmallTrees t;
    for (int i = 0; i < SMALL; i++) {
        for (int j = 0; j <= i; j++) t.inertia(i, j) = V{} + (i == j ? 1.0f : 0.0f);
        t.vector(i) = V{0};
    }

    // gather: dof i of tree k is lane k of vector i
    for (int k = 0; k < count; k++) {
        const int first = adr[trees[k]];
        for (int i = 0; i < num[trees[k]]; i++) {
            for (int j = 0; j <= i; j++) t.M[i][j][k] = M[(first + i) * lm + first + j];
            t.x[i][k] = f[first + i];
        }
    }

    // factor and solve in all lanes at once
    V L[SMALL][SMALL], x[SMALL], left[SMALL];
    factor_small(t, L);
    for (int i = 0; i < SMALL; i++) x[i] = t.vector(i);
    solve_small(L, x);

    // refinement, with residuals in double
    for (int i = 0; i < SMALL; i++) {
        WideV sum = __builtin_convertvector(t.vector(i), WideV);
        for (int j = 0; j < SMALL; j++)
            sum -= __builtin_convertvector(t.inertia(i > j ? i : j, i > j ? j : i), WideV) *
                   __builtin_convertvector(x[j], WideV);
        left[i] = __builtin_convertvector(sum, V);
    }
    solve_small(L, left);
    for (int i = 0; i < SMALL; i++) t.vector(i) = x[i] + left[i];

    // and back to the trees
    for (int k = 0; k < count; k++) {
        const int first = adr[trees[k]];
        for (int i = 0; i < num[trees[k]]; i++) {
            qacc[first + i] = smooth[first + i] = t.x[i][k];
            force[first + i] = 0.0f;
        }
    }
    VI lost = VI{0};
    for (int i = 0; i < SMALL; i++) lost |= t.inertia(i, i) * L[i][i] > (float)FEW_DIGITS;
    int any = 0;
    for (int k = 0; k < WIDTH; k++) any |= lost[k];
    return any != 0;
}

// All trees that no constraint row acts on; returns whether a factor has lost its digits.
INLINE static bool solve_free_trees(const IslandCall& c, int world, const int* trees, int count) {
    int small[WIDTH], found = 0;
    bool lost = false;
    for (int k = 0; k < count; k++) {
        if (((const int*)c.tree_dofnum.data)[trees[k]] > SMALL) {
            lost |= solve_free_tree(c, world, trees[k]);
            continue;
        }
        // small trees wait until there are 16 of them
        small[found++] = trees[k];
        if (found == WIDTH) {
            lost |= solve_small_trees(c, world, small, found);
            found = 0;
        }
    }
    if (found) lost |= solve_small_trees(c, world, small, found);
    return lost;
}
