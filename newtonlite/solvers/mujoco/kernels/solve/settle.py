"""Steps to the best force of one row, or of one contact, while all others are held: what sweeps over rows are made of.

The dual problem is ``min f'(A + soft R) f / 2 + f'b`` over the forces that rows may have. Forces and slopes are in double, since sweeps end by what
the last of them gained: the square of a small step.
"""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.kernels.constraint.row import FRICTION, ONE_SIDED
from newtonlite.solvers.mujoco.kernels.solve.disc import least_on_disc, mat55, vec5
from newtonlite.solvers.mujoco.kernels.solve.wide import add_wide_row
from newtonlite.solvers.mujoco.kernels.team import sync

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
def slopes(m: Any, d: Any, world: int, nrow: int, soft: wp.float64, lane: int, nlane: int):
    """``sweep_slope``: ``(A + soft R) f + b``."""
    for r in range(lane, nrow, nlane):
        d.sweep_slope[world, r] = wp.float64(d.efc_b[world, r]) + soft * wp.float64(d.efc_R[world, r]) * d.sweep_force[world, r]
    sync()
    for r in range(nrow):
        f = d.sweep_force[world, r]
        if f != NONE:
            add_wide_row(d.efc_A, r, f, d.sweep_slope, world, nrow, lane, nlane)
    sync()


@wp.func
def change(m: Any, d: Any, world: int, r: int, step: wp.float64, nrow: int, soft: wp.float64, lane: int, nlane: int):
    """Add a step to the force of a row, and what it does to all slopes."""
    if step != NONE:
        add_wide_row(d.efc_A, r, step, d.sweep_slope, world, nrow, lane, nlane)
        if r % nlane == lane:  # who adds to its slope there, too
            d.sweep_slope[world, r] = d.sweep_slope[world, r] + soft * wp.float64(d.efc_R[world, r]) * step
            d.sweep_force[world, r] = d.sweep_force[world, r] + step


@wp.func
def step_rows(
    m: Any, d: Any, world: int, row: int, n: int, step: vec6, nrow: int, soft: wp.float64, lane: int, nlane: int
) -> wp.float64:  # fmt: skip
    """``change`` of ``n`` rows; returns by how much the cost falls."""
    fall = wp.float64(0.0)
    for i in range(n):
        fall -= step[i] * d.sweep_slope[world, row + i]
        for j in range(n):
            fall -= HALF * step[i] * stiffness(m, d, world, row + i, row + j, soft) * step[j]
    sync()
    for i in range(n):
        change(m, d, world, row + i, step[i], nrow, soft, lane, nlane)
    sync()
    return fall


@wp.func
def row_step(m: Any, d: Any, world: int, r: int, soft: wp.float64) -> vec6:
    """To the best force of one row within its bounds."""
    old = d.sweep_force[world, r]
    f = old - d.sweep_slope[world, r] / wp.max(TINY, stiffness(m, d, world, r, r, soft))
    kind = d.efc_type[world, r]
    if kind == FRICTION:
        bound = wp.float64(d.efc_frictionloss[world, r])
        f = wp.clamp(f, -bound, bound)
    elif kind == ONE_SIDED:
        f = wp.max(NONE, f)
    step = vec6()
    step[0] = f - old
    return step


@wp.func
def slip_step(m: Any, d: Any, world: int, row: int, soft: wp.float64) -> vec6:
    """To the best friction of an elliptic contact under its normal force: of the rows from the second on."""
    c = d.efc_id[world, row]
    n = d.contact_dim[world, c] - 1
    friction = vec5()
    a = mat55()
    b = vec5()
    for i in range(n):
        friction[i] = wp.float64(d.contact_friction[world, c][i])
    for i in range(n):
        b[i] = friction[i] * d.sweep_slope[world, row + 1 + i]
        for j in range(n):
            a[i, j] = friction[i] * friction[j] * stiffness(m, d, world, row + 1 + i, row + 1 + j, soft)
            b[i] = b[i] - a[i, j] * d.sweep_force[world, row + 1 + j] / friction[j]
    x = least_on_disc(a, b, n, wp.max(NONE, d.sweep_force[world, row]))
    step = vec6()
    for i in range(n):
        step[i] = friction[i] * x[i] - d.sweep_force[world, row + 1 + i]
    return step


@wp.func
def ray_step(m: Any, d: Any, world: int, row: int, n: int) -> vec6:
    """To the best size of an elliptic contact's force in its present direction, or along the normal.

    A contact without force that only friction would wake stays asleep, as MuJoCo's does.
    """
    normal = d.sweep_force[world, row]
    ray = vec6()
    ray[0] = ONE
    if normal > TINY:
        for i in range(n):
            ray[i] = d.sweep_force[world, row + i] / normal
    along = wp.float64(0.0)
    stiff = wp.float64(0.0)
    for i in range(n):
        along += ray[i] * d.sweep_slope[world, row + i]
        for j in range(n):
            stiff += ray[i] * ray[j] * stiffness(m, d, world, row + i, row + j, SOFT)
    return (wp.max(NONE, normal - along / wp.max(TINY, stiff)) - normal) * ray
