"""Effective inertia ``M + h D + h^2 K`` of the integrator discrete, in which constraints are solved; its ``qacc`` is the
step ``(v+ - v) / h``.

MuJoCo documentation, Computation: Numerical integration, discrete.  With the stiffness K and the damping D of the smooth
forces ``f``, the step is ``(M + h D + h^2 K) a = f - h K v + J' f_c``.  Joints and fluids have their parts where M has
entries (the backbone), tendons and actuators beyond (``ncoupling``); all are restricted to what keeps the matrix positive.

While solvers run, ``M`` is the effective inertia and ``qfrc_smooth`` the right side; ``bare_inertia`` puts both back.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtDisableBit, MjtIntegrator, MjtJoint, MjtSolver
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row_store import transpose_rows
from newtonlite.solvers.mujoco.kernels.integrate.add_inertia import clear_couplings
from newtonlite.solvers.mujoco.kernels.integrate.body_derivative import body_derivatives, derivative_times
from newtonlite.solvers.mujoco.kernels.integrate.coupled_diagonal import coupled_diagonal
from newtonlite.solvers.mujoco.kernels.integrate.drive_coupling import (
    add_actuator_product,
    add_tendon_product,
    couple_actuator,
    couple_tendon,
)
from newtonlite.solvers.mujoco.kernels.integrate.flex_stiffness import flex_stiffness
from newtonlite.solvers.mujoco.kernels.integrate.free_body import gyroscopic_derivative
from newtonlite.solvers.mujoco.kernels.integrate.passive_stiffness import passive_contact_stiffness
from newtonlite.solvers.mujoco.kernels.integrate.rod_stiffness import add_twist_backbone, couple_twist
from newtonlite.solvers.mujoco.kernels.integrate.unsymmetric import solve_tree
from newtonlite.solvers.mujoco.kernels.position.inertia import mass_matrix
from newtonlite.solvers.mujoco.kernels.position.tendon import tendon_armature
from newtonlite.solvers.mujoco.kernels.primitives.asleep import is_dof_asleep
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.diag_exact import diag_of_row
from newtonlite.solvers.mujoco.kernels.solve.passive_rows import drop_passive_rows
from newtonlite.solvers.mujoco.kernels.velocity.passive import (
    damping_derivative,
    spring_rest,
    spring_rotation,
    spring_shift,
)


@wp.func
def spring_slope(m: ModelFields, world: int, j: int, x: float) -> float:
    """Stiffness of a joint at displacement ``x``: ``k + 2 k1 |x| + 3 k2 x^2``, not negative."""
    # derivative of the force x (k + k1 |x| + k2 x^2)
    k = m.jnt_stiffness[world, j]
    if m.npoly > 0:
        poly = m.jnt_stiffnesspoly[world, j]
        k += (2.0 * poly[0] + 3.0 * poly[1] * x) * x
    return wp.max(0.0, k)


@wp.func
def joint_slope(m: ModelFields, d: DataFields, world: int, i: int) -> float:
    """Stiffness that the spring of its joint has along dof ``i``."""
    if (m.opt_disableflags & MjtDisableBit.SPRING) != 0:
        return 0.0
    # where a spring is linear, its slope is the same everywhere
    j = m.dof_jntid[i]
    kind = m.jnt_type[j]
    x = float(0.0)
    if m.npoly > 0:
        # displacement from rest: of the coordinate, of the place, or the angle
        if kind > MjtJoint.BALL:
            x = d.qpos[world, m.jnt_qposadr[j]] - spring_rest(m, d, world, j, 0)
        elif kind == MjtJoint.BALL:
            x = wp.length(spring_rotation(m, d, world, j, 0))
        elif i < m.jnt_dofadr[j] + 3:
            x = wp.length(spring_shift(m, d, world, j))
        else:
            x = wp.length(spring_rotation(m, d, world, j, 3))
    return spring_slope(m, world, j, x)


@wp.func
def add_joints(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``M += h D + h^2 K`` of joints, kept in ``efm_diag``, and ``efm_c = -h K qvel``."""
    # diagonal: damping over a step, and stiffness over the way of a step at the new speed, of which the right side has the
    # part that the old speed goes
    h = m.opt_timestep[world]
    for i in range(lane, m.nv, nlane):
        k = joint_slope(m, d, world, i)
        b = float(0.0)
        if (m.opt_disableflags & MjtDisableBit.DAMPER) == 0:
            b = wp.max(0.0, damping_derivative(m, d, world, i))
        d.efm_c[world, i] = -h * k * d.qvel[world, i]
        d.efm_diag[world, i] = h * (b + h * k)
        d.M[world, i, i] = d.M[world, i, i] + h * (b + h * k)
    sync()
    if m.nflexchain > 0:
        add_twist_backbone(m, d, world, lane, nlane)


