"""Constraint rows."""

import warp as wp

from newtonlite.core.field import Field as F

vec4i = wp.vec4i

MODEL = (
    F("nsparse", int, None, "1 where rows, inertia and Hessian are sparse: models of many dofs", "size"),
    F("nfriction", int, None, "dofs with dry friction", "size"),
    F("nlimit", int, None, "joints with limits", "size"),
    F("friction_dof", int, "nfriction", "dofs with dry friction", "index"),
    F("limit_jnt", int, "nlimit", "joints with limits", "index"),
)

DATA = (
    F("njmax", int, None, "constraint rows that fit, per world", "size"),
    F("ne", int, "", "equality rows", "scratch"),
    F("nf", int, "", "friction loss rows", "scratch"),
    F("nl", int, "", "limit rows", "scratch"),
    F("nf_dof", int, "", "friction loss rows of dofs; the others are tendons'", "scratch"),
    F("nl_jnt", int, "", "limit rows of joints; the others are tendons'", "scratch"),
    F(
        "efc_cost",
        int,
        "njp",
        "0 equality, 1 friction loss, 2 one-sided, 3 first and 4 other rows of an elliptic cone",
        "scratch",
    ),
    F(
        "efc_id",
        int,
        "njmax",
        "equality, dof, tendon, joint, tendon or contact, as its place among the rows says",
        "scratch",
    ),
    F("nJ", int, "", "entries of sparse rows", "scratch"),
    F("efc_J", float, "nJrow nJcol", "Jacobian; of sparse rows their entries, one after the other", "scratch"),
    F("efc_J_rownnz", int, "nsparserow", "entries of a sparse row", "scratch"),
    F("efc_J_rowadr", int, "nsparserow", "first entry of a sparse row", "scratch"),
    F("efc_J_rowsuper", int, "nsparserow", "rows that follow a sparse row with the same columns", "scratch"),
    F("efc_J_colind", int, "njnnz", "dof of an entry; a row may have several of one dof", "scratch"),
    F("efc_JT", float, "njnnz", "the same entries by dofs, those of a dof in the order of rows", "scratch"),
    F("efc_JT_rowadr", int, "nsparsedof1", "first entry of each dof in efc_JT", "scratch"),
    F("efc_JT_colind", int, "njnnz", "row of an entry of efc_JT", "scratch"),
    F(
        "efc_block",
        vec4i,
        "njmax",
        "first and last+1 block of 16 columns in use, of one or two stretches; the second may be empty",
        "scratch",
    ),
    F("efc_pos", float, "njp", "violation", "scratch"),
    F("efc_margin", float, "njp", "distance below which the row is active [m, rad]", "scratch"),
    F("efc_D", float, "njp", "1/R", "scratch"),
    F("efc_R", float, "njp", "regularisation", "scratch"),
    F("efc_vel", float, "njp", "J qvel", "scratch"),
    F("efc_aref", float, "njp", "reference acceleration", "scratch"),
    F("efc_frictionloss", float, "njp", "bound on the force of a friction row [N, N m]", "scratch"),
    F("efc_force", float, "njp", "force of the row [N, N m]", "scratch"),
    F("qfrc_constraint", float, "nvp", "J' f", "scratch"),
)
