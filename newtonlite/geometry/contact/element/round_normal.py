"""Normal of a round geom where it touches a triangle: that of its surface, in place of the search's.

The normal of a search between round shapes is known to few digits. MuJoCo replaces it by the geom's own at the point of
contact: for an ellipsoid, and for the side of a cylinder, as far as that is near; elements of other dimensions keep
theirs.
"""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.hits import Hits

SIDE = wp.constant(0.95)
"""Share of a cylinder's half height beyond which a contact counts as one of its caps."""
STEPS = wp.constant(20)


@wp.func
def ellipsoid_normal(p: wp.vec3, size: wp.vec3) -> wp.vec3:
    """Outward normal at the point of an ellipsoid nearest to ``p``, in its frame; zero at its centre.

    The nearest point is ``s^2 p / (s^2 + t)`` with the root t of ``sum (s p / (s^2 + t))^2 = 1``, which falls from where
    one term alone is 1: Newton's method comes from there without passing it.
    """
    squares = wp.cw_mul(size, size)
    t = float(-1.0e30)
    for k in range(3):
        t = wp.max(t, size[k] * wp.abs(p[k]) - squares[k])
    normal = wp.vec3(0.0, 0.0, 0.0)
    for _ in range(STEPS):
        value = float(-1.0)
        slope = float(0.0)
        for k in range(3):
            ahead = squares[k] + t
            if ahead > 0.0:
                term = size[k] * p[k] / ahead
                value += term * term
                slope -= 2.0 * term * term / ahead
        if slope < 0.0:
            t -= value / slope
    for k in range(3):
        if squares[k] + t > 0.0:
            normal[k] = p[k] / (squares[k] + t)
    return wp.normalize(normal)


@wp.func
def side_normal(p: wp.vec3, radius: float, half: float, depth: float) -> wp.vec3:
    """Outward normal of the side of a cylinder at ``p``, in its frame; zero near its caps, and where the side is farther
    than twice the depth of the contact.
    """
    out = wp.length(wp.vec2(p[0], p[1]))
    if wp.abs(p[2]) > SIDE * half or radius - out > 2.0 * depth:
        return wp.vec3(0.0, 0.0, 0.0)
    return wp.normalize(wp.vec3(p[0], p[1], 0.0))


@wp.func
def set_round_normal(hits: Hits, n: int, kind: int, pos: wp.vec3, turn: wp.mat33, size: wp.vec3):
    """Turn the normals of ``n`` hits of a geom, the first shape, to that of its surface where it is round."""
    if kind == MjtGeom.CYLINDER or kind == MjtGeom.ELLIPSOID:
        for i in range(n):
            row = hits.first + i
            local = wp.transpose(turn) * (hits.pos[hits.world, row] - pos)
            normal = wp.vec3(0.0, 0.0, 0.0)
            if kind == MjtGeom.CYLINDER:
                normal = side_normal(local, size[0], size[1], wp.abs(hits.dist[hits.world, row]))
            else:
                normal = ellipsoid_normal(local, size)
            if wp.dot(normal, normal) > 0.5:
                hits.normal[hits.world, row] = turn * normal
