"""Tendon rows: dry friction and limits."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.core.types import vec5
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.least_regularization import keep_above, min_regularization
from newtonlite.solvers.mujoco.kernels.constraint.row import (
    HALF_QUADRATIC,
    HUBER,
    diag_approx,
    finish_row,
    impedance,
    init_row,
    one_block_range,
    resolved,
    stiffness_damping,
)
from newtonlite.solvers.mujoco.kernels.constraint.row_store import append_entries, put
from newtonlite.solvers.mujoco.kernels.primitives.asleep import is_pair_asleep
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.primitives.tendon_entries import entry_dof, tendon_entries, tendon_row


@wp.func
def tendon_moves(m: ModelFields, d: DataFields, world: int, t: int) -> bool:
    """Whether some dof that is awake changes the length now; MuJoCo has no row for a tendon that none does, where its
    Jacobian is dense.
    """
    # no row while all that it ties sleeps, nor where no dof changes its length now
    if m.nsleep > 0:
        if is_pair_asleep(d, world, m.tendon_tree[t]):
            return False
    if m.keepzero > 0:
        return True
    span = tendon_entries(m, t)
    for e in range(span[0], span[1]):
        if d.ten_J[world, tendon_row(m, t), e] != 0.0:
            return True
    return False


@wp.func
def tendon_jacobian(m: ModelFields, d: DataFields, world: int, row: int, t: int, sign: float, lane: int, nlane: int):
    """Jacobian of a row along a tendon."""
    # sparse: the dofs that can move it
    if m.nsparse > 0:
        span = tendon_entries(m, t)
        if lane == 0:
            append_entries(m, d, world, row, 1, span[1] - span[0])
        sync()
        for e in range(span[0] + lane, span[1], nlane):
            put(m, d, world, row, e - span[0], entry_dof(m, e), sign * d.ten_J[world, 0, e])
        return

    # dense: as it lies
    block = m.tendon_block[t]
    for i in range(BLOCK * block[0] + lane, BLOCK * block[1], nlane):
        d.efc_J[world, row, i] = sign * d.ten_J[world, t, i]
    if lane == 0:
        d.efc_block[world, row] = one_block_range(block)


@wp.func
def finish_tendon_row(
    m: ModelFields,
    d: DataFields,
    world: int,
    row: int,
    kind: int,
    t: int,
    solref: wp.vec2,
    solimp: vec5,
    dist: float,
    margin: float,
    speed: float,
):
    """Parameters of a row along a tendon; dry friction pulls the speed alone to zero."""
    # as rows of joints, with the inverse weight of the tendon
    r = dist - margin
    imp = impedance(solimp, r)
    kb = stiffness_damping(m, world, solref, solimp[1])
    init_row(m, d, world, row, kind, t, dist, margin)
    if kind == HUBER:
        kb = wp.vec2(0.0, kb[1])
        d.efc_frictionloss[world, row] = m.tendon_frictionloss[world, t]
    else:
        kb = resolved(m, world, kb, imp, solref)
    finish_row(m, d, world, row, kb, imp, diag_approx(m, m.tendon_invweight0[world, t]), r, speed)

    # no weight at qpos0, where no dof lengthens it: R by the inertia it moves now
    if m.tendon_invweight0[world, t] < MINVAL:
        keep_above(d, world, row, min_regularization(m, d, world, row, 1))


@wp.func
def tendon_friction_rows(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Dry friction of tendons: ``|f| <= frictionloss``, pulling their speed to zero."""
    if m.ntendon > 0 and (m.opt_disableflags & (MjtDisableBit.CONSTRAINT | MjtDisableBit.FRICTIONLOSS)) == 0:
        # tendon after tendon, since which have rows is known only as they come
        first = d.nefc_needed[world]
        row = first
        sync()
        for k in range(m.ntenfriction):
            t = m.friction_tendon[k]
            if tendon_moves(m, d, world, t):
                # a Huber row of no violation along the tendon; beyond the capacity rows are only counted
                if row < d.njmax:
                    tendon_jacobian(m, d, world, row, t, 1.0, lane, nlane)
                    sync()
                    if lane == 0:
                        finish_tendon_row(
                            m,
                            d,
                            world,
                            row,
                            HUBER,
                            t,
                            m.tendon_solref_fri[world, t],
                            m.tendon_solimp_fri[world, t],
                            0.0,
                            0.0,
                            d.ten_velocity[world, t],
                        )
                row += 1
        if lane == 0:
            # what fits, and what was asked for
            kept = wp.clamp(d.njmax - first, 0, row - first)
            d.nf[world] = d.nf[world] + kept
            d.nefc[world] = d.nefc[world] + kept
            d.nefc_needed[world] = row
        sync()


@wp.func
def tendon_limit_rows(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Limits of tendon lengths: a row per bound nearer than the margin; lower bound first."""
    if m.ntendon > 0 and (m.opt_disableflags & (MjtDisableBit.CONSTRAINT | MjtDisableBit.LIMIT)) == 0:
        # tendon after tendon, its two bounds as distances that grow inwards
        first = d.nefc_needed[world]
        row = first
        sync()
        for k in range(m.ntenlimit):
            t = m.limit_tendon[k]
            bounds = m.tendon_range[world, t]
            for side in range(2):
                sign = 1.0 - 2.0 * float(side)
                dist = sign * (d.ten_length[world, t] - bounds[side])
                # within the margin a one-sided row, if some dof can move the tendon; beyond the capacity it is only
                # counted
                if dist < m.tendon_margin[world, t] and tendon_moves(m, d, world, t):
                    if row < d.njmax:
                        tendon_jacobian(m, d, world, row, t, sign, lane, nlane)
                        sync()
                        if lane == 0:
                            finish_tendon_row(
                                m,
                                d,
                                world,
                                row,
                                HALF_QUADRATIC,
                                t,
                                m.tendon_solref_lim[world, t],
                                m.tendon_solimp_lim[world, t],
                                dist,
                                m.tendon_margin[world, t],
                                sign * d.ten_velocity[world, t],
                            )
                    row += 1
        if lane == 0:
            # what fits, and what was asked for
            kept = wp.clamp(d.njmax - first, 0, row - first)
            d.nl[world] = d.nl[world] + kept
            d.nefc[world] = d.nefc[world] + kept
            d.nefc_needed[world] = row
        sync()
