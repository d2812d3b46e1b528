"""Descent in distance fields: from a starting point to a deep point that two shapes share.

First steps on ``A + B + |max(A, B)|``, which pulls the point into both shapes, then one on ``max(A, B)``, the depth.
The length of a step is halved until the value falls by a share of what the slope promises (Armijo's rule).
"""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.convex.number import HALF, ONE, ZERO, mat, real, vec
from newtonlite.geometry.contact.field.builtin import builtin_field, builtin_gradient, vec5d
from newtonlite.geometry.contact.field.octree import Octree, octree_field, octree_gradient
from newtonlite.geometry.contact.field.primitive import direction, primitive_field, primitive_gradient, sign_of

LONGEST = wp.constant(real(2.0))
"""Step before the first halving, in gradients."""
SHORTEST = wp.constant(real(1.0e-4))
SHARE = wp.constant(real(0.1))
"""Of the decrease that the slope promises, what is enough."""


@wp.struct
class FieldShape:
    """A shape with a distance field: its type, and size, or slot and attributes of a plugin (-1: the octree at
    ``root``).
    """

    kind: int
    size: vec
    slot: int
    attributes: vec5d
    root: int


@wp.struct
class TouchingFields:
    """Two shapes; a point x of the second one's frame is ``turn x + shift`` in that of the first."""

    one: FieldShape
    two: FieldShape
    turn: mat
    shift: vec


@wp.struct
class SharedPoint:
    """A point in the frame of the second shape, the depth there (negative where it is in both), and the normal, which
    points from the first shape to the second.
    """

    x: vec
    depth: real
    normal: vec


@wp.func
def shape_field(tree: Octree, s: FieldShape, x: vec) -> real:
    """Field of a shape at a point of its frame."""
    if s.kind != MjtGeom.SDF:
        return primitive_field(s.kind, x, s.size)
    if s.slot >= 0:
        return builtin_field(s.slot, x, s.attributes)
    return octree_field(tree, s.root, x)


@wp.func
def shape_gradient(tree: Octree, s: FieldShape, x: vec) -> vec:
    """Gradient of that field."""
    if s.kind != MjtGeom.SDF:
        return primitive_gradient(s.kind, x, s.size)
    if s.slot >= 0:
        return builtin_gradient(s.slot, x, s.attributes)
    return octree_gradient(tree, s.root, x)


@wp.func
def pair_value(tree: Octree, pair: TouchingFields, x: vec, deep: bool) -> real:
    """Value that is made least: the greater field, or both and the greater one's magnitude."""
    a = shape_field(tree, pair.two, x)
    b = shape_field(tree, pair.one, pair.turn * x + pair.shift)
    if deep:
        return wp.max(a, b)
    return a + b + wp.abs(wp.max(a, b))


@wp.func
def pair_gradient(tree: Octree, pair: TouchingFields, x: vec, deep: bool) -> vec:
    """Gradient of that."""
    y = pair.turn * x + pair.shift
    a = shape_field(tree, pair.two, x)
    b = shape_field(tree, pair.one, y)
    along2 = shape_gradient(tree, pair.two, x)
    along1 = wp.transpose(pair.turn) * shape_gradient(tree, pair.one, y)
    greater = wp.where(a > b, along2, along1)
    if deep:
        return greater
    return along2 + along1 + greater * sign_of(wp.max(a, b))


@wp.func
def descend(tree: Octree, pair: TouchingFields, start: vec, steps: int, deep: bool) -> vec:
    """The point after some steps from ``start``; a step that does not lower the value is undone and ends the descent."""
    x = start
    going = bool(True)
    for _ in range(steps):
        if going:
            value = pair_value(tree, pair, x, deep)
            g = pair_gradient(tree, pair, x, deep)
            slope = wp.dot(g, g)

            # halve the step until the value falls enough, or the step is shortest
            length = LONGEST
            tried = x
            lower = value
            looking = bool(True)
            while looking:
                length = length * HALF
                tried = x - g * length
                lower = pair_value(tree, pair, tried, deep)
                looking = length > SHORTEST and lower - value > -SHARE * length * slope
            if lower < value:
                x = tried
            else:
                going = False
    return x


@wp.func
def shared_point(tree: Octree, pair: TouchingFields, start: vec, steps: int) -> SharedPoint:
    """The deep point that a descent from ``start`` finds."""
    x = descend(tree, pair, start, steps, False)
    x = descend(tree, pair, x, 1, True)
    found = SharedPoint()
    found.x = x
    found.depth = pair_value(tree, pair, x, True)

    # half way between the two surfaces: what leads out of the second shape, and into the first
    out2 = direction(shape_gradient(tree, pair.two, x))
    out1 = direction(wp.transpose(pair.turn) * shape_gradient(tree, pair.one, pair.turn * x + pair.shift))
    found.normal = direction(out1 - out2)
    return found


@wp.func
def halton(index: int, base: int) -> real:
    """Number ``index`` of the van der Corput sequence of a base."""
    left = int(index)
    step = ONE
    found = ZERO
    for _ in range(31):
        if left > 0:
            step = step / real(base)
            found += step * real(left % base)
            left = left / base
    return found
