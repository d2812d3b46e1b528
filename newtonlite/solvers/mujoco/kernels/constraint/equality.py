"""Equality rows: points of two bodies tied, frames of two bodies welded, joints or tendons that follow a polynomial.

Rows measure what should vanish: ``p1 - p2`` [m]; the vector part of ``q2^-1 q1`` times the torque scale; the difference of
the follower's coordinate and the polynomial of the leader's.  Their reference includes ``dJ/dt qvel`` of points and frames.
"""

from typing import Any

import warp as wp

from newtonlite.math.quaternion import quat_conj, quat_mul, quat_rotate
from newtonlite.solvers.mujoco.enums import DISABLE_CONSTRAINT, DISABLE_EQUALITY, DISABLE_REFSAFE, EQ_CONNECT, EQ_TENDON, EQ_WELD
from newtonlite.solvers.mujoco.kernels.constraint.follower import polynomial, scalar_state, tie_scalars
from newtonlite.solvers.mujoco.kernels.constraint.row import (
    EQUALITY,
    finish,
    impedance,
    open_row,
    row_blocks,
    stiffness_damping,
    weighed,
    zero_rows,
)
from newtonlite.solvers.mujoco.kernels.constraint.tendon import stirs
from newtonlite.solvers.mujoco.kernels.point import lever, linear_at, point_bias, point_velocity
from newtonlite.solvers.mujoco.kernels.sleep.rest import pair_rests
from newtonlite.solvers.mujoco.kernels.team import sync

HARDEST = wp.constant(1.0e-6)
"""Least regularisation of a row, relative to the inverse inertia it moves."""


@wp.func
def tendons_stir(m: Any, d: Any, world: int, k: int) -> bool:
    """Whether some dof changes what a tendon constraint measures."""
    if stirs(m, d, world, m.eq_pair[k][0]):
        return True
    t = m.eq_pair[k][1]
    return t >= 0 and polynomial(m, world, k, scalar_state(m, d, world, k, 1)[0])[1] != 0.0 and stirs(m, d, world, t)


@wp.func
def claim_equalities(m: Any, d: Any, world: int):
    """Give each constraint that holds its rows, in order, as long as they fit."""
    needed = int(0)
    kept = int(0)
    on = (m.opt_disableflags & (DISABLE_CONSTRAINT | DISABLE_EQUALITY)) == 0
    for k in range(m.neq):
        n = int(0)
        row = int(-1)
        if on and d.eq_active[world, k] != 0:
            n = m.eq_nrow[k]
        if m.ntendon > 0 and m.eq_type[k] == EQ_TENDON and n > 0:
            n = int(tendons_stir(m, d, world, k))
        if m.nsleep > 0:
            if pair_rests(d, world, m.eq_tree[k]):
                n = int(0)
        if n > 0 and needed + n <= d.njmax:
            row = needed
            kept += n
        needed += n
        d.eq_efc_address[world, k] = row
    d.ne[world] = kept
    d.nefc[world] = kept
    d.nefc_needed[world] = needed


@wp.func
def anchor(m: Any, d: Any, world: int, k: int, side: int) -> wp.vec3:
    """Tied point of the first (``side`` 0) or second body: a site, or a point of the body."""
    s = m.eq_pair[k][side]
    if s >= 0:
        return d.site_xpos[world, s]
    at = 3 * side
    if m.eq_type[k] == EQ_WELD:  # the second body's anchor comes first
        at = 3 - at
    b = m.eq_body[k][side]
    local = wp.vec3(m.eq_data[world, k, at], m.eq_data[world, k, at + 1], m.eq_data[world, k, at + 2])
    return d.xpos[world, b] + d.xmat[world, b] * local


@wp.func
def welded_frame(m: Any, d: Any, world: int, k: int, side: int) -> wp.quat:
    """Orientation that a weld compares: a site's, or a body's, the first turned as the second should be."""
    b = m.eq_body[k][side]
    s = m.eq_pair[k][side]
    if s >= 0:
        return quat_mul(d.xquat[world, b], m.site_quat[world, s])
    if side == 1:
        return d.xquat[world, b]
    turn = wp.quat(m.eq_data[world, k, 6], m.eq_data[world, k, 7], m.eq_data[world, k, 8], m.eq_data[world, k, 9])
    return quat_mul(d.xquat[world, b], turn)


