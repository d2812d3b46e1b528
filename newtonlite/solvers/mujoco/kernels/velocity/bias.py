"""Bias force: velocities, and Coriolis, centrifugal and gravity forces by recursive Newton-Euler at zero acceleration."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtJoint
from newtonlite.math.spatial import cross_motion, inertia_mul, momentum_rate
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import one_lane, sync
from newtonlite.solvers.mujoco.kernels.primitives.tree_sums import add_forces_to_parents, add_motions_of_parents


@wp.func
def body_motion(m: ModelFields, d: DataFields, world: int, b: int, start: wp.spatial_vector, lift: wp.spatial_vector):
    """Velocity and bias acceleration of a body whose parent has velocity ``start`` and acceleration ``lift``:
    ``v += S qd``, ``a += v x S qd``, joint by joint.
    """
    v = start
    a = lift
    for j in range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b]):
        adr = m.jnt_dofadr[j]
        kind = m.jnt_type[j]
        count = int(1)
        if kind == MjtJoint.FREE:  # translations first: their axes do not turn
            for k in range(3):
                v += d.cdof[world, adr + k] * d.qvel[world, adr + k]
            adr += 3
            count = 3
        if m.nball > 0 and kind == MjtJoint.BALL:
            count = 3
        before = v
        for k in range(count):
            s = d.cdof[world, adr + k] * d.qvel[world, adr + k]
            a += cross_motion(before, s)
            v += s
    return v, a


@wp.func
def joint_velocity(m: ModelFields, d: DataFields, world: int, b: int) -> wp.spatial_vector:
    """Velocity of a body against its parent, ``S qd``."""
    v = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(m.body_dofadr[b], m.body_dofadr[b] + m.body_dofnum[b]):
        v += d.cdof[world, i] * d.qvel[world, i]
    return v


@wp.func
def motion_by_team(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Velocities against parents and their sums, then accelerations in the same way."""
    for b in range(1 + lane, m.nbody, nlane):
        d.cvel[world, b] = joint_velocity(m, d, world, b)
    sync()
    add_motions_of_parents(m.body_parentid, m.child_adr, m.child_body, d.cvel, world, lane, nlane)
    sync()
    for b in range(1 + lane, m.nbody, nlane):
        zero = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        v, a = body_motion(m, d, world, b, d.cvel[world, m.body_parentid[b]], zero)
        d.cacc[world, b] = a
    sync()
    add_motions_of_parents(m.body_parentid, m.child_adr, m.child_body, d.cacc, world, lane, nlane)


@wp.func
def com_vel(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Spatial velocity and bias acceleration of every body, root to leaf."""
    if lane == 0:
        zero = wp.vec3(0.0, 0.0, 0.0)
        lift = -m.opt_gravity[world]
        if (m.opt_disableflags & MjtDisableBit.GRAVITY) != 0:
            lift = zero
        d.cvel[world, 0] = wp.spatial_vector(zero, zero)
        d.cacc[world, 0] = wp.spatial_vector(zero, lift)
    sync()
    if one_lane():
        for level in range(m.nlevel):
            for k in range(m.level_adr[level], m.level_adr[level + 1]):
                b = m.level_body[k]
                p = m.body_parentid[b]
                v, a = body_motion(m, d, world, b, d.cvel[world, p], d.cacc[world, p])
                d.cvel[world, b] = v
                d.cacc[world, b] = a
    else:
        motion_by_team(m, d, world, lane, nlane)
    sync()


@wp.func
def body_force(m: ModelFields, d: DataFields, world: int, b: int) -> wp.spatial_vector:
    """``I a + v x* I v`` of one body."""
    inertia = d.cinert[world, b]
    return inertia_mul(inertia, d.cacc[world, b]) + momentum_rate(inertia, d.cvel[world, b])


@wp.func
def rne(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qfrc_bias = S' sum_subtree (I a + v x* I v)``, leaf to root."""
    if one_lane():
        for k in range(m.nlevel):
            level = m.nlevel - 1 - k
            for i in range(m.level_adr[level], m.level_adr[level + 1]):
                b = m.level_body[i]
                f = body_force(m, d, world, b)
                for c in range(m.child_adr[b], m.child_adr[b + 1]):
                    f += d.cfrc[world, m.child_body[c]]
                d.cfrc[world, b] = f
    else:
        for b in range(1 + lane, m.nbody, nlane):
            d.cfrc[world, b] = body_force(m, d, world, b)
        sync()
        add_forces_to_parents(m.body_parentid, m.child_adr, m.child_body, d.cfrc, world, lane, nlane)
        sync()
    for i in range(lane, m.nv, nlane):
        d.qfrc_bias[world, i] = wp.dot(d.cdof[world, i], d.cfrc[world, m.dof_bodyid[i]])
    sync()
