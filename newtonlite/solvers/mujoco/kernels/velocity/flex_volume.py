"""Neo-Hookean tetrahedra: forces of the change of volume, and the material's stiffness with its positive part alone.

Smith, de Goes and Kim 2018, Stable Neo-Hookean flesh simulation, without the barrier: the energy ``mu (|F|^2 - 3) / 2 - mu (J - 1) +
lambda (J - 1)^2 / 2`` of the deformation gradient F and its determinant J.  Sorted by what is small at rest it is a
quadratic and a cubic form of the squared lengths of edges, which are tensions (``flex_stretch``), and ``(lambda + mu)
(J - 1)^2 / 2``, which is here.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.velocity.flex_stretch import vertex_velocity

CUBIC = wp.constant(21)
"""Places in a tetrahedron's record: stiffness of the cubic form, of the volume, one over the determinant at rest."""
VOLUME = wp.constant(22)
INVERSE = wp.constant(23)
SWEEPS = wp.constant(6)
"""Sweeps of Jacobi's method: the last two find nothing left to turn."""


@wp.struct
class SingularValues:
    """``A = left diag(values) right'``, both rotations; the last value has the sign of the determinant."""

    left: wp.mat33
    right: wp.mat33
    values: wp.vec3


@wp.struct
class MaterialStiffness:
    """Positive part of the Hessian by the deformation gradient times the volume, in the frames of the singular vectors."""

    left: wp.mat33
    right: wp.mat33
    stretch: wp.mat33  # between entries of the diagonal
    shear: wp.vec3  # of an entry beside the diagonal, by the axis that it leaves out
    swap: wp.vec3  # between that and its mirror image


@wp.func
def matrix_column(a: wp.mat33, j: int) -> wp.vec3:
    """Column of a matrix."""
    return wp.vec3(a[0, j], a[1, j], a[2, j])


@wp.func
def turned(a: wp.mat33, i: int, j: int, c: float, s: float) -> wp.mat33:
    """``a`` with its columns i and j turned: ``c a_i - s a_j`` and ``s a_i + c a_j``."""
    out = a
    for r in range(3):
        out[r, i] = c * a[r, i] - s * a[r, j]
        out[r, j] = s * a[r, i] + c * a[r, j]
    return out


@wp.func
def singular_values(matrix: wp.mat33) -> SingularValues:
    """One-sided Jacobi method (Hestenes 1958): columns are turned until they are at right angles."""
    a = matrix * 1.0
    right = wp.identity(3, dtype=float)
    n = int(3 * SWEEPS)
    for k in range(n):
        i = wp.where(k % 3 == 2, 1, 0)
        j = wp.where(k % 3 == 0, 1, 2)
        x = matrix_column(a, i)
        y = matrix_column(a, j)
        along = wp.dot(x, y)
        xx = wp.dot(x, x)
        yy = wp.dot(y, y)
        if wp.abs(along) > 1.0e-9 * wp.sqrt(xx) * wp.sqrt(yy) and along != 0.0:
            ratio = (yy - xx) / (2.0 * along)
            t = wp.where(ratio < 0.0, -1.0, 1.0) / (wp.abs(ratio) + wp.sqrt(1.0 + ratio * ratio))
            c = 1.0 / wp.sqrt(1.0 + t * t)
            a = turned(a, i, j, c, c * t)
            right = turned(right, i, j, c, c * t)
    # the shortest column goes last, by quarter turns: its direction is the cross product of the others'
    for j in range(2):
        if wp.length(matrix_column(a, j)) < wp.length(matrix_column(a, 2)):
            a = turned(a, j, 2, 0.0, 1.0)
            right = turned(right, j, 2, 0.0, 1.0)
    found = SingularValues()
    x = matrix_column(a, 0)
    y = matrix_column(a, 1)
    if wp.length(x) < wp.length(y):
        a = turned(a, 0, 1, 0.0, 1.0)
        right = turned(right, 0, 1, 0.0, 1.0)
        x = matrix_column(a, 0)
        y = matrix_column(a, 1)
    u = wp.vec3(1.0, 0.0, 0.0)
    if wp.length(x) > MINVAL:
        u = wp.normalize(x)
    v = y - wp.dot(y, u) * u
    if wp.length(v) <= MINVAL:
        # any direction across
        v = wp.cross(u, wp.where(wp.abs(u[0]) < 0.5, wp.vec3(1.0, 0.0, 0.0), wp.vec3(0.0, 1.0, 0.0)))
    v = wp.normalize(v)
    w = wp.cross(u, v)
    found.left = wp.matrix_from_cols(u, v, w)
    found.right = right
    found.values = wp.vec3(wp.dot(x, u), wp.dot(y, v), wp.dot(matrix_column(a, 2), w))
    return found