@wp.func
def turn_rate(error: wp.quat, omega: wp.vec3) -> wp.vec3:
    """Rate of the vector part of ``error`` for the relative angular velocity ``omega``, both in the second frame."""
    v = wp.vec3(error[1], error[2], error[3])
    return 0.5 * (error[0] * omega + wp.cross(omega, v))


@wp.func
def put_body(m: Any, d: Any, world: int, k: int, row: int, side: int, error: wp.quat, back: wp.quat, lane: int, nlane: int):
    """Share of the dofs that move one of the two bodies."""
    b = m.eq_body[k][side]
    arm = lever(m, d, world, b, anchor(m, d, world, k, side))
    sign = 1.0 - 2.0 * float(side)
    for c in range(m.chain_adr[b] + lane, m.chain_adr[b + 1], nlane):
        i = m.chain_dof[c]
        axis = d.cdof[world, i] * sign
        lin = linear_at(axis, arm)
        for r in range(3):
            d.efc_J[world, row + r, i] = d.efc_J[world, row + r, i] + lin[r]
        if m.eq_type[k] == EQ_WELD:
            rot = m.eq_data[world, k, 10] * turn_rate(error, quat_rotate(back, wp.spatial_top(axis)))
            for r in range(3):
                d.efc_J[world, row + 3 + r, i] = d.efc_J[world, row + 3 + r, i] + rot[r]


@wp.func
def tie_bodies(m: Any, d: Any, world: int, k: int, row: int, lane: int, nlane: int):
    """Jacobian of a connect or weld: first body minus second."""
    blocks = row_blocks(m, m.eq_body[k][0], m.eq_body[k][1])
    n = m.eq_nrow[k]
    zero_rows(d.efc_J, world, row, n, blocks[0], blocks[1], lane, nlane)
    zero_rows(d.efc_J, world, row, n, blocks[2], blocks[3], lane, nlane)
    for r in range(lane, n, nlane):
        d.efc_block[world, row + r] = blocks
    back = quat_conj(welded_frame(m, d, world, k, 1))
    error = quat_mul(back, welded_frame(m, d, world, k, 0))
    for side in range(2):
        sync()
        put_body(m, d, world, k, row, side, error, back, lane, nlane)


@wp.func
def moved(m: Any, d: Any, world: int, row: int) -> float:
    """Inverse inertia of the dofs a row moves, each by itself: ``sum J^2 / M``."""
    block = d.efc_block[world, row]
    total = float(0.0)
    for i in range(16 * block[0], wp.min(16 * block[3], m.nv)):
        if i < 16 * block[1] or i >= 16 * block[2]:
            j = d.efc_J[world, row, i]
            total += j * j / d.M[world, i, i]
    return total


@wp.func
def soften(m: Any, d: Any, world: int, row: int, count: int):
    """Keep rows of equal weight no stiffer, next to the inertia they move, than float32 can add to it.

    MuJoCo's inverse weight is that of the centre of mass: it vanishes for a crank that turns about its own. Exact weights do not.
    """
    least = float(0.0)
    if m.ndiagexact == 0:
        for r in range(row, row + count):
            least = wp.max(least, HARDEST * moved(m, d, world, r))
    for r in range(row, row + count):
        if d.efc_R[world, r] < least:
            d.efc_R[world, r] = least
            d.efc_D[world, r] = 1.0 / least


@wp.func
def close_row(m: Any, d: Any, world: int, k: int, row: int, pos: float, whole: float, diag: float, vel: float, bias: float):
    """Parameters of a row; ``whole`` is the size of the constraint's violation, ``bias`` is ``dJ/dt qvel``."""
    solimp = m.eq_solimp[world, k]
    safe = (m.opt_disableflags & DISABLE_REFSAFE) == 0
    kb = stiffness_damping(m.eq_solref[world, k], solimp[1], m.opt_timestep[world], safe)
    open_row(m, d, world, row, EQUALITY, k, pos, 0.0)
    finish(m, d, world, row, kb, impedance(solimp, whole), weighed(m, diag), pos, vel)
    d.efc_aref[world, row] = d.efc_aref[world, row] - bias


