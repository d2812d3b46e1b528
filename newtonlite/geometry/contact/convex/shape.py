"""Support function of a convex shape: its farthest point in a direction."""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.convex.number import ONE, TINY, ZERO, mat, real, unit_axis_double, vec
from newtonlite.geometry.contact.convex.vertices import climb, farthest_vertex, few_vertices, vertex_at
from newtonlite.geometry.kinds import BARREL, CONE

PRISM = wp.constant(1)
"""Kind of a piece of a height field."""

NO_VERTEX = wp.constant(-1)


@wp.struct
class Hulls:
    """Convex hulls of meshes, one after the other; vertices of a hull are numbered from its first one."""

    vert: wp.array[float]  # in groups of eight: see ``vertices``
    nbr_adr: wp.array[int]  # [nhullvert + 1] first neighbour of each vertex
    nbr: wp.array[int]  # number within its hull
    fan_adr: wp.array[int]  # [nhullvert + 1] first polygon around each vertex
    fan: wp.array[int]  # polygons around vertices
    poly_normal: wp.array[wp.vec3]
    poly_adr: wp.array[int]  # [nhullpoly + 1] first corner of each polygon
    poly: wp.array[int]  # corners, number within their hull, counterclockwise seen from outside


@wp.struct
class Convex:
    """A shape posed in the frame of the pair. Sizes as MuJoCo has them; spheres and capsules may be shrunk to their
    core. Of a mesh, ``size[0]`` is a distance from its origin that no vertex is beyond, or 0.

    Of a prism, ``turn`` holds the three upper corners, ``size[0]`` the height of the lower ones, and ``pos`` is its
    middle; ``count`` is 6 where its corners count as different ones. Of a flex's element, ``pos`` is its first vertex, ``turn``
    has the ways from there to the others, of which there are ``count``, ``size`` is the way to the middle of its box in the
    world, and ``thick`` the radius around it.
    """

    kind: int
    pos: vec
    turn: mat
    size: vec
    thick: real  # how much its surface is pushed out on all sides
    first: int  # first vertex of its hull
    count: int  # vertices


@wp.struct
class Support:
    """A point of a shape. ``vertex`` is which corner of a box (bit i: +i), vertex of a hull, or cap of a cylinder it
    is, else -1.
    """

    point: vec
    vertex: int


@wp.func
def middle(s: Convex) -> vec:
    """Point about which a shape lies, in the frame of the pair."""
    return s.pos + wp.where(s.kind == MjtGeom.FLEX, s.size, vec())


@wp.func
def sign(x: real) -> real:
    """1 or -1."""
    return wp.where(x < ZERO, -ONE, ONE)


@wp.func
def box_support(s: Convex, toward: vec) -> Support:
    """The corner."""
    # each coordinate by itself: the sign of the direction says which side
    found = Support()
    sx = sign(toward[0])
    sy = sign(toward[1])
    sz = sign(toward[2])
    found.point = vec(sx * s.size[0], sy * s.size[1], sz * s.size[2])
    found.vertex = wp.where(sx > ZERO, 1, 0) + wp.where(sy > ZERO, 2, 0) + wp.where(sz > ZERO, 4, 0)
    return found