@wp.func
def positive_part(a: wp.mat33) -> wp.mat33:
    """Of a symmetric matrix that part whose eigenvalues are not negative."""
    # moved by more than its lowest eigenvalue its singular vectors are its eigenvectors
    shift = float(0.0)
    for r in range(3):
        for s in range(3):
            shift += a[r, s] * a[r, s]
    shift = wp.sqrt(shift)
    axes = singular_values(a + shift * wp.identity(3, dtype=float)).right
    out = wp.mat33(0.0)
    for k in range(3):
        axis = matrix_column(axes, k)
        out += wp.max(0.0, wp.dot(axis, a * axis)) * wp.outer(axis, axis)
    return out


@wp.func
def edges_of(m: ModelFields, d: DataFields, world: int, k: int) -> wp.mat33:
    """Edges of a tetrahedron from its first vertex, as columns [m]."""
    vert = m.flexvolume_vert[k]
    x = d.flexvert_xpos[world, vert[0]]
    return wp.matrix_from_cols(
        d.flexvert_xpos[world, vert[1]] - x, d.flexvert_xpos[world, vert[2]] - x, d.flexvert_xpos[world, vert[3]] - x
    )


@wp.func
def rate_of(m: ModelFields, d: DataFields, world: int, k: int) -> wp.mat33:
    """Their rates [m/s]."""
    vert = m.flexvolume_vert[k]
    v = vertex_velocity(m, d, world, vert[0])
    return wp.matrix_from_cols(
        vertex_velocity(m, d, world, vert[1]) - v,
        vertex_velocity(m, d, world, vert[2]) - v,
        vertex_velocity(m, d, world, vert[3]) - v,
    )


@wp.func
def elastic_square(m: ModelFields, d: DataFields, world: int, k: int, found: SingularValues) -> wp.mat33:
    """``F' F`` less what has yielded, in the frame of the right singular vectors."""
    s = found.values
    square = wp.diag(wp.cw_mul(s, s))
    if m.nflexplastic > 0:
        at = m.flexstretch_plastic[m.flexvolume_stretch[k]]
        if at >= 0:
            # squared lengths of the edges from the first vertex, then those between two of them
            x = d.plastic[world, at]
            y = d.plastic[world, at + 2]
            z = d.plastic[world, at + 4]
            xy = 0.5 * (x + y - d.plastic[world, at + 1])
            yz = 0.5 * (y + z - d.plastic[world, at + 3])
            zx = 0.5 * (z + x - d.plastic[world, at + 5])
            b = m.flexvolume_inverse[k] * found.right
            square -= wp.transpose(b) * wp.mat33(x, xy, zx, xy, y, yz, zx, yz, z) * b
    return square


@wp.func
def material(m: ModelFields, d: DataFields, world: int, k: int) -> MaterialStiffness:
    """The positive part of the Hessian of a tetrahedron: in the frames of the singular vectors it is a matrix between the
    stretches, and one of two by two between each pair of shears. Where it has yielded along other axes, what couples
    these is left out, as in MuJoCo.
    """
    # stiffness of the squares of edges and of the volume, out of the record
    adr = m.flexstretch_adr[m.flexvolume_stretch[k]]
    inverse = m.flex_stiffness[world, adr + INVERSE]
    mu = -2.0 * m.flex_stiffness[world, adr + CUBIC] / (inverse * inverse)
    bulk = 2.0 * m.flex_stiffness[world, adr + VOLUME]
    found = singular_values(edges_of(m, d, world, k) * m.flexvolume_inverse[k])
    out = MaterialStiffness()
    out.left = found.left
    out.right = found.right

    # mu / 2 (tr C - det C) of C = F' F less what has yielded, and bulk / 2 (J - 1)^2
    s = found.values
    c = elastic_square(m, d, world, k, found)
    slope = wp.vec3(s[1] * s[2], s[2] * s[0], s[0] * s[1])
    push = bulk * (s[0] * slope[0] - 1.0)
    cofactor = wp.vec3(0.0, 0.0, 0.0)
    for i in range(3):
        j = (i + 1) % 3
        r = (i + 2) % 3
        cofactor[i] = c[j, j] * c[r, r] - c[j, r] * c[j, r]
    stretch = bulk * wp.outer(slope, slope)
    for i in range(3):
        j = (i + 1) % 3
        r = (i + 2) % 3
        stretch[i, i] = stretch[i, i] + mu * (1.0 - cofactor[i])
        stretch[i, j] = stretch[i, j] + push * s[r] - 2.0 * mu * s[i] * s[j] * c[r, r]
        stretch[j, i] = stretch[i, j]
        # the two shears that leave axis i out
        own = mu * (1.0 + 0.5 * ((s[j] * s[j] + s[r] * s[r]) * c[i, i] - cofactor[j] - cofactor[r]))
        mirrored = mu * s[j] * s[r] * c[i, i] - push * s[i]
        same = wp.max(0.0, own + mirrored)
        opposite = wp.max(0.0, own - mirrored)
        out.shear[i] = 0.5 * (same + opposite)
        out.swap[i] = 0.5 * (same - opposite)
    out.stretch = positive_part(stretch)
    return out