@wp.func
def add_drag(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``M += h D`` of fluids: the symmetric part, between a dof and those on its way to the root."""
    # derivatives of all bodies' forces first, which both dofs of an entry see
    if m.nderivative > 0:
        h = m.opt_timestep[world]
        body_derivatives(m, d, world, lane, nlane)
        for i in range(lane, m.nv, nlane):
            body = m.dof_bodyid[i]
            own = derivative_times(m, d, world, body, i)
            for e in range(m.chain_adr[body], m.chain_adr[body + 1]):
                j = m.chain_dof[e]
                if j <= i:
                    down = wp.dot(d.cdof[world, i], derivative_times(m, d, world, body, j))
                    value = d.M[world, i, j] + 0.5 * h * (down + wp.dot(d.cdof[world, j], own))
                    d.M[world, i, j] = value
                    d.M[world, j, i] = value
        sync()


@wp.func
def add_backbone(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``M += h D + h^2 K`` of joints and fluids, and ``efm_c = -h K qvel`` of joints."""
    add_joints(m, d, world, lane, nlane)
    add_drag(m, d, world, lane, nlane)


@wp.func
def inertia_ratio(m: ModelFields, d: DataFields, world: int, row: int) -> float:
    """Inverse inertia that a row feels by the diagonal of the effective inertia, over that by the diagonal of M."""
    # sums of J_i^2 over the diagonals: inverse inertias as if dofs did not act on each other
    effective = float(0.0)
    bare = float(0.0)
    if m.nsparse > 0:
        first = d.efc_J_rowadr[world, row]
        for e in range(first, first + d.efc_J_rownnz[world, row]):
            x = d.efc_J[world, 0, e]
            i = d.efc_J_colind[world, e]
            effective += x * x / d.M[world, i, i]
            bare += x * x / d.efm_bare[world, i]
    else:
        t = d.efc_block[world, row]
        for k in range(m.nv):
            b = k / BLOCK
            if (t[0] <= b and b < t[1]) or (t[2] <= b and b < t[3]):
                y = d.efc_J[world, row, k]
                effective += y * y / d.M[world, k, k]
                bare += y * y / d.efm_bare[world, k]
    # a row without numbers keeps its weight
    if bare > MINVAL:
        return effective / bare
    return 1.0


@wp.func
def effective_inertia(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Backbone of the effective inertia in ``M``."""
    # the diagonal of M is needed once more, by rows
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        for i in range(lane, m.nv, nlane):
            d.efm_bare[world, i] = d.M[world, i, i]
        sync()
        add_backbone(m, d, world, lane, nlane)


@wp.func
def regularize_rows(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Regularisation of rows for the effective inertia's diagonal in place of M's; rows of a contact by its first."""
    # one weight for all rows of a contact keeps the ratios that its cone asks for
    nrow = d.nefc[world]
    first = d.ne[world] + d.nf[world] + d.nl[world]
    for r in range(lane, nrow, nlane):
        leader = r
        if r >= first:
            leader = d.contact_efc_address[world, d.efc_id[world, r]]
        diag_of_row(m, d, world, r, inertia_ratio(m, d, world, leader))
    sync()


@wp.func
def couple_drives(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Products of rows of tendons, actuators and twist joints, in ``M`` and ``efm_c``; Gauss-Seidel leaves them out."""
    # what there is of none, where flags or the solver leave them out
    for t in range(lane, m.ntendon, nlane):
        d.efm_ts[world, t] = 0.0
    for u in range(lane, m.nactuator, nlane):
        d.efm_as[world, u] = 0.0
    for i in range(lane, m.nv, nlane):
        d.efm_ca[world, i] = 0.0
    sync()
    # one lane after the other tendon and actuator: they share dofs
    if m.opt_solver != MjtSolver.PGS and lane == 0:
        for t in range(m.ntendon):
            couple_tendon(m, d, world, t)
        if (m.opt_disableflags & MjtDisableBit.ACTUATION) == 0:
            for u in range(m.nactuator):
                couple_actuator(m, d, world, u)
        if m.nflexchain > 0:
            for h in range(m.nflexrod):
                couple_twist(m, d, world, h)


@wp.func
def couple_flexes(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Flexes in the effective inertia but for twist joints, and their passive contacts."""
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        # one lane: elements share vertices, and contacts share elements
        if m.nflexforce > 0 or m.nflexpassive > 0:
            if lane == 0:
                flex_stiffness(m, d, world)
                passive_contact_stiffness(m, d, world)
            sync()
            # rows of passive contacts have come behind the others
            if m.nefmrow > 0 and m.nflexpassive > 0:
                transpose_rows(m, d, world, lane, nlane)


@wp.func
def couple_inertia(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Couplings of dofs in the effective inertia, and rows that are regularised for it; those of flexes come after that, as
    MuJoCo leaves them out of the diagonal of rows.
    """
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        # less slip sweeps, and exact diagonals are, without couplings
        for i in range(lane, m.nefmkept, nlane):
            for j in range(BLOCK * m.dof_block[i][0], wp.min(BLOCK * m.dof_block[i][1], m.nv)):
                d.efm_backbone[world, i, j] = d.M[world, i, j]
        sync()
        clear_couplings(m, d, world, lane, nlane)
        couple_drives(m, d, world, lane, nlane)
        sync()
        # the approximate diagonal of J M^-1 J' is of M; an exact one is of the backbone, with the couplings' diagonal
        if m.ndiagexact == 0:
            regularize_rows(m, d, world, lane, nlane)
        elif m.nefmkept > 0:
            coupled_diagonal(m, d, world, lane, nlane)


@wp.func
def right_side(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qfrc_smooth`` as the right side of the step, which solvers take it for."""
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        # the smooth forces are kept, and come back with the bare inertia
        for i in range(lane, m.nv, nlane):
            d.efm_smooth[world, i] = d.qfrc_smooth[world, i]
            # nothing pushes what sleeps
            if m.nsleep > 0:
                if is_dof_asleep(m, d, world, i):
                    d.efm_c[world, i] = 0.0
                    d.efm_ca[world, i] = 0.0
            d.qfrc_smooth[world, i] = d.qfrc_smooth[world, i] + d.efm_c[world, i]
        sync()


@wp.func
def is_lone(m: ModelFields, d: DataFields, world: int, first: int) -> bool:
    """Whether nothing acts between the free body whose dofs begin at ``first`` and others: no row, and no coupling."""
    # rows, dense or sparse, with a number on one of the six dofs
    for r in range(d.nefc[world]):
        if m.nsparse > 0:
            adr = d.efc_J_rowadr[world, r]
            for e in range(adr, adr + d.efc_J_rownnz[world, r]):
                at = d.efc_J_colind[world, e]
                if first <= at and at < first + 6 and d.efc_J[world, 0, e] != 0.0:
                    return False
        else:
            t = d.efc_block[world, r]
            for i in range(first, first + 6):
                b = i / BLOCK
                if (t[0] <= b and b < t[1]) or (t[2] <= b and b < t[3]):
                    if d.efc_J[world, r, i] != 0.0:
                        return False
    if m.ncoupling > 0:
        # what couples a body's dofs with each other is between its six alone, and no less a coupling
        for i in range(first, first + 6):
            for j in range(BLOCK * m.dof_block[i][0], wp.min(m.nv, BLOCK * m.dof_block[i][1])):
                if (j < first or j >= first + 6) and d.M[world, i, j] != 0.0:
                    return False
            if m.ncoupled > 0:
                for e in range(m.coupled_rowadr[i], m.coupled_rowadr[i + 1]):
                    if d.efm_coupled[world, e] != 0.0:
                        return False
    return True


@wp.func
def turn_free_body(m: ModelFields, d: DataFields, world: int, first: int):
    """``qacc`` of a free body that nothing holds, with the derivative of its gyroscopic force, which is not symmetric."""
    # the body's own six equations, with the derivative that is not symmetric
    for r in range(6):
        d.search[world, first + r] = d.qfrc_smooth[world, first + r]
        for c in range(6):
            d.H[world, first + r, first + c] = d.M[world, first + r, first + c]
    gyroscopic_derivative(m, d, world, first, m.opt_timestep[world])
    solve_tree(m, d, world, first, first + 6)
    for r in range(6):
        d.qacc[world, first + r] = d.search[world, first + r]


@wp.func
def inverse_free_body(m: ModelFields, d: DataFields, world: int, first: int):
    """``efm_c -= h dg/dv qacc`` with the gyroscopic force g of a free body that nothing holds: the inverse of
    ``turn_free_body``.
    """
    # H is free here: the derivative alone, times the acceleration
    for r in range(6):
        for c in range(6):
            d.H[world, first + r, first + c] = 0.0
    gyroscopic_derivative(m, d, world, first, m.opt_timestep[world])
    for r in range(6):
        total = d.efm_c[world, first + r]
        for c in range(6):
            total -= d.H[world, first + r, first + c] * d.qacc[world, first + c]
        d.efm_c[world, first + r] = total


@wp.func
def begin_inverse(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """The effective inertia in ``M``, and in ``efm_c`` what the step adds to smooth forces, for an acceleration ``qacc``."""
    # the same matrix and right side as forwards, with what lone bodies turn by
    couple_inertia(m, d, world, lane, nlane)
    couple_flexes(m, d, world, lane, nlane)
    right_side(m, d, world, lane, nlane)
    for k in range(lane, m.nlonefree, nlane):
        if is_lone(m, d, world, m.lone_free_dof[k]):
            inverse_free_body(m, d, world, m.lone_free_dof[k])
    sync()


@wp.func
def restore_inertia(m: ModelFields, d: DataFields, world: int, solved: bool, lane: int, nlane: int):
    """``M`` and ``qfrc_smooth`` as they were before the effective inertia, and rows, which may have been ``solved``."""
    drop_passive_rows(m, d, world, solved, lane, nlane)
    # from the composite inertias that are still there: to the last bit what it was
    mass_matrix(m, d, world, lane, nlane)
    tendon_armature(m, d, world, lane, nlane)
    for i in range(lane, m.nv, nlane):
        d.qfrc_smooth[world, i] = d.efm_smooth[world, i]
    sync()


@wp.func
def bare_inertia(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Gyroscopic forces of lone free bodies, as ``implicitfast`` takes them; then ``M`` and ``qfrc_smooth`` as they were."""
    # bodies that nothing holds, each by itself
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        for k in range(lane, m.nlonefree, nlane):
            if is_lone(m, d, world, m.lone_free_dof[k]):
                turn_free_body(m, d, world, m.lone_free_dof[k])
        sync()
        restore_inertia(m, d, world, True, lane, nlane)


@wp.func
def add_drives(m: ModelFields, d: DataFields, world: int, lane: int):
    """``couple_drives`` by the weights that a step had; twist joints add to ``efm_c``."""
    # one lane: they share dofs
    if m.opt_solver != MjtSolver.PGS and lane == 0:
        for t in range(m.ntendon):
            add_tendon_product(m, d, world, t, d.efm_ts[world, t])
        for u in range(m.nactuator):
            add_actuator_product(m, d, world, u, d.efm_as[world, u])
        if m.nflexchain > 0:
            for h in range(m.nflexrod):
                couple_twist(m, d, world, h)


@wp.func
def begin_smooth(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """The effective inertia in ``M`` and the right side in ``qfrc_smooth`` once more, for ``qacc_smooth`` after a step.

    The right side is the one that was: the state has moved since.
    """
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        # what the step added to its forces is kept: flexes are about to add it up anew
        for i in range(lane, m.nv, nlane):
            d.qacc_smooth[world, i] = d.efm_c[world, i]
            d.M[world, i, i] = d.M[world, i, i] + d.efm_diag[world, i]
        sync()
        # the matrix by the weights that the step had, without the rows, whose regularisation stays
        add_drag(m, d, world, lane, nlane)
        clear_couplings(m, d, world, lane, nlane)
        add_drives(m, d, world, lane)
        sync()
        couple_flexes(m, d, world, lane, nlane)
        # and the forces that belong to it
        for i in range(lane, m.nv, nlane):
            d.efm_c[world, i] = d.qacc_smooth[world, i]
        sync()
        right_side(m, d, world, lane, nlane)


@wp.func
def end_smooth(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``M`` and ``qfrc_smooth`` as they were before ``begin_smooth``."""
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        restore_inertia(m, d, world, False, lane, nlane)
