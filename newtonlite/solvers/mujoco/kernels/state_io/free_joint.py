"""Free joints between a scene's arrays and the engine's, in both directions.

The scene has the pose of the joint's child frame in its parent frame, ``X_p^-1 X_body X_c``, and the velocity at the
centre of mass; the engine the body's pose, the velocity of its origin in the world frame and the angular one in its
own.
"""

import warp as wp

from newtonlite.core.native import header
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, POSE, VEC3

native = header(__file__)


@wp.func_native(native("push_free_joints"))
def push_free_joints(
    joint_q: A1,
    joint_qd: A1,
    X_p: POSE,
    X_c: POSE,
    body_ipos: VEC3,
    qpos: A1,
    qvel: A1,
    joint: int,
    body: int,
    coord: int,
    speed: int,
    adr: int,
    dof: int,
    world: int,
):
    """``qpos`` and ``qvel`` of a floating body from the scene's coordinates and speeds."""
    ...


@wp.func_native(native("pull_free_joints"))
def pull_free_joints(
    qpos: A1,
    qvel: A1,
    X_p: POSE,
    X_c: POSE,
    body_ipos: VEC3,
    joint_q: A1,
    joint_qd: A1,
    joint: int,
    body: int,
    coord: int,
    speed: int,
    adr: int,
    dof: int,
    world: int,
):
    """The scene's coordinates and speeds of a floating body from ``qpos``, normalised, and ``qvel``."""
    ...
