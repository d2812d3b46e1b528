"""Point kinematics: velocities and accelerations of points of bodies, from spatial vectors about the tree's centre of
mass.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields


@wp.func
def lever(m: ModelFields, d: DataFields, world: int, b: int, point: wp.vec3) -> wp.vec3:
    """Arm [m] from the origin of the spatial vectors of body ``b`` to ``point``."""
    return point - d.subtree_com[world, m.body_rootid[b]]


@wp.func
def linear_at(motion: wp.spatial_vector, arm: wp.vec3) -> wp.vec3:
    """Linear part of a motion at the end of ``arm``: ``v + omega x arm``."""
    return wp.spatial_bottom(motion) + wp.cross(wp.spatial_top(motion), arm)


@wp.func
def point_velocity(m: ModelFields, d: DataFields, world: int, b: int, point: wp.vec3) -> wp.vec3:
    """Velocity [m/s] of the point of body ``b`` that is at ``point``: ``J qvel``."""
    return linear_at(d.cvel[world, b], lever(m, d, world, b, point))


@wp.func
def point_bias(m: ModelFields, d: DataFields, world: int, b: int, point: wp.vec3) -> wp.vec3:
    """Acceleration [m/s^2] of that point at ``qacc = 0``: ``dJ/dt qvel``, seen from the frame that falls (minus
    gravity).
    """
    arm = lever(m, d, world, b, point)
    v = d.cvel[world, b]
    return linear_at(d.cacc[world, b], arm) + wp.cross(wp.spatial_top(v), linear_at(v, arm))
