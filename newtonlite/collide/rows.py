"""Candidates that were kept, as rows of a ``Contacts``."""

import warp as wp

from newtonlite.collide.heap import Found
from newtonlite.collide.scene import Shapes
from newtonlite.geometry.contact.convex.shape import CAPSULE, SPHERE


@wp.struct
class Rows:
    """The arrays of a ``Contacts``."""

    shape0: wp.array(dtype=int)
    shape1: wp.array(dtype=int)
    point0: wp.array(dtype=wp.vec3)
    point1: wp.array(dtype=wp.vec3)
    offset0: wp.array(dtype=wp.vec3)
    offset1: wp.array(dtype=wp.vec3)
    normal: wp.array(dtype=wp.vec3)
    margin0: wp.array(dtype=float)
    margin1: wp.array(dtype=float)
    force: wp.array(dtype=wp.vec3)
    stiffness: wp.array(dtype=float)  # may be empty
    damping: wp.array(dtype=float)
    friction: wp.array(dtype=float)


ROWS = tuple(Rows.vars)


@wp.func
def core(s: Shapes, i: int) -> float:
    """Radius of a ball or capsule [m]; 0 for other shapes."""
    radius = float(0.0)
    if s.kind[i] == SPHERE or s.kind[i] == CAPSULE:
        radius = s.size[i][0]
    return radius


@wp.func
def to_body(s: Shapes, i: int) -> wp.transformf:
    """From the world to the frame of a shape's body."""
    return s.local[i] * wp.transform_inverse(s.pose[i])


@wp.kernel(enable_backward=False)
def list_found(
    s: Shapes, pairs: wp.array(dtype=wp.vec2i), near: wp.array(dtype=int), near_count: wp.array(dtype=int), found: Found,
    start: wp.array(dtype=int), base: wp.array(dtype=int), rows: Rows,
):  # fmt: skip
    """Row ``base[0] + start[i] + k`` from what was kept as ``k`` of near pair ``i``, as far as there are rows.

    A piece of a patch has its own stiffness, and its area's share of the damping of the two shapes.
    """
    i, k = wp.tid()
    if i >= near_count[0] or k >= found.count[i]:
        return
    row = base[0] + start[i] + k
    if row >= rows.shape0.shape[0]:
        return
    a = pairs[near[i]][0]
    b = pairs[near[i]][1]
    normal = found.normal[i, k]
    half = 0.5 * found.dist[i, k]
    to0 = to_body(s, a)
    to1 = to_body(s, b)
    margin0 = core(s, a) + s.margin[a]
    margin1 = core(s, b) + s.margin[b]
    rows.shape0[row] = a
    rows.shape1[row] = b
    rows.point0[row] = wp.transform_point(to0, found.pos[i, k] - (half + core(s, a)) * normal)
    rows.point1[row] = wp.transform_point(to1, found.pos[i, k] + (half + core(s, b)) * normal)
    rows.offset0[row] = wp.transform_vector(to0, margin0 * normal)
    rows.offset1[row] = wp.transform_vector(to1, -margin1 * normal)
    rows.normal[row] = normal
    rows.margin0[row] = margin0
    rows.margin1[row] = margin1
    rows.force[row] = wp.vec3()
    if row < rows.stiffness.shape[0] and found.area[i, k] > 0.0:
        total = float(0.0)
        for other in range(found.count[i]):
            total += found.area[i, other]
        rows.stiffness[row] = found.area[i, k] * s.soft[a] * s.soft[b] / wp.max(s.soft[a] + s.soft[b], 1.0e-20)
        rows.damping[row] = found.area[i, k] / total * 0.5 * (s.damping[a] + s.damping[b])


@wp.kernel(enable_backward=False)
def count_found(
    found: Found, near_count: wp.array(dtype=int), start: wp.array(dtype=int), most: int, base: wp.array(dtype=int),
    count: wp.array(dtype=int), lost: wp.array(dtype=int),
):  # fmt: skip
    """Add what was found to the rows in use; what has no row is added to ``lost[0]``. ``base`` is the number of rows before."""
    n = near_count[0]
    total = int(0)
    if n > 0:
        total = start[n - 1] + found.count[n - 1]
    count[0] = wp.min(base[0] + total, most)
    lost[0] = lost[0] + base[0] + total - count[0]


@wp.kernel(enable_backward=False)
def begin(near_count: wp.array(dtype=int), found: Found, count: wp.array(dtype=int), base: wp.array(dtype=int)):
    """Remember how many rows are in use, and forget what was kept of pairs that are not near any more."""
    i = wp.tid()
    if i == 0:
        base[0] = count[0]
    if i >= near_count[0]:
        found.count[i] = 0
