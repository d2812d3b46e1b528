"""Octree of distances: the field of a mesh, linear in each leaf between the distances at its eight corners.

Outside the root box the field is that of the nearest point of the box, plus the distance to it.
"""

import warp as wp

from newtonlite.geometry.contact.convex.number import ONE, ZERO, real, vec

vec8i = wp.types.vector(length=8, dtype=wp.int32)
vec8d = wp.types.vector(length=8, dtype=wp.float64)
INWARD = wp.constant(real(1.0e-6))
"""Depth in the root box at which a point outside is looked up [m]."""
NUDGE = wp.constant(real(1.0e-8))
"""Of forward differences outside the box [m]."""
DEEPEST = 32
"""More levels than any octree has."""


@wp.struct
class Octree:
    """Nodes of all octrees, each from its root on: children counted from the root (-1: a leaf), boxes (centre and
    half-sizes) and distances at corners; corners and children in the order x, then y, then z.
    """

    child: wp.array[vec8i]
    box: wp.array2d[vec]
    corner: wp.array[vec8d]


@wp.func
def leaf_of(tree: Octree, root: int, p: vec) -> int:
    """The leaf in which a point of the root box lies."""
    node = root
    for _ in range(DEEPEST):
        if tree.child[node][0] >= 0:
            c = tree.box[node, 0]
            k = wp.where(p[0] >= c[0], 1, 0) + wp.where(p[1] >= c[1], 2, 0) + wp.where(p[2] >= c[2], 4, 0)
            node = root + tree.child[node][k]
    return node


@wp.func
def within(tree: Octree, node: int, p: vec) -> vec:
    """Place of a point in the box of a node, from 0 to 1 along each axis."""
    h = tree.box[node, 1]
    return wp.cw_div(p - tree.box[node, 0] + h, h + h)


@wp.func
def blend(t: real, high: int) -> real:
    """Weight of the lower or the higher side of a box."""
    return wp.where(high == 0, ONE - t, t)


@wp.func
def inside_root(tree: Octree, root: int, x: vec) -> vec:
    """The point itself in the root box, else the point of the box next to it, a little inside."""
    c = tree.box[root, 0]
    h = tree.box[root, 1]
    p = vec(x[0], x[1], x[2])
    for i in range(3):
        if wp.abs(x[i] - c[i]) > h[i]:
            edge = h[i] - INWARD
            p[i] = c[i] + wp.where(x[i] > c[i], edge, -edge)
    return p


@wp.func
def octree_field(tree: Octree, root: int, x: vec) -> real:
    """Field at a point of the mesh's frame."""
    p = inside_root(tree, root, x)
    outside = vec()
    for i in range(3):
        outside[i] = wp.max(wp.abs(x[i] - tree.box[root, 0][i]) - tree.box[root, 1][i], ZERO)
    node = leaf_of(tree, root, p)
    t = within(tree, node, p)
    found = wp.length(outside)
    for k in range(8):
        weight = blend(t[0], k & 1) * blend(t[1], (k >> 1) & 1) * blend(t[2], (k >> 2) & 1)
        found += weight * tree.corner[node][k]
    return found


@wp.func
def octree_gradient(tree: Octree, root: int, x: vec) -> vec:
    """Gradient of that field: of the leaf's linear one inside, by forward differences outside."""
    c = x - tree.box[root, 0]
    half = tree.box[root, 1]
    if wp.abs(c[0]) > half[0] or wp.abs(c[1]) > half[1] or wp.abs(c[2]) > half[2]:
        f = octree_field(tree, root, x)
        fx = octree_field(tree, root, vec(x[0] + NUDGE, x[1], x[2]))
        fy = octree_field(tree, root, vec(x[0], x[1] + NUDGE, x[2]))
        fz = octree_field(tree, root, vec(x[0], x[1], x[2] + NUDGE))
        return vec((fx - f) / NUDGE, (fy - f) / NUDGE, (fz - f) / NUDGE)
    node = leaf_of(tree, root, x)
    t = within(tree, node, x)
    size = tree.box[node, 1] + tree.box[node, 1]
    found = vec()
    for k in range(8):
        i = k & 1
        j = (k >> 1) & 1
        h = (k >> 2) & 1
        value = tree.corner[node][k]
        found[0] += real(2 * i - 1) / size[0] * blend(t[1], j) * blend(t[2], h) * value
        found[1] += real(2 * j - 1) / size[1] * blend(t[0], i) * blend(t[2], h) * value
        found[2] += real(2 * h - 1) / size[2] * blend(t[0], i) * blend(t[1], j) * value
    return found
