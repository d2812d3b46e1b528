"""Signed distances of primitives and meshes [m], negative inside: Warp functions for kernels of one's own.

Shapes lie about the origin as ``Mesh.create_*`` makes them: the axis of capsules, cylinders and cones is ``up_axis``, y
where none is given.
"""

import warp as wp

from newtonlite.core.types import Axis
from newtonlite.geometry.signed_distance.primitive import barrel_field, box_field, capsule_field, from_segment

AXIS_X = wp.constant(int(Axis.X))
AXIS_Y = wp.constant(int(Axis.Y))


@wp.func
def upright(point: wp.vec3, up_axis: int) -> wp.vec3:
    """The point in axes whose z is ``up_axis``."""
    if up_axis == AXIS_X:
        return wp.vec3(point[1], point[2], point[0])
    if up_axis == AXIS_Y:
        return wp.vec3(point[2], point[0], point[1])
    return point


@wp.func
def frustum(point: wp.vec3, bottom: float, top: float, half: float) -> float:
    """A frustum about z: radius ``bottom`` at -half, ``top`` at +half."""
    q = wp.vec2(wp.length(wp.vec2(point[0], point[1])), point[2])
    low = wp.vec2(bottom, -half)
    high = wp.vec2(top, half)
    base = from_segment(q, wp.vec2(0.0, -half), low)
    lid = q - wp.vec2(wp.clamp(q[0], 0.0, top), half)
    side = from_segment(q, low, high)
    least = wp.min(wp.dot(base, base), wp.min(wp.dot(lid, lid), wp.dot(side, side)))
    outward = wp.dot(q - low, wp.vec2(2.0 * half, bottom - top))
    inside = outward < 0.0 and wp.abs(q[1]) < half
    return -wp.sqrt(least) if inside else wp.sqrt(least)


@wp.func
def sdf_sphere(point: wp.vec3, radius: float) -> float:
    """A sphere."""
    return wp.length(point) - radius


@wp.func
def sdf_box(point: wp.vec3, hx: float, hy: float, hz: float) -> float:
    """A box of half sizes ``hx``, ``hy``, ``hz``."""
    return box_field(point, wp.vec3(hx, hy, hz))[3]


@wp.func
def sdf_capsule(point: wp.vec3, radius: float, half_height: float, up_axis: int = AXIS_Y) -> float:
    """A capsule; ``half_height`` is that of its cylinder."""
    return capsule_field(upright(point, up_axis), radius, half_height)[3]


@wp.func
def sdf_cylinder(
    point: wp.vec3,
    radius: float,
    half_height: float,
    up_axis: int = AXIS_Y,
    top_radius: float = -1.0,
    barrel_radius: float = 0.0,
) -> float:
    """A cylinder; a frustum where ``top_radius`` is not negative; sides that are arcs of ``barrel_radius``, at least
    ``half_height``, where that is positive.
    """
    p = upright(point, up_axis)
    if barrel_radius > 0.0:
        return barrel_field(p, radius, half_height, barrel_radius)[3]
    return frustum(p, radius, (radius if top_radius < 0.0 else top_radius), half_height)


@wp.func
def sdf_cone(point: wp.vec3, radius: float, half_height: float, up_axis: int = AXIS_Y) -> float:
    """A cone: base at -half_height, tip at +half_height."""
    return frustum(upright(point, up_axis), radius, 0.0, half_height)


@wp.func
def sdf_plane(point: wp.vec3, width: float, length: float) -> float:
    """The plane z = 0: the height above it; where ``width`` and ``length``, half sizes, are both positive, the
    greatest of the distances from the sheet along x, y and z.
    """
    if width > 0.0 and length > 0.0:
        beside = wp.max(wp.abs(point[0]) - width, wp.abs(point[1]) - length)
        return wp.max(beside, wp.abs(point[2]))
    return point[2]


@wp.func
def sdf_mesh(mesh: wp.uint64, point: wp.vec3, max_dist: float) -> float:
    """A closed mesh by its id; ``max_dist`` where no triangle is so near."""
    query = wp.mesh_query_point_sign_parity(mesh, point, max_dist)
    if not query.result:
        return max_dist
    return query.sign * wp.length(point - wp.mesh_eval_position(mesh, query.face, query.u, query.v))