@wp.func
def close_bodies(m: Any, d: Any, world: int, k: int, row: int):
    """Parameters of the rows of a connect or weld."""
    b1 = m.eq_body[k][0]
    b2 = m.eq_body[k][1]
    p1 = anchor(m, d, world, k, 0)
    p2 = anchor(m, d, world, k, 1)
    pos = p1 - p2
    vel = point_velocity(m, d, world, b1, p1) - point_velocity(m, d, world, b2, p2)
    bias = point_bias(m, d, world, b1, p1) - point_bias(m, d, world, b2, p2)
    weight = m.body_invweight0[world, b1] + m.body_invweight0[world, b2]
    rot = wp.vec3(0.0, 0.0, 0.0)
    rate = rot
    bend = rot
    if m.eq_type[k] == EQ_WELD:
        scale = m.eq_data[world, k, 10]
        back = quat_conj(welded_frame(m, d, world, k, 1))
        error = quat_mul(back, welded_frame(m, d, world, k, 0))
        w1 = wp.spatial_top(d.cvel[world, b1])
        w2 = wp.spatial_top(d.cvel[world, b2])
        change = wp.spatial_top(d.cacc[world, b1]) - wp.spatial_top(d.cacc[world, b2]) + 0.5 * wp.cross(w1 - w2, w1 + w2)
        vector = wp.vec3(error[1], error[2], error[3])
        rot = scale * vector
        rate = scale * turn_rate(error, quat_rotate(back, w1 - w2))
        bend = scale * (turn_rate(error, quat_rotate(back, change)) - 0.25 * wp.length_sq(w1 - w2) * vector)
    whole = wp.sqrt(wp.length_sq(pos) + wp.length_sq(rot))
    for r in range(3):
        close_row(m, d, world, k, row + r, pos[r], whole, weight[0], vel[r], bias[r])
        if m.eq_type[k] == EQ_WELD:
            close_row(m, d, world, k, row + 3 + r, rot[r], whole, weight[1], rate[r], bend[r])
    for first in range(row, row + m.eq_nrow[k], 3):
        soften(m, d, world, first, 3)


@wp.func
def close_scalars(m: Any, d: Any, world: int, k: int, row: int):
    """Parameters of the row of a joint or tendon constraint."""
    one = scalar_state(m, d, world, k, 0)
    two = scalar_state(m, d, world, k, 1)
    line = polynomial(m, world, k, two[0])
    pos = one[0] - line[0]
    close_row(m, d, world, k, row, pos, wp.abs(pos), one[2] + two[2], one[1] - line[1] * two[1], 0.0)
    soften(m, d, world, row, 1)


@wp.func
def fill_equalities(m: Any, d: Any, world: int, lane: int, nlane: int):
    """Jacobians, constraint by constraint; then parameters, a lane each."""
    for k in range(m.neq):
        row = d.eq_efc_address[world, k]
        if row >= 0:
            if m.eq_type[k] == EQ_CONNECT or m.eq_type[k] == EQ_WELD:
                tie_bodies(m, d, world, k, row, lane, nlane)
            else:
                tie_scalars(m, d, world, k, row, lane, nlane)
    for k in range(lane, m.neq, nlane):
        row = d.eq_efc_address[world, k]
        if row >= 0:
            if m.eq_type[k] == EQ_CONNECT or m.eq_type[k] == EQ_WELD:
                close_bodies(m, d, world, k, row)
            else:
                close_scalars(m, d, world, k, row)
    sync()


@wp.func
def equality_rows(m: Any, d: Any, world: int, lane: int, nlane: int):
    """Start the rows of a world; all equality rows."""
    if lane == 0:
        d.ne[world] = 0
        d.nf[world] = 0
        d.nl[world] = 0
        d.nefc[world] = 0
        d.nefc_needed[world] = 0
        if m.neq > 0:
            claim_equalities(m, d, world)
    sync()
    if m.neq > 0:
        fill_equalities(m, d, world, lane, nlane)
