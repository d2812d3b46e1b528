"""PGS updates: the best force of one row, or of one contact, with all others held.

The dual problem is ``min f'(A + soft R) f / 2 + f'b`` over the forces that rows may have. Forces and slopes are in
double, since sweeps end by what the last of them gained: the square of a small step.
"""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.kernels.constraint.row import HALF_QUADRATIC, HUBER
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.float64_sums import add_row_float64
from newtonlite.solvers.mujoco.kernels.solve.qcqp import mat55, solve_qcqp, vec5

vec6 = wp.types.vector(length=6, dtype=wp.float64)
NONE = wp.constant(wp.float64(0.0))
HALF = wp.constant(wp.float64(0.5))
ONE = wp.constant(wp.float64(1.0))
TINY = wp.constant(wp.float64(1.0e-15))
SOFT = wp.constant(wp.float64(1.0))
HARD = wp.constant(wp.float64(0.0))
"""Whether rows give way by their regularization, or not at all."""


@wp.func
def stiffness(m: Any, d: Any, world: int, r: int, c: int, soft: wp.float64) -> wp.float64:
    """Entry of ``A + soft R``."""
    s = wp.float64(d.efc_A[world, r, c])
    if r == c:
        s += soft * wp.float64(d.efc_R[world, r])
    return s


@wp.func
def pgs_residuals(m: Any, d: Any, world: int, nrow: int, soft: wp.float64, lane: int, nlane: int):
    """``pgs_residual``: ``(A + soft R) f + b``."""
    for r in range(lane, nrow, nlane):
        d.pgs_residual[world, r] = (
            wp.float64(d.efc_b[world, r]) + soft * wp.float64(d.efc_R[world, r]) * d.pgs_force[world, r]
        )
    sync()
    for r in range(nrow):
        f = d.pgs_force[world, r]
        if f != NONE:
            add_row_float64(d.efc_A, r, f, d.pgs_residual, world, nrow, lane, nlane)
    sync()


@wp.func
def update_force(
    m: Any, d: Any, world: int, r: int, step: wp.float64, nrow: int, soft: wp.float64, lane: int, nlane: int
):
    """Add a step to the force of a row, and what it does to all slopes."""
    if step != NONE:
        add_row_float64(d.efc_A, r, step, d.pgs_residual, world, nrow, lane, nlane)
        if r % nlane == lane:  # who adds to its slope there, too
            d.pgs_residual[world, r] = d.pgs_residual[world, r] + soft * wp.float64(d.efc_R[world, r]) * step
            d.pgs_force[world, r] = d.pgs_force[world, r] + step


@wp.func
def update_rows(
    m: Any, d: Any, world: int, row: int, n: int, step: vec6, nrow: int, soft: wp.float64, lane: int, nlane: int
) -> wp.float64:
    """``change`` of ``n`` rows; returns by how much the cost falls."""
    fall = wp.float64(0.0)
    for i in range(n):
        fall -= step[i] * d.pgs_residual[world, row + i]
        for j in range(n):
            fall -= HALF * step[i] * stiffness(m, d, world, row + i, row + j, soft) * step[j]
    sync()
    for i in range(n):
        update_force(m, d, world, row + i, step[i], nrow, soft, lane, nlane)
    sync()
    return fall


@wp.func
def update_scalar(m: Any, d: Any, world: int, r: int, soft: wp.float64) -> vec6:
    """To the best force of one row within its bounds."""
    old = d.pgs_force[world, r]
    f = old - d.pgs_residual[world, r] / wp.max(TINY, stiffness(m, d, world, r, r, soft))
    kind = d.efc_cost[world, r]
    if kind == HUBER:
        bound = wp.float64(d.efc_frictionloss[world, r])
        f = wp.clamp(f, -bound, bound)
    elif kind == HALF_QUADRATIC:
        f = wp.max(NONE, f)
    step = vec6()
    step[0] = f - old
    return step


@wp.func
def update_friction_qcqp(m: Any, d: Any, world: int, row: int, soft: wp.float64) -> vec6:
    """To the best friction of an elliptic contact under its normal force: of the rows from the second on."""
    c = d.efc_id[world, row]
    n = d.contact_dim[world, c] - 1
    friction = vec5()
    a = mat55()
    b = vec5()
    for i in range(n):
        friction[i] = wp.float64(d.contact_friction[world, c][i])
    for i in range(n):
        b[i] = friction[i] * d.pgs_residual[world, row + 1 + i]
        for j in range(n):
            a[i, j] = friction[i] * friction[j] * stiffness(m, d, world, row + 1 + i, row + 1 + j, soft)
            b[i] = b[i] - a[i, j] * d.pgs_force[world, row + 1 + j] / friction[j]
    x = solve_qcqp(a, b, n, wp.max(NONE, d.pgs_force[world, row]))
    step = vec6()
    for i in range(n):
        step[i] = friction[i] * x[i] - d.pgs_force[world, row + 1 + i]
    return step


@wp.func
def update_ray(m: Any, d: Any, world: int, row: int, n: int) -> vec6:
    """To the best size of an elliptic contact's force in its present direction, or along the normal.

    A contact without force that only friction would wake stays asleep, as MuJoCo's does.
    """
    normal = d.pgs_force[world, row]
    ray = vec6()
    ray[0] = ONE
    if normal > TINY:
        for i in range(n):
            ray[i] = d.pgs_force[world, row + i] / normal
    along = wp.float64(0.0)
    stiff = wp.float64(0.0)
    for i in range(n):
        along += ray[i] * d.pgs_residual[world, row + i]
        for j in range(n):
            stiff += ray[i] * ray[j] * stiffness(m, d, world, row + i, row + j, SOFT)
    return (wp.max(NONE, normal - along / wp.max(TINY, stiff)) - normal) * ray
