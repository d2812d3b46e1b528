"""Body poses and velocities of a scene: the definition that ``kernels.state_io.body_poses`` is tested against."""

import warp as wp

from newtonlite.math.quaternion import quat_rotate
from newtonlite.solvers.mujoco.kernels.primitives.array_types import I1, POSE, QUAT, SPATIAL, VEC3


@wp.func
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
    """A scene's quaternions are (x, y, z, w), its velocities those of centres of mass."""
    for b in range(1 + lane, xpos.shape[1], nlane):
        link = link_of_body[world, b]
        quat = xquat[world, b]
        omega = wp.spatial_bottom(xvel[world, b])
        v = wp.spatial_top(xvel[world, b]) + wp.cross(omega, quat_rotate(quat, body_ipos[world, b]))
        body_q[world, link] = wp.transformf(xpos[world, b], wp.quat(quat[1], quat[2], quat[3], quat[0]))
        body_qd[world, link] = wp.spatial_vector(v, omega)
