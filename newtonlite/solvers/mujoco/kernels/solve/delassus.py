"""Delassus matrix ``A = J M^-1 J'`` from half-solved rows, and the system of the active rows.

With ``M = L'L``, ``B = L^-T [J' , qfrc_smooth]`` gives ``A = B'B`` and, in its last column, ``J qacc_smooth``.
Rows stay side by side in memory, so one lane (or one vector element) works on one constraint row.

MuJoCo documentation, Computation: Dual problem.  ``dual_newton``, ``pgs``
and ``noslip`` iterate with it.  ``efc_A`` is ``A`` alone: MuJoCo's ``efc_AR`` has ``R`` on its diagonal.
"""

import warp as wp

from newtonlite.core.native import header
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, A2, B1, B2, I1

native = header(__file__)


@wp.func_native(native("half_solve_rows"))
def half_solve_rows(
    J: A2,
    row_block: B2,
    smooth: A1,
    L: A2,
    dof_end: wp.array[int],
    B: A2,
    world: int,
    nrow: int,
    n: int,
    lane: int,
    nlane: int,
):
    """``B = L^-T [J', smooth]``, each dof from those of its subtree; column ``nrow`` belongs to the smooth force."""
    ...


@wp.func_native(native("delassus"))
def delassus(B: A2, row_block: B2, A: A2, world: int, nrow: int, n: int, lane: int, nlane: int):
    """``A = B'B``: rows 0 to nrow - 1, columns 0 to nrow; a row of B' reaches no further than that of J it is made of.
    The arrays have room for 4 rows and 16 columns more.
    """
    ...


@wp.func_native(native("delassus_mul"))
def delassus_mul(A: A2, force: A1, y: A1, world: int, nrow: int, lane: int, nlane: int):
    """``y = A force``."""
    ...


@wp.func_native(native("active_system"))
def active_system(
    A: A2,
    active: A1,
    force: A1,
    b: A1,
    K: A2,
    K_block: B1,
    rhs: A1,
    root: A1,
    index: I1,
    world: int,
    nrow: int,
    lane: int,
    nlane: int,
) -> int:
    """``K = I + G'AG`` and ``rhs = -G'(b + A c)`` over the active rows, ``G = sqrt(active)``.

    ``c`` are the forces of saturated rows, ``root`` the diagonal of G.  Returns how many rows are active and lists them
    in ``index``.
    """
    ...


@wp.func_native(native("spread_forces"))
def spread_forces(
    active: A1,
    force: A1,
    rhs: A1,
    root: A1,
    index: I1,
    target: A1,
    world: int,
    nrow: int,
    count: int,
    lane: int,
    nlane: int,
):
    """Row forces from the solution of the active system: ``G y``, saturated rows keep theirs."""
    ...


@wp.func_native(native("dual_acceleration"))
def dual_acceleration(
    B: A2,
    force: A1,
    L: A2,
    dof_parentid: wp.array[int],
    dof_end: wp.array[int],
    x: A1,
    world: int,
    nrow: int,
    n: int,
    lane: int,
    nlane: int,
):
    """``x = M^-1 (smooth + J' force) = L^-1 B [force, 1]``; B is zero from there to the end of the block."""
    ...
