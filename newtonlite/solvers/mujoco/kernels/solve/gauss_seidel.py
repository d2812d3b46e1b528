"""Row forces one after the other, each the best while the others are held: projected Gauss-Seidel on the dual problem
``min f'(A + R) f / 2 + f'b`` over the forces that rows may have; and, without R and with normal forces held, less slip.

MuJoCo documentation, Computation: Algorithms.
"""

from typing import Any

import warp as wp

from newtonlite.core.types import vec5
from newtonlite.solvers.mujoco.enums import DISABLE_CONSTRAINT, DISABLE_CONTACT, DISABLE_WARMSTART, ELLIPTIC
from newtonlite.solvers.mujoco.kernels.constraint.row import CONE, CONE_REST, FRICTION, ONE_SIDED
from newtonlite.solvers.mujoco.kernels.dense import rows_mul
from newtonlite.solvers.mujoco.kernels.solve.disc import least_on_disc, mat55
from newtonlite.solvers.mujoco.kernels.solve.dual import constraint_space, finish_dual
from newtonlite.solvers.mujoco.kernels.solve.gram import gram_mul
from newtonlite.solvers.mujoco.kernels.solve.primal import row_forces
from newtonlite.solvers.mujoco.kernels.team import sync, team_sum

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
    """Best size of an elliptic contact's force in its present direction, or along the normal; returns by how much the cost falls."""
    n = d.contact_dim[world, d.efc_id[world, row]]
    along = float(0.0)
    stiff = float(0.0)
    normal = d.dual[world, row]
    for i in range(n):
        ray = wp.where(i == 0, 1.0, 0.0)
        if normal > TINY:
            ray = d.dual[world, row + i] / normal
        along += ray * residual(m, d, world, row + i, nrow, 1.0, lane, nlane)
        for j in range(n):
            other = wp.where(j == 0, 1.0, 0.0)
            if normal > TINY:
                other = d.dual[world, row + j] / normal
            stiff += ray * other * stiffness(m, d, world, row + i, row + j, 1.0)
    size = wp.max(0.0, normal - along / wp.max(TINY, stiff))
    sync()
    for i in range(n):
        if lane == 0:
            ray = wp.where(i == 0, 1.0, 0.0)
            if normal > TINY:
                ray = d.dual[world, row + i] / normal
            if i > 0:
                d.dual[world, row + i] = size * ray
    if lane == 0:
        d.dual[world, row] = size
    sync()
    return -(size - normal) * (along + 0.5 * stiff * (size - normal))


