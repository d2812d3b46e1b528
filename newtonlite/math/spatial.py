"""Spatial algebra in MuJoCo's convention: motion and force vectors are (rotation, translation).

Both are expressed in a world-aligned frame at the centre of mass of the kinematic tree; an inertia is ten numbers
(Ixx Iyy Izz Ixy Ixz Iyz, m c, m) about that point.  Featherstone, Rigid Body Dynamics Algorithms, chapter 2.
"""

import warp as wp

from newtonlite.core.types import vec10


@wp.func
def inertia_mul(inertia: vec10, v: wp.spatial_vector) -> wp.spatial_vector:
    """Momentum ``I v`` of a motion vector."""
    w = wp.spatial_top(v)
    lin = wp.spatial_bottom(v)
    h = wp.vec3(inertia[6], inertia[7], inertia[8])
    rot = wp.vec3(
        inertia[0] * w[0] + inertia[3] * w[1] + inertia[4] * w[2],
        inertia[3] * w[0] + inertia[1] * w[1] + inertia[5] * w[2],
        inertia[4] * w[0] + inertia[5] * w[1] + inertia[2] * w[2],
    )
    return wp.spatial_vector(rot + wp.cross(h, lin), inertia[9] * lin - wp.cross(h, w))


@wp.func
def cross_motion(u: wp.spatial_vector, v: wp.spatial_vector) -> wp.spatial_vector:
    """Motion cross product ``u x v``: the rate of a motion vector carried by velocity ``u``."""
    w = wp.spatial_top(u)
    vw = wp.spatial_top(v)
    return wp.spatial_vector(wp.cross(w, vw), wp.cross(w, wp.spatial_bottom(v)) + wp.cross(wp.spatial_bottom(u), vw))


@wp.func
def momentum_rate(inertia: vec10, v: wp.spatial_vector) -> wp.spatial_vector:
    """``v x* I v``: the rate of a body's momentum that its own velocity carries along.

    Its torque has no ``v x m v``, which is zero but for rounding: light bodies that move fast would turn by it.
    """
    w = wp.spatial_top(v)
    lin = wp.spatial_bottom(v)
    momentum = inertia_mul(inertia, v)
    swing = wp.cross(w, wp.vec3(inertia[6], inertia[7], inertia[8]))
    return wp.spatial_vector(
        wp.cross(w, wp.spatial_top(momentum)) + wp.cross(lin, swing), wp.cross(w, wp.spatial_bottom(momentum))
    )


@wp.func
def shift_inertia(inertia: wp.vec3, rot: wp.mat33, mass: float, offset: wp.vec3) -> vec10:
    """Inertia about a point from principal moments about a centre of mass that lies at ``offset`` from it."""
    a = rot * wp.diag(inertia) * wp.transpose(rot)
    dd = wp.dot(offset, offset)
    return vec10(
        a[0, 0] + mass * (dd - offset[0] * offset[0]),
        a[1, 1] + mass * (dd - offset[1] * offset[1]),
        a[2, 2] + mass * (dd - offset[2] * offset[2]),
        a[0, 1] - mass * offset[0] * offset[1],
        a[0, 2] - mass * offset[0] * offset[2],
        a[1, 2] - mass * offset[1] * offset[2],
        mass * offset[0],
        mass * offset[1],
        mass * offset[2],
        mass,
    )
