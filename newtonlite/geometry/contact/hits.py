"""Hits: output arrays of colliders, and their vector helpers.

A collider is a pure function of two poses, two sizes and a cutoff. It leaves its hits through ``put_hit`` and
returns how many there are, at most ``MAX_HITS``. Distances are negative inside; a normal points from the first
shape to the second; a position is halfway between the two surfaces. Hits farther than the cutoff are dropped.
"""

from typing import Any

import warp as wp

MAX_HITS = 8
"""Most hits one pair of shapes can have: a quadrilateral clipped by four half-planes."""

PARALLEL = 1.0e-12
"""Squared sine of an angle below which two directions count as parallel."""


@wp.struct
class Hits:
    """Rows ``first .. first + MAX_HITS`` of one world's staging arrays, ``[nworld, nlane * MAX_HITS]``."""

    dist: wp.array2d[float]
    pos: wp.array2d[wp.vec3]
    normal: wp.array2d[wp.vec3]
    tangent: wp.array2d[wp.vec3]
    world: int
    first: int


# The stride is hidden from the GPU compiler: it would compute the addresses of all rows ahead of the loops that use
# them, and run out of registers.
_ROW = """
    int stride = rows.strides[0];
#if defined(__CUDA_ARCH__)
    asm volatile("" : "+r"(stride));
#endif
    char* row = (char*)rows.data + (long long)stride * world;
"""
_STORE = _ROW + "((decltype(value)*)row)[index] = value;"
_LOAD_POINT = _ROW + "return ((const wp::vec3*)row)[index];"


@wp.func_native(_STORE)
def store(rows: wp.array2d[Any], world: int, index: int, value: Any):
    """``rows[world, index] = value`` where a world's values lie next to each other."""
    ...


@wp.func_native(_LOAD_POINT)
def load_point(rows: wp.array2d[wp.vec3], world: int, index: int) -> wp.vec3:
    """``rows[world, index]``, likewise."""
    ...


@wp.func
def put_hit(hits: Hits, index: int, dist: float, pos: wp.vec3, normal: wp.vec3, tangent: wp.vec3):
    """Store hit ``index`` of this pair. A zero tangent means: choose one."""
    world = hits.world
    row = hits.first + index
    store(hits.dist, world, row, dist)
    store(hits.pos, world, row, pos)
    store(hits.normal, world, row, normal)
    store(hits.tangent, world, row, tangent)


@wp.func
def no_tangent() -> wp.vec3:
    """The tangent of a hit without a preferred direction."""
    return wp.vec3(0.0, 0.0, 0.0)


@wp.func
def component(v: wp.vec3, i: int) -> float:
    """Component ``i`` of a vector, by selects, so that the vector can stay in registers."""
    return wp.where(i == 0, v[0], wp.where(i == 1, v[1], v[2]))


@wp.func
def column(m: wp.mat33, j: int) -> wp.vec3:
    """Column ``j`` of a matrix, likewise."""
    return wp.vec3(
        wp.where(j == 0, m[0, 0], wp.where(j == 1, m[0, 1], m[0, 2])),
        wp.where(j == 0, m[1, 0], wp.where(j == 1, m[1, 1], m[1, 2])),
        wp.where(j == 0, m[2, 0], wp.where(j == 1, m[2, 1], m[2, 2])),
    )


@wp.func
def z_axis(m: wp.mat33) -> wp.vec3:
    """Third column of a matrix: a plane's normal, a capsule's or cylinder's axis."""
    return wp.vec3(m[0, 2], m[1, 2], m[2, 2])


@wp.func
def unit_axis(i: int) -> wp.vec3:
    """Unit vector along coordinate ``i``."""
    return wp.vec3(wp.where(i == 0, 1.0, 0.0), wp.where(i == 1, 1.0, 0.0), wp.where(i == 2, 1.0, 0.0))


@wp.func
def contact_frame(normal: wp.vec3, tangent: wp.vec3) -> wp.mat33:
    """Rows: the normal, the part of the tangent perpendicular to it, and their cross product.

    Without a tangent, y is used where the normal is far from it and z elsewhere. A tangent along the normal
    leaves the choice to x.
    """
    upright = wp.abs(normal[1]) < 0.5
    default = wp.vec3(0.0, wp.where(upright, 1.0, 0.0), wp.where(upright, 0.0, 1.0))
    guess = wp.where(wp.dot(tangent, tangent) < 0.25, default, tangent)
    y = guess - wp.dot(guess, normal) * normal
    if wp.dot(y, y) < PARALLEL:
        y = wp.vec3(1.0, 0.0, 0.0) - normal[0] * normal
    if wp.dot(y, y) < PARALLEL:
        y = wp.vec3(0.0, 1.0, 0.0)
    y = wp.normalize(y)
    z = wp.cross(normal, y)
    return wp.matrix_from_rows(normal, y, z)