@wp.func
def first_forces(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """Forces at the warm start, or none where those cost more."""
    for r in range(lane, nrow, nlane):
        d.dual[world, r] = 0.0
    sync()
    if (m.opt_disableflags & DISABLE_WARMSTART) == 0:
        rows_mul(d.efc_J, d.efc_block, d.qacc_warmstart, d.jar, world, nrow, lane, nlane)
        sync()
        for r in range(lane, nrow, nlane):
            d.jar[world, r] = d.jar[world, r] - d.efc_aref[world, r]
        sync()
        row_forces(m, d, world, nrow, lane, nlane)
        for r in range(lane, nrow, nlane):
            d.dual[world, r] = d.efc_force[world, r]
        sync()
        cost = float(0.0)
        for r in range(nrow):
            push = residual(m, d, world, r, nrow, 1.0, lane, nlane)
            cost += 0.5 * d.dual[world, r] * (push + d.efc_b[world, r])
        sync()
        if cost > 0.0:
            for r in range(lane, nrow, nlane):
                d.dual[world, r] = 0.0
    sync()


@wp.func
def sweep(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """Settle all rows, in order and back again."""
    for k in range(2 * nrow):
        r = wp.min(k, 2 * nrow - 1 - k)
        kind = d.efc_type[world, r]
        if kind == CONE:
            settle_ray(m, d, world, r, nrow, lane, nlane)
            settle_slip(m, d, world, r, nrow, 1.0, lane, nlane)
        elif kind != CONE_REST:
            settle_row(m, d, world, r, nrow, 1.0, lane, nlane)


@wp.func
def slope_here(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """``A_dual``: gradient ``(A + R) f + b`` of the dual cost."""
    gram_mul(d.efc_A, d.dual, d.A_dual, world, nrow, lane, nlane)
    sync()
    for r in range(lane, nrow, nlane):
        d.A_dual[world, r] = d.A_dual[world, r] + d.efc_R[world, r] * d.dual[world, r] + d.efc_b[world, r]
    sync()


@wp.func
def keep(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """Remember the forces and the slope there, in ``target`` and ``A_target``."""
    for r in range(lane, nrow, nlane):
        d.target[world, r] = d.dual[world, r]
        d.A_target[world, r] = d.A_dual[world, r]
    sync()


@wp.func
def fall_since(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int) -> float:
    """By how much the cost fell since ``keep``: a quadratic's difference is the step times its mean slope, free of cancellation."""
    fall = float(0.0)
    for r in range(lane, nrow, nlane):
        fall -= 0.5 * (d.dual[world, r] - d.target[world, r]) * (d.A_dual[world, r] + d.A_target[world, r])
    return team_sum(d.team_f, world, fall)


@wp.func
def gauss_seidel(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """Sweep until a sweep gains less than the tolerance. Between sweeps forces move on by a growing share of the last change,
    until a sweep costs or gains too little (Nesterov's acceleration; O'Donoghue and Candes, Adaptive restart, 2015).
    """
    constraint_space(m, d, world, nrow, lane, nlane)
    first_forces(m, d, world, nrow, lane, nlane)
    slope_here(m, d, world, nrow, lane, nlane)
    keep(m, d, world, nrow, lane, nlane)
    scale = 1.0 / (m.stat_meaninertia[world] * float(wp.max(1, m.nv)))
    count = int(0)
    pace = float(0.0)
    done = bool(False)
    while count < m.opt_iterations and not done:
        sweep(m, d, world, nrow, lane, nlane)
        slope_here(m, d, world, nrow, lane, nlane)
        gain = fall_since(m, d, world, nrow, lane, nlane)
        count += 1
        if gain < 0.0 and pace > 0.0:
            for r in range(lane, nrow, nlane):
                d.dual[world, r] = d.target[world, r]
            pace = 0.0
        elif pace == 0.0 and not (scale * gain >= m.opt_tolerance[world]):  # small enough, or not a number
            done = True
        else:
            pace = wp.where(scale * gain >= m.opt_tolerance[world], pace + 1.0, 0.0)
            share = wp.max(0.0, pace - 1.0) / (pace + 2.0)
            for r in range(lane, nrow, nlane):
                f = d.dual[world, r]
                ahead = f + share * (f - d.target[world, r])
                d.target[world, r] = f
                d.A_target[world, r] = d.A_dual[world, r]
                d.dual[world, r] = wp.where(count < m.opt_iterations, ahead, f)
        sync()
    finish_dual(m, d, world, nrow, lane, nlane)
    if lane == 0:
        d.solver_niter[world] = count
    sync()


@wp.func
def settle_edges(m: Any, d: Any, world: int, r: int, nrow: int, lane: int, nlane: int) -> float:
    """Best split of the forces of two opposite edges of a pyramid, ``r`` and ``r + 1``, whose sum is held."""
    first = residual(m, d, world, r, nrow, 0.0, lane, nlane)
    second = residual(m, d, world, r + 1, nrow, 0.0, lane, nlane)
    stiff = d.efc_A[world, r, r] + d.efc_A[world, r + 1, r + 1] - 2.0 * d.efc_A[world, r, r + 1]
    half = 0.5 * (d.dual[world, r] + d.dual[world, r + 1])
    old = 0.5 * (d.dual[world, r] - d.dual[world, r + 1])
    push = first - second
    split = float(0.0)
    if stiff > TINY:
        split = wp.clamp(old - push / stiff, -half, half)
    sync()
    if lane == 0:
        d.dual[world, r] = half + split
        d.dual[world, r + 1] = half - split
    sync()
    return -(split - old) * (push + 0.5 * stiff * (split - old))


@wp.func
def less_slip(m: Any, d: Any, world: int, lane: int, nlane: int):
    """Sweep over friction alone, as if it were hard: dry friction of dofs and tendons, and of contacts under their normal forces."""
    nrow = d.nefc[world]
    if m.opt_noslip_iterations > 0 and nrow > 0:
        constraint_space(m, d, world, nrow, lane, nlane)
        for r in range(lane, nrow, nlane):
            d.dual[world, r] = d.efc_force[world, r]
        sync()
        ncon = d.ncon[world]
        if (m.opt_disableflags & (DISABLE_CONSTRAINT | DISABLE_CONTACT)) != 0:
            ncon = int(0)
        scale = 1.0 / (m.stat_meaninertia[world] * float(wp.max(1, m.nv)))
        count = int(0)
        done = bool(False)
        while count < m.opt_noslip_iterations and not done:
            gain = float(0.0)
            for r in range(nrow):
                if d.efc_type[world, r] == FRICTION:
                    gain += settle_row(m, d, world, r, nrow, 0.0, lane, nlane)
            for c in range(ncon):
                row = d.contact_efc_address[world, c]
                dim = d.contact_dim[world, c]
                if row >= 0 and dim > 1:
                    if m.opt_cone == ELLIPTIC:
                        gain += settle_slip(m, d, world, row, nrow, 0.0, lane, nlane)
                    else:
                        for k in range(dim - 1):
                            gain += settle_edges(m, d, world, row + 2 * k, nrow, lane, nlane)
            count += 1
            if not (scale * gain >= m.opt_noslip_tolerance[world]):
                done = True
        finish_dual(m, d, world, nrow, lane, nlane)
