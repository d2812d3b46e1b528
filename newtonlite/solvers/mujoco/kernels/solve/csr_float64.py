"""Float64 sums over compressed sparse rows: as ``float64_sums``, for rows that are kept sparse (``compressed_rows``)."""

import warp as wp

from newtonlite.core.native import header
from newtonlite.solvers.mujoco.kernels.constraint.row import HALF_QUADRATIC
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, A2, I1, INDEX

native = header(__file__, HALF_QUADRATIC=HALF_QUADRATIC)


@wp.func_native(native("csr_residuals"))
def csr_residuals(
    J: A2,
    rownnz: I1,
    rowadr: I1,
    colind: I1,
    x: A1,
    aref: A1,
    jar: A1,
    low: A1,
    world: int,
    nrow: int,
    lane: int,
    nlane: int,
):
    """``jar + low = J x - aref`` in double: the rounded difference, and what rounding took off."""
    ...


@wp.func_native(native("csr_gradient_float64"))
def csr_gradient_float64(
    M: A2,
    dof_block: wp.array[wp.vec2i],
    coupled_rowadr: INDEX,
    coupled_colind: INDEX,
    couplings: A1,
    x: A1,
    smooth: A1,
    JT: A1,
    JT_rowadr: I1,
    JT_colind: I1,
    type: I1,
    force: A1,
    active: A1,
    jar: A1,
    low: A1,
    constraint: A1,
    grad: A1,
    world: int,
    n: int,
    lane: int,
    nlane: int,
):
    """As ``float64_sums.gradient_sums_float64``, with ``J' f`` by the columns' entries."""
    ...
