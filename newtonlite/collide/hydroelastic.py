"""Hydroelastic contact: the surface where the pressures of two compliant shapes are equal, cut into polygons with area,
centre and depth.

The pressure inside a body is its stiffness times the depth below its surface (Elandt et al., 2019). Over the box in
which both bodies are, the surface on which both pressures are equal is found cell by cell, each cell as six tetrahedra,
and cut where the pressure is zero. Pieces are gathered by columns of cells and by the side of a cube that their normal
points through, so that a pair has few contacts; total area, force and centre of pressure are those of all pieces.
"""

import warp as wp

from newtonlite.collide.contact_reduction import CandidateBuffer, FoundContacts, add_candidate, keep
from newtonlite.collide.scene import SceneShapes, box_in, field_of
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtGeom

kernel_module(__name__, max_unroll=0)

CELLS = 32
"""Cells along the longest side of the box."""

LOOK = 16
"""Cells along the longest side when the box is looked for."""

COLUMNS = 6
"""Columns of cells along each of the two longer sides whose pieces are gathered."""

SIDES = 6
CORNER_LIMIT = 8
"""Most corners of a piece: a quadrilateral cut once has five."""

GATHERED = COLUMNS * COLUMNS * SIDES


@wp.struct
class PressureScratch:
    """Scratch of all workers, a row each: both pressures' difference and the depth at the corners of the cells, and
    what is gathered.
    """

    excess: wp.array2d[float]
    depth: wp.array2d[float]
    area: wp.array2d[float]
    force: wp.array2d[float]
    moment: wp.array2d[wp.vec3]
    facing: wp.array2d[wp.vec3]
    corner: wp.array2d[wp.vec3]
    level: wp.array2d[float]


def pressure_scratch(workers: int, device) -> PressureScratch:
    """Scratch for so many workers."""
    p = PressureScratch()
    for name, dtype, size in (
        ("excess", float, (CELLS + 1) ** 3),
        ("depth", float, (CELLS + 1) ** 3),
        ("area", float, GATHERED),
        ("force", float, GATHERED),
        ("moment", wp.vec3, GATHERED),
        ("facing", wp.vec3, GATHERED),
        ("corner", wp.vec3, 2 * CORNER_LIMIT),
        ("level", float, 2 * CORNER_LIMIT),
    ):
        setattr(p, name, wp.zeros((workers, size), dtype=dtype, device=device))
    return p


@wp.struct
class Block:
    """Cells of size ``step`` from ``low``, in the frame of the box."""

    low: wp.vec3
    step: wp.vec3
    count: wp.vec3i


@wp.struct
class CompliantPair:
    """Two bodies; ``to_first`` and ``to_second`` lead from the frame of the box, ``frame`` is that in the world."""

    first: int
    second: int
    frame: wp.transformf
    to_first: wp.transformf
    to_second: wp.transformf


@wp.func
def block_of(low: wp.vec3, high: wp.vec3, most: int) -> Block:
    """Cells that fill a box, about as wide as long, ``most`` along its longest side; none where it is empty."""
    b = Block()
    side = high - low
    longest = wp.max(side[0], wp.max(side[1], side[2]))
    if side[0] > 0.0 and side[1] > 0.0 and side[2] > 0.0 and longest < 1.0e6:
        width = longest / float(most)
        b.low = low
        for k in range(3):
            n = wp.clamp(int(wp.ceil(side[k] / width - 1.0e-3)), 2, most)
            b.count[k] = n
            b.step[k] = side[k] / float(n)
    return b


@wp.func
def point_of(b: Block, x: int, y: int, z: int) -> wp.vec3:
    """A corner of a cell."""
    return b.low + wp.vec3(float(x) * b.step[0], float(y) * b.step[1], float(z) * b.step[2])


@wp.func
def depths(s: SceneShapes, pair: CompliantPair, p: wp.vec3) -> wp.vec2:
    """Signed distances from both bodies."""
    one = field_of(s, pair.first, wp.transform_point(pair.to_first, p))[3]
    two = field_of(s, pair.second, wp.transform_point(pair.to_second, p))[3]
    return wp.vec2(one, two)


@wp.func
def shared_block(s: SceneShapes, pair: CompliantPair, low: wp.vec3, high: wp.vec3) -> Block:
    """Cells of the part of a box in which both bodies are, as a coarser look has it."""
    look = block_of(low, high, LOOK)
    reach = 0.5 * wp.length(look.step)
    found_low = high
    found_high = low
    for i in range(look.count[0] * look.count[1] * look.count[2]):
        x = i % look.count[0]
        y = (i / look.count[0]) % look.count[1]
        z = i // (look.count[0] * look.count[1])
        p = point_of(look, x, y, z)
        d = depths(s, pair, p + 0.5 * look.step)
        if d[0] < reach and d[1] < reach:
            found_low = wp.min(found_low, p)
            found_high = wp.max(found_high, p + look.step)
    return block_of(found_low, found_high, CELLS)


@wp.func
def put_corner(m: PressureScratch, w: int, i: int, p: wp.vec3, level: float) -> int:
    """Put a corner of a piece; returns the number of corners then."""
    m.corner[w, i] = p
    m.level[w, i] = level
    return i + 1


