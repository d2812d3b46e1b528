"""Workspace of one lane: two shapes, polytope vertices and faces, horizon, polygons."""

import warp as wp

from newtonlite.geometry.contact.convex.number import vec
from newtonlite.geometry.contact.convex.shape import Convex, Hulls, is_flat_sided, support

SEED = 5
"""Vertices a polytope has before it grows by one in each iteration."""


@wp.struct
class Workspace:
    """One lane's rows of a world's scratch. ``shape`` are the two that are searched.

    A vertex is the difference ``point1 - point2`` of two supports, ``code`` their vertex numbers. A face is three
    vertices and whether it is a candidate, not one, or gone; ``normal`` is outward, ``height`` how far its plane is
    above the origin.
    """

    shape: wp.array[Convex]
    point1: wp.array[wp.vec3d]
    point2: wp.array[wp.vec3d]
    code: wp.array[wp.vec2i]
    face: wp.array[wp.vec4i]
    normal: wp.array[wp.vec3d]
    height: wp.array[wp.float64]
    rim: wp.array[wp.vec2i]
    polygon: wp.array[wp.vec3d]  # two buffers


@wp.func
def difference(work: Workspace, i: int) -> vec:
    """Vertex ``i``."""
    return work.point1[i] - work.point2[i]


@wp.func
def are_flat_sided(work: Workspace) -> bool:
    """Whether both shapes have finitely many supports."""
    return is_flat_sided(work.shape[0]) and is_flat_sided(work.shape[1])


@wp.func
def put_support(work: Workspace, i: int, hulls: Hulls, direction: vec, last: wp.vec2i) -> wp.vec2i:
    """Make the support of the first shape less the second along ``direction`` vertex ``i``; returns its codes.

    ``last`` are those of a vertex nearby.
    """
    # the difference's support along a direction is the first shape's along it, less the second's against it
    code = wp.vec2i(0, 0)
    way = direction
    # functions are inlined: a loop over the two shapes halves the code
    shapes = int(2)
    for which in range(shapes):
        found = support(hulls, work.shape[which], way, last[which])
        if which == 0:
            work.point1[i] = found.point
        else:
            work.point2[i] = found.point
        code[which] = found.vertex
        way = -direction
    work.code[i] = code
    return code


@wp.func
def copy_vertex(work: Workspace, source: int, target: int):
    """Vertex ``target`` becomes ``source``."""
    work.point1[target] = work.point1[source]
    work.point2[target] = work.point2[source]
    work.code[target] = work.code[source]


@wp.func
def is_repeated(work: Workspace, i: int) -> bool:
    """Whether vertex ``i`` has the codes of an earlier one."""
    # between flat shapes a support that is there already shows that nothing lies farther out
    code = work.code[i]
    for k in range(i):
        other = work.code[k]
        if other[0] == code[0] and other[1] == code[1]:
            return True
    return False
