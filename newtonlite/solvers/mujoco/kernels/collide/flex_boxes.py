"""Boxes about flexes and blocks of their elements, and the tests that keep what is far apart from the colliders."""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.broadphase_pair import SLACK, box_centre, box_reach
from newtonlite.solvers.mujoco.kernels.collide.geom_box import half_lengths
from newtonlite.solvers.mujoco.kernels.primitives.corners import higher, lower
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

BLOCK = wp.constant(16)
"""Elements in a block."""
FAR = wp.constant(1.0e10)
"""Beyond anything [m]."""


@wp.struct
class Box:
    """Box along the axes of the world [m]."""

    centre: wp.vec3
    half: wp.vec3


@wp.func
def box_about(low: wp.vec3, high: wp.vec3) -> Box:
    """The box between two corners."""
    b = Box()
    b.centre = 0.5 * (low + high)
    b.half = 0.5 * (high - low)
    return b


@wp.func
def are_apart(one: Box, two: Box, cutoff: float) -> bool:
    """Whether two boxes are farther apart than ``cutoff`` along an axis, by more than rounding."""
    for k in range(3):
        reach = one.half[k] + two.half[k] + cutoff
        if wp.abs(one.centre[k] - two.centre[k]) > reach + SLACK * (
            reach + wp.abs(one.centre[k]) + wp.abs(two.centre[k])
        ):
            return True
    return False


@wp.func
def box_at(boxes: wp.array3d[wp.vec3], world: int, i: int) -> Box:
    """Box ``i`` of an array."""
    b = Box()
    b.centre = boxes[world, i, 0]
    b.half = boxes[world, i, 1]
    return b


@wp.func
def put_box(boxes: wp.array3d[wp.vec3], world: int, i: int, b: Box):
    """Store box ``i`` of an array."""
    boxes[world, i, 0] = b.centre
    boxes[world, i, 1] = b.half


@wp.func
def element_box(d: DataFields, world: int, e: int) -> Box:
    """Box about an element."""
    return box_at(d.flexelem_aabb, world, e)


@wp.func
def flex_box(d: DataFields, world: int, f: int) -> Box:
    """Box about a flex."""
    return box_at(d.flex_box, world, f)


@wp.func
def geom_box(m: ModelFields, d: DataFields, world: int, g: int) -> Box:
    """Box about a geom; a plane's is endless."""
    b = Box()
    b.centre = d.geom_xpos[world, g]
    b.half = wp.vec3(FAR, FAR, FAR)
    if m.geom_type[g] == MjtGeom.HFIELD:
        r = m.geom_rbound[world, g]
        b.half = wp.vec3(r, r, r)
    elif m.geom_type[g] != MjtGeom.PLANE:
        turn = d.geom_xmat[world, g]
        half = half_lengths(m, world, g)
        b.centre += box_centre(m, d, world, g)
        for k in range(3):
            axis = wp.vec3(0.0, 0.0, 0.0)
            axis[k] = 1.0
            b.half[k] = box_reach(turn, half, axis)
    return b


@wp.func
def turned_box(m: ModelFields, d: DataFields, world: int, g: int) -> Box:
    """Box about a geom along its own axes; one whose size is not known is endless."""
    b = Box()
    b.centre = d.geom_xpos[world, g]
    b.half = wp.vec3(FAR, FAR, FAR)
    if m.geom_type[g] != MjtGeom.PLANE and m.geom_type[g] != MjtGeom.HFIELD:
        b.centre += box_centre(m, d, world, g)
        b.half = half_lengths(m, world, g)
    return b


@wp.func
def number_of_blocks(m: ModelFields, f: int) -> int:
    """Blocks of 16 active elements of a flex."""
    return (m.flexactive_num[f] + BLOCK - 1) // BLOCK


@wp.func
def span_of_block(m: ModelFields, f: int, k: int) -> wp.vec2i:
    """Places, first and last + 1, of block ``k`` of a flex among the active elements of all, by number or by its tree."""
    first = m.flexactive_adr[f]
    return wp.vec2i(first + BLOCK * k, first + wp.min(BLOCK * (k + 1), m.flexactive_num[f]))


@wp.func
def box_of_block(d: DataFields, elements: wp.array[int], world: int, span: wp.vec2i) -> Box:
    """Box about the elements in some places."""
    low = wp.vec3(FAR, FAR, FAR)
    high = -low
    for i in range(span[0], span[1]):
        b = element_box(d, world, elements[i])
        low = lower(low, b.centre - b.half)
        high = higher(high, b.centre + b.half)
    return box_about(low, high)


@wp.func
def find_boxes(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``flexblock_box`` and ``flex_box``, from the boxes of elements."""
    for f in range(m.nflex):
        for k in range(lane, number_of_blocks(m, f), nlane):
            b = box_of_block(d, m.flexactive_elem, world, span_of_block(m, f, k))
            put_box(d.flexblock_box, world, m.flexblock_adr[f] + k, b)
    sync()

    # a flex is the sum of its blocks
    for f in range(lane, m.nflex, nlane):
        low = wp.vec3(FAR, FAR, FAR)
        high = -low
        for k in range(number_of_blocks(m, f)):
            b = box_at(d.flexblock_box, world, m.flexblock_adr[f] + k)
            low = lower(low, b.centre - b.half)
            high = higher(high, b.centre + b.half)
        put_box(d.flex_box, world, f, box_about(low, high))
    sync()


@wp.func
def touches_body(m: ModelFields, e: int, b: int) -> bool:
    """Whether a vertex of an element is on a body."""
    v = m.flexelem_vert[e]
    for k in range(4):
        if m.flex_vertbodyid[v[k]] == b:
            return True
    return False


@wp.func
def cells_meet(m: ModelFields, v1: int, v2: int) -> bool:
    """Whether two vertices of one interpolated flex are in the same cell or in neighbouring ones; one between two cells is
    in both.
    """
    first = m.flexvert_cells[v1]
    second = m.flexvert_cells[v2]
    meet = bool(True)
    for k in range(3):
        if wp.max(first[k] - second[k + 3], second[k] - first[k + 3]) > 1:
            meet = False
    return meet


@wp.func
def carriers(m: ModelFields, v: wp.vec4i) -> wp.vec4i:
    """Bodies that carry the vertices of an element; of those that none carries a number below 0 that only they have."""
    b = wp.vec4i(0, 0, 0, 0)
    for i in range(4):
        b[i] = m.flex_vertbodyid[v[i]]
        if b[i] < 0:
            b[i] = -1 - v[i]
    return b


@wp.func
def share_body(m: ModelFields, e1: int, e2: int) -> bool:
    """Whether two elements have vertices on one body, a vertex in common, or vertices in neighbouring cells of one flex."""
    v1 = m.flexelem_vert[e1]
    v2 = m.flexelem_vert[e2]
    if m.nflexselfcell > 0 and m.flex_elemflexid[e1] == m.flex_elemflexid[e2] and m.flex_vertbodyid[v1[0]] < 0:
        for i in range(4):
            for k in range(4):
                if cells_meet(m, v1[i], v2[k]):
                    return True
        return False
    # a body is looked up once for each vertex, then all are compared with all
    b1 = carriers(m, v1)
    b2 = carriers(m, v2)
    for i in range(4):
        for k in range(4):
            if b1[i] == b2[k]:
                return True
    return False
