"""Soft surfaces of the cameras: flexes and skins as triangles of each world, and lines of a radius, in trees of boxes.

The vertices of a flex lie in its middle; what is seen is its radius away along their normals: both sides and the rims of a
sheet, the outside of a solid, capsules about the edges of a rope. A skin lies where its bones carry it, ``inflate`` away.
Trees have the shape that the model at rest gives them; only their boxes follow (``fit_boxes``), for the worlds that are rendered.
"""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.geometry.ray.shapes import MISS, hit, miss, ray_capsule
from newtonlite.math.vector import orthonormal_basis
from newtonlite.solvers.mujoco.kernels.ray.mesh import meets_box

kernel_module(__name__, max_unroll=0)

SOFT = wp.constant(-2)
"""Kind of the geoms that are flexes or skins."""
WIDER = wp.constant(1.0e-5)
"""Share of its extent by which a box is wider than what is in it."""


@wp.struct
class SoftSurfaces:
    """Parts, a flex or skin each [n]: first box and one more, first piece, radius of the lines. Boxes, depth first [m]: the one that
    follows, pieces of a leaf and the first of them, corners [nworld, m]. Pieces: three points, of a line the last two equal;
    whether it is flat. Points [nworld, k], and their normals.
    """

    box: wp.array[int]
    piece: wp.array[int]
    radius: wp.array[float]
    skip: wp.array[int]
    first: wp.array[int]
    count: wp.array[int]
    corner: wp.array[wp.vec3i]
    flat: wp.array[int]
    low: wp.array2d[wp.vec3]
    high: wp.array2d[wp.vec3]
    point: wp.array2d[wp.vec3]
    normal: wp.array2d[wp.vec3]


@wp.struct
class SoftVertices:
    """Vertices of flexes and skins [n]: row among those of flexes, -1: of a skin; points that follow it on both sides (-1: none);
    distance of these along the normal; whether triangles count evenly in that or by area; first bone and first triangle.
    Of bones [m] the body and the vertex in its frame with the weight; of triangles [k] the vertices. Where they are: [nworld, n].
    """

    row: wp.array[int]
    side: wp.array[wp.vec2i]
    away: wp.array[float]
    even: wp.array[int]
    bone: wp.array[int]
    face: wp.array[int]
    body: wp.array[int]
    arm: wp.array[wp.vec4]
    around: wp.array[wp.vec3i]
    place: wp.array2d[wp.vec3]


@wp.struct
class SoftPoses:
    """Vertices of flexes and poses of bodies [nworld, n], as the data has them."""

    flexvert_xpos: wp.array2d[wp.vec3]
    xpos: wp.array2d[wp.vec3]
    xmat: wp.array2d[wp.mat33]


@wp.func
def left_out(mask: wp.array[bool], world: int) -> bool:
    """Whether a world is not among those that are rendered."""
    if mask.shape[0] > 0:
        return not mask[world]
    return False


@wp.kernel(enable_backward=False)
def carry_vertices(v: SoftVertices, p: SoftPoses, mask: wp.array[bool]):
    """Places of vertices: those of flexes, and means of where the bones of a skin carry them."""
    world, i = wp.tid()
    if left_out(mask, world):
        return
    place = wp.vec3()
    if v.row[i] >= 0:
        place = p.flexvert_xpos[world, v.row[i]]
    for b in range(v.bone[i], v.bone[i + 1]):
        arm = v.arm[b]
        body = v.body[b]
        place += arm[3] * (p.xpos[world, body] + p.xmat[world, body] * wp.vec3(arm[0], arm[1], arm[2]))
    v.place[world, i] = place


@wp.kernel(enable_backward=False)
def wrap_vertices(v: SoftVertices, s: SoftSurfaces, mask: wp.array[bool]):
    """Points of the surfaces, a distance away from the vertices along the mean normals of the triangles there."""
    world, i = wp.tid()
    if left_out(mask, world):
        return
    sum = wp.vec3()
    for k in range(v.face[i], v.face[i + 1]):
        t = v.around[k]
        a = v.place[world, t[0]]
        n = wp.cross(v.place[world, t[1]] - a, v.place[world, t[2]] - a)
        if v.even[i] != 0:
            n = wp.normalize(n)
        sum += n
    n = wp.normalize(sum)
    side = v.side[i]
    s.point[world, side[0]] = v.place[world, i] + v.away[i] * n
    s.normal[world, side[0]] = n
    if side[1] >= 0:
        s.point[world, side[1]] = v.place[world, i] - v.away[i] * n
        s.normal[world, side[1]] = -n


@wp.kernel(enable_backward=False)
def fit_boxes(s: SoftSurfaces, mask: wp.array[bool]):
    """Boxes of a part, the last first: those of leaves about their pieces, others about the two that they hold."""
    world, part = wp.tid()
    if left_out(mask, world):
        return
    first = s.box[part]
    radius = wp.vec3(s.radius[part])
    for j in range(s.box[part + 1] - first):
        k = s.box[part + 1] - 1 - j
        low = wp.vec3(1.0e30)
        high = wp.vec3(-1.0e30)
        for i in range(s.first[k], s.first[k] + s.count[k]):
            for c in range(3):
                at = s.point[world, s.corner[i][c]]
                low = wp.min(low, at)
                high = wp.max(high, at)
        if s.count[k] > 0:
            margin = radius + wp.vec3(WIDER * wp.length(high - low))
            low -= margin
            high += margin
        else:
            other = s.skip[k + 1]
            low = wp.min(s.low[world, k + 1], s.low[world, other])
            high = wp.max(s.high[world, k + 1], s.high[world, other])
        s.low[world, k] = low
        s.high[world, k] = high


