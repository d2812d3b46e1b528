"""Solver work arrays."""

import warp as wp

from newtonlite.core.field import Field as F

vec2i = wp.vec2i

MODEL = (
    F("nfwdinv", int, None, "1 where forward and inverse dynamics are compared", "size"),
    F("nislandtree", int, None, "trees, where solvers go island by island", "size"),
)

DATA = (
    F("solver_fwdinv", wp.vec2, "", "forward less inverse dynamics: constraint forces, all other forces", "output"),
    F("qfrc_inverse", float, "nvp", "force that an acceleration asks for, by the inverse program", "output"),
    F("island_row", int, "njmax", "rows by island", "scratch"),
    F("island_adr", int, "nislandtree1", "first of the rows of each island in island_row", "scratch"),
    F("island_tree", int, "ntree", "trees by island, those without one first", "scratch"),
    F("island_treeadr", int, "nislandtree1", "first of the trees of each island in island_tree", "scratch"),
    F("island_done", int, "nislandtree1", "how its search ended: primal.OPEN, DONE or EXACT", "scratch"),
    F("island_alpha", float, "nislandtree1", "how far along the direction it goes", "scratch"),
    F(
        "island_before",
        wp.vec2,
        "nislandtree1",
        "grad' M^-1 grad and grad' search of its last conjugate direction",
        "scratch",
    ),
    F("solver_status", int, "", "whether a later stage has to go on: status.SolverStatus", "scratch"),
    F("ndual", int, None, "rows up to which the solver works in constraint space", "size"),
    F("pgs_force", wp.float64, "npgs", "row forces of sweeps", "scratch"),
    F("pgs_force_previous", wp.float64, "npgs", "those of the sweep before", "scratch"),
    F("pgs_force_start", wp.float64, "npgs", "those that the sweep began at", "scratch"),
    F("pgs_residual", wp.float64, "npgs", "(A + R) f + b", "scratch"),
    F("pgs_residual_previous", wp.float64, "npgs", "that of the sweep before", "scratch"),
    F("cg_search", float, "nvcg", "last direction of conjugate gradients", "scratch"),
    F("cg_Mgrad", float, "nvcg", "M^-1 grad at the last iterate", "scratch"),
    F("H", float, "nv nvp", "M + J'DJ, then its factor", "scratch"),
    F("H_block", vec2i, "nv", "first and last+1 block of 16 columns of each row of H", "scratch"),
    F("block_lo", int, "nblock", "lowest block of 16 dofs that contacts couple to this one", "scratch"),
    F("efc_active", float, "njp", "curvature of the row's cost", "scratch"),
    F("jar", float, "njp", "J qacc - aref", "scratch"),
    F("jv", float, "njp", "J search", "scratch"),
    F("Ma", float, "nvp", "M qacc", "scratch"),
    F("Mv", float, "nvp", "M search", "scratch"),
    F("grad", float, "nvp", "gradient", "scratch"),
    F("search", float, "nvp", "Newton direction", "scratch"),
    F(
        "cone_W",
        float,
        "ncone 36",
        "square root of a cone's Hessian: row k is a combination of the contact's rows",
        "scratch",
    ),
    F("work", float, "nvp", "work vector of triangular solves", "scratch"),
    F("B", float, "nv nda", "half-solved rows L^-T [J', qfrc_smooth]", "scratch"),
    F("efc_A", float, "nda nda", "J M^-1 J', and J qacc_smooth in the column after the last row", "scratch"),
    F("efc_b", float, "nda", "J qacc_smooth - aref", "scratch"),
    F("efc_K", float, "nka nka", "system of the active rows, then its factor", "scratch"),
    F("K_block", vec2i, "nka", "zero: rows of efc_K are full", "scratch"),
    F("efc_index", int, "nda", "active rows", "scratch"),
    F("efc_root", float, "nda", "square roots of the active rows' curvatures", "scratch"),
    F("rhs", float, "nda", "right-hand side in constraint space", "scratch"),
    F("rhs_work", float, "nda", "work vector of solves in constraint space", "scratch"),
    F("dual", float, "nda", "row forces of the iterate", "scratch"),
    F("A_dual", float, "nda", "A dual", "scratch"),
    F("target", float, "nda", "row forces that are optimal on the present pieces", "scratch"),
    F("A_target", float, "nda", "A target", "scratch"),
    F("jar_target", float, "nda", "jar at the target", "scratch"),
)
