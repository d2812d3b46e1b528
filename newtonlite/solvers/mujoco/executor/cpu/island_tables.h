// An island call's tables: arrays of a world and of one of its islands (island_call.py).
#pragma once
#include "../../kernels/primitives/factor.h"

// What is copied for every dof, constraint row or contact of an island: `size` bytes each.
struct Copy {
    wp::array_t<char> world, island;
    long long size;
};

struct Copies {
    const Copy* list;
    long long count;
};

enum { MANY = -2 };  // in place of the trees of a row that may act on any number of them (island_ids.py)

// Numbers in views of an island that depend on its size: dofs, trees, blocks of 16 dofs, rows up to which it is solved
// in constraint space, bytes of a matrix row over dofs and of one over constraint rows.
enum { NV, NTREE, NBLOCK, NDUAL, DOF_ROW, EFC_ROW, NSIZE };
struct Place {
    int* number;
    long long what;
};

// What a solver reads of a problem, a world's or an island's, that is not copied as it is.
struct Problem {
    Ints nefc, ne, nf, nl, ncon, solver_niter, lost_digits;
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
    int nplace, nkernel, nv, ndual, by_dofs;
};
