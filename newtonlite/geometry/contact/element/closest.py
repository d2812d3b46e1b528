"""Closest point of an element: weights of its vertices, barycentric coordinates of the point nearest to another."""

import warp as wp

FLAT = wp.constant(1.0e-10)
"""Squared sine of the angle at a vertex below which a triangle, and height over length of a tetrahedron, is none."""
PARALLEL = wp.constant(1.0e-7)
"""Squared sine of the angle between segments below which they are parallel."""


@wp.struct
class FlexElement:
    """A segment, triangle or tetrahedron (``dim`` 1, 2, 3) and the radius around it; vertices that it lacks equal its
    last.
    """

    dim: int
    a: wp.vec3
    b: wp.vec3
    c: wp.vec3
    d: wp.vec3
    radius: float  # [m]


@wp.func
def segment_share(p: wp.vec3, a: wp.vec3, b: wp.vec3) -> float:
    """Weight of ``b`` in the point of a segment nearest to ``p``; a half where the segment is a point."""
    along = b - a
    length2 = wp.dot(along, along)
    if length2 == 0.0:
        return 0.5
    return wp.clamp(wp.dot(p - a, along) / length2, 0.0, 1.0)


@wp.func
def triangle_share(p: wp.vec3, a: wp.vec3, b: wp.vec3, c: wp.vec3) -> wp.vec3:
    """Weights of the corners in the point of a triangle nearest to ``p``."""
    # p projected onto the plane: its coordinate towards each corner is the volume of what p spans with the other two
    ab = b - a
    ac = c - a
    ap = p - a
    at = ap
    normal = wp.cross(ab, ac)
    size2 = wp.dot(normal, normal)
    if size2 > FLAT * wp.dot(ab, ab) * wp.dot(ac, ac) and size2 > 0.0:
        v = wp.dot(normal, wp.cross(ap, ac)) / size2
        w = wp.dot(normal, wp.cross(ab, ap)) / size2
        if v >= 0.0 and w >= 0.0 and v + w <= 1.0:
            return wp.vec3(1.0 - v - w, v, w)
        at = v * ab + w * ac

    # outside, or flat: the nearest of the three sides. How far p is above the plane is left out: next to a corner the distances
    # of two sides differ by less than its digits
    t = segment_share(p, a, b)
    share = wp.vec3(1.0 - t, t, 0.0)
    off = at - t * ab
    least = wp.dot(off, off)
    t = segment_share(p, b, c)
    off = at - ab - t * (ac - ab)
    if wp.dot(off, off) < least:
        least = wp.dot(off, off)
        share = wp.vec3(0.0, 1.0 - t, t)
    t = segment_share(p, c, a)
    off = at - (1.0 - t) * ac
    if wp.dot(off, off) < least:
        share = wp.vec3(t, 0.0, 1.0 - t)
    return share


@wp.func
def face_corner(e: FlexElement, face: int, k: int) -> wp.vec3:
    """Corner ``k`` (0, 1, 2) of the face of a tetrahedron that lies opposite vertex ``face``."""
    return corner_of(e, (face + 1 + k) % 4)


@wp.func
def corner_of(e: FlexElement, i: int) -> wp.vec3:
    """Vertex ``i`` of an element."""
    return wp.where(i == 0, e.a, wp.where(i == 1, e.b, wp.where(i == 2, e.c, e.d)))


@wp.func
def face_outward(e: FlexElement, face: int) -> wp.vec3:
    """Outward unit normal of the face opposite vertex ``face``; zero where the tetrahedron is flat."""
    corner = face_corner(e, face, 0)
    normal = wp.normalize(wp.cross(face_corner(e, face, 1) - corner, face_corner(e, face, 2) - corner))
    height = wp.dot(normal, corner_of(e, face) - corner)
    return wp.where(height > 0.0, -normal, normal)


@wp.func
def is_flat(e: FlexElement) -> bool:
    """Whether the volume of a tetrahedron vanishes beside its edges."""
    one = e.b - e.a
    two = e.c - e.a
    three = e.d - e.a
    volume = wp.abs(wp.dot(wp.cross(one, two), three))
    return volume <= 1.0e-6 * wp.length(one) * wp.length(two) * wp.length(three)


