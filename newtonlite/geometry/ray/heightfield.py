"""Ray against height field: triangles over the cells it crosses, four walls, and the box below.

The field spans ``-size[0] .. size[0]`` by ``-size[1] .. size[1]``; its ``nrow * ncol`` heights in [0, 1], from ``adr``
in ``data``, are multiplied by ``size[2]``; the box reaches ``size[3]`` below zero.  Two triangles a cell, cut from the
corner of low row and column to the opposite one.
"""

import warp as wp

from newtonlite.geometry.ray.shapes import MISS, hit, miss, nearer, ray_box, slab
from newtonlite.geometry.ray.triangle import ray_triangle

MARGIN = wp.constant(1.0e-3)
"""Share of a cell by which rows and columns are widened, so that no ray slips between two of them."""


@wp.struct
class HeightGrid:
    """A height field, and where its corners are."""

    data: wp.array[float]
    adr: int
    nrow: int
    ncol: int
    size: wp.vec4


@wp.func
def corner(g: HeightGrid, row: int, col: int) -> wp.vec3:
    """Point of the surface over a corner of the grid."""
    x = g.size[0] * (2.0 * float(col) / float(g.ncol - 1) - 1.0)
    y = g.size[1] * (2.0 * float(row) / float(g.nrow - 1) - 1.0)
    return wp.vec3(x, y, g.size[2] * g.data[g.adr + row * g.ncol + col])


@wp.func
def cells_between(low: float, high: float, half: float, count: int) -> wp.vec2i:
    """First and last cell, of ``count`` over ``-half .. half``, that an interval touches."""
    scale = 0.5 * float(count) / half
    first = int(wp.floor((low + half) * scale - MARGIN))
    last = int(wp.floor((high + half) * scale + MARGIN))
    return wp.vec2i(wp.clamp(first, 0, count - 1), wp.clamp(last, 0, count - 1))


@wp.func
def heightfield_triangles(g: HeightGrid, o: wp.vec3, d: wp.vec3, enter: float, leave: float) -> wp.vec4:
    """The triangles that the part of the ray between ``enter`` and ``leave`` may meet, row by row."""
    best = miss()
    y0 = o[1] + enter * d[1]
    y1 = o[1] + leave * d[1]
    rows = cells_between(wp.min(y0, y1), wp.max(y0, y1), g.size[1], g.nrow - 1)
    cell = 2.0 * g.size[1] / float(g.nrow - 1)
    for r in range(rows[0], rows[1] + 1):
        middle = (float(r) + 0.5) * cell - g.size[1]
        span = slab(o[1] - middle, d[1], (0.5 + MARGIN) * cell)
        first = wp.max(span[0], enter)
        last = wp.min(span[1], leave)
        if first <= last:
            x0 = o[0] + first * d[0]
            x1 = o[0] + last * d[0]
            cols = cells_between(wp.min(x0, x1), wp.max(x0, x1), g.size[0], g.ncol - 1)
            for c in range(cols[0], cols[1] + 1):
                low = corner(g, r, c)
                high = corner(g, r + 1, c + 1)
                best = nearer(best, ray_triangle(o, d, low, corner(g, r, c + 1), high))
                best = nearer(best, ray_triangle(o, d, low, high, corner(g, r + 1, c)))
    return best


@wp.func
def height_along(g: HeightGrid, axis: int, upper: bool, place: float) -> float:
    """Height of the rim at ``place`` along a wall that is normal to ``axis``."""
    count = g.nrow
    half = g.size[1]
    step = g.ncol
    start = wp.where(upper, g.ncol - 1, 0)
    if axis == 1:
        count = g.ncol
        half = g.size[0]
        step = 1
        start = wp.where(upper, (g.nrow - 1) * g.ncol, 0)
    at = (place + half) * 0.5 * float(count - 1) / half
    k = wp.clamp(int(wp.floor(at)), 0, count - 2)
    share = at - float(k)
    first = g.adr + start + k * step
    return g.size[2] * (g.data[first] * (1.0 - share) + g.data[first + step] * share)


@wp.func
def wall(g: HeightGrid, o: wp.vec3, d: wp.vec3, axis: int, upper: bool) -> wp.vec4:
    """The wall under the rim on one of the four sides."""
    if d[axis] == 0.0:
        return miss()
    place = wp.where(upper, g.size[axis], -g.size[axis])
    t = (place - o[axis]) / d[axis]
    p = o + t * d
    other = 1 - axis
    if t < 0.0 or wp.abs(p[other]) > g.size[other] or p[2] < 0.0 or p[2] >= height_along(g, axis, upper, p[other]):
        return miss()
    n = wp.vec3(0.0, 0.0, 0.0)
    n[axis] = wp.where(upper, 1.0, -1.0)
    return hit(t, n)


@wp.func
def ray_heightfield(g: HeightGrid, o: wp.vec3, d: wp.vec3) -> wp.vec4:
    """The nearest of surface, walls and the box below."""
    below = wp.vec3(0.0, 0.0, -0.5 * g.size[3])
    best = ray_box(o - below, d, wp.vec3(g.size[0], g.size[1], 0.5 * g.size[3]))
    enter = float(0.0)
    leave = float(MISS)
    for i in range(3):
        lift = wp.where(i == 2, 0.5 * g.size[2], 0.0)
        half = wp.where(i == 2, 0.5 * g.size[2], g.size[i])
        span = slab(o[i] - lift, d[i], half)
        enter = wp.max(enter, span[0])
        leave = wp.min(leave, span[1])
    if enter > leave:
        return best
    best = nearer(best, heightfield_triangles(g, o, d, enter, leave))
    for axis in range(2):
        best = nearer(best, wall(g, o, d, axis, False))
        best = nearer(best, wall(g, o, d, axis, True))
    return best
