"""Features: faces and edges of a shape at the vertices that GJK or EPA ended with.

A feature is one to three corners of a shape. Its faces are those that have all of them, its edges those that leave the
corner, or the one between the two corners. Boxes, hulls, the caps of cylinders (as regular polygons) and the sides of
cylinders and capsules (as edges) have features; other shapes have none.
"""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.convex.number import ONE, TINY, ZERO, real, unit_axis_double, vec
from newtonlite.geometry.contact.convex.shape import Convex, Hulls, hull_vertex

CAP_CORNERS = wp.constant(16)
COS_1 = wp.constant(real(0.9238795325112867))
COS_2 = wp.constant(real(0.7071067811865476))
COS_3 = wp.constant(real(0.3826834323650898))

SAME_FACE = wp.constant(real(0.996))
"""Cosine within which a face points in a direction; MuJoCo 4.0 changes from a patch of faces to one of an edge there.
"""


@wp.struct
class Feature:
    """``size`` corners (1 to 3), as their codes; ``point`` is where the first is, ``spot`` where the shapes touch."""

    size: int
    a: int
    b: int
    c: int
    point: vec
    spot: vec


@wp.struct
class Face:
    """A face of a shape: its outward normal and number."""

    exists: bool
    normal: vec
    number: int


@wp.struct
class Edge:
    """A straight edge of a shape."""

    exists: bool
    start: vec
    end: vec


@wp.func
def feature_of(a: int, b: int, c: int, point: vec, spot: vec) -> Feature:
    """The distinct ones among the corners of a simplex."""
    # vertices of a simplex are differences: several may have the same corner of one of the shapes
    f = Feature()
    f.a = a
    f.b = b
    f.c = c
    f.point = point
    f.spot = spot
    f.size = 3
    if a == b:
        f.b = c
        f.size = wp.where(a == c, 1, 2)
    elif c == a or c == b:
        f.size = 2
    return f


@wp.func
def has_faces(kind: int) -> bool:
    """Whether a shape has flat faces."""
    return kind == MjtGeom.BOX or kind == MjtGeom.MESH or kind == MjtGeom.CYLINDER


@wp.func
def has_patches(kind1: int, kind2: int) -> bool:
    """Whether two shapes can touch along more than a point: a face against a face, or a capsule."""
    return (has_faces(kind1) and (has_faces(kind2) or kind2 == MjtGeom.CAPSULE)) or (
        kind1 == MjtGeom.CAPSULE and has_faces(kind2)
    )


@wp.func
def box_corner(s: Convex, code: int) -> vec:
    """A corner in the frame of the pair; bit ``i`` of its code means positive along axis ``i``."""
    local = vec(
        wp.where((code & 1) != 0, s.size[0], -s.size[0]),
        wp.where((code & 2) != 0, s.size[1], -s.size[1]),
        wp.where((code & 4) != 0, s.size[2], -s.size[2]),
    )
    return s.turn * local + s.pos


@wp.func
def vertex_point(hulls: Hulls, s: Convex, i: int) -> vec:
    """A vertex of a hull in the frame of the pair."""
    return s.turn * hull_vertex(hulls, s, i) + s.pos


@wp.func
def polygon_has(hulls: Hulls, polygon: int, vertex: int) -> bool:
    """Whether a polygon of a hull has a vertex."""
    for k in range(hulls.poly_adr[polygon], hulls.poly_adr[polygon + 1]):
        if hulls.poly[k] == vertex:
            return True
    return False


@wp.func
def face_slots(hulls: Hulls, s: Convex, f: Feature) -> int:
    """Number of faces to ask ``face_at`` for. Box: its six, and one more for the direction of contact."""
    # slots are asked one by one, since which faces have all the corners is not listed
    n = int(0)
    if s.kind == MjtGeom.BOX:
        n = 7
    elif s.kind == MjtGeom.MESH:
        n = hulls.fan_adr[s.first + f.a + 1] - hulls.fan_adr[s.first + f.a]
    elif s.kind == MjtGeom.CYLINDER and f.size == 1:
        n = 1
    return n