@wp.struct
class SoftHit:
    """A ray's hit of a soft surface: (distance, normal) in the world, the piece of the part and weights of its first two corners."""

    at: wp.vec4
    piece: int
    weights: wp.vec2


@wp.func
def ray_line(o: wp.vec3, d: wp.vec3, a: wp.vec3, b: wp.vec3, radius: float) -> wp.vec4:
    """A capsule about the line from ``a`` to ``b``."""
    axis = wp.normalize(b - a)
    x, y = orthonormal_basis(axis)
    turn = wp.matrix_from_cols(x, y, axis)
    back = wp.transpose(turn)
    found = ray_capsule(back * (o - 0.5 * (a + b)), back * d, radius, 0.5 * wp.length(b - a))
    n = turn * wp.vec3(found[1], found[2], found[3])
    return wp.vec4(found[0], n[0], n[1], n[2])


@wp.func
def ray_corners(o: wp.vec3, d: wp.vec3, a: wp.vec3, b: wp.vec3, c: wp.vec3) -> wp.vec4:
    """Distance to the triangle, MISS past it, and the weights of its corners; the sign of the volumes that the ray spans with
    the sides, by which two triangles with a common side leave nothing between them.
    """
    p = a - o
    q = b - o
    r = c - o
    u = wp.dot(d, wp.cross(r, q))
    v = wp.dot(d, wp.cross(p, r))
    w = wp.dot(d, wp.cross(q, p))
    found = wp.vec4(MISS, 0.0, 0.0, 0.0)
    whole = u + v + w
    if whole == 0.0 or wp.min(wp.min(u, v), w) < 0.0 and wp.max(wp.max(u, v), w) > 0.0:
        return found
    n = wp.cross(b - a, c - a)
    t = wp.dot(n, p) / wp.dot(n, d)
    if t > 0.0:
        found = wp.vec4(t, u / whole, v / whole, w / whole)
    return found


@wp.func
def ray_soft(s: SoftSurfaces, world: int, part: int, o: wp.vec3, d: wp.vec3, most: float, culling: int) -> SoftHit:
    """The nearest surface within ``most``; with ``culling`` those that face the ray alone."""
    found = SoftHit()
    found.at = miss()
    found.piece = -1
    best = float(most)
    k = int(s.box[part])
    while k < s.box[part + 1]:
        follow = s.skip[k]
        if meets_box(s.low[world, k], s.high[world, k], o, d, best):
            follow = k + 1
            for i in range(s.first[k], s.first[k] + s.count[k]):
                t = s.corner[i]
                a = s.point[world, t[0]]
                b = s.point[world, t[1]]
                at = miss()
                weights = wp.vec2()
                if t[1] == t[2]:
                    at = ray_line(o, d, a, b, s.radius[part])
                else:
                    c = s.point[world, t[2]]
                    w = ray_corners(o, d, a, b, c)
                    if w[0] < best:
                        at = hit(w[0], wp.cross(b - a, c - a))
                        weights = wp.vec2(w[1], w[2])
                if at[0] < best and (culling == 0 or at[1] * d[0] + at[2] * d[1] + at[3] * d[2] < 0.0):
                    best = at[0]
                    found.at = at
                    found.piece = i - s.piece[part]
                    found.weights = weights
        k = follow
    return found


@wp.func
def soft_blocks(s: SoftSurfaces, world: int, part: int, o: wp.vec3, d: wp.vec3, most: float) -> bool:
    """Whether a soft surface stands within ``most`` on a ray."""
    k = int(s.box[part])
    while k < s.box[part + 1]:
        follow = s.skip[k]
        if meets_box(s.low[world, k], s.high[world, k], o, d, most):
            follow = k + 1
            for i in range(s.first[k], s.first[k] + s.count[k]):
                t = s.corner[i]
                a = s.point[world, t[0]]
                b = s.point[world, t[1]]
                far = float(MISS)
                if t[1] == t[2]:
                    at = ray_line(o, d, a, b, s.radius[part])
                    # from within, the far side does not count
                    if at[1] * d[0] + at[2] * d[1] + at[3] * d[2] <= 0.0:
                        far = at[0]
                else:
                    far = ray_corners(o, d, a, b, s.point[world, t[2]])[0]
                if far < most:
                    return True
        k = follow
    return False


@wp.func
def soft_normal(s: SoftSurfaces, world: int, part: int, piece: int, weights: wp.vec2, flat: wp.vec3) -> wp.vec3:
    """Normal within a piece, between those of its points; ``flat`` of a flat one and of lines."""
    i = s.piece[part] + piece
    t = s.corner[i]
    if s.flat[i] != 0 or t[1] == t[2]:
        return flat
    n = weights[0] * s.normal[world, t[0]] + weights[1] * s.normal[world, t[1]]
    return wp.normalize(n + (1.0 - weights[0] - weights[1]) * s.normal[world, t[2]])
