"""SDF contacts: vertices, edges and rims of one shape in the signed distance field of the other.

A corner is a contact where it is within reach; an edge at the lowest points along it that are not its ends, where the
field is flat at both ends of the flat part. Only those count whose surroundings face the other shape.
"""

import warp as wp

from newtonlite.collide.contact_reduction import CandidateBuffer, FoundContacts, add_candidate, keep
from newtonlite.collide.scene import SceneShapes, box_in, detection, field_of, gradient_of
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.kinds import BARREL, CONE
from newtonlite.geometry.signed_distance.primitive import along

kernel_module(__name__, max_unroll=0)

SAMPLES = 12
"""Points along an edge among which the lowest is looked for."""

STEPS = 12
SHRINK = wp.constant(0.6180339887)
LEVEL = wp.constant(1.0e-3)
"""Part of an edge's length by which its ends may be higher and still count as flat."""

RIM = 8
PER_TRIANGLE = wp.constant(9)
"""Keys of a triangle's corners and edges."""


@wp.struct
class FieldPair:
    """A shape whose features are tried, and one whose field they are tried in; ``flip`` is 1 where that is the first
    shape of the pair.
    """

    solid: int
    field: int
    frame: wp.transformf  # of the field's shape in the world
    relative: wp.transformf  # from the solid's frame to the field's
    cutoff: float
    flip: int
    capacity: int


@wp.func
def put(
    s: SceneShapes,
    h: CandidateBuffer,
    w: int,
    count: int,
    pair: FieldPair,
    p: wp.vec3,
    radius: float,
    outward: wp.vec3,
    key: int,
) -> int:
    """Put the point ``p`` (in the field's frame, rounded by ``radius``) if it is near and ``outward`` does not face
    away.
    """
    value = field_of(s, pair.field, p)
    dist = value[3] - radius
    g = gradient_of(value)
    if dist > pair.cutoff or wp.dot(outward, g) > 0.0:
        return count
    middle = p - (radius + 0.5 * dist) * g
    toward = wp.where(pair.flip == 1, 1.0, -1.0) * g
    return add_candidate(
        h,
        w,
        count,
        dist,
        wp.transform_point(pair.frame, middle),
        wp.transform_vector(pair.frame, toward),
        0.0,
        key,
        pair.capacity,
    )


@wp.func
def signed_distance(s: SceneShapes, pair: FieldPair, p: wp.vec3, q: wp.vec3, t: float) -> float:
    """Distance of a point of a segment."""
    return field_of(s, pair.field, p + t * (q - p))[3]


@wp.func
def clipped(s: SceneShapes, pair: FieldPair, p: wp.vec3, q: wp.vec3) -> wp.vec2:
    """The part of a segment within the box of the field's shape, grown by the cutoff; empty where the first number is
    the larger.
    """
    low = s.low[pair.field] - wp.vec3(pair.cutoff, pair.cutoff, pair.cutoff)
    high = s.high[pair.field] + wp.vec3(pair.cutoff, pair.cutoff, pair.cutoff)
    start = float(0.0)
    end = float(1.0)
    for k in range(3):
        way = q[k] - p[k]
        if wp.abs(way) < 1.0e-12:
            if p[k] < low[k] or p[k] > high[k]:
                end = -1.0
        else:
            one = (low[k] - p[k]) / way
            two = (high[k] - p[k]) / way
            start = wp.max(start, wp.min(one, two))
            end = wp.min(end, wp.max(one, two))
    return wp.vec2(start, end)


@wp.func
def lowest(s: SceneShapes, pair: FieldPair, p: wp.vec3, q: wp.vec3, t: float, step: float) -> float:
    """Minimum of the field along a segment within ``step`` of ``t``, by golden sections."""
    a = wp.max(t - step, 0.0)
    b = wp.min(t + step, 1.0)
    for _k in range(STEPS):
        one = b - SHRINK * (b - a)
        two = a + SHRINK * (b - a)
        if signed_distance(s, pair, p, q, one) <= signed_distance(s, pair, p, q, two):
            b = two
        else:
            a = one
    return 0.5 * (a + b)