@wp.func
def most_faces(s: Convex, f: Feature) -> int:
    """Largest number of faces that count. A hull's polygons may overlap where it is nearly flat; the first two with
    two corners do then, and the first with three.
    """
    # other shapes have no more than they have slots
    n = int(1000)
    if s.kind == MjtGeom.MESH and f.size > 1:
        n = 4 - f.size
    return n


@wp.func
def box_face(s: Convex, f: Feature, slot: int, outward: vec) -> Face:
    """Faces 0 to 5 (+x, -x, +y ...) that have the corners; last, where none has, the one that points ``outward``."""
    face = Face()

    # sides of the box that the corners share: bits that all of their codes have (positive), or none has (negative)
    every = wp.where(f.size > 1, f.a & f.b, f.a)
    some = wp.where(f.size > 1, f.a | f.b, f.a)
    if f.size > 2:
        every = every & f.c
        some = some | f.c
    shared = every | (7 - some)
    if slot < 6:
        # bit axis of ones: all corners are on that side
        axis = slot // 2
        ones = wp.where((slot & 1) == 0, every, 7 - some)
        face.exists = ((ones >> axis) & 1) != 0
        face.number = slot
        face.normal = s.turn * (wp.where((slot & 1) == 0, ONE, -ONE) * unit_axis_double(axis))
    elif shared == 0:
        # the corners share no side (a diagonal): the face that looks along the contact, if one does
        local = wp.transpose(s.turn) * outward
        for i in range(3):
            if wp.abs(local[i]) > SAME_FACE:
                face.exists = True
                face.number = 2 * i + wp.where(local[i] < ZERO, 1, 0)
                face.normal = s.turn * (wp.where(local[i] < ZERO, -ONE, ONE) * unit_axis_double(i))
    return face


@wp.func
def hull_face(hulls: Hulls, s: Convex, f: Feature, slot: int) -> Face:
    """A polygon around the first corner, if it has the others too."""
    face = Face()
    face.number = hulls.fan[hulls.fan_adr[s.first + f.a] + slot]
    face.exists = (f.size < 2 or polygon_has(hulls, face.number, f.b)) and (
        f.size < 3 or polygon_has(hulls, face.number, f.c)
    )
    if face.exists:
        n = hulls.poly_normal[face.number]
        face.normal = s.turn * vec(real(n[0]), real(n[1]), real(n[2]))
    return face


@wp.func
def face_at(hulls: Hulls, s: Convex, f: Feature, slot: int, outward: vec) -> Face:
    """Face number ``slot`` of a feature, if there is one; ``outward`` is the direction of contact."""
    face = Face()
    if s.kind == MjtGeom.BOX:
        face = box_face(s, f, slot, outward)
    elif s.kind == MjtGeom.MESH:
        face = hull_face(hulls, s, f, slot)
    elif s.kind == MjtGeom.CYLINDER:
        face.exists = True
        face.number = f.a
        face.normal = wp.where(f.a != 0, -ONE, ONE) * vec(s.turn[0, 2], s.turn[1, 2], s.turn[2, 2])
    return face


@wp.func
def edge_slots(hulls: Hulls, s: Convex, f: Feature) -> int:
    """Number of edges to ask ``edge_at`` for."""
    # round sides have one edge, two corners the one between them, a corner all that leave it
    n = int(0)
    if (
        s.kind == MjtGeom.CAPSULE
        or (s.kind == MjtGeom.CYLINDER and f.size < 3)
        or ((s.kind == MjtGeom.BOX or s.kind == MjtGeom.MESH) and f.size == 2)
    ):
        n = 1
    elif s.kind == MjtGeom.BOX and f.size == 1:
        n = 3
    elif s.kind == MjtGeom.MESH and f.size == 1:
        n = hulls.fan_adr[s.first + f.a + 1] - hulls.fan_adr[s.first + f.a]
    return n


@wp.func
def corner_before(hulls: Hulls, polygon: int, vertex: int) -> int:
    """The vertex of a polygon that comes before another."""
    # before the first corner comes the last
    first = hulls.poly_adr[polygon]
    found = hulls.poly[hulls.poly_adr[polygon + 1] - 1]
    for k in range(first + 1, hulls.poly_adr[polygon + 1]):
        if hulls.poly[k] == vertex:
            found = hulls.poly[k - 1]
    return found


