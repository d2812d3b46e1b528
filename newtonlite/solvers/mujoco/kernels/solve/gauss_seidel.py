"""Projected Gauss-Seidel on the dual problem ``min f'(A + R) f / 2 + f'b`` over the forces that rows may have: row forces one after
the other, each the best while the others are held, with conjugate directions from sweep to sweep.

Sweeps over elliptic cones may get stuck at a contact without force that only friction would wake: MuJoCo's do as well. Whether it happens may
depend on the way they take, so that two others are tried, without conjugate directions, before it is believed of a contact.

MuJoCo documentation, Computation: Algorithms.
"""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.enums import DISABLE_WARMSTART, ELLIPTIC
from newtonlite.solvers.mujoco.kernels.constraint.row import CONE, CONE_REST, FRICTION, ONE_SIDED
from newtonlite.solvers.mujoco.kernels.dense import rows_mul
from newtonlite.solvers.mujoco.kernels.solve.cost import OUTSIDE, cone_tangent, cone_zone
from newtonlite.solvers.mujoco.kernels.solve.dual import finish_dual
from newtonlite.solvers.mujoco.kernels.solve.gram import gram_mul
from newtonlite.solvers.mujoco.kernels.solve.primal import LED, own_share, row_forces
from newtonlite.solvers.mujoco.kernels.solve.settle import TINY, residual, settle_ray, settle_row, settle_slip
from newtonlite.solvers.mujoco.kernels.team import sync, team_sum

BLUR = wp.constant(1.0e-7)
LITTLE = wp.constant(3)
BOTH = wp.constant(0)
BACK = wp.constant(1)
FORTH = wp.constant(2)
STUCK = wp.constant(3)
"""Ways to sweep: in order and back again, back alone, in order alone; and, from where that came to, as at first."""


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
def sweep(m: Any, d: Any, world: int, nrow: int, way: int, lane: int, nlane: int):
    """Settle all rows, one after the other."""
    for k in range(wp.where(way == BACK, nrow, 0), wp.where(way == FORTH, nrow, 2 * nrow)):
        r = wp.min(k, 2 * nrow - 1 - k)
        kind = d.efc_type[world, r]
        if kind == CONE:
            settle_ray(m, d, world, r, nrow, lane, nlane)
            settle_slip(m, d, world, r, nrow, 1.0, lane, nlane)
        elif kind != CONE_REST:
            settle_row(m, d, world, r, nrow, 1.0, lane, nlane)


@wp.func
def slope_at(m: Any, d: Any, force: wp.array2d(dtype=float), world: int, nrow: int, lane: int, nlane: int):
    """``A_dual``: gradient ``(A + R) f + b`` of the dual cost at ``force``."""
    gram_mul(d.efc_A, force, d.A_dual, world, nrow, lane, nlane)
    sync()
    for r in range(lane, nrow, nlane):
        d.A_dual[world, r] = d.A_dual[world, r] + d.efc_R[world, r] * force[world, r] + d.efc_b[world, r]
    sync()