@wp.func
def material_times(h: MaterialStiffness, f: wp.mat33) -> wp.mat33:
    """The material's stiffness times a change of the deformation gradient."""
    x = wp.transpose(h.left) * f * h.right
    y = wp.mat33(0.0)
    for i in range(3):
        for j in range(3):
            if i == j:
                for r in range(3):
                    y[i, i] = y[i, i] + h.stretch[i, r] * x[r, r]
            else:
                y[i, j] = h.shear[3 - i - j] * x[i, j] + h.swap[3 - i - j] * x[j, i]
    return h.left * y * wp.transpose(h.right)


@wp.func
def resist_volume(m: ModelFields, d: DataFields, world: int, k: int):
    """Slots of the four vertices of a tetrahedron: springs of its volume, and the material's damper."""
    # the spring: along the slopes of the determinant of the edges
    stretch = m.flexvolume_stretch[k]
    adr = m.flexstretch_adr[stretch]
    edges = edges_of(m, d, world, k)
    e1 = matrix_column(edges, 0)
    e2 = matrix_column(edges, 1)
    e3 = matrix_column(edges, 2)
    g1 = wp.cross(e2, e3)
    inverse = m.flex_stiffness[world, adr + INVERSE]
    push = -2.0 * m.flex_stiffness[world, adr + VOLUME] * (wp.dot(e1, g1) * inverse - 1.0) * inverse
    springs = push * wp.matrix_from_cols(g1, wp.cross(e3, e1), wp.cross(e1, e2))

    # the damper: a multiple of the stiffness
    damping = wp.max(m.flex_damping[world, m.flexstretch_flexid[stretch]], 0.0)
    dampers = wp.mat33(0.0)
    if damping > 0.0:
        b = m.flexvolume_inverse[k]
        stress = material_times(material(m, d, world, k), rate_of(m, d, world, k) * b)
        dampers = -damping * stress * wp.transpose(b)
    slot = m.flexvolume_first[0] + 4 * k
    n = int(3)
    d.flexslot_spring[world, slot] = -(
        matrix_column(springs, 0) + matrix_column(springs, 1) + matrix_column(springs, 2)
    )
    d.flexslot_damper[world, slot] = -(
        matrix_column(dampers, 0) + matrix_column(dampers, 1) + matrix_column(dampers, 2)
    )
    for i in range(n):
        d.flexslot_spring[world, slot + 1 + i] = matrix_column(springs, i)
        d.flexslot_damper[world, slot + 1 + i] = matrix_column(dampers, i)


@wp.func
def shape_slope(b: wp.mat33, i: int) -> wp.vec3:
    """Slope of the deformation gradient by vertex ``i`` of a tetrahedron [1/m]."""
    if i == 0:
        return -(wp.vec3(b[0, 0] + b[1, 0] + b[2, 0], b[0, 1] + b[1, 1] + b[2, 1], b[0, 2] + b[1, 2] + b[2, 2]))
    return wp.vec3(b[i - 1, 0], b[i - 1, 1], b[i - 1, 2])


@wp.func
def material_block(h: MaterialStiffness, one: wp.vec3, two: wp.vec3) -> wp.mat33:
    """Stiffness [N/m] between two vertices, by how the deformation gradient follows each."""
    x = wp.transpose(h.right) * one
    y = wp.transpose(h.right) * two
    block = wp.mat33(0.0)
    for i in range(3):
        for j in range(3):
            block[i, j] = h.stretch[i, j] * x[i] * y[j]
            if i == j:
                for r in range(3):
                    if r != i:
                        block[i, i] = block[i, i] + h.shear[3 - i - r] * x[r] * y[r]
            else:
                block[i, j] = block[i, j] + h.swap[3 - i - j] * x[j] * y[i]
    return h.left * block * wp.transpose(h.left)
