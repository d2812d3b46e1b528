"""Implicit acceleration: velocity-dependent forces taken implicitly in the step.

MuJoCo documentation, Computation: Numerical integration.  One step of Newton's method on the implicit Euler step,
``(M - dt df/dv) a = f``: ``implicit`` with all of ``df/dv``, ``implicitfast`` with its symmetric part and without
Coriolis forces, but for the gyroscopic ones of a tree that is one free body.  Euler takes the damping of joints so,
which is diagonal; RK4 takes nothing implicitly.

``qacc`` stays the acceleration that the solver found, for sensors and the next warm start; the one that moves the state
is ``search``, which ``advance`` reads.  What the solver left in H is overwritten.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtIntegrator
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.integrate.actuator_derivative import add_actuator_damping, add_pair
from newtonlite.solvers.mujoco.kernels.integrate.body_derivative import add_derivatives, body_derivatives
from newtonlite.solvers.mujoco.kernels.integrate.check import BAD_QACC
from newtonlite.solvers.mujoco.kernels.integrate.free_body import gyroscopic_derivative
from newtonlite.solvers.mujoco.kernels.integrate.system_float64 import clear_system, solve_system_float64
from newtonlite.solvers.mujoco.kernels.integrate.unsymmetric import is_unsymmetric, mirror, solve_tree
from newtonlite.solvers.mujoco.kernels.primitives.branches import branch_copy, branch_factor, branch_solve
from newtonlite.solvers.mujoco.kernels.primitives.dense import copy_rows
from newtonlite.solvers.mujoco.kernels.primitives.factor import factor, solve, solve_damped_tree
from newtonlite.solvers.mujoco.kernels.primitives.team import one_lane, sync, team_sum
from newtonlite.solvers.mujoco.kernels.primitives.tendon_entries import entry_dof, tendon_entries, tendon_row
from newtonlite.solvers.mujoco.kernels.solve.hessian_sparsity import own_blocks
from newtonlite.solvers.mujoco.kernels.solve.lost_digits import count_of_teams
from newtonlite.solvers.mujoco.kernels.velocity.passive import damping_derivative
from newtonlite.solvers.mujoco.kernels.velocity.tendon import tendon_damping_derivative


@wp.func
def add_tendon_damping(m: ModelFields, d: DataFields, world: int, t: int, scale: float):
    """``H += dt J' damping J``."""
    # J' b J for one tendon: lower triangle, and only dofs that are on each other's way to the root, where H has entries
    damping = scale * tendon_damping_derivative(m, d, world, t)
    if damping != 0.0:
        span = tendon_entries(m, t)
        row = tendon_row(m, t)
        for e in range(span[0], span[1]):
            # one triangle of the outer product, over the dofs that move the tendon
            side = damping * d.ten_J[world, row, e]
            if side != 0.0:
                for f in range(span[0], e + 1):
                    add_pair(m, d, world, entry_dof(m, e), entry_dof(m, f), side * d.ten_J[world, row, f])


@wp.func
def is_implicit(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int) -> bool:
    """Whether the step differs from ``qacc``: an implicit integrator, or Euler with damped joints; discrete solves for the
    step itself.
    """
    # always for the implicit integrators; Euler where some joint is damped, unless a flag switches that off
    if m.opt_integrator == MjtIntegrator.IMPLICITFAST or m.opt_integrator == MjtIntegrator.IMPLICIT:
        return True
    damping = float(0.0)
    if (
        m.opt_integrator != MjtIntegrator.RK4
        and m.opt_integrator != MjtIntegrator.DISCRETE
        and (m.opt_disableflags & (MjtDisableBit.EULERDAMP | MjtDisableBit.DAMPER)) == 0
    ):
        for i in range(lane, m.nv, nlane):
            damping += wp.abs(damping_derivative(m, d, world, i))
    return team_sum(d.team_f, world, damping) > 0.0


@wp.func
def add_force_derivatives(m: ModelFields, d: DataFields, world: int, dt: float, lane: int, nlane: int):
    """``H -= dt d(actuators, tendons)/dv``; then, where the system is no longer symmetric, both triangles, with
    Coriolis forces.
    """
    if (m.opt_disableflags & MjtDisableBit.ACTUATION) == 0:
        # actuators: moment' d force / d velocity moment
        first = lane
        step = nlane
        if m.nsharedpush > 0:  # they add to the same numbers, one after the other
            first = wp.where(lane == 0, 0, m.nactuator)
            step = 1
        for u in range(first, m.nactuator, step):
            add_actuator_damping(m, d, world, u, dt)
        sync()

    # tendons share dofs as well, and are few
    if lane == 0:
        if (m.opt_disableflags & MjtDisableBit.DAMPER) == 0:
            for t in range(m.ntendon):
                add_tendon_damping(m, d, world, t, dt)
    sync()

    # from here on some trees have entries of both triangles of their own
    if m.opt_integrator == MjtIntegrator.IMPLICIT or m.nlonefree > 0:
        for i in range(lane, m.nv, nlane):
            if is_unsymmetric(m, i):
                mirror(m, d, world, i)
        sync()

    # Coriolis forces and fluids, body by body; symmetric trees get the symmetric part
    if m.nderivative > 0:
        body_derivatives(m, d, world, lane, nlane)
        for i in range(lane, m.nv, nlane):
            add_derivatives(m, d, world, i, dt, not is_unsymmetric(m, i))
        sync()

    # free bodies alone: the gyroscopic part in closed form
    if m.opt_integrator != MjtIntegrator.IMPLICIT:
        for k in range(lane, m.nlonefree, nlane):
            gyroscopic_derivative(m, d, world, m.lone_free_dof[k], dt)
        sync()


