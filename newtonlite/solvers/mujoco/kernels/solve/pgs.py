"""Projected Gauss-Seidel on the dual problem ``min f'(A + R) f / 2 + f'b`` over the forces that rows may have: row
forces one after the other, each the best while the others are held.

Every sweep begins a little further along the last step (Nesterov; O'Donoghue and Candes, Adaptive Restart for
Accelerated Gradient Schemes, 3.2) and takes the rows in another order (Fisher and Yates, with the numbers of O'Neill's
PCG32), island by island. Orders, steps and ends are MuJoCo's: sweeps over elliptic cones may get stuck at a contact
without force that only friction would wake, and whether they do, and where, depends on the way they take.

MuJoCo documentation, Computation: Algorithms.  Taken where the file asks for it; ``newton`` goes on from its
acceleration but where sweeps are the answer (``pgs``).  ``noslip`` sweeps with the same updates over friction alone.

Sweeps begin with ``efc_A`` and ``efc_b`` (``constraint_space``) and leave ``qacc``, ``efc_force``,
``qfrc_constraint`` and the solver's status.
"""

import warp as wp

from newtonlite.core.mujoco import MjtCone, MjtDisableBit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row import CONE_NORMAL, CONE_TANGENT, HALF_QUADRATIC, HUBER
from newtonlite.solvers.mujoco.kernels.primitives.dense import rows_mul
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_sum
from newtonlite.solvers.mujoco.kernels.solve.cost import OUTSIDE, cone_tangent, cone_zone
from newtonlite.solvers.mujoco.kernels.solve.dual_newton import finish_dual
from newtonlite.solvers.mujoco.kernels.solve.islands import count_islands, inertia_of, island_rows, row_at
from newtonlite.solvers.mujoco.kernels.solve.pgs_update import (
    NONE,
    ONE,
    SOFT,
    TINY,
    pgs_residuals,
    update_cone,
    update_cone_condim3,
    update_force,
    update_scalar,
)
from newtonlite.solvers.mujoco.kernels.solve.primal import own_share, row_forces
from newtonlite.solvers.mujoco.kernels.solve.status import SolverStatus