@wp.func
def edge_at(hulls: Hulls, s: Convex, f: Feature, slot: int) -> Edge:
    """Edge number ``slot`` of a feature: of its corner, between its two corners, or the side of a cylinder or capsule."""
    e = Edge()
    e.exists = True
    axis = vec(s.turn[0, 2], s.turn[1, 2], s.turn[2, 2])
    if s.kind == MjtGeom.BOX:
        # from a corner along axis slot, which changes its bit, or to the other corner
        e.start = box_corner(s, f.a)
        e.end = box_corner(s, wp.where(f.size == 2, f.b, f.a ^ (1 << slot)))
    elif s.kind == MjtGeom.MESH:
        # each polygon around a corner has two edges there: the one that comes in, so that none comes twice
        other = f.b
        if f.size == 1:
            other = corner_before(hulls, hulls.fan[hulls.fan_adr[s.first + f.a] + slot], f.a)
        e.start = vertex_point(hulls, s, f.a)
        e.end = vertex_point(hulls, s, other)
    elif s.kind == MjtGeom.CYLINDER:
        # the side of a cylinder, from the cap of the corner to the other cap
        inward = wp.where(f.a != 0, ONE, -ONE)
        # the corner of a thicker shape is beside the rim
        out = f.point - s.pos - wp.dot(f.point - s.pos, axis) * axis
        scale = s.size[0] / wp.max(wp.length(out), TINY)
        e.start = s.pos + scale * out - (inward * s.size[1]) * axis
        e.end = e.start + (inward * (s.size[1] + s.size[1])) * axis
    else:
        # the side of a capsule lies where the shapes touch
        middle = f.spot - wp.dot(f.spot - s.pos, axis) * axis
        e.start = middle - s.size[1] * axis
        e.end = middle + s.size[1] * axis
    return e


@wp.func
def corner_count(hulls: Hulls, s: Convex, face: int) -> int:
    """Corners of a face."""
    n = int(4)
    if s.kind == MjtGeom.MESH:
        n = hulls.poly_adr[face + 1] - hulls.poly_adr[face]
    elif s.kind == MjtGeom.CYLINDER:
        n = CAP_CORNERS
    return n


@wp.func
def cap_cosine(k: int) -> real:
    """cos(k pi / 8) for ``k >= 0``."""
    # one quadrant of cosines is stored: fold the corner into it, and take the sign of its side
    turn = k % CAP_CORNERS
    step = wp.min(turn, CAP_CORNERS - turn)
    fold = wp.min(step, CAP_CORNERS // 2 - step)
    size = wp.where(
        fold == 0, ONE, wp.where(fold == 1, COS_1, wp.where(fold == 2, COS_2, wp.where(fold == 3, COS_3, ZERO)))
    )
    return wp.where(step > CAP_CORNERS // 4, -size, size)


@wp.func
def face_corner(hulls: Hulls, s: Convex, face: int, k: int) -> vec:
    """Corner ``k`` of a face, clockwise seen from outside."""
    p = vec()
    if s.kind == MjtGeom.BOX:
        # corners of the six faces, three bits each, the first one lowest
        codes = wp.where(face < 2, wp.where(face == 0, 0o5137, 0o0462), wp.where(face == 2, 0o6732, 0o0154))
        if face > 3:
            codes = wp.where(face == 4, 0o4576, 0o1023)
        p = box_corner(s, (codes >> (3 * k)) & 7)
    elif s.kind == MjtGeom.MESH:
        # hulls list corners counterclockwise
        p = vertex_point(hulls, s, hulls.poly[hulls.poly_adr[face + 1] - 1 - k])
    else:
        # cap: cosine and, a quarter turn on, sine; the bottom goes round the other way
        side = wp.where(face != 0, -ONE, ONE)
        local = vec(s.size[0] * cap_cosine(k), -side * s.size[0] * cap_cosine(k + 12), side * s.size[1])
        p = s.turn * local + s.pos
    return p