@wp.func
def round_support(s: Convex, toward: vec) -> Support:
    """Sphere, capsule, ellipsoid, a flex's element, cylinder, barrel (a cylinder whose sides are arcs of radius ``size[2]``), and cone
    (its base at -z, its tip at +z).
    """
    found = Support()
    found.vertex = NO_VERTEX
    if s.kind == MjtGeom.SPHERE:
        found.point = s.size[0] * toward
    elif s.kind == MjtGeom.CAPSULE:
        # the end of the segment that is ahead, out by the radius
        found.point = s.size[0] * toward + vec(ZERO, ZERO, sign(toward[2]) * s.size[1])
    elif s.kind == MjtGeom.ELLIPSOID:
        # a sphere stretched by S: direction S toward, then scaled by S
        scaled = wp.normalize(wp.cw_mul(toward, s.size))
        found.point = wp.cw_mul(scaled, s.size)
    elif s.kind == CONE:
        # the rim of the base, or the tip where it is higher along the direction
        out = wp.sqrt(toward[0] * toward[0] + toward[1] * toward[1])
        scale = wp.where(out > TINY, s.size[0] / wp.max(out, TINY), ZERO)
        found.point = vec(toward[0] * scale, toward[1] * scale, -s.size[1])
        if (s.size[1] + s.size[1]) * toward[2] > s.size[0] * out:
            found.point = vec(ZERO, ZERO, s.size[1])
    elif s.kind == BARREL:
        # on the arc of the side at height z, of radius size[2], or on the rim
        out = wp.sqrt(toward[0] * toward[0] + toward[1] * toward[1])
        z = wp.clamp(s.size[2] * toward[2], -s.size[1], s.size[1])
        squared = s.size[2] * s.size[2]
        rise = wp.sqrt(wp.max(squared - z * z, ZERO)) - wp.sqrt(wp.max(squared - s.size[1] * s.size[1], ZERO))
        scale = wp.where(out > TINY, (s.size[0] + rise) / wp.max(out, TINY), ZERO)
        found.point = vec(toward[0] * scale, toward[1] * scale, z)
    elif s.kind == MjtGeom.FLEX:
        # a vertex, by the heights of the ways to the others; none where all are below the first
        best = ZERO
        found.vertex = 0
        for i in range(3):
            if i < s.count and toward[i] > best:
                best = toward[i]
                found.vertex = i + 1
        if found.vertex > 0:
            found.point = unit_axis_double(found.vertex - 1)
    else:
        # cylinder: the rim of the cap that is ahead, or its middle straight along the axis
        out = wp.sqrt(toward[0] * toward[0] + toward[1] * toward[1])
        scale = wp.where(out > TINY, s.size[0] / wp.max(out, TINY), ZERO)
        found.point = vec(toward[0] * scale, toward[1] * scale, sign(toward[2]) * s.size[1])
        found.vertex = wp.where(toward[2] < ZERO, 1, 0)
    return found


@wp.func
def hull_vertex(hulls: Hulls, s: Convex, i: int) -> vec:
    """Vertex ``i`` of a mesh's hull, in its own frame."""
    return vertex_at(hulls.vert, s.first + i)


@wp.func
def hull_support(hulls: Hulls, s: Convex, toward: vec, start: int) -> Support:
    """The vertex: of all where they are few, else the top of a climb that begins at vertex ``start``."""
    # a climb from neighbour to neighbour ends at the top, since hulls are convex; few vertices are faster one after the
    # other
    best = int(0)
    if s.count <= few_vertices():
        best = farthest_vertex(hulls.vert, s.first, s.count, toward, s.size[0])
    else:
        best = climb(hulls.vert, hulls.nbr_adr, hulls.nbr, s.first, wp.max(start, 0), toward)
    found = Support()
    found.point = hull_vertex(hulls, s, best)
    found.vertex = best
    return found


@wp.func
def prism_support(s: Convex, toward: vec, direction: vec) -> Support:
    """A corner of a prism, whose upper ones are the columns of ``turn``; its lower ones are below them, at height
    ``size[0]``.

    Corners are not distinguished: as in MuJoCo, a search against a box or mesh ends when that shape's corner comes again.
    Against an element of a flex (``count`` 6), whose corners MuJoCo does not distinguish, those of the prism are.
    """
    found = Support()
    found.vertex = NO_VERTEX

    # heights along the direction are relative: those of the upper corners, and less by what a lower one is below
    height = real(-1.0e30)
    for i in range(6):
        k = i % 3
        corner = vec(s.turn[0, k], s.turn[1, k], wp.where(i < 3, s.size[0], s.turn[2, k]))
        here = toward[k] + (corner[2] - s.turn[2, k]) * direction[2]
        if here > height:
            height = here
            found.point = corner
            found.vertex = wp.where(s.count > 0, i, NO_VERTEX)
    return found


@wp.func
def support(hulls: Hulls, s: Convex, direction: vec, start: int) -> Support:
    """The point of ``s`` farthest along the unit vector ``direction``, in the frame of the pair."""
    # in the shape's own frame, but for prisms, whose corners are in the frame of the pair
    toward = wp.transpose(s.turn) * direction
    if s.kind == PRISM:
        corner = prism_support(s, toward, direction)
        corner.point = corner.point + s.thick * direction
        return corner
    found = Support()
    if s.kind == MjtGeom.MESH:
        found = hull_support(hulls, s, toward, start)
    elif s.kind == MjtGeom.BOX:
        found = box_support(s, toward)
    else:
        found = round_support(s, toward)

    # back to the frame of the pair, out by the thickness
    found.point = s.turn * found.point + s.pos + s.thick * direction
    return found


@wp.func
def is_flat_sided(s: Convex) -> bool:
    """Whether the shape has finitely many supports, so that nothing converges: it ends."""
    corners = s.kind == MjtGeom.BOX or s.kind == MjtGeom.MESH or s.kind == PRISM or s.kind == MjtGeom.FLEX
    return corners and s.thick == ZERO