@wp.func
def warmstart_forces(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """``efc_force``: those at the warm start, none where there is none."""
    # f = -s'(J qacc_warmstart - aref): the forces of last step's acceleration, at this step's rows
    if (m.opt_disableflags & MjtDisableBit.WARMSTART) == 0:
        rows_mul(d.efc_J, d.efc_block, d.qacc_warmstart, d.jar, world, nrow, lane, nlane)
        sync()
        for r in range(lane, nrow, nlane):
            d.jar[world, r] = d.jar[world, r] - d.efc_aref[world, r]
        sync()
        row_forces(m, d, world, nrow, lane, nlane)
    else:
        for r in range(lane, nrow, nlane):
            d.efc_force[world, r] = 0.0
    sync()


@wp.func
def initial_forces(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """Forces at the warm start, or none where those cost more."""
    # (A + R) f + b of the warm start's forces
    warmstart_forces(m, d, world, nrow, lane, nlane)
    for r in range(lane, nrow, nlane):
        d.pgs_force[world, r] = wp.float64(d.efc_force[world, r])
    sync()
    pgs_residuals(m, d, world, nrow, SOFT, lane, nlane)

    # the dual cost is half of f'((A + R) f + b + b): where that is positive, f = 0 costs less
    cost = float(0.0)

    # no step yet to go on along: the forces before are the same
    for r in range(lane, nrow, nlane):
        cost += float(d.pgs_force[world, r] * (d.pgs_residual[world, r] + wp.float64(d.efc_b[world, r])))
    cold = team_sum(d.team_f, world, cost) > 0.0
    for r in range(lane, nrow, nlane):
        if cold:
            d.pgs_force[world, r] = wp.float64(0.0)
            d.pgs_residual[world, r] = wp.float64(d.efc_b[world, r])
        d.pgs_force_previous[world, r] = d.pgs_force[world, r]
        d.pgs_residual_previous[world, r] = d.pgs_residual[world, r]
    sync()


@wp.func
def list_blocks(m: ModelFields, d: DataFields, world: int, rows: wp.vec2i, lane: int) -> int:
    """``efc_index``: what a sweep settles at once, by first rows: single ones, and elliptic contacts. Returns how many."""
    count = int(0)
    for i in range(rows[0], rows[1]):
        r = row_at(m, d, world, i)
        if d.efc_cost[world, r] != CONE_TANGENT:
            if lane == 0:
                d.efc_index[world, count] = r
            count += 1
    sync()
    return count


@wp.func
def pcg32(state: wp.uint64) -> wp.uint32:
    """The number that PCG32 gives for a state. O'Neill, PCG: A Family of Simple Fast Space-Efficient Statistically Good
    Algorithms, 6.3.
    """
    x = wp.uint32(((state >> wp.uint64(18)) ^ state) >> wp.uint64(27))
    turn = wp.uint32(state >> wp.uint64(59))
    return (x >> turn) | (x << ((wp.uint32(32) - turn) & wp.uint32(31)))


@wp.func
def shuffle(d: DataFields, world: int, count: int, state: wp.uint64, lane: int) -> wp.uint64:
    """Put ``efc_index`` in another order; returns the next state of the numbers drawn."""
    # Fisher and Yates: each place, from the last, changes with one of those up to it
    for back in range(count - 1):
        i = count - 1 - back
        j = int(pcg32(state) % wp.uint32(i + 1))
        state = state * wp.uint64(6364136223846793005) + wp.uint64(1)
        if lane == 0:
            r = d.efc_index[world, i]
            d.efc_index[world, i] = d.efc_index[world, j]
            d.efc_index[world, j] = r
    sync()
    return state


@wp.func
def extrapolate(
    m: ModelFields, d: DataFields, world: int, rows: wp.vec2i, nrow: int, ahead: wp.float64, lane: int, nlane: int
):
    """Go ``ahead`` along the last step, within the bounds of the forces, to ``pgs_force_start``; what it goes from is
    ``pgs_force_previous``.

    Residuals are linear in the forces, and go as far: rows of A are summed only for forces that come to a bound.
    """
    # y = f + ahead (f - f_before) for forces and, since they are linear in f, residuals
    for i in range(rows[0] + lane, rows[1], nlane):
        r = row_at(m, d, world, i)
        f = d.pgs_force[world, r]
        s = d.pgs_residual[world, r]
        d.pgs_force[world, r] = f + ahead * (f - d.pgs_force_previous[world, r])
        d.pgs_residual[world, r] = s + ahead * (s - d.pgs_residual_previous[world, r])
        d.pgs_force_start[world, r] = d.pgs_force[world, r]
        d.pgs_force_previous[world, r] = f
        d.pgs_residual_previous[world, r] = s
    sync()

    # what left its bounds is brought back, with its effect on all residuals
    if ahead > NONE:
        for i in range(rows[0] + lane, rows[1], nlane):
            project_forces(m, d, world, row_at(m, d, world, i))
        sync()
        for i in range(rows[0], rows[1]):
            r = row_at(m, d, world, i)
            step = d.pgs_force_start[world, r] - d.pgs_force[world, r]
            sync()  # all lanes have read what one of them now changes
            update_force(m, d, world, r, step, nrow, SOFT, lane, nlane)
        sync()


@wp.func
def project_forces(m: ModelFields, d: DataFields, world: int, row: int):
    """Bring a row's ``pgs_force_start`` within its bounds, an elliptic contact's with its first row: friction shrinks
    to what the normal force allows.
    """
    # bounds of a row by itself: |f| <= frictionloss, f >= 0
    kind = d.efc_cost[world, row]
    f = d.pgs_force_start[world, row]
    if kind == HUBER:
        most = wp.float64(d.efc_frictionloss[world, row])
        d.pgs_force_start[world, row] = wp.clamp(f, -most, most)
    elif kind == HALF_QUADRATIC or kind == CONE_NORMAL:
        d.pgs_force_start[world, row] = wp.max(NONE, f)

    # the cone: |f_k / friction_k| <= f_0, friction scaled down to it
    if kind == CONE_NORMAL:
        c = d.efc_id[world, row]
        sum = wp.float64(0.0)
        for k in range(1, d.contact_dim[world, c]):
            u = d.pgs_force_start[world, row + k] / wp.float64(d.contact_friction[world, c][k - 1])
            sum += u * u
        allowed = wp.min(ONE, wp.max(NONE, f) / wp.max(TINY, wp.sqrt(sum)))
        for k in range(1, d.contact_dim[world, c]):
            d.pgs_force_start[world, row + k] = allowed * d.pgs_force_start[world, row + k]


@wp.func
def pgs_iteration(
    m: ModelFields, d: DataFields, world: int, count: int, nrow: int, lane: int, nlane: int
) -> wp.float64:
    """Settle the blocks in ``efc_index``, one after the other; returns by how much the cost falls."""
    fall = wp.float64(0.0)

    # contacts with two directions of friction have code of their own, which keeps them in registers
    for k in range(count):
        r = d.efc_index[world, k]
        if d.efc_cost[world, r] == CONE_NORMAL and d.contact_dim[world, d.efc_id[world, r]] == 3:
            fall += update_cone_condim3(m, d, world, r, nrow, lane, nlane)
        elif d.efc_cost[world, r] == CONE_NORMAL:
            fall += update_cone(m, d, world, r, nrow, lane, nlane)
        else:
            fall += update_scalar(m, d, world, r, nrow, SOFT, lane, nlane)
    return fall


@wp.func
def is_momentum_reversed(m: ModelFields, d: DataFields, world: int, rows: wp.vec2i, lane: int, nlane: int) -> bool:
    """Whether a sweep went back on where ``reach`` had gone."""
    along = wp.float64(0.0)
    for i in range(rows[0] + lane, rows[1], nlane):
        r = row_at(m, d, world, i)
        along += (d.pgs_force[world, r] - d.pgs_force_start[world, r]) * (
            d.pgs_force_start[world, r] - d.pgs_force_previous[world, r]
        )
    return team_sum(d.team_f, world, float(along)) < 0.0


@wp.func
def pgs_island(
    m: ModelFields,
    d: DataFields,
    world: int,
    rows: wp.vec2i,
    nrow: int,
    least: wp.float64,
    most: int,
    lane: int,
    nlane: int,
) -> int:
    """Sweep over an island until it gains less than ``least``, at most ``most`` times; returns how often, less where
    that was not enough.
    """
    # orders of the rows are MuJoCo's, whose generator begins in every island with the state 1
    blocks = list_blocks(m, d, world, rows, lane)
    state = wp.uint64(1)
    since = int(0)
    count = int(0)
    ended = bool(False)

    # momentum (k - 1)/(k + 2), k the sweeps since it last turned back
    while count < most and not ended:
        state = shuffle(d, world, blocks, state, lane)
        extrapolate(m, d, world, rows, nrow, wp.max(NONE, wp.float64(since - 1) / wp.float64(since + 2)), lane, nlane)
        # a sweep that gained little ends it
        ended = not (pgs_iteration(m, d, world, blocks, nrow, lane, nlane) >= least)  # or not a number
        since = wp.where(is_momentum_reversed(m, d, world, rows, lane, nlane), 0, since + 1)
        count += 1
    return wp.where(ended, count, -count)


@wp.func
def any_asleep(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int) -> bool:
    """Whether elliptic contacts are without force that only friction would wake: sweeps leave them there, short of the
    minimum.
    """
    # jar = A f + b: the residual without R f
    for r in range(lane, nrow, nlane):
        d.jar[world, r] = float(d.pgs_residual[world, r] - wp.float64(d.efc_R[world, r]) * d.pgs_force[world, r])
    sync()

    # no normal force, but jar lies where the cone costs something: friction and normal force together would gain
    count = float(0.0)
    for r in range(lane, nrow, nlane):
        if d.efc_cost[world, r] == CONE_NORMAL and d.pgs_force[world, r] <= TINY:
            c = d.efc_id[world, r]
            mu = d.contact_mu[world, c]
            if cone_zone(d.jar[world, r] * mu, cone_tangent(m, d, world, r, c, d.contact_dim[world, c]), mu) != OUTSIDE:
                count += 1.0
    return team_sum(d.team_f, world, count) > 0.0


@wp.func
def pgs(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """From ``constraint_space``: sweeps, island by island. Newton's steps end it, in the next stage, but where a
    contact is asleep or iterations are few.

    The last iterations are left to Newton's; a world with a contact asleep gets them back, to end where MuJoCo's does.
    """
    # some of the iterations are kept for Newton's method, which ends at the minimum in one or two
    islands = count_islands(m, d, world)
    most = own_share(m.opt_iterations)
    count = int(0)
    short = bool(False)
    asleep = bool(False)

    # Gauss-Seidel alone may be the answer: then from the start again, with all iterations that MuJoCo takes
    again = bool(True)
    while again:
        initial_forces(m, d, world, nrow, lane, nlane)
        count = int(0)
        short = bool(False)
        # each island by itself, to a gain below the tolerance times the trace of its inertia
        for island in range(islands):
            least = wp.float64(m.opt_tolerance[world]) * wp.float64(inertia_of(m, d, world, island))
            spent = pgs_island(m, d, world, island_rows(m, d, world, island, nrow), nrow, least, most, lane, nlane)
            count = wp.max(count, wp.abs(spent))
            short = short or spent < 0
        if m.opt_cone == MjtCone.ELLIPTIC:
            asleep = any_asleep(m, d, world, nrow, lane, nlane)
        # a contact asleep, where Newton's method would wake it, and sweeps that were cut off by those kept back
        again = asleep and short and most < m.opt_iterations
        most = m.opt_iterations

    # qacc, efc_force and J' f of the sweeps' forces
    for r in range(lane, nrow, nlane):
        d.dual[world, r] = float(d.pgs_force[world, r])
    sync()
    finish_dual(m, d, world, nrow, lane, nlane)

    # the answer, or what solve_primal goes on from
    if lane == 0:
        ended = asleep or (short and count == m.opt_iterations)
        d.solver_niter[world] = count
        d.solver_status[world] = wp.where(ended, int(SolverStatus.SOLVED), int(SolverStatus.STARTED))
    sync()
