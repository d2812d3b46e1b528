"""Body poses and velocities of a scene, written from those of forward kinematics."""

import warp as wp

from newtonlite.core.native import header
from newtonlite.solvers.mujoco.kernels.primitives.array_types import I1, POSE, QUAT, SPATIAL, VEC3

native = header(__file__)


@wp.func_native(native("write_body_q"))
def write_body_q(
    link_of_body: I1,
    body_ipos: VEC3,
    xpos: VEC3,
    xquat: QUAT,
    xvel: SPATIAL,
    body_q: POSE,
    body_qd: SPATIAL,
    world: int,
    lane: int,
    nlane: int,
):
    """Poses of all bodies but the world as the scene has them, from ``forward_kinematics``; and velocities of centres
    of mass, then angular ones.
    """
    ...