@wp.func
def put_edge(
    s: SceneShapes,
    h: CandidateBuffer,
    w: int,
    count: int,
    pair: FieldPair,
    p: wp.vec3,
    q: wp.vec3,
    outward: wp.vec3,
    key: int,
) -> int:
    """Put the lowest places of an edge: one, or both ends of what is level. Its own ends are corners and not put here."""
    part = clipped(s, pair, p, q)
    if part[0] >= part[1]:
        return count
    step = (part[1] - part[0]) / float(SAMPLES - 1)
    low = float(1.0e30)
    for k in range(SAMPLES):
        low = wp.min(low, signed_distance(s, pair, p, q, part[0] + step * float(k)))
    level = low + LEVEL * step * wp.length(q - p)
    if low > pair.cutoff:
        return count
    first = float(2.0)
    last = float(-1.0)
    for k in range(SAMPLES):
        t = part[0] + step * float(k)
        if signed_distance(s, pair, p, q, t) <= level:
            first = wp.min(first, t)
            last = wp.max(last, t)
    n = int(count)
    ends = int(2)
    for e in range(ends):
        t = wp.where(e == 0, first, last)
        if first == last and e == 0:
            t = lowest(s, pair, p, q, t, step)
        if t > 1.0e-3 and t < 1.0 - 1.0e-3 and (e == 0 or first < last):
            n = put(s, h, w, n, pair, p + t * (q - p), 0.0, outward, key + e)
    return n


@wp.func
def put_mesh(s: SceneShapes, h: CandidateBuffer, w: int, count: int, pair: FieldPair, base: int) -> int:
    """Corners and edges of a mesh's triangles near the field's shape, each once."""
    mesh = s.mesh[pair.solid]
    back = wp.transform_inverse(pair.relative)
    low = s.low[pair.field]
    high = s.high[pair.field]
    middle = wp.transform_point(back, 0.5 * (low + high))
    half = box_in(back, low, high) + wp.vec3(pair.cutoff, pair.cutoff, pair.cutoff)
    n = int(count)
    t = int(0)
    query = wp.mesh_query_aabb(mesh, middle - half, middle + half)
    while wp.mesh_query_aabb_next(query, t):
        row = s.first[pair.solid] + t
        own = s.own[row]
        for k in range(6):
            if (own >> k) & 1 != 0:
                e = k % 3
                p = wp.transform_point(pair.relative, wp.mesh_get_point(mesh, 3 * t + e))
                if k < 3:
                    outward = wp.transform_vector(pair.relative, s.corner_normal[3 * row + e])
                    n = put(s, h, w, n, pair, p, 0.0, outward, base + PER_TRIANGLE * t + e)
                else:
                    q = wp.transform_point(pair.relative, wp.mesh_get_point(mesh, 3 * t + (e + 1) % 3))
                    outward = wp.transform_vector(pair.relative, s.edge_normal[3 * row + e])
                    n = put_edge(s, h, w, n, pair, p, q, outward, base + PER_TRIANGLE * t + 3 + 2 * e)
    return n


@wp.func
def steepest(s: SceneShapes, pair: FieldPair, p: wp.vec3) -> wp.vec3:
    """Direction, in the solid's frame, in which the field falls steepest at a point of that frame."""
    value = field_of(s, pair.field, wp.transform_point(pair.relative, p))
    return -wp.quat_rotate_inv(wp.transform_get_rotation(pair.relative), gradient_of(value))


@wp.func
def lowest_of_barrel(s: SceneShapes, pair: FieldPair) -> wp.vec4:
    """The point of a barrel's arc that is farthest along the way in which the field falls at its middle, and 1; 0 where
    that is its end, which lies on the field's shape as a cylinder's does.
    """
    size = s.size[pair.solid]
    down = steepest(s, pair, wp.vec3())
    z = size[2] * down[2]
    rise = wp.sqrt(wp.max(size[2] * size[2] - z * z, 0.0)) - wp.sqrt(wp.max(size[2] * size[2] - size[1] * size[1], 0.0))
    way = (size[0] + rise) * along(wp.vec3(down[0], down[1], 0.0), wp.vec3(1.0, 0.0, 0.0))
    return wp.vec4(way[0], way[1], z, wp.where(wp.abs(z) < size[1], 1.0, 0.0))