@wp.func
def cell_corner(b: Block, x: int, y: int, z: int, code: int) -> wp.vec3i:
    """Corner of a cell by bits."""
    return wp.vec3i(x + (code & 1), y + ((code >> 1) & 1), z + ((code >> 2) & 1))


@wp.func
def tet_corner(tet: int, k: int) -> int:
    """Bits of corner ``k`` of one of the six tetrahedra around the diagonal of a cell."""
    i = tet // 2
    j = (i + 1 + tet % 2) % 3
    code = int(0)
    if k > 0:
        code = 1 << i
    if k > 1:
        code = code | (1 << j)
    if k > 2:
        code = 7
    return code


@wp.func
def intersect_tetrahedron(m: PressureScratch, w: int, b: Block, x: int, y: int, z: int, tet: int) -> int:
    """Corners of the piece of surface in a tetrahedron, in order around it; returns how many (0, 3 or 4)."""
    n = int(0)
    below = int(0)
    for k in range(4):
        c = cell_corner(b, x, y, z, tet_corner(tet, k))
        at = (c[2] * (b.count[1] + 1) + c[1]) * (b.count[0] + 1) + c[0]
        below += wp.where(m.excess[w, at] < 0.0, 1 << k, 0)
    if below == 0 or below == 15:
        return 0
    # edges from corners below to corners above; the last two change places to go around
    for k in range(4):
        if (below >> k) & 1 != 0:
            for j in range(4):
                if (below >> j) & 1 == 0:
                    c = cell_corner(b, x, y, z, tet_corner(tet, k))
                    d = cell_corner(b, x, y, z, tet_corner(tet, j))
                    at = (c[2] * (b.count[1] + 1) + c[1]) * (b.count[0] + 1) + c[0]
                    to = (d[2] * (b.count[1] + 1) + d[1]) * (b.count[0] + 1) + d[0]
                    t = m.excess[w, at] / (m.excess[w, at] - m.excess[w, to])
                    p = point_of(b, c[0], c[1], c[2])
                    q = point_of(b, d[0], d[1], d[2])
                    n = put_corner(m, w, n, p + t * (q - p), m.depth[w, at] + t * (m.depth[w, to] - m.depth[w, at]))
    if n == 4:
        p = m.corner[w, 2]
        level = m.level[w, 2]
        put_corner(m, w, 2, m.corner[w, 3], m.level[w, 3])
        put_corner(m, w, 3, p, level)
    return n


@wp.func
def clip_polygon(m: PressureScratch, w: int, count: int) -> int:
    """Cut off what is not inside; the result is in the second half of the corners. Returns how many there are."""
    n = int(0)
    for i in range(count):
        p = m.corner[w, i]
        q = m.corner[w, (i + 1) % count]
        here = m.level[w, i]
        there = m.level[w, (i + 1) % count]
        if here < 0.0:
            n = put_corner(m, w, CORNER_LIMIT + n, p, here) - CORNER_LIMIT
        if (here < 0.0) != (there < 0.0):
            t = here / (here - there)
            n = put_corner(m, w, CORNER_LIMIT + n, p + t * (q - p), 0.0) - CORNER_LIMIT
    return n


