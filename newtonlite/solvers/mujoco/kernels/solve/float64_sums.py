"""Float64 sums over float32 numbers: the gradient of the last refinement, and the residuals of PGS.

``M x - qfrc_smooth - J' f``, ``J x - aref`` and ``A f + b`` are differences of numbers far larger than themselves, of
which float32 sums lose the digits.
"""

import warp as wp

from newtonlite.core.native import header
from newtonlite.solvers.mujoco.kernels.constraint.row import HALF_QUADRATIC
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, A2, B2, D1, I1

native = header(__file__, HALF_QUADRATIC=HALF_QUADRATIC)


@wp.func_native(native("row_residuals"))
def row_residuals(
    J: A2, row_block: B2, x: A1, aref: A1, jar: A1, low: A1, world: int, nrow: int, lane: int, nlane: int
):
    """``jar + low = J x - aref``: the rounded difference, and what rounding took off."""
    ...


@wp.func_native(native("gradient_sums_float64"))
def gradient_sums_float64(
    M: A2,
    dof_block: wp.array[wp.vec2i],
    x: A1,
    smooth: A1,
    J: A2,
    row_block: B2,
    type: I1,
    force: A1,
    active: A1,
    jar: A1,
    low: A1,
    constraint: A1,
    grad: A1,
    world: int,
    n: int,
    nrow: int,
    lane: int,
    nlane: int,
):
    """``constraint = M x - smooth`` and ``grad = constraint - J' f``, each rounded once; ``f`` is ``-active (jar +
    low)``, or ``force`` of other rows, with ``low`` added in cones (types 3 and 4).
    """
    ...


@wp.func_native(native("half_solve_gradient"))
def half_solve_gradient(
    L: A2,
    dof_end: wp.array[int],
    dof_parentid: wp.array[int],
    grad: A1,
    B: A2,
    y: A1,
    world: int,
    n: int,
    nrow: int,
    lane: int,
    nlane: int,
):
    """In place ``grad := L^-T grad``; its negative is column ``nrow`` of ``B``, and ``y = J M^-1 grad`` of the gradient
    before.
    """
    ...


@wp.func_native(native("add_row_float64"))
def add_row_float64(A: A2, row: int, scale: wp.float64, y: D1, world: int, nrow: int, lane: int, nlane: int):
    """``y += scale A[row]``; ``y`` has room for whole blocks of 8."""
    ...
