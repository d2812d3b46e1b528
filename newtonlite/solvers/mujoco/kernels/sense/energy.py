"""Energy: potential, of gravity and springs, and kinetic."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtJoint
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.dense import sym_mul
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_sum
from newtonlite.solvers.mujoco.kernels.velocity.passive import spring_rest, spring_rotation, spring_shift
from newtonlite.solvers.mujoco.kernels.velocity.tendon import spring_stretch


@wp.func
def stored(k: float, poly: wp.vec2, x: float) -> float:
    """Energy of a spring at displacement ``x``: ``k x^2/2 + k1 x^3/3 + k2 x^4/4``."""
    return x * x * (0.5 * k + x * (poly[0] / 3.0 + x * poly[1] / 4.0))


@wp.func
def joint_energy(m: ModelFields, d: DataFields, world: int, j: int) -> float:
    """Energy of a joint's spring; a free joint has one for its place and one for its orientation."""
    k = m.jnt_stiffness[world, j]
    poly = m.jnt_stiffnesspoly[world, j]
    kind = m.jnt_type[j]
    if kind > MjtJoint.BALL:
        return stored(k, poly, d.qpos[world, m.jnt_qposadr[j]] - spring_rest(m, d, world, j, 0))
    if kind == MjtJoint.FREE:
        turn = wp.length(spring_rotation(m, d, world, j, 3))
        return stored(k, poly, wp.length(spring_shift(m, d, world, j))) + stored(k, poly, turn)
    return stored(k, poly, wp.length(spring_rotation(m, d, world, j, 0)))


@wp.func
def edge_energy(m: ModelFields, d: DataFields, world: int, e: int) -> float:
    """Energy of the spring of a flex's edge; MuJoCo counts no other elasticity of flexes."""
    if m.flexedge_rigid[e] != 0:
        return 0.0
    stretch = d.flexedge_length[world, e] - m.flexedge_length0[world, e]
    return 0.5 * m.flex_edgestiffness[world, m.flex_edgeflexid[e]] * stretch * stretch


@wp.func
def energy(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``energy``: ``-sum m g.x`` and springs; ``qvel' M qvel / 2``."""
    if m.nenergy > 0:
        potential = float(0.0)
        if (m.opt_disableflags & MjtDisableBit.GRAVITY) == 0:
            for b in range(1 + lane, m.nbody, nlane):
                potential -= m.body_mass[world, b] * wp.dot(m.opt_gravity[world], d.xipos[world, b])
        if (m.opt_disableflags & MjtDisableBit.SPRING) == 0:
            for j in range(lane, m.njnt, nlane):
                potential += joint_energy(m, d, world, j)
            for t in range(lane, m.ntendon, nlane):
                x = spring_stretch(m, d, world, t)
                potential += stored(m.tendon_stiffness[world, t], m.tendon_stiffnesspoly[world, t], x)
            if m.nflexspring > 0:
                for e in range(lane, m.nflexedge, nlane):
                    potential += edge_energy(m, d, world, e)
        sym_mul(d.M, m.dof_block, d.qvel, d.Mv, world, m.nv, lane, nlane)
        sync()
        kinetic = float(0.0)
        for i in range(lane, m.nv, nlane):
            kinetic += 0.5 * d.qvel[world, i] * d.Mv[world, i]
        potential = team_sum(d.team_f, world, potential)
        kinetic = team_sum(d.team_f, world, kinetic)
        if lane == 0:
            d.energy[world] = wp.vec2(potential, kinetic)
        sync()