@wp.func
def solve_unsymmetric(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Solve the trees whose systems are not symmetric; their rows of H become those of the identity."""
    if m.opt_integrator == MjtIntegrator.IMPLICIT:
        for t in range(lane, m.ntree, nlane):
            solve_tree(m, d, world, m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t])
    else:
        for k in range(lane, m.nlonefree, nlane):
            solve_tree(m, d, world, m.lone_free_dof[k], m.lone_free_dof[k] + 6)
    sync()


@wp.func
def implicit_system(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``H = M - dt df/dv``: the lower triangle, and both where a tree's system is not symmetric; Euler takes joint
    damping alone. Without M where that is in double.
    """
    # H = M, in M's own blocks
    dt = m.opt_timestep[world]
    own_blocks(m, d, world, lane, nlane)
    if m.nfloat64 > 0:
        clear_system(m, d, world, lane, nlane)
    elif m.nstem > 0:
        branch_copy(m, d, world, 0, m.nv, lane, nlane)
    else:
        copy_rows(d.M, m.dof_block, d.H_block, d.H, world, m.nv, lane, nlane)
    sync()

    # minus dt df/dv: damping of joints on the diagonal, for all that are implicit
    if (m.opt_disableflags & MjtDisableBit.DAMPER) == 0:
        for i in range(lane, m.nv, nlane):
            d.H[world, i, i] = d.H[world, i, i] + dt * damping_derivative(m, d, world, i)
        sync()
    if m.opt_integrator == MjtIntegrator.IMPLICITFAST or m.opt_integrator == MjtIntegrator.IMPLICIT:
        add_force_derivatives(m, d, world, dt, lane, nlane)


@wp.func
def damp_trees(m: ModelFields, d: DataFields, world: int):
    """Euler's acceleration with joint damping taken implicitly, tree by tree; others keep theirs, unless a solver ran out
    of iterations: its acceleration is not yet that of its forces, which MuJoCo goes on with. One lane.
    """
    # (M + dt B) a = qfrc_smooth + qfrc_constraint for trees with damping; for others M a = f, of which qacc is the
    # solution
    dt = m.opt_timestep[world]

    # unless the solver stopped early: then qfrc_constraint is not M qacc - qfrc_smooth; after sweeps against slip it is
    unsolved = d.nefc[world] > 0 and m.opt_noslip_iterations == 0 and d.solver_niter[world] >= m.opt_iterations
    for t in range(m.ntree):
        first = m.tree_dofadr[t]
        last = first + m.tree_dofnum[t]
        damped = bool(unsolved)
        # dt B on the diagonal, and whether there is any
        for i in range(first, last):
            damping = dt * damping_derivative(m, d, world, i)
            damped = damped or damping != 0.0
            d.grad[world, i] = damping
        # the right side where a system is solved, else the acceleration itself
        for i in range(first, last):
            d.search[world, i] = wp.where(
                damped, d.qfrc_smooth[world, i] + d.qfrc_constraint[world, i], d.qacc[world, i]
            )
        if damped and m.nstem > 0:
            branch_copy(m, d, world, first, last, 0, 1)
            for i in range(first, last):
                d.H[world, i, i] = d.H[world, i, i] + d.grad[world, i]
            branch_factor(m, d, world, m.dof_part[first], m.dof_part[last - 1] + 1, 0, 1)
            branch_solve(m, d, d.search, world, m.dof_part[first], m.dof_part[last - 1] + 1, 0, 1)
        elif damped:
            solve_damped_tree(d.M, m.dof_block, d.grad, d.H, d.search, d.work, world, first, last)


@wp.func
def implicit_acceleration(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``search = (M - dt df/dv)^-1 (qfrc_smooth + qfrc_constraint)``; Euler takes joint damping alone implicitly.

    MuJoCo documentation, Computation: Numerical integration.
    """
    count_of_teams(m, d, world, lane, nlane)

    # a world that is reset does not move
    if d.bad[world] >= BAD_QACC:
        for i in range(lane, m.nv, nlane):
            d.search[world, i] = 0.0
    elif not is_implicit(m, d, world, lane, nlane):
        # explicit: the acceleration of the forces
        for i in range(lane, m.nv, nlane):
            d.search[world, i] = d.qacc[world, i]
    elif m.nfloat64 > 0:
        implicit_system(m, d, world, lane, nlane)
        solve_system_float64(m, d, world, lane, nlane)
    elif one_lane() and m.opt_integrator != MjtIntegrator.IMPLICITFAST and m.opt_integrator != MjtIntegrator.IMPLICIT:
        # Euler on one lane goes tree by tree, and leaves alone those without damping
        damp_trees(m, d, world)
    else:
        # one system for all dofs; unsymmetric trees first, which leave an identity in H for the factor of the others
        implicit_system(m, d, world, lane, nlane)
        for i in range(lane, m.nv, nlane):
            d.search[world, i] = d.qfrc_smooth[world, i] + d.qfrc_constraint[world, i]
        sync()
        if m.opt_integrator == MjtIntegrator.IMPLICITFAST or m.opt_integrator == MjtIntegrator.IMPLICIT:
            solve_unsymmetric(m, d, world, lane, nlane)
        if m.opt_integrator == MjtIntegrator.IMPLICIT:
            sync()
        elif m.nstem > 0:
            branch_factor(m, d, world, 0, m.npart, lane, nlane)
            branch_solve(m, d, d.search, world, 0, m.npart, lane, nlane)
        else:
            factor(d.H, d.H_block, world, m.nv, lane, nlane)
            sync()
            solve(d.H, d.H_block, d.search, d.work, world, m.nv, lane, nlane)
    sync()
