"""Height field against convex shape: the prisms under its bounding box, each with its nearest or deepest point.

A cell of the grid is two triangles; with the bottom of the field each is a convex prism, which the general search can
take.  One hit per prism, without patches, as in MuJoCo.
"""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.convex.number import HALF, ONE, ZERO, mat, real, vec
from newtonlite.geometry.contact.convex.pair import ConvexSearch, nearest_touch
from newtonlite.geometry.contact.convex.shape import PRISM, Convex, Hulls, support
from newtonlite.geometry.contact.convex.workspace import Workspace
from newtonlite.geometry.contact.hits import Hits, no_tangent, put_hit

MOST_GROUND_HITS = 50
"""Contacts that a height field and another geom can have."""

SLACK = wp.constant(real(1.0e-9))
"""Rounding error that a distance may have [m]."""

SIXTH = wp.constant(real(1.0 / 6.0))


@wp.struct
class FieldGround:
    """A height field: half-lengths, height of its data's 1 and depth below its 0; its grid of data; and where that
    begins.
    """

    data: wp.array[float]
    first: int
    rows: int
    columns: int
    size: wp.vec4


@wp.struct
class Cells:
    """Cells ``row .. row + rows`` by ``column .. column + columns`` of the grid, and the lowest height that matters."""

    row: int
    column: int
    rows: int
    columns: int
    low: real


@wp.func
def cells_under(g: FieldGround, hulls: Hulls, s: Convex, cutoff: real) -> Cells:
    """The cells that the bounding box of a shape reaches; none where it is beyond the field."""
    # bounding box by supports, axis by axis from z on: one that lies beside the field ends it early
    low = vec()
    high = vec()
    cells = Cells()
    faces = int(6)
    reached = cutoff
    for i in range(faces):
        axis = 2 - i // 2
        # the support along +axis, then along -axis, each further out by the cutoff
        side = wp.where(i % 2 == 0, ONE, -ONE)
        way = vec(wp.where(axis == 0, side, ZERO), wp.where(axis == 1, side, ZERO), wp.where(axis == 2, side, ZERO))
        p = support(hulls, s, way, -1).point
        if i % 2 == 0:
            high[axis] = p[axis] + reached
        else:
            low[axis] = p[axis] - reached
            # beyond the field: above its highest point or below its bottom, or past an edge
            reach = wp.where(axis == 2, real(g.size[2]), real(g.size[axis]))
            under = wp.where(axis == 2, real(g.size[3]), real(g.size[axis]))
            if low[axis] > reach or high[axis] < -under:
                return cells

    # from lengths to cells: the grid has one point more than cells in each direction
    x = real(g.size[0])
    y = real(g.size[1])
    cells.low = low[2]
    wide = real(float(g.columns - 1)) / (x + x)
    deep = real(float(g.rows - 1)) / (y + y)

    # the cells from the one that holds the low corner to the one that holds the high one
    cells.column = wp.max(0, int(wp.floor((low[0] + x) * wide)))
    cells.row = wp.max(0, int(wp.floor((low[1] + y) * deep)))
    cells.columns = wp.max(0, wp.min(g.columns - 1, int(wp.ceil((high[0] + x) * wide))) - cells.column)
    cells.rows = wp.max(0, wp.min(g.rows - 1, int(wp.ceil((high[1] + y) * deep))) - cells.row)
    return cells


@wp.func
def height_at(g: FieldGround, row: int, column: int) -> float:
    """Height of a point of the grid, of 1."""
    return g.data[g.first + row * g.columns + column]


@wp.func
def corner_of(g: FieldGround, row: int, column: int, height: float) -> vec:
    """A point of the grid."""
    x = (real(float(2 * column)) / real(float(g.columns - 1)) - ONE) * real(g.size[0])
    y = (real(float(2 * row)) / real(float(g.rows - 1)) - ONE) * real(g.size[1])
    return vec(x, y, real(height) * real(g.size[2]))


@wp.func
def prism_of(g: FieldGround, row: int, column: int, upper: int, heights: wp.vec3) -> Convex:
    """The upper (1) or lower (0) prism of a cell, whose corners have these heights."""
    # the three upper corners: lower triangle of a cell, or upper triangle, by where its corners lie
    a = corner_of(g, row + 1 - upper, column, heights[0])
    b = corner_of(g, row + upper, column + upper, heights[1])
    c = corner_of(g, row + 1 - upper, column + 1, heights[2])

    # a prism as its support function wants it: corners as columns, the bottom's height, and the middle of all six
    s = Convex()
    s.kind = PRISM
    s.turn = mat(a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2])
    bottom = -real(g.size[3])
    s.size = vec(bottom, ZERO, ZERO)
    s.pos = SIXTH * (a + a + b + b + c + c)
    s.pos = vec(s.pos[0], s.pos[1], SIXTH * (a[2] + b[2] + c[2] + bottom + bottom + bottom))
    return s


@wp.func
def is_above(hulls: Hulls, prism: Convex, s: Convex, least: real) -> bool:
    """Whether a shape is more than ``least`` above the plane of a prism's upper corners, where no search can find it
    nearer.
    """
    # the plane of the upper corners, with its normal up; the shape's lowest point against it
    a = vec(prism.turn[0, 0], prism.turn[1, 0], prism.turn[2, 0])
    b = vec(prism.turn[0, 1], prism.turn[1, 1], prism.turn[2, 1])
    c = vec(prism.turn[0, 2], prism.turn[1, 2], prism.turn[2, 2])
    up = wp.normalize(wp.cross(b - a, c - a))
    up = wp.where(up[2] < ZERO, -up, up)
    return wp.dot(support(hulls, s, -up, -1).point - a, up) > least


@wp.func
def touch_prism(
    work: Workspace,
    hits: Hits,
    hulls: Hulls,
    g: FieldGround,
    cells: Cells,
    i: int,
    s: Convex,
    search: ConvexSearch,
    pos: wp.vec3,
    turn: wp.mat33,
) -> int:
    """The hit, if there is one, of prism number ``i`` (two in each cell, row by row) and a shape posed in the frame of
    the field, which is at ``pos``, turned by ``turn``.
    """
    # number i is cell after cell, row by row, two prisms in each
    row = cells.row + i // (2 * cells.columns)
    column = cells.column + (i % (2 * cells.columns)) // 2
    upper = i % 2

    # most prisms do not reach up to the shape: their heights say so before any is made
    heights = wp.vec3(
        height_at(g, row + 1 - upper, column),
        height_at(g, row + upper, column + upper),
        height_at(g, row + 1 - upper, column + 1),
    )
    if real(wp.max(heights[0], wp.max(heights[1], heights[2]))) * real(g.size[2]) < cells.low:
        return 0

    # a plane between the two spares the search
    prism = prism_of(g, row, column, upper, heights)
    if is_above(hulls, prism, s, search.cutoff + search.tolerance + SLACK):
        return 0

    # the general search, from the prism to the shape
    prism.count = wp.where(s.kind == MjtGeom.FLEX, 6, 0)
    work.shape[0] = prism
    work.shape[1] = s
    t = nearest_touch(work, hulls, mat(turn), search)
    if not t.found or t.dist > search.cutoff:
        return 0

    # from the frame of the field to the world
    put_hit(
        hits,
        0,
        float(t.dist),
        pos + turn * wp.vec3(HALF * (t.point1 + t.point2)),
        turn * wp.vec3(t.normal),
        no_tangent(),
    )
    return 1