@wp.func
def keep(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """Remember the forces and the slope there, in ``target`` and ``A_target``, and the slope before, in ``efc_root``."""
    for r in range(lane, nrow, nlane):
        d.efc_root[world, r] = d.A_target[world, r]
        d.target[world, r] = d.dual[world, r]
        d.A_target[world, r] = d.A_dual[world, r]
    sync()


@wp.func
def fall_to(m: Any, d: Any, force: wp.array2d(dtype=float), world: int, nrow: int, lane: int, nlane: int) -> wp.vec2:
    """By how much the cost falls from ``target`` to ``force``, and how much of that may be rounding of slopes.

    A quadratic's difference is the step times its mean slope, free of the cancellation of a difference of costs.
    """
    fall = float(0.0)
    blur = float(0.0)
    for r in range(lane, nrow, nlane):
        step = force[world, r] - d.target[world, r]
        fall -= 0.5 * step * (d.A_dual[world, r] + d.A_target[world, r])
        blur += BLUR * wp.abs(step * d.efc_b[world, r])
    return wp.vec2(team_sum(d.team_f, world, fall), team_sum(d.team_f, world, blur))


@wp.func
def conjugate(m: Any, d: Any, world: int, nrow: int, before: float, lane: int, nlane: int) -> wp.vec2:
    """``rhs``: the sweep's step, made conjugate to the last one (Polak and Ribiere), with ``rhs_work`` the change of slope along it.

    ``before`` is the slope along the last sweep, 0 to start anew. Returns the slope along this sweep, and the best step's length.
    """
    size = float(0.0)
    turn = float(0.0)
    for r in range(lane, nrow, nlane):
        step = d.dual[world, r] - d.target[world, r]
        size -= step * d.A_target[world, r]
        turn -= step * (d.A_target[world, r] - d.efc_root[world, r])
    size = team_sum(d.team_f, world, size)
    turn = team_sum(d.team_f, world, turn)
    beta = float(0.0)
    if before > 0.0:
        beta = wp.max(0.0, turn / before)
    slope = float(0.0)
    bend = float(0.0)
    for r in range(lane, nrow, nlane):
        step = d.dual[world, r] - d.target[world, r]
        rate = d.A_dual[world, r] - d.A_target[world, r]
        if beta > 0.0:
            step += beta * d.rhs[world, r]
            rate += beta * d.rhs_work[world, r]
        d.rhs[world, r] = step
        d.rhs_work[world, r] = rate
        slope -= step * d.A_target[world, r]
        bend += step * rate
    slope = team_sum(d.team_f, world, slope)
    bend = team_sum(d.team_f, world, bend)
    return wp.vec2(size, wp.where(bend > 0.0, wp.max(0.0, slope / bend), 0.0))


@wp.func
def move(m: Any, d: Any, world: int, nrow: int, length: float, lane: int, nlane: int) -> float:
    """``jar_target``: forces ``length`` along ``rhs`` from ``target``, brought back within their bounds; counts those that were beyond."""
    beyond = float(0.0)
    for r in range(lane, nrow, nlane):
        kind = d.efc_type[world, r]
        f = d.target[world, r] + length * d.rhs[world, r]
        bounded = f
        if kind == FRICTION:
            bounded = wp.clamp(f, -d.efc_frictionloss[world, r], d.efc_frictionloss[world, r])
        elif kind == ONE_SIDED:
            bounded = wp.max(0.0, f)
        elif kind == CONE:
            beyond += move_cone(m, d, world, r, length)
        if kind != CONE and kind != CONE_REST:
            d.jar_target[world, r] = bounded
            if bounded != f:
                beyond += 1.0
    beyond = team_sum(d.team_f, world, beyond)
    sync()
    return beyond


@wp.func
def move_cone(m: Any, d: Any, world: int, row: int, length: float) -> float:
    """``move`` of an elliptic contact: friction shrinks to what the normal force allows. Returns 1 where it does, else 0."""
    c = d.efc_id[world, row]
    normal = d.target[world, row] + length * d.rhs[world, row]
    d.jar_target[world, row] = wp.max(0.0, normal)
    sum = float(0.0)
    for k in range(1, d.contact_dim[world, c]):
        u = (d.target[world, row + k] + length * d.rhs[world, row + k]) / d.contact_friction[world, c][k - 1]
        sum += u * u
    allowed = float(1.0)
    if wp.sqrt(sum) > normal:
        allowed = wp.max(0.0, normal) / wp.max(TINY, wp.sqrt(sum))
    for k in range(1, d.contact_dim[world, c]):
        d.jar_target[world, row + k] = allowed * (d.target[world, row + k] + length * d.rhs[world, row + k])
    return wp.where(allowed < 1.0 or normal < 0.0, 1.0, 0.0)


@wp.func
def asleep(m: Any, d: Any, world: int, nrow: int, way: int, lane: int, nlane: int) -> float:
    """Elliptic contacts without force that only friction would wake: sweeps leave them there, as MuJoCo's do, short of the minimum.

    They are marked in ``efc_index``; after the first ``way`` only those count that were marked before.
    """
    for r in range(lane, nrow, nlane):
        d.jar[world, r] = d.A_dual[world, r] - d.efc_R[world, r] * d.dual[world, r]
    sync()
    count = float(0.0)
    for r in range(lane, nrow, nlane):
        found = int(0)
        if d.efc_type[world, r] == CONE and d.dual[world, r] <= TINY:
            c = d.efc_id[world, r]
            mu = d.contact_mu[world, c]
            if cone_zone(d.jar[world, r] * mu, cone_tangent(m, d, world, r, c, d.contact_dim[world, c]), mu) != OUTSIDE:
                found = int(1)
        if way != BOTH:
            found *= d.efc_index[world, r]
        d.efc_index[world, r] = found
        count += float(found)
    return team_sum(d.team_f, world, count)


@wp.func
def conjugate_step(m: Any, d: Any, world: int, nrow: int, before: float, fall: wp.vec2, lane: int, nlane: int) -> wp.vec3:
    """Go on from the sweep along a conjugate direction, where that gains more than its ``fall``; returns what was gained, with its blur, and
    ``before`` of the next call."""
    found = conjugate(m, d, world, nrow, before, lane, nlane)
    sync()
    beyond = move(m, d, world, nrow, found[1], lane, nlane)
    slope_at(m, d, d.jar_target, world, nrow, lane, nlane)
    further = fall_to(m, d, d.jar_target, world, nrow, lane, nlane)
    if further[0] > wp.max(0.0, fall[0]):
        for r in range(lane, nrow, nlane):
            d.dual[world, r] = d.jar_target[world, r]
        sync()
        return wp.vec3(further[0], further[1], wp.where(beyond > 0.0, 0.0, found[0]))
    slope_at(m, d, d.dual, world, nrow, lane, nlane)
    return wp.vec3(fall[0], fall[1], 0.0)


@wp.func
def gauss_seidel(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """From ``constraint_space``: conjugate gradients with a sweep for a preconditioner, until three steps gained less than the tolerance, or
    one no more than float32 can tell. Newton's steps end it, in the next stage, but where a contact is asleep whichever way it is swept.

    Directions start anew after a step that meets a bound; where the sweep by itself gains more, that is taken.
    """
    scale = 1.0 / (m.stat_meaninertia[world] * float(wp.max(1, m.nv)))
    count = int(0)
    before = float(0.0)
    little = int(0)
    most = own_share(m.opt_iterations)
    sleepers = float(0.0)
    way = int(BOTH)
    begins = bool(True)
    while begins or (count < most and little < LITTLE):
        if begins:
            first_forces(m, d, world, nrow, lane, nlane)
            slope_at(m, d, d.dual, world, nrow, lane, nlane)
        else:
            sweep(m, d, world, nrow, way, lane, nlane)
            slope_at(m, d, d.dual, world, nrow, lane, nlane)
            fall = fall_to(m, d, d.dual, world, nrow, lane, nlane)
            if way == BOTH or way == STUCK:
                step = conjugate_step(m, d, world, nrow, before, fall, lane, nlane)
                fall = wp.vec2(step[0], step[1])
                before = step[2]
            count += 1
            if not (fall[0] > fall[1]):  # nothing that float32 can tell, or not a number
                little = LITTLE
            elif not (scale * fall[0] >= m.opt_tolerance[world]):
                little += 1
        keep(m, d, world, nrow, lane, nlane)
        begins = False
        if m.opt_cone == ELLIPTIC and way != STUCK and (little == LITTLE or count == most):
            sleepers = asleep(m, d, world, nrow, way, lane, nlane)
            if sleepers > 0.0 and (way != FORTH or little < LITTLE):
                begins = way != FORTH
                way += 1
                count = 0
                little = 0
                before = 0.0
            if way == STUCK:
                most = m.opt_iterations
    finish_dual(m, d, world, nrow, lane, nlane)
    if lane == 0:
        ended = sleepers == 0.0 and (little == LITTLE or count < m.opt_iterations)
        d.solver_niter[world] = wp.where(ended, LED - count, count)
    sync()
