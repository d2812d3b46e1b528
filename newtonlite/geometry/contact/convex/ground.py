"""A convex shape against a height field: the prisms under its bounding box, each with its nearest or deepest point."""

import warp as wp

from newtonlite.geometry.contact.convex.number import ONE, ZERO, mat, real, vec
from newtonlite.geometry.contact.convex.pair import Search, Touch, nearest_touch
from newtonlite.geometry.contact.convex.shape import PRISM, Convex, Hulls, support
from newtonlite.geometry.contact.convex.workspace import Workspace

MOST_GROUND_HITS = 50
"""Contacts that a height field and another geom can have."""

SIXTH = wp.constant(real(1.0 / 6.0))


@wp.struct
class Ground:
    """A height field: half-lengths, height of its data's 1 and depth below its 0; its grid of data; and where that begins."""

    data: wp.array(dtype=float)
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
def cells_under(g: Ground, hulls: Hulls, s: Convex, cutoff: real) -> Cells:
    """The cells that the bounding box of a shape reaches; none where it is beyond the field."""
    low = vec()
    high = vec()
    faces = int(6)
    for i in range(faces):
        axis = i // 2
        side = wp.where(i % 2 == 0, ONE, -ONE)
        way = vec(wp.where(axis == 0, side, ZERO), wp.where(axis == 1, side, ZERO), wp.where(axis == 2, side, ZERO))
        p = support(hulls, s, way, -1).point
        if i % 2 == 0:
            high[axis] = p[axis] + cutoff
        else:
            low[axis] = p[axis] - cutoff
    x = real(g.size[0])
    y = real(g.size[1])
    cells = Cells()
    cells.low = low[2]
    beside = low[0] > x or high[0] < -x or low[1] > y or high[1] < -y
    if beside or low[2] > real(g.size[2]) or high[2] < -real(g.size[3]):
        return cells
    wide = real(float(g.columns - 1)) / (x + x)
    deep = real(float(g.rows - 1)) / (y + y)
    cells.column = wp.max(0, int(wp.floor((low[0] + x) * wide)))
    cells.row = wp.max(0, int(wp.floor((low[1] + y) * deep)))
    cells.columns = wp.max(0, wp.min(g.columns - 1, int(wp.ceil((high[0] + x) * wide))) - cells.column)
    cells.rows = wp.max(0, wp.min(g.rows - 1, int(wp.ceil((high[1] + y) * deep))) - cells.row)
    return cells


@wp.func
def corner_of(g: Ground, row: int, column: int) -> vec:
    """A point of the grid."""
    x = (real(float(2 * column)) / real(float(g.columns - 1)) - ONE) * real(g.size[0])
    y = (real(float(2 * row)) / real(float(g.rows - 1)) - ONE) * real(g.size[1])
    return vec(x, y, real(g.data[g.first + row * g.columns + column]) * real(g.size[2]))


@wp.func
def prism_of(g: Ground, cells: Cells, i: int) -> Convex:
    """Prism number ``i``: two in each cell, row by row."""
    row = cells.row + i // (2 * cells.columns)
    column = cells.column + (i % (2 * cells.columns)) // 2
    upper = i % 2
    a = corner_of(g, row + 1 - upper, column)
    b = corner_of(g, row + upper, column + upper)
    c = corner_of(g, row + 1 - upper, column + 1)
    s = Convex()
    s.kind = PRISM
    s.turn = mat(a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2])
    bottom = -real(g.size[3])
    s.size = vec(bottom, ZERO, ZERO)
    s.pos = SIXTH * (a + a + b + b + c + c)
    s.pos = vec(s.pos[0], s.pos[1], SIXTH * (a[2] + b[2] + c[2] + bottom + bottom + bottom))
    return s


@wp.func
def touch_prism(work: Workspace, hulls: Hulls, g: Ground, cells: Cells, i: int, s: Convex, world: mat, search: Search) -> Touch:
    """Where a prism and a shape, posed in the frame of the field, are nearest or deepest."""
    prism = prism_of(g, cells, i)
    t = Touch()
    if wp.max(prism.turn[2, 0], wp.max(prism.turn[2, 1], prism.turn[2, 2])) >= cells.low:
        t = nearest_touch(work, hulls, prism, s, world, search)
    t.found = t.found and t.dist <= search.cutoff
    return t