@wp.func
def is_inside(e: FlexElement, p: wp.vec3) -> bool:
    """Whether a point is behind all four faces of a tetrahedron."""
    faces = int(4)
    for i in range(faces):
        if wp.dot(face_outward(e, i), p - face_corner(e, i, 0)) > 0.0:
            return False
    return True


@wp.func
def nearest_on_faces(e: FlexElement, p: wp.vec3) -> wp.vec4:
    """Weights of the vertices in the point of the faces of a tetrahedron nearest to ``p``."""
    best = wp.vec4(0.25, 0.25, 0.25, 0.25)
    least = float(1.0e30)
    faces = int(4)
    for i in range(faces):
        one = face_corner(e, i, 0)
        two = face_corner(e, i, 1)
        three = face_corner(e, i, 2)
        share = triangle_share(p, one, two, three)
        off = p - (share[0] * one + share[1] * two + share[2] * three)
        if wp.dot(off, off) < least:
            least = wp.dot(off, off)
            best = wp.vec4(0.0, 0.0, 0.0, 0.0)
            for k in range(3):
                best[(i + 1 + k) % 4] = share[k]
    return best


@wp.func
def tetrahedron_share(e: FlexElement, p: wp.vec3) -> wp.vec4:
    """Weights of the vertices in the point of a tetrahedron nearest to ``p``."""
    # inside, a weight is the part of the volume that p spans with the other three
    if not is_flat(e):
        if is_inside(e, p):
            one = e.b - e.a
            two = e.c - e.a
            three = e.d - e.a
            ap = p - e.a
            volume = wp.dot(wp.cross(one, two), three)
            x = wp.dot(wp.cross(ap, two), three) / volume
            y = wp.dot(wp.cross(one, ap), three) / volume
            z = wp.dot(wp.cross(one, two), ap) / volume
            return wp.vec4(1.0 - x - y - z, x, y, z)
    return nearest_on_faces(e, p)


@wp.func
def element_share(e: FlexElement, p: wp.vec3) -> wp.vec4:
    """Weights of the vertices in the point of an element nearest to ``p``: they are not negative, and 1 together."""
    if e.dim == 1:
        t = segment_share(p, e.a, e.b)
        return wp.vec4(1.0 - t, t, 0.0, 0.0)
    if e.dim == 2:
        share = triangle_share(p, e.a, e.b, e.c)
        return wp.vec4(share[0], share[1], share[2], 0.0)
    return tetrahedron_share(e, p)


@wp.func
def weighted_point(e: FlexElement, share: wp.vec4) -> wp.vec3:
    """The point of an element with these weights."""
    return share[0] * e.a + share[1] * e.b + share[2] * e.c + share[3] * e.d


@wp.func
def segment_shares(p1: wp.vec3, p2: wp.vec3, q1: wp.vec3, q2: wp.vec3) -> wp.vec2:
    """Weights of ``p2`` and ``q2`` in the nearest points of two segments; of parallel ones the first that there is."""
    # nearest points of the two lines: s of the first
    u = p2 - p1
    v = q2 - q1
    r = p1 - q1
    uu = wp.dot(u, u)
    vv = wp.dot(v, v)
    if uu == 0.0:
        return wp.vec2(0.0, segment_share(p1, q1, q2))
    if vv == 0.0:
        return wp.vec2(segment_share(q1, p1, p2), 0.0)
    uv = wp.dot(u, v)
    normal = wp.cross(u, v)
    size2 = wp.dot(normal, normal)
    s = float(0.0)
    if size2 > PARALLEL * uu * vv:
        s = wp.clamp(wp.dot(normal, wp.cross(v, r)) / size2, 0.0, 1.0)

    # t of the second for that; where it lies beyond an end, s for the end
    t = (uv * s + wp.dot(v, r)) / vv
    if t < 0.0 or t > 1.0:
        t = wp.clamp(t, 0.0, 1.0)
        s = wp.clamp((uv * t - wp.dot(u, r)) / uu, 0.0, 1.0)
    return wp.vec2(s, t)
