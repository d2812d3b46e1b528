"""Passive forces: springs, dampers, gravity compensation; the fluid's are in ``fluid``."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtJoint
from newtonlite.math.quaternion import quat_conj, quat_mul, quat_normalize, quat_to_rotvec
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.position.kinematics import read_quat
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.fluid import fluid_forces
from newtonlite.solvers.mujoco.kernels.velocity.wrench import about_tree, wrench_to_dofs


@wp.func
def has_passive(m: ModelFields) -> bool:
    """Whether there are passive forces at all: MuJoCo drops them all where springs and dampers are both disabled."""
    return (m.opt_disableflags & MjtDisableBit.SPRING) == 0 or (m.opt_disableflags & MjtDisableBit.DAMPER) == 0


@wp.func
def stiffness(m: ModelFields, d: DataFields, world: int, j: int, x: float) -> float:
    """Spring force per displacement ``x``: ``k + k1 x + k2 x^2``."""
    k = m.jnt_stiffness[world, j]
    if m.npoly > 0:
        poly = m.jnt_stiffnesspoly[world, j]
        k += (poly[0] + poly[1] * x) * x
    return k


@wp.func
def damping(m: ModelFields, d: DataFields, world: int, i: int) -> float:
    """Damper force per speed ``v``: ``b + b1 |v| + b2 v^2``."""
    b = m.dof_damping[world, i]
    if m.npoly > 0:
        v = wp.abs(d.qvel[world, i])
        poly = m.dof_dampingpoly[world, i]
        b += (poly[0] + poly[1] * v) * v
    return b


@wp.func
def damping_derivative(m: ModelFields, d: DataFields, world: int, i: int) -> float:
    """Derivative of a damper's force by its speed: ``b + 2 b1 |v| + 3 b2 v^2``."""
    b = m.dof_damping[world, i]
    if m.npoly > 0:
        v = wp.abs(d.qvel[world, i])
        poly = m.dof_dampingpoly[world, i]
        b += (2.0 * poly[0] + 3.0 * poly[1] * v) * v
    return b


@wp.func
def spring_rest(m: ModelFields, d: DataFields, world: int, j: int, k: int) -> float:
    """Coordinate ``k`` of the pose in which a joint's spring rests."""
    if m.nplastic > 0:
        adr = m.jnt_plasticadr[j]
        if adr >= 0:
            return d.plastic[world, adr + k]
    return m.qpos_spring[world, m.jnt_qposadr[j] + k]


@wp.func
def spring_rotation(m: ModelFields, d: DataFields, world: int, j: int, k: int) -> wp.vec3:
    """Rotation vector of ``q_rest^-1 q`` for the orientation that starts at coordinate ``k`` of a joint."""
    rest = quat_normalize(
        wp.quat(
            spring_rest(m, d, world, j, k),
            spring_rest(m, d, world, j, k + 1),
            spring_rest(m, d, world, j, k + 2),
            spring_rest(m, d, world, j, k + 3),
        )
    )
    return quat_to_rotvec(quat_mul(quat_conj(rest), read_quat(m, d, world, m.jnt_qposadr[j] + k)))


@wp.func
def spring_shift(m: ModelFields, d: DataFields, world: int, j: int) -> wp.vec3:
    """Translation of a free joint from its spring's rest."""
    adr = m.jnt_qposadr[j]
    return wp.vec3(
        d.qpos[world, adr] - spring_rest(m, d, world, j, 0),
        d.qpos[world, adr + 1] - spring_rest(m, d, world, j, 1),
        d.qpos[world, adr + 2] - spring_rest(m, d, world, j, 2),
    )


@wp.func
def spring_force_of_joint(m: ModelFields, d: DataFields, world: int, j: int, dof: int, x: wp.vec3):
    """Spring force against displacement ``x`` on three dofs; its size follows from the length of ``x``."""
    k = stiffness(m, d, world, j, wp.length(x))
    for c in range(3):
        d.qfrc_spring[world, dof + c] = wp.where(k == 0.0, 0.0, -k * x[c])


@wp.func
def joint_spring(m: ModelFields, d: DataFields, world: int, j: int):
    """``-k (q - q_rest)``; for orientations the rotation vector of ``q_rest^-1 q``."""
    dof = m.jnt_dofadr[j]
    kind = m.jnt_type[j]
    if kind > MjtJoint.BALL:
        x = d.qpos[world, m.jnt_qposadr[j]] - spring_rest(m, d, world, j, 0)
        k = stiffness(m, d, world, j, x)
        d.qfrc_spring[world, dof] = wp.where(k == 0.0, 0.0, -k * x)
    elif kind == MjtJoint.FREE:
        spring_force_of_joint(m, d, world, j, dof, spring_shift(m, d, world, j))
        spring_force_of_joint(m, d, world, j, dof + 3, spring_rotation(m, d, world, j, 3))
    else:
        spring_force_of_joint(m, d, world, j, dof, spring_rotation(m, d, world, j, 0))


@wp.func
def has_spring(m: ModelFields, world: int, j: int) -> bool:
    """Whether a joint has a spring."""
    if m.npoly > 0:
        poly = m.jnt_stiffnesspoly[world, j]
        if poly[0] != 0.0 or poly[1] != 0.0:
            return True
    return m.jnt_stiffness[world, j] != 0.0


@wp.func
def lift(m: ModelFields, world: int, b: int) -> wp.vec3:
    """Force of a body's gravity compensation, ``-gravcomp m g``."""
    if (m.opt_disableflags & MjtDisableBit.GRAVITY) != 0 or not has_passive(m):
        return wp.vec3(0.0, 0.0, 0.0)
    return -m.body_gravcomp[world, b] * m.body_mass[world, b] * m.opt_gravity[world]


@wp.func
def gravity_compensation(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qfrc_gravcomp``: a lift ``-gravcomp m g`` at the centre of mass of each body."""
    for b in range(lane, m.nbody, nlane):
        force = lift(m, world, b)
        d.cfrc_applied[world, b] = about_tree(m, d, world, b, d.xipos[world, b], force, wp.vec3(0.0, 0.0, 0.0))
    sync()
    wrench_to_dofs(m, d, d.qfrc_gravcomp, world, lane, nlane)


@wp.func
def passive(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qfrc_passive``: dampers, joint springs, fluid, gravity compensation not routed through actuators."""
    damp = (m.opt_disableflags & MjtDisableBit.DAMPER) == 0
    for i in range(lane, m.nv, nlane):
        force = float(0.0)
        if damp:
            force = -damping(m, d, world, i) * d.qvel[world, i]
        d.qfrc_damper[world, i] = force
        d.qfrc_spring[world, i] = 0.0
        if m.nadhesion > 0:
            d.qfrc_adhesion[world, i] = 0.0
    sync()
    if (m.opt_disableflags & MjtDisableBit.SPRING) == 0:
        for j in range(lane, m.njnt, nlane):
            if has_spring(m, world, j):
                joint_spring(m, d, world, j)
        sync()
    if m.ngravcomp > 0:
        gravity_compensation(m, d, world, lane, nlane)
    if m.nfluid > 0:
        fluid_forces(m, d, world, lane, nlane)
    for i in range(lane, m.nv, nlane):
        force = d.qfrc_damper[world, i] + d.qfrc_spring[world, i]
        if m.ngravcomp > 0 and m.jnt_actgravcomp[m.dof_jntid[i]] == 0:
            force += d.qfrc_gravcomp[world, i]
        if m.nfluid > 0:
            force += d.qfrc_fluid[world, i]
        d.qfrc_passive[world, i] = force
    sync()