@wp.func
def point_of(s: SceneShapes, pair: FieldPair, k: int) -> wp.vec3:
    """Corner ``k`` of a primitive in its frame: of a box; centre or ends of a ball or capsule; the rims of cylinders,
    barrels and cones, from where the field falls steepest.
    """
    i = pair.solid
    kind = s.kind[i]
    size = s.size[i]
    p = wp.vec3()
    if kind == MjtGeom.BOX:
        p = wp.vec3(
            wp.where((k & 1) != 0, size[0], -size[0]),
            wp.where((k & 2) != 0, size[1], -size[1]),
            wp.where((k & 4) != 0, size[2], -size[2]),
        )
    elif kind == MjtGeom.CAPSULE:
        p = wp.vec3(0.0, 0.0, wp.where(k == 0, size[1], -size[1]))
    elif kind == MjtGeom.CYLINDER or kind == CONE or kind == BARREL:
        z = wp.where(k < RIM, -size[1], size[1])
        down = steepest(s, pair, wp.vec3(0.0, 0.0, z))
        x = along(wp.vec3(down[0], down[1], 0.0), wp.vec3(1.0, 0.0, 0.0))
        angle = float(k % RIM) * (2.0 * wp.pi / float(RIM))
        way = wp.cos(angle) * x + wp.sin(angle) * wp.vec3(-x[1], x[0], 0.0)
        p = size[0] * way + wp.vec3(0.0, 0.0, z)
        if kind == CONE and k == RIM:
            p = wp.vec3(0.0, 0.0, size[1])
    return p


@wp.func
def put_primitive(s: SceneShapes, h: CandidateBuffer, w: int, count: int, pair: FieldPair, base: int) -> int:
    """Points of a primitive."""
    kind = s.kind[pair.solid]
    points = int(0)
    radius = float(0.0)
    if kind == MjtGeom.SPHERE:
        points = 1
    elif kind == MjtGeom.CAPSULE:
        points = 2
    elif kind == MjtGeom.BOX:
        points = 8
    elif kind == MjtGeom.CYLINDER or kind == BARREL:
        points = 2 * RIM
    elif kind == CONE:
        points = RIM + 1
    if kind == MjtGeom.SPHERE or kind == MjtGeom.CAPSULE:
        radius = s.size[pair.solid][0]
    arc = wp.vec4()
    if kind == BARREL:
        arc = lowest_of_barrel(s, pair)
        if arc[3] > 0.0:
            points = wp.where(s.kind[pair.field] == MjtGeom.PLANE, 1, 0)
    elif s.kind[pair.field] == BARREL and kind != MjtGeom.SPHERE:
        points = 0  # the nearest point is that of the convex search
    if s.kind[pair.field] == MjtGeom.SPHERE and (kind == CONE or kind == BARREL):
        points = 0  # its middle is looked for in their field
    n = int(count)
    for k in range(points):
        p = point_of(s, pair, k)
        if arc[3] > 0.0:
            p = wp.vec3(arc[0], arc[1], arc[2])
        outward = wp.where(radius > 0.0, wp.vec3(), p)
        n = put(
            s,
            h,
            w,
            n,
            pair,
            wp.transform_point(pair.relative, p),
            radius,
            wp.transform_vector(pair.relative, outward),
            base + k,
        )
    return n


@wp.func
def sdf_contacts(s: SceneShapes, h: CandidateBuffer, w: int, first: int, second: int, capacity: int) -> int:
    """Candidates of two shapes from the features of each in the field of the other; normals point from the first.
    Returns how many.
    """
    count = int(0)
    base = int(0)
    ways = int(2)
    for flip in range(ways):
        pair = FieldPair()
        pair.solid = wp.where(flip == 0, first, second)
        pair.field = wp.where(flip == 0, second, first)
        pair.frame = s.pose[pair.field]
        pair.relative = wp.transform_inverse(pair.frame) * s.pose[pair.solid]
        pair.cutoff = detection(s, first, second)
        pair.flip = flip
        pair.capacity = capacity
        if s.kind[pair.solid] == MjtGeom.MESH and s.kind[pair.field] != BARREL:
            count = put_mesh(s, h, w, count, pair, base)
            base += PER_TRIANGLE * s.triangles[pair.solid]
        elif s.kind[pair.solid] != MjtGeom.MESH:
            count = put_primitive(s, h, w, count, pair, base)
            base += 2 * RIM
    return count


@wp.kernel(enable_backward=False)
def find_features(
    s: SceneShapes,
    near: wp.array[wp.vec2i],
    near_count: wp.array[int],
    few: int,
    workers: int,
    h: CandidateBuffer,
    found: FoundContacts,
):
    """Features of each shape in the field of the other."""
    w = wp.tid()
    for i in range(w, near_count[0], workers):
        pair = near[i]
        n = sdf_contacts(s, h, w, pair[0], pair[1], found.dist.shape[1])
        keep(h, w, n, found, i, few)
