"""Joint rows: dry friction and limits."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtJoint
from newtonlite.math.quaternion import quat_to_rotvec
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
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
from newtonlite.solvers.mujoco.kernels.constraint.row_store import (
    entries_reserved,
    keep_entries,
    open_rows,
    put,
    reserve_entries,
)
from newtonlite.solvers.mujoco.kernels.position.kinematics import read_quat
from newtonlite.solvers.mujoco.kernels.primitives.asleep import is_dof_asleep
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_scan

LIMIT_ENTRIES = wp.constant(3)
"""Entries that a sparse row of a joint's bound has room for."""


@wp.func
def reserve_bounds(m: ModelFields, d: DataFields, world: int, row: int, n: int, adr: int, j: int):
    """Entries of the ``n`` rows of a joint, where rows are sparse: three of a ball joint, one of others; all rows have room
    for three.
    """
    if m.nsparse > 0:
        width = int(1)
        if m.nball > 0 and m.jnt_type[j] == MjtJoint.BALL:
            width = LIMIT_ENTRIES
        for r in range(n):
            reserve_entries(d, world, row + r, 1, adr + LIMIT_ENTRIES * r, width)


@wp.func
def bound_distances(m: ModelFields, d: DataFields, world: int, j: int) -> wp.vec2:
    """Distances of a joint to both bounds, of a ball joint to the one on its angle."""
    bounds = m.jnt_range[world, j]
    adr = m.jnt_qposadr[j]
    if m.nball > 0 and m.jnt_type[j] == MjtJoint.BALL:
        turn = quat_to_rotvec(read_quat(m, d, world, adr))
        return wp.vec2(wp.max(bounds[0], bounds[1]) - wp.length(turn), m.jnt_margin[world, j])
    return wp.vec2(d.qpos[world, adr] - bounds[0], bounds[1] - d.qpos[world, adr])


@wp.func
def joint_jacobian(m: ModelFields, d: DataFields, world: int, row: int, i: int, value: float):
    """A row with one entry."""
    open_rows(m, d, world, row, 1, one_block_range(m.dof_block[i]), 0, 1)
    put(m, d, world, row, 0, i, value)