@wp.func
def gather(m: PressureScratch, w: int, b: Block, thin: int, count: int, stiffness: float, ahead: wp.vec3):
    """Add a piece, cut into triangles, to the column and side it belongs to; ``ahead`` is roughly its normal."""
    for k in range(1, count - 1):
        p = m.corner[w, CORNER_LIMIT]
        q = m.corner[w, CORNER_LIMIT + k]
        r = m.corner[w, CORNER_LIMIT + k + 1]
        a = -stiffness * m.level[w, CORNER_LIMIT]
        c = -stiffness * m.level[w, CORNER_LIMIT + k]
        e = -stiffness * m.level[w, CORNER_LIMIT + k + 1]
        facing = 0.5 * wp.cross(q - p, r - p)
        if wp.dot(facing, ahead) < 0.0:
            facing = -facing
        area = wp.length(facing)
        total = a + c + e
        side = int(0)
        for i in range(3):
            if wp.abs(facing[i]) > wp.abs(facing[side // 2]):
                side = 2 * i
        if facing[side // 2] < 0.0:
            side += 1
        middle = (p + q + r) / 3.0 - b.low
        one = (thin + 1) % 3
        two = (thin + 2) % 3
        x = wp.clamp(int(middle[one] / b.step[one] / float(b.count[one]) * float(COLUMNS)), 0, COLUMNS - 1)
        y = wp.clamp(int(middle[two] / b.step[two] / float(b.count[two]) * float(COLUMNS)), 0, COLUMNS - 1)
        row = (x * COLUMNS + y) * SIDES + side
        m.area[w, row] = m.area[w, row] + area
        m.force[w, row] = m.force[w, row] + area * total / 3.0
        m.moment[w, row] = m.moment[w, row] + area / 12.0 * ((a + total) * p + (c + total) * q + (e + total) * r)
        m.facing[w, row] = m.facing[w, row] + facing


@wp.func
def min_thickness(b: Block) -> int:
    """The axis along which a block is shortest."""
    side = wp.cw_mul(b.step, wp.vec3(float(b.count[0]), float(b.count[1]), float(b.count[2])))
    return wp.where(side[0] < side[1] and side[0] < side[2], 0, wp.where(side[1] < side[2], 1, 2))


@wp.func
def marching_tetrahedra(s: SceneShapes, pair: CompliantPair, m: PressureScratch, w: int, b: Block):
    """Gather the surface's pieces in all cells."""
    k1 = s.soft[pair.first]
    k2 = s.soft[pair.second]
    share = k1 / (k1 + k2)
    nx = b.count[0] + 1
    ny = b.count[1] + 1
    for i in range(nx * ny * (b.count[2] + 1)):
        d = depths(s, pair, point_of(b, i % nx, (i // nx) % ny, i // (nx * ny)))
        m.excess[w, i] = share * d[0] - (1.0 - share) * d[1]
        # on the surface both pressures are equal; between, the depth of the stiffer body is the smaller
        m.depth[w, i] = share * d[0] + (1.0 - share) * d[1]
    for row in range(GATHERED):
        m.area[w, row] = 0.0
        m.force[w, row] = 0.0
        m.moment[w, row] = wp.vec3()
        m.facing[w, row] = wp.vec3()
    thin = min_thickness(b)
    # k1 d1 = k2 d2 = (k1 + k2) / 2 times what is stored
    stiffness = 0.5 * (k1 + k2)
    for i in range(b.count[0] * b.count[1] * b.count[2]):
        x = i % b.count[0]
        y = (i / b.count[0]) % b.count[1]
        z = i // (b.count[0] * b.count[1])
        low = float(1.0e30)
        high = float(-1.0e30)
        depth = float(1.0e30)
        ahead = wp.vec3()
        for k in range(8):
            c = cell_corner(b, x, y, z, k)
            at = (c[2] * ny + c[1]) * nx + c[0]
            low = wp.min(low, m.excess[w, at])
            high = wp.max(high, m.excess[w, at])
            depth = wp.min(depth, m.depth[w, at])
            way = wp.cw_mul(wp.vec3(float(k & 1) - 0.5, float((k >> 1) & 1) - 0.5, float(k >> 2) - 0.5), b.step)
            ahead += m.excess[w, at] * way
        if low < 0.0 and high >= 0.0 and depth < 0.0:
            for tet in range(6):
                n = intersect_tetrahedron(m, w, b, x, y, z, tet)
                if n > 0:
                    n = clip_polygon(m, w, n)
                    gather(m, w, b, thin, n, stiffness, ahead)


@wp.func
def pressure_surface(
    s: SceneShapes, h: CandidateBuffer, m: PressureScratch, w: int, first: int, second: int, capacity: int
) -> int:
    """Candidates of two soft bodies: pieces with their area, at the depth whose pressure is theirs on average. Returns
    how many.
    """
    pair = CompliantPair()
    pair.first = first
    pair.second = second
    base = first
    other = second
    if s.kind[first] == MjtGeom.PLANE:
        base = second
        other = first
    pair.frame = s.pose[base]
    pair.to_first = wp.transform_inverse(s.pose[first]) * pair.frame
    pair.to_second = wp.transform_inverse(s.pose[second]) * pair.frame
    relative = wp.transform_inverse(pair.frame) * s.pose[other]
    middle = wp.transform_point(relative, 0.5 * (s.low[other] + s.high[other]))
    half = box_in(relative, s.low[other], s.high[other])
    low = s.low[base]
    high = s.high[base]
    if s.kind[other] != MjtGeom.PLANE:
        low = wp.max(low, middle - half)
        high = wp.min(high, middle + half)
    b = shared_block(s, pair, low, high)
    if b.count[0] == 0:
        return 0
    marching_tetrahedra(s, pair, m, w, b)
    joint = s.soft[first] * s.soft[second] / (s.soft[first] + s.soft[second])
    count = int(0)
    for row in range(GATHERED):
        area = m.area[w, row]
        force = m.force[w, row]
        if area > 0.0 and force > 0.0:
            normal = wp.transform_vector(pair.frame, wp.normalize(m.facing[w, row]))
            pos = wp.transform_point(pair.frame, m.moment[w, row] / force)
            count = add_candidate(h, w, count, -force / (area * joint), pos, normal, area, row, capacity)
    return count


@wp.kernel(enable_backward=False)
def find_patches(
    s: SceneShapes,
    near: wp.array[wp.vec2i],
    near_count: wp.array[int],
    few: int,
    workers: int,
    h: CandidateBuffer,
    m: PressureScratch,
    found: FoundContacts,
):
    """The surfaces between soft bodies. They are gathered already: nothing is left out, whatever ``few`` says."""
    w = wp.tid()
    for i in range(w, near_count[0], workers):
        pair = near[i]
        n = pressure_surface(s, h, m, w, pair[0], pair[1], found.dist.shape[1])
        keep(h, w, n, found, i, 0)
