"""The best force of one row, or of one contact, while all others are held: what sweeps over rows are made of.

The dual problem is ``min f'(A + soft R) f / 2 + f'b`` over the forces that rows may have.
"""

from typing import Any

import warp as wp

from newtonlite.core.types import vec5
from newtonlite.solvers.mujoco.kernels.constraint.row import FRICTION, ONE_SIDED
from newtonlite.solvers.mujoco.kernels.solve.disc import least_on_disc, mat55
from newtonlite.solvers.mujoco.kernels.team import sync, team_sum

vec6 = wp.types.vector(length=6, dtype=wp.float32)
TINY = wp.constant(1.0e-15)


@wp.func
def residual(m: Any, d: Any, world: int, r: int, nrow: int, soft: float, lane: int, nlane: int) -> float:
    """``(A + soft R) f + b`` of row ``r``."""
    s = float(0.0)
    for c in range(lane, nrow, nlane):
        s += d.efc_A[world, r, c] * d.dual[world, c]
    return team_sum(d.team_f, world, s) + d.efc_b[world, r] + soft * d.efc_R[world, r] * d.dual[world, r]


@wp.func
def stiffness(m: Any, d: Any, world: int, r: int, c: int, soft: float) -> float:
    """Entry of ``A + soft R``."""
    return d.efc_A[world, r, c] + wp.where(r == c, soft * d.efc_R[world, r], 0.0)


@wp.func
def settle_row(m: Any, d: Any, world: int, r: int, nrow: int, soft: float, lane: int, nlane: int) -> float:
    """Best force of one row within its bounds; returns by how much the cost falls."""
    push = residual(m, d, world, r, nrow, soft, lane, nlane)
    stiff = wp.max(TINY, stiffness(m, d, world, r, r, soft))
    old = d.dual[world, r]
    f = old - push / stiff
    kind = d.efc_type[world, r]
    if kind == FRICTION:
        f = wp.clamp(f, -d.efc_frictionloss[world, r], d.efc_frictionloss[world, r])
    elif kind == ONE_SIDED:
        f = wp.max(0.0, f)
    sync()
    if lane == 0:
        d.dual[world, r] = f
    sync()
    return -(f - old) * (push + 0.5 * stiff * (f - old))


@wp.func
def settle_slip(m: Any, d: Any, world: int, row: int, nrow: int, soft: float, lane: int, nlane: int) -> float:
    """Best friction of an elliptic contact under its normal force; returns by how much the cost falls."""
    c = d.efc_id[world, row]
    n = d.contact_dim[world, c] - 1
    friction = d.contact_friction[world, c]
    a = mat55()
    b = vec5()
    old = vec5()
    for i in range(n):
        old[i] = d.dual[world, row + 1 + i] / friction[i]
        b[i] = friction[i] * residual(m, d, world, row + 1 + i, nrow, soft, lane, nlane)
        for j in range(n):
            a[i, j] = friction[i] * friction[j] * stiffness(m, d, world, row + 1 + i, row + 1 + j, soft)
    push = vec5()
    for i in range(n):
        push[i] = b[i]
        for j in range(n):
            b[i] = b[i] - a[i, j] * old[j]
    x = least_on_disc(a, b, n, wp.max(0.0, d.dual[world, row]))
    fall = float(0.0)
    for i in range(n):
        fall -= (x[i] - old[i]) * push[i]
        for j in range(n):
            fall -= 0.5 * (x[i] - old[i]) * a[i, j] * (x[j] - old[j])
    sync()
    for i in range(n):
        if lane == 0:
            d.dual[world, row + 1 + i] = friction[i] * x[i]
    sync()
    return fall


@wp.func
def settle_ray(m: Any, d: Any, world: int, row: int, nrow: int, lane: int, nlane: int) -> float:
    """Best size of an elliptic contact's force in its present direction, or along the normal; returns by how much the cost falls.

    A contact without force that only friction would wake stays asleep, as MuJoCo's does.
    """
    n = d.contact_dim[world, d.efc_id[world, row]]
    normal = d.dual[world, row]
    ray = vec6()
    push = vec6()
    for i in range(n):
        push[i] = residual(m, d, world, row + i, nrow, 1.0, lane, nlane)
    along = float(0.0)
    for i in range(n):
        if normal > TINY:
            ray[i] = d.dual[world, row + i] / normal
        elif i == 0:
            ray[i] = 1.0
        along += ray[i] * push[i]
    stiff = float(0.0)
    for i in range(n):
        for j in range(n):
            stiff += ray[i] * ray[j] * stiffness(m, d, world, row + i, row + j, 1.0)
    size = wp.max(0.0, normal - along / wp.max(TINY, stiff))
    sync()
    for i in range(n):
        if lane == 0:
            d.dual[world, row + i] = size * ray[i]
    sync()
    return -(size - normal) * (along + 0.5 * stiff * (size - normal))
