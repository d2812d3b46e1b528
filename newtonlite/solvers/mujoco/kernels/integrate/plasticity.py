"""Plasticity of springs: joint and tendon springs stretched beyond their yield take their rest along."""

import warp as wp

from newtonlite.core.mujoco import MjtIntegrator, MjtJoint
from newtonlite.math.quaternion import quat_integrate
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.rk_stage import is_complete
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.primitives.tendon_entries import entry_dof, tendon_entries, tendon_row
from newtonlite.solvers.mujoco.kernels.velocity.passive import spring_rest, spring_rotation


@wp.func
def yield_ball(m: ModelFields, d: DataFields, world: int, j: int, adr: int, most: float):
    """Turn the rest orientation towards the joint's until no more than ``most`` [rad] is between them."""
    turn = spring_rotation(m, d, world, j, 0)
    angle = wp.length(turn)
    if angle > most:
        rest = wp.quat(
            d.plastic[world, adr], d.plastic[world, adr + 1], d.plastic[world, adr + 2], d.plastic[world, adr + 3]
        )
        rest = quat_integrate(rest, turn, (angle - most) / angle)
        for k in range(4):
            d.plastic[world, adr + k] = rest[k]


@wp.func
def next_length(m: ModelFields, d: DataFields, world: int, t: int) -> float:
    """Length of a tendon after the step: of a spatial one, by its speed."""
    length = float(0.0)
    if m.tendon_spatial[t] != 0:
        length = d.ten_length[world, t]
        span = tendon_entries(m, t)
        for e in range(span[0], span[1]):
            i = entry_dof(m, e)
            speed = float(0.0)
            if m.opt_integrator == MjtIntegrator.RK4:
                speed = d.rk_move[world, i]
            else:
                speed = d.qvel[world, i]
            length += m.opt_timestep[world] * d.ten_J[world, tendon_row(m, t), e] * speed
    else:
        for w in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
            length += m.wrap_prm[world, w] * d.qpos[world, m.wrap_qposadr[w]]
    return length


@wp.func
def yield_tendon(m: ModelFields, d: DataFields, world: int, t: int, adr: int):
    """Shift the dead band towards the length; one that starts at 0 grows when stretched."""
    # how far the length is beyond the dead band, and how much of that the springs do not bear
    length = next_length(m, d, world, t)
    lower = d.plastic[world, adr]
    upper = d.plastic[world, adr + 1]
    x = wp.max(length - upper, 0.0) + wp.min(length - lower, 0.0)
    most = wp.max(0.0, m.tendon_springyield[world, t])
    over = x - wp.clamp(x, -most, most)

    # the band follows by that; one that begins at 0 is a string, which yields by its upper end alone
    d.plastic[world, adr + 1] = upper + over
    if over < 0.0 or lower != 0.0 or upper <= 0.0:
        d.plastic[world, adr] = lower + over


@wp.func
def yield_springs(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``plastic`` after the step: rests follow coordinates and lengths that are more than the yield away."""
    if m.nplastic > 0 and is_complete(m, d, world):
        for j in range(lane, m.njnt, nlane):
            adr = m.jnt_plasticadr[j]
            if adr >= 0:
                most = wp.max(0.0, m.jnt_springyield[world, j])
                if m.jnt_type[j] == MjtJoint.BALL:
                    yield_ball(m, d, world, j, adr, most)
                else:
                    q = d.qpos[world, m.jnt_qposadr[j]]
                    d.plastic[world, adr] = wp.clamp(spring_rest(m, d, world, j, 0), q - most, q + most)
        for t in range(lane, m.ntendon, nlane):
            adr = m.tendon_plasticadr[t]
            if adr >= 0:
                yield_tendon(m, d, world, t, adr)
        sync()