@wp.func
def friction_rows(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Dry friction of dofs: ``|f| <= frictionloss``, pulling qvel to zero."""
    # rows follow those of equalities, a row per dof, so that lanes need no scan
    first = d.nefc_needed[world]
    count = m.nfriction
    if m.nsleep > 0:
        count = d.nfriction_awake[world]
    if (m.opt_disableflags & (MjtDisableBit.CONSTRAINT | MjtDisableBit.FRICTIONLOSS)) != 0:
        count = int(0)

    entries = entries_reserved(m, d, world)

    # a Huber row along the dof: no violation, J = 1, force up to frictionloss
    for k in range(lane, count, nlane):
        row = first + k
        if row < d.njmax:
            i = m.friction_dof[k]
            if m.nsleep > 0:
                i = m.friction_dof[d.friction_awake[world, k]]
            init_row(m, d, world, row, HUBER, i, 0.0, 0.0)
            if m.nsparse > 0:
                reserve_entries(d, world, row, 1, entries + k, 1)
            joint_jacobian(m, d, world, row, i, 1.0)
            d.efc_frictionloss[world, row] = m.dof_frictionloss[world, i]
            solimp = m.dof_solimp[world, i]
            kb = stiffness_damping(m, world, m.dof_solref[world, i], solimp[1])
            finish_row(
                m,
                d,
                world,
                row,
                wp.vec2(0.0, kb[1]),
                impedance(solimp, 0.0),
                diag_approx(m, m.dof_invweight0[world, i]),
                0.0,
                d.qvel[world, i],
            )
    sync()

    # what did not fit is asked for all the same
    if lane == 0:
        kept = wp.clamp(d.njmax - first, 0, count)
        d.nf[world] = kept
        d.nf_dof[world] = kept
        keep_entries(m, d, world, entries + kept)
        d.nefc[world] = d.nefc[world] + kept
        d.nefc_needed[world] = first + count
    sync()


@wp.func
def limit_row(m: ModelFields, d: DataFields, world: int, row: int, j: int, dist: float, vel: float):
    """Parameters of a joint-limit row whose Jacobian is written."""
    # one-sided row of violation dist - margin, weighed by the joint's first dof
    margin = m.jnt_margin[world, j]
    solimp = m.jnt_solimp[world, j]
    init_row(m, d, world, row, HALF_QUADRATIC, j, dist, margin)
    r = dist - margin
    imp = impedance(solimp, r)
    solref = m.jnt_solref[world, j]
    kb = resolved(m, world, stiffness_damping(m, world, solref, solimp[1]), imp, solref)
    finish_row(m, d, world, row, kb, imp, diag_approx(m, m.dof_invweight0[world, m.jnt_dofadr[j]]), r, vel)


@wp.func
def ball_limit_row(m: ModelFields, d: DataFields, world: int, row: int, j: int, dist: float):
    """A ball joint turned too far: the row points back along the rotation axis."""
    turn = quat_to_rotvec(read_quat(m, d, world, m.jnt_qposadr[j]))
    # the angle of rotation, |turn|, grows along the axis: the distance to the limit has gradient -axis
    axis = wp.normalize(turn)
    i = m.jnt_dofadr[j]
    open_rows(m, d, world, row, 1, one_block_range(m.dof_block[i]), 0, 1)
    vel = float(0.0)
    for c in range(3):
        put(m, d, world, row, c, i + c, -axis[c])
        vel -= axis[c] * d.qvel[world, i + c]
    limit_row(m, d, world, row, j, dist, vel)


@wp.func
def limit_rows(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Joint limits: a row per bound nearer than the margin; lower bound first."""
    # lanes take joints in turn; rows come in the order of joints, by a scan in each round
    count = m.nlimit
    if (m.opt_disableflags & (MjtDisableBit.CONSTRAINT | MjtDisableBit.LIMIT)) != 0:
        count = int(0)
    base = d.nefc[world]
    needed = d.nefc_needed[world]
    kept = int(0)

    entries = entries_reserved(m, d, world)
    first = needed
    for k0 in range(0, count, nlane):
        k = k0 + lane
        lower = float(0.0)
        upper = float(0.0)
        margin = float(0.0)
        j = int(-1)
        n = int(0)
        if k < count:
            j = m.limit_jnt[k]
            margin = m.jnt_margin[world, j]
            both = bound_distances(m, d, world, j)
            lower = both[0]
            upper = both[1]
            if lower < margin:
                n += 1
            if upper < margin:
                n += 1
            if m.nsleep > 0:
                if is_dof_asleep(m, d, world, m.jnt_dofadr[j]):
                    n = int(0)
        if nlane > 1 or n > 0:  # a lone lane without a row has nothing to scan
            slots = team_scan(d.team_i, world, n)
            row = needed + slots[0]
            fit = int(0)
            if n > 0 and row + n <= d.njmax:  # all rows of a joint, or none
                fit = n
                i = m.jnt_dofadr[j]
                reserve_bounds(m, d, world, row, n, entries + LIMIT_ENTRIES * (row - first), j)
                if m.nball > 0 and m.jnt_type[j] == MjtJoint.BALL:
                    ball_limit_row(m, d, world, row, j, lower)
                else:
                    if lower < margin:
                        joint_jacobian(m, d, world, row, i, 1.0)
                        limit_row(m, d, world, row, j, lower, d.qvel[world, i])
                        row += 1
                    if upper < margin:
                        joint_jacobian(m, d, world, row, i, -1.0)
                        limit_row(m, d, world, row, j, upper, -d.qvel[world, i])
            needed += slots[1]
            kept += team_scan(d.team_i, world, fit)[1]
    sync()
    if lane == 0:
        d.nl[world] = kept
        d.nl_jnt[world] = kept
        keep_entries(m, d, world, entries + LIMIT_ENTRIES * (needed - first))
        d.nefc[world] = base + kept
        d.nefc_needed[world] = needed
    sync()
