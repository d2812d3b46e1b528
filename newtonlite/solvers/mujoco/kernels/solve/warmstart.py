"""Warm start of the primal solvers: last step's acceleration, or the one without constraints.

MuJoCo takes what costs less of the two.  Solvers that go on to the minimum end at the same point either way, and begin
at the warm start; where iterations are cut short, or for conjugate gradients, the choice is MuJoCo's
(docs/decisions/0015).  The dual solvers choose between the warm start's forces and none by themselves
(``dual_newton.dual_start``, ``pgs.initial_forces``).

On exit ``qacc``, ``Ma``, ``jar``, row forces and ``qfrc_constraint`` are those of the start.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtSolver
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row_store import jacobian_mul
from newtonlite.solvers.mujoco.kernels.primitives.team import one_lane, sync, team_sum
from newtonlite.solvers.mujoco.kernels.solve.coupled_inertia import inertia_mul
from newtonlite.solvers.mujoco.kernels.solve.line_search import is_cut_short
from newtonlite.solvers.mujoco.kernels.solve.primal import update_forces
from newtonlite.solvers.mujoco.kernels.solve.scalar_cost import clear_pad
from newtonlite.solvers.mujoco.kernels.solve.status import SolverStatus
from newtonlite.solvers.mujoco.solver_path import conjugate_gradients

GIVEN = wp.constant(0)
WARM = wp.constant(1)
SMOOTH = wp.constant(2)
"""Start of the iterations: at ``qacc`` as it is, at ``qacc_warmstart``, or at ``qacc_smooth``."""


@wp.func
def takes_conjugate_gradients(m: ModelFields) -> bool:
    """Whether conjugate gradients are taken (``solver_path``)."""
    return conjugate_gradients(m.opt_solver, m.nv, is_cut_short(m), one_lane(), m.nsparse > 0)


@wp.func
def choose_warmstart(m: ModelFields) -> bool:
    """Whether a solver needs ``qacc_smooth``: conjugate gradients, whose metric comes with it, and solvers that
    are cut short.
    """
    return takes_conjugate_gradients(m) or (m.opt_solver == MjtSolver.NEWTON and is_cut_short(m))


@wp.func
def warmstart(m: ModelFields, d: DataFields, world: int, nrow: int, where: int, lane: int, nlane: int):
    """``qacc``, ``Ma = M qacc`` and ``jar = J qacc - aref``; at ``qacc_smooth`` ``Ma`` is the smooth force, exactly."""
    cold = (m.opt_disableflags & MjtDisableBit.WARMSTART) != 0

    # the point: qacc_smooth, or last step's acceleration, or 0 where warm starts are disabled
    if where != GIVEN:
        for i in range(lane, m.nv, nlane):
            a = d.qacc_warmstart[world, i]
            if where == SMOOTH:
                a = d.qacc_smooth[world, i]
            elif cold:
                a = 0.0
            d.qacc[world, i] = a
        sync()

    # what follows from it: Ma = M qacc and jar = J qacc - aref
    inertia_mul(m, d, d.qacc, d.Ma, world, lane, nlane)
    jacobian_mul(m, d, d.qacc, d.jar, world, lane, nlane)
    sync()
    for r in range(lane, nrow, nlane):
        d.jar[world, r] = d.jar[world, r] - d.efc_aref[world, r]

    # M qacc_smooth is qfrc_smooth by definition: the product would only add rounding; not where rows are part of M
    if where == SMOOTH and (m.nefmrow == 0 or m.nflexpassive == 0):
        for i in range(lane, m.nv, nlane):
            d.Ma[world, i] = d.qfrc_smooth[world, i]

    # whole blocks of rows are worked on from here: those behind the last one get no cost and no force
    clear_pad(d.efc_cost, d.efc_D, d.efc_R, d.efc_frictionloss, d.jar, d.jv, world, nrow, lane, nlane)
    sync()


@wp.func
def gauss_cost(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int) -> float:
    """This lane's share of ``1/2 (x - x_s)' M (x - x_s)``."""
    cost = float(0.0)
    for i in range(lane, m.nv, nlane):
        cost += 0.5 * (d.Ma[world, i] - d.qfrc_smooth[world, i]) * (d.qacc[world, i] - d.qacc_smooth[world, i])
    return cost


@wp.func
def start_primal(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """The start, with forces there: where the stage before came to, or a warm start, or what costs less of that and
    ``qacc_smooth``.

    A choice takes a loop of two or three rounds: the warm start, the other, and the first again if that was better.
    """
    # what another solver came to is taken as it is; otherwise two starts may have to be compared
    where = wp.where(d.solver_status[world] == SolverStatus.STARTED, GIVEN, WARM)
    rounds = wp.where(choose_warmstart(m) and where == WARM, 2, 0)

    # no warm start to compare with
    if rounds > 0 and (m.opt_disableflags & MjtDisableBit.WARMSTART) != 0:
        where = SMOOTH
        rounds = int(0)
    warm = float(0.0)

    # functions are inlined: one loop, so that a start's code is there once
    while rounds >= 0:
        sync()
        warmstart(m, d, world, nrow, where, lane, nlane)
        cost = update_forces(m, d, world, nrow, lane, nlane)
        # cost of the warm start; qacc_smooth comes next
        if rounds == 2:
            warm = team_sum(d.team_f, world, cost + gauss_cost(m, d, world, lane, nlane))
            where = SMOOTH
        elif rounds == 1:
            # qacc_smooth has no Gauss cost. Rounds go on to the warm start again, unless this one costs less
            where = WARM
            if team_sum(d.team_f, world, cost) < warm:
                rounds = int(0)
        rounds -= 1
