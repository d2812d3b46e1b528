"""Springs that yield: stretched beyond their yield, they take their rest pose along."""

from typing import Any

import warp as wp

from newtonlite.math.quaternion import quat_integrate
from newtonlite.solvers.mujoco.enums import BALL
from newtonlite.solvers.mujoco.kernels.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.passive import spring_rest, spring_turn


@wp.func
def yield_ball(m: Any, d: Any, world: int, j: int, adr: int, most: float):
    """Turn the rest orientation towards the joint's until no more than ``most`` [rad] is between them."""
    turn = spring_turn(m, d, world, j, 0)
    angle = wp.length(turn)
    if angle > most:
        rest = wp.quat(d.plastic[world, adr], d.plastic[world, adr + 1], d.plastic[world, adr + 2], d.plastic[world, adr + 3])
        rest = quat_integrate(rest, turn, (angle - most) / angle)
        for k in range(4):
            d.plastic[world, adr + k] = rest[k]


@wp.func
def yield_springs(m: Any, d: Any, world: int, lane: int, nlane: int):
    """``plastic`` after the step: rest poses follow coordinates that are more than the yield away."""
    if m.nplastic > 0:
        for j in range(lane, m.njnt, nlane):
            adr = m.jnt_plasticadr[j]
            if adr >= 0:
                most = wp.max(0.0, m.jnt_springyield[world, j])
                if m.jnt_type[j] == BALL:
                    yield_ball(m, d, world, j, adr, most)
                else:
                    q = d.qpos[world, m.jnt_qposadr[j]]
                    d.plastic[world, adr] = wp.clamp(spring_rest(m, d, world, j, 0), q - most, q + most)
        sync()
