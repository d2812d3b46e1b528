"""Sparse signed distance grid: a coarse grid over the box, and fine blocks near the surface.

A coarse cell is ``BLOCK`` fine cells wide. ``block[cell]`` says where its fine values begin, -1 for none: ``BLOCK + 1``
values along each axis, those on its sides repeated in its neighbours. Values between are trilinear.
"""

import warp as wp

BLOCK = 8
SIDE = BLOCK + 1


@wp.struct
class DistanceGrid:
    """``cells`` coarse cells of width ``width`` [m] from corner ``low``; ``coarse`` [(x+1)(y+1)(z+1)] distances at
    their corners.
    """

    low: wp.vec3
    cells: wp.vec3i
    width: float
    coarse: wp.array[float]
    block: wp.array[int]
    fine: wp.array[float]


@wp.func
def lerp(values: wp.array[float], at: int, dy: int, dz: int, f: wp.vec3) -> wp.vec4:
    """Gradient per cell and value inside a cell whose first corner is ``at``; the next one along x follows, along y
    ``dy`` later.
    """
    v000 = values[at]
    v100 = values[at + 1]
    v010 = values[at + dy]
    v110 = values[at + dy + 1]
    v001 = values[at + dz]
    v101 = values[at + dz + 1]
    v011 = values[at + dy + dz]
    v111 = values[at + dy + dz + 1]
    x00 = v000 + f[0] * (v100 - v000)
    x10 = v010 + f[0] * (v110 - v010)
    x01 = v001 + f[0] * (v101 - v001)
    x11 = v011 + f[0] * (v111 - v011)
    y0 = x00 + f[1] * (x10 - x00)
    y1 = x01 + f[1] * (x11 - x01)
    low = (v100 - v000) + f[1] * ((v110 - v010) - (v100 - v000))
    high = (v101 - v001) + f[1] * ((v111 - v011) - (v101 - v001))
    gx = low + f[2] * (high - low)
    gy = (x10 - x00) + f[2] * ((x11 - x01) - (x10 - x00))
    return wp.vec4(gx, gy, y1 - y0, y0 + f[2] * (y1 - y0))


@wp.func
def cell_of(u: float, count: int) -> int:
    """The cell that a coordinate in cells is in, the outer ones for what is outside."""
    return wp.clamp(int(wp.floor(u)), 0, count - 1)


@wp.func
def inside_of(g: DistanceGrid, p: wp.vec3) -> wp.vec3:
    """The point of the grid's box nearest to ``p``."""
    high = g.low + g.width * wp.vec3(float(g.cells[0]), float(g.cells[1]), float(g.cells[2]))
    return wp.vec3(
        wp.clamp(p[0], g.low[0], high[0]), wp.clamp(p[1], g.low[1], high[1]), wp.clamp(p[2], g.low[2], high[2])
    )


@wp.func
def grid_field(g: DistanceGrid, p: wp.vec3) -> wp.vec4:
    """Gradient and distance. Outside the box: to its nearest point, and on from there."""
    q = inside_of(g, p)
    u = (q - g.low) / g.width
    x = cell_of(u[0], g.cells[0])
    y = cell_of(u[1], g.cells[1])
    z = cell_of(u[2], g.cells[2])
    first = g.block[(z * g.cells[1] + y) * g.cells[0] + x]
    value = wp.vec4()
    if first >= 0:
        w = (u - wp.vec3(float(x), float(y), float(z))) * float(BLOCK)
        i = cell_of(w[0], BLOCK)
        j = cell_of(w[1], BLOCK)
        k = cell_of(w[2], BLOCK)
        at = first + (k * SIDE + j) * SIDE + i
        value = lerp(g.fine, at, SIDE, SIDE * SIDE, w - wp.vec3(float(i), float(j), float(k)))
    else:
        row = g.cells[0] + 1
        at = (z * (g.cells[1] + 1) + y) * row + x
        value = lerp(g.coarse, at, row, row * (g.cells[1] + 1), u - wp.vec3(float(x), float(y), float(z)))
    out = p - q
    far = wp.length(out)
    gradient = wp.vec3(value[0], value[1], value[2])
    length = wp.length(gradient)
    gradient = wp.where(length > 0.0, gradient / wp.max(length, 1.0e-20), wp.vec3(0.0, 0.0, 1.0))
    if far > 0.0:
        # what is known is the distance from the box's point; the way there adds to it
        way = wp.max(value[3], 0.0) * gradient + out
        distance = wp.length(way)
        return wp.vec4(way[0] / distance, way[1] / distance, way[2] / distance, distance)
    return wp.vec4(gradient[0], gradient[1], gradient[2], value[3])
