"""Triangles of flexes in distance fields: near elements, the deepest point of each, and which of these are contacts.

MuJoCo looks at elements in the order of its tree of boxes, takes the first 50 that are inside a field, and of these each
point once: several triangles have one in a vertex that they share.
"""

import warp as wp

from newtonlite.geometry.contact.convex.number import HALF, ZERO, mat
from newtonlite.geometry.contact.element.closest import FlexElement
from newtonlite.geometry.contact.field.descent import shape_gradient
from newtonlite.geometry.contact.field.primitive import direction
from newtonlite.geometry.contact.field.triangle import deepest_in_triangle
from newtonlite.geometry.contact.hits import Hits, no_tangent, put_hit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.field_shape import double3, field_shape, octree_of
from newtonlite.solvers.mujoco.kernels.collide.flex_boxes import are_apart, element_box, geom_box
from newtonlite.solvers.mujoco.kernels.collide.flex_list import element_at, list_part
from newtonlite.solvers.mujoco.kernels.collide.flex_reduction import move_hit
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

MOST = wp.constant(50)
"""Elements inside a field, of one flex, that are looked at."""


@wp.func
def near_of_field(m: ModelFields, d: DataFields, world: int, group: int, lane: int, nlane: int) -> int:
    """List the elements of a group's flex near its distance field, in the order of the tree of boxes, those on its own body
    too; how many.
    """
    f = m.flexgroup_flex[group]
    box = geom_box(m, d, world, m.flexgroup_other[group])
    first = m.flexactive_adr[f]
    listed = int(0)
    for start in range(first, first + m.flexactive_num[f], nlane):
        e = element_at(m.flextree_elem, start + lane, first + m.flexactive_num[f])
        near = bool(False)
        if e >= 0:
            near = not are_apart(box, element_box(d, world, e), 0.0)
        listed = list_part(d, world, near, wp.vec2i(-1, e), listed)
    return listed


@wp.func
def field_element(m: ModelFields, d: DataFields, hits: Hits, world: int, g: int, e: FlexElement) -> int:
    """Leave the deepest point of a triangle in the field of geom ``g``, if it is inside; returns how many."""
    tree = octree_of(m)
    s = field_shape(m, world, g)
    turn = mat(d.geom_xmat[world, g])
    pos = double3(d.geom_xpos[world, g])
    back = wp.transpose(turn)
    a = back * (double3(e.a) - pos)
    b = back * (double3(e.b) - pos)
    c = back * (double3(e.c) - pos)
    triangle = mat(a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2])
    found = deepest_in_triangle(tree, s, triangle, wp.max(m.nfieldseed, 1), m.opt_sdf_iterations)
    if found.depth >= ZERO:
        return 0

    # out of the field, which is first; half way between its surface and the point, whatever the flex's radius
    normal = turn * direction(shape_gradient(tree, s, found.x))
    place = turn * found.x + pos - normal * (HALF * found.depth)
    put_hit(hits, 0, float(found.depth), wp.vec3(place), wp.vec3(normal), no_tangent())
    return 1


@wp.func
def is_repeated(d: DataFields, world: int, start: int, i: int) -> bool:
    """Whether hit ``i`` is one of ``start .. i - 1`` once more."""
    for k in range(start, i):
        if d.flexhit_dist[world, k] == d.flexhit_dist[world, i]:
            if wp.length(d.flexhit_pos[world, k] - d.flexhit_pos[world, i]) == 0.0:
                return True
    return False


@wp.func
def drop_repeated(d: DataFields, world: int, start: int, found: int, lane: int, nlane: int) -> int:
    """Of the hits ``start ..`` of a group let the first 50 stay, each once, side by side; returns where they end."""
    end = wp.min(wp.min(found, start + MOST), d.nflexhit)
    for i in range(start + lane, end, nlane):
        d.flexhit_contact[world, i] = wp.where(is_repeated(d, world, start, i), 0, 1)
    sync()
    kept = int(0)
    for i in range(start, end):
        if d.flexhit_contact[world, i] != 0:
            if lane == 0:
                move_hit(d, world, i, start + kept)
            kept += 1
    sync()
    return wp.max(start + kept, wp.min(found, start + MOST) - end + start + kept)
