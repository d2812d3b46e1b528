"""Triangle in a distance field: its deepest point, by Frank and Wolfe's method from several starting points.

Each step goes part of the way, ``2 / (k + 2)``, to the corner that the gradient at the present point ranks lowest (Frank
and Wolfe, An algorithm for quadratic programming, 1956).  The first goes all the way: fields that are convex over the
triangle end in a corner at once.  Not to be confused with ``descent``, which looks for a point that two fields share.
"""

import warp as wp

from newtonlite.geometry.contact.convex.number import ONE, ZERO, mat, real, vec
from newtonlite.geometry.contact.field.descent import FieldShape, halton, shape_field, shape_gradient
from newtonlite.geometry.contact.field.octree import Octree

SAME = wp.constant(real(1.0e-12))
"""Distance below which a point is a corner [m]: triangles that share one then have the same numbers."""


@wp.struct
class FieldPoint:
    """A point in the frame of a field, and the field there [m]."""

    x: vec
    depth: real


@wp.func
def triangle_corner(triangle: mat, i: int) -> vec:
    """Corner ``i`` of a triangle whose corners are columns."""
    return vec(triangle[0, i], triangle[1, i], triangle[2, i])


@wp.func
def start_in_triangle(triangle: mat, j: int) -> vec:
    """Starting point ``j``: two sequences of van der Corput as weights, folded into the triangle."""
    u = halton(j + 1, 2)
    v = halton(j + 1, 3)
    if u + v > ONE:
        u = ONE - u
        v = ONE - v
    return (
        (ONE - u - v) * triangle_corner(triangle, 0)
        + u * triangle_corner(triangle, 1)
        + v * triangle_corner(triangle, 2)
    )


@wp.func
def lowest_corner(triangle: mat, g: vec) -> int:
    """Corner that a gradient ranks lowest, of equal ones the first."""
    lowest = int(0)
    for i in range(1, 3):
        if wp.dot(triangle_corner(triangle, i), g) < wp.dot(triangle_corner(triangle, lowest), g):
            lowest = i
    return lowest


@wp.func
def frank_wolfe(tree: Octree, s: FieldShape, triangle: mat, start: vec, corner: int, steps: int) -> vec:
    """The point after some steps from ``start``, the first of which is to ``corner``."""
    x = start
    to = int(corner)
    for k in range(steps):
        if k > 0:
            to = lowest_corner(triangle, shape_gradient(tree, s, x))
        x = x + (real(2.0) / real(k + 2)) * (triangle_corner(triangle, to) - x)
    for i in range(3):
        if wp.length(x - triangle_corner(triangle, i)) < SAME:
            x = triangle_corner(triangle, i)
    return x


@wp.func
def triangle_may_touch(tree: Octree, s: FieldShape, triangle: mat) -> bool:
    """Whether a triangle is not so far outside that none of its points can be inside."""
    # the field does not grow faster than distance: a triangle farther from its middle's zero than it reaches is outside
    middle = (triangle_corner(triangle, 0) + triangle_corner(triangle, 1) + triangle_corner(triangle, 2)) / real(3.0)
    reach = ZERO
    for i in range(3):
        reach = wp.max(reach, wp.length(triangle_corner(triangle, i) - middle))
    return shape_field(tree, s, middle) <= reach + reach


@wp.func
def point_from_start(tree: Octree, s: FieldShape, triangle: mat, j: int, steps: int) -> FieldPoint:
    """The point that starting point ``j`` leads to."""
    found = FieldPoint()
    start = start_in_triangle(triangle, j)
    corner = lowest_corner(triangle, shape_gradient(tree, s, start))
    found.x = frank_wolfe(tree, s, triangle, start, corner, steps)
    found.depth = shape_field(tree, s, found.x)
    return found


@wp.func
def deepest_in_triangle(tree: Octree, s: FieldShape, triangle: mat, starts: int, steps: int) -> FieldPoint:
    """The deepest of the points that are found, the first of equal ones; a depth of 0 where none is inside."""
    found = FieldPoint()
    found.depth = ZERO
    if triangle_may_touch(tree, s, triangle):
        # the first step ends in a corner: of the starting points that lead to one the first does for all
        seen = int(0)
        for j in range(starts):
            start = start_in_triangle(triangle, j)
            corner = lowest_corner(triangle, shape_gradient(tree, s, start))
            if ((seen >> corner) & 1) == 0 or steps == 0:
                seen |= 1 << corner
                x = frank_wolfe(tree, s, triangle, start, corner, steps)
                depth = shape_field(tree, s, x)
                if depth < found.depth:
                    found.x = x
                    found.depth = depth
    return found
