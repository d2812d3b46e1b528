"""Tendon kinematics: lengths and Jacobians of fixed and spatial tendons."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtWrap
from newtonlite.geometry.wrap import wrap
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.dense import zero_rows
from newtonlite.solvers.mujoco.kernels.primitives.point import lever, linear_at
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.primitives.tendon_entries import entry_of_dof, tendon_row


@wp.func
def tendon_wrap(m: ModelFields, d: DataFields, world: int, w: int):
    """Points in which the tendon over geom ``w`` of a path touches it, between the sites before and after."""
    g = m.wrap_objid[w]
    s = int(wp.round(m.wrap_prm[world, w]))
    side = wp.vec3(0.0, 0.0, 0.0)
    if s >= 0:
        side = d.site_xpos[world, s]
    length, first, last = wrap(
        d.site_xpos[world, m.wrap_objid[w - 1]],
        d.site_xpos[world, m.wrap_objid[w + 1]],
        d.geom_xpos[world, g],
        d.geom_xmat[world, g],
        m.geom_size[world, g][0],
        m.wrap_type[w] == MjtWrap.CYLINDER,
        s >= 0,
        side,
    )
    d.wrap_length[world, w] = length
    d.wrap_first[world, w] = first
    d.wrap_last[world, w] = last


@wp.func
def add_point_jacobian(m: ModelFields, d: DataFields, world: int, t: int, b: int, point: wp.vec3, direction: wp.vec3):
    """Add the motion along ``direction`` of a point of body ``b`` to the Jacobian of tendon ``t``."""
    arm = lever(m, d, world, b, point)
    row = tendon_row(m, t)
    for c in range(m.chain_adr[b], m.chain_adr[b + 1]):
        i = m.chain_dof[c]
        e = entry_of_dof(m, t, i)
        d.ten_J[world, row, e] = d.ten_J[world, row, e] + wp.dot(direction, linear_at(d.cdof[world, i], arm))


@wp.func
def add_segment(
    m: ModelFields, d: DataFields, world: int, t: int, b0: int, p0: wp.vec3, b1: int, p1: wp.vec3, share: float
) -> float:
    """Add a straight piece from body ``b0`` to body ``b1``; returns its share of the length."""
    apart = p1 - p0
    length = wp.length(apart)
    if b0 != b1:
        direction = wp.vec3(1.0, 0.0, 0.0)
        if length > MINVAL:
            direction = apart / length
        add_point_jacobian(m, d, world, t, b0, p0, -share * direction)
        add_point_jacobian(m, d, world, t, b1, p1, share * direction)
    return share * length


@wp.func
def spatial_tendon(m: ModelFields, d: DataFields, world: int, t: int) -> float:
    """Length of a spatial tendon, piece by piece; a pulley divides what follows it."""
    total = float(0.0)
    share = float(1.0)
    w = m.tendon_adr[t]
    end = w + m.tendon_num[t] - 1
    while w < end:
        if m.wrap_type[w] == MjtWrap.PULLEY or m.wrap_type[w + 1] == MjtWrap.PULLEY:
            if m.wrap_type[w] == MjtWrap.PULLEY:
                share = 1.0 / m.wrap_prm[world, w]
            w += 1
        else:
            b0 = m.wrap_bodyid[w]
            p0 = d.site_xpos[world, m.wrap_objid[w]]
            after = w + 1
            if m.wrap_type[after] != MjtWrap.SITE:
                if d.wrap_length[world, after] >= 0.0:  # up to the geom, and on from where it leaves it
                    g = m.wrap_bodyid[after]
                    total += add_segment(m, d, world, t, b0, p0, g, d.wrap_first[world, after], share)
                    total += share * d.wrap_length[world, after]
                    b0 = g
                    p0 = d.wrap_last[world, after]
                after += 1
            total += add_segment(
                m, d, world, t, b0, p0, m.wrap_bodyid[after], d.site_xpos[world, m.wrap_objid[after]], share
            )
            w = after
    return total


@wp.func
def joint_sum(m: ModelFields, d: DataFields, world: int, t: int) -> float:
    """Length of a fixed tendon: ``sum c q``."""
    total = float(0.0)
    for w in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
        c = m.wrap_prm[world, w]
        total += c * d.qpos[world, m.wrap_qposadr[w]]
        d.ten_J[world, tendon_row(m, t), entry_of_dof(m, t, m.wrap_dofadr[w])] = c
    return total


@wp.func
def tendon_position(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``ten_length`` and ``ten_J``, a tendon for each lane."""
    if m.nspatial > 0:
        for w in range(lane, m.nwrap, nlane):
            if m.wrap_type[w] > MjtWrap.SITE:
                tendon_wrap(m, d, world, w)
        sync()
    if m.ntendon > 0:
        if m.nsparse > 0:
            for e in range(lane, m.tendon_dofadr[m.ntendon], nlane):
                d.ten_J[world, 0, e] = 0.0
        else:
            zero_rows(d.ten_J, world, 0, m.ntendon, 0, m.nblock, lane, nlane)
        sync()
    for t in range(lane, m.ntendon, nlane):
        length = float(0.0)
        if m.nspatial > 0 and m.tendon_spatial[t] != 0:
            length = spatial_tendon(m, d, world, t)
        else:
            length = joint_sum(m, d, world, t)
        d.ten_length[world, t] = length
    sync()


@wp.func
def tendon_armature(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``M += J' armature J`` where M has entries: between a dof and its ancestors."""
    for t in range(m.ntendon):
        armature = m.tendon_armature[world, t]
        if armature != 0.0:
            for i in range(lane, m.nv, nlane):
                scaled = armature * d.ten_J[world, t, i]
                if scaled != 0.0:
                    d.M[world, i, i] = d.M[world, i, i] + scaled * d.ten_J[world, t, i]
                    j = m.dof_parentid[i]
                    while j >= 0:
                        value = d.M[world, i, j] + scaled * d.ten_J[world, t, j]
                        d.M[world, i, j] = value
                        d.M[world, j, i] = value
                        j = m.dof_parentid[j]
    sync()
