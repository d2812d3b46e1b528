"""Dense primitives of a team, written for vector units.

Rows over nv are padded to 16 floats and zero in the pad, so every loop runs over whole blocks of 16 columns; blocks
that a kinematic tree cannot reach are never touched (``block`` arrays hold first and last+1 block of each row).
``factor`` has those that factor and solve, ``reference.dense`` the same functions in plain Warp.
"""

import warp as wp

from newtonlite.core.native import header
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, A2, B1, B2

native = header(__file__)


@wp.func_native(native("mass_rows"))
def mass_rows(
    cdof: wp.array2d[wp.spatial_vector],
    force: wp.array2d[wp.spatial_vector],
    ancestor: A1,
    armature: A1,
    dof_block: wp.array[wp.vec2i],
    M: A2,
    world: int,
    n: int,
    lane: int,
    nlane: int,
):
    """``M[i, j] = cdof_j . force_i`` on ancestors, zero elsewhere in the row's blocks, plus armature on the diagonal.

    What is outside of them is not to be read. ``dof_block`` says where they are, and does not fall from row to row.
    """
    ...


@wp.func_native(native("sym_mul"))
def sym_mul(A: A2, dof_block: wp.array[wp.vec2i], x: A1, y: A1, world: int, n: int, lane: int, nlane: int):
    """``y = A x`` for a symmetric matrix with one block per tree."""
    ...


@wp.func_native(native("rows_mul"))
def rows_mul(J: A2, row_block: B2, x: A1, y: A1, world: int, nrow: int, lane: int, nlane: int):
    """``y = J x`` over ``nrow`` rows."""
    ...


@wp.func_native(native("rows_mul_t"))
def rows_mul_t(J: A2, row_block: B2, force: A1, y: A1, world: int, nrow: int, lane: int, nlane: int):
    """``y = J' force`` over ``nrow`` rows."""
    ...


@wp.func_native(native("copy_rows"))
def copy_rows(A: A2, dof_block: wp.array[wp.vec2i], row_block: B1, H: A2, world: int, n: int, lane: int, nlane: int):
    """Lower blocks of ``A`` into ``H``, as far left as ``row_block`` says; zeros left of those that ``A`` has."""
    ...


@wp.func_native(native("add_rows"))
def add_rows(J: A2, row_block: B2, weight: A1, H: A2, world: int, nrow: int, n: int, lane: int, nlane: int):
    """``H += J' diag(weight) J`` on the lower triangle; rows of weight 0 cost nothing."""
    ...


@wp.func_native(native("add_combined_row"))
def add_combined_row(
    J: A2,
    row_block: B2,
    coef: A2,
    coef0: int,
    row: int,
    dim: int,
    H: A2,
    work: A1,
    world: int,
    n: int,
    lane: int,
    nlane: int,
):
    """``H += a a'`` with ``a`` the combination ``coef[coef0 ...]`` of ``dim`` rows from ``row`` on."""
    ...


@wp.func_native(native("zero_rows"))
def zero_rows(J: A2, world: int, row: int, nrow: int, lo: int, hi: int, lane: int, nlane: int):
    """Clear blocks ``lo`` to ``hi`` of ``nrow`` rows from ``row`` on."""
    ...
