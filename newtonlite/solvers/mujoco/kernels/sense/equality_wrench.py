"""Equality and tendon wrenches on bodies, from the forces of rows, springs and actuators."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtEq, MjtTrn, MjtWrap
from newtonlite.math.quaternion import quat_conj, quat_mul, quat_rotate
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.equality_polynomial import polynomial, scalar_state
from newtonlite.solvers.mujoco.kernels.constraint.equality_row import anchor
from newtonlite.solvers.mujoco.kernels.constraint.weld import welded_frame
from newtonlite.solvers.mujoco.kernels.primitives.point import lever
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.primitives.tendon_entries import entry_dof, tendon_entries, tendon_row


@wp.func
def about_tree(
    m: ModelFields, d: DataFields, world: int, b: int, point: wp.vec3, force: wp.vec3, torque: wp.vec3
) -> wp.spatial_vector:
    """A force and torque at ``point``, as a spatial force about the centre of mass of the tree of ``b``."""
    return wp.spatial_vector(torque + wp.cross(lever(m, d, world, b, point), force), force)


@wp.func
def weld_torque(m: ModelFields, d: DataFields, world: int, k: int, f: wp.vec3) -> wp.vec3:
    """Torque on the first body of a weld by the forces of its rotation rows: their Jacobian transposed."""
    frame = welded_frame(m, d, world, k, 1)
    error = quat_mul(quat_conj(frame), welded_frame(m, d, world, k, 0))
    v = wp.vec3(error[1], error[2], error[3])
    return 0.5 * m.eq_data[world, k, 10] * quat_rotate(frame, error[0] * f + wp.cross(v, f))


@wp.func
def equality_wrenches(m: ModelFields, d: DataFields, world: int, b: int) -> wp.spatial_vector:
    """Wrench of connects and welds on body ``b``."""
    total = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(m.neq):
        row = d.eq_efc_address[world, k]
        tied = m.eq_type[k] == MjtEq.CONNECT or m.eq_type[k] == MjtEq.WELD
        if tied and row >= 0 and (m.eq_body[k][0] == b or m.eq_body[k][1] == b):
            force = wp.vec3(d.efc_force[world, row], d.efc_force[world, row + 1], d.efc_force[world, row + 2])
            torque = wp.vec3(0.0, 0.0, 0.0)
            if m.eq_type[k] == MjtEq.WELD:
                turn = wp.vec3(d.efc_force[world, row + 3], d.efc_force[world, row + 4], d.efc_force[world, row + 5])
                torque = weld_torque(m, d, world, k, turn)
            for side in range(2):
                if m.eq_body[k][side] == b:
                    sign = 1.0 - 2.0 * float(side)
                    total += about_tree(m, d, world, b, anchor(m, d, world, k, side), sign * force, sign * torque)
    return total


@wp.func
def row_force(m: ModelFields, d: DataFields, world: int, t: int) -> float:
    """Force along tendon ``t`` of its friction and limit rows: a lower bound pushes it longer, an upper one shorter."""
    total = float(0.0)
    first = d.ne[world]
    last = first + d.nf[world]
    for r in range(first + d.nf_dof[world], last):
        if d.efc_id[world, r] == t:
            total += d.efc_force[world, r]
    length = d.ten_length[world, t]
    bounds = m.tendon_range[world, t]
    for r in range(last + d.nl_jnt[world], last + d.nl[world]):
        if d.efc_id[world, r] == t:
            below = wp.abs(d.efc_pos[world, r] - (length - bounds[0]))
            above = wp.abs(d.efc_pos[world, r] - (bounds[1] - length))
            total += wp.where(below <= above, d.efc_force[world, r], -d.efc_force[world, r])
    return total


@wp.func
def equality_force(m: ModelFields, d: DataFields, world: int, t: int) -> float:
    """Force along tendon ``t`` of equalities of tendons."""
    total = float(0.0)
    for k in range(m.neq):
        row = d.eq_efc_address[world, k]
        if m.eq_type[k] == MjtEq.TENDON and row >= 0:
            if m.eq_pair[k][0] == t:
                total += d.efc_force[world, row]
            if m.eq_pair[k][1] == t:
                slope = polynomial(m, world, k, scalar_state(m, d, world, k, 1)[0])[1]
                total -= slope * d.efc_force[world, row]
    return total


@wp.func
def tendon_force(m: ModelFields, d: DataFields, world: int, t: int) -> float:
    """All that acts along a tendon, as a force that lengthens it; the reaction of its inertia too."""
    total = d.ten_spring[world, t] + d.ten_damper[world, t] + row_force(m, d, world, t)
    if m.neq > 0:
        total += equality_force(m, d, world, t)
    for u in range(m.nactuator):
        if m.actuator_trntype[u] == MjtTrn.TENDON and m.actuator_trnid[u][0] == t:
            out = m.actuator_outadr[u]
            total += d.actuator_force[world, out] * m.actuator_gear[world, out][0]
    armature = m.tendon_armature[world, t]
    if armature != 0.0:
        total -= d.ten_bias[world, t]
        span = tendon_entries(m, t)
        for e in range(span[0], span[1]):
            total -= armature * d.ten_J[world, tendon_row(m, t), e] * d.qacc[world, entry_dof(m, e)]
    return total


@wp.func
def piece_wrench(
    m: ModelFields, d: DataFields, world: int, b: int, b0: int, p0: wp.vec3, b1: int, p1: wp.vec3, force: float
) -> wp.spatial_vector:
    """Wrench on body ``b`` of a straight piece of tendon, lengthened by ``force``: it pushes its two ends apart."""
    total = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    length = wp.length(p1 - p0)
    if b0 != b1 and length > MINVAL:
        push = (p1 - p0) * (force / length)
        zero = wp.vec3(0.0, 0.0, 0.0)
        if b == b1:
            total += about_tree(m, d, world, b, p1, push, zero)
        if b == b0:
            total += about_tree(m, d, world, b, p0, -push, zero)
    return total


@wp.func
def spatial_tendon_wrench(m: ModelFields, d: DataFields, world: int, t: int, b: int) -> wp.spatial_vector:
    """Wrench of tendon ``t`` on body ``b``, piece by piece; a pulley divides the force in what follows it."""
    total = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    force = d.ten_force[world, t]
    here = int(-1)
    point = wp.vec3(0.0, 0.0, 0.0)
    for w in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
        kind = m.wrap_type[w]
        if kind == MjtWrap.PULLEY:
            force = d.ten_force[world, t] / m.wrap_prm[world, w]
            here = -1
        elif kind == MjtWrap.SITE or d.wrap_length[world, w] >= 0.0:
            next = d.wrap_first[world, w]
            after = d.wrap_last[world, w]
            if kind == MjtWrap.SITE:
                next = d.site_xpos[world, m.wrap_objid[w]]
                after = next
            if here >= 0:
                total += piece_wrench(m, d, world, b, here, point, m.wrap_bodyid[w], next, force)
            here = m.wrap_bodyid[w]
            point = after
    return total


@wp.func
def spatial_tendon_forces(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``ten_force`` of every spatial tendon; sums of joint coordinates act through the joints and push no body."""
    for t in range(lane, m.ntendon, nlane):
        d.ten_force[world, t] = wp.where(m.tendon_spatial[t] != 0, tendon_force(m, d, world, t), 0.0)
    sync()


@wp.func
def spatial_tendon_wrenches(m: ModelFields, d: DataFields, world: int, b: int) -> wp.spatial_vector:
    """Wrench of all spatial tendons on body ``b``."""
    total = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for t in range(m.ntendon):
        if d.ten_force[world, t] != 0.0:
            total += spatial_tendon_wrench(m, d, world, t, b)
    return total
