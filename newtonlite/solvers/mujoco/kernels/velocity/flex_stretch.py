"""Flex edges in tension: springs and dampers of edges, and elements that resist stretching (Saint Venant-Kirchhoff).

The energy of an element is ``s' K s / 4`` with ``s = L^2 - L0^2`` of its edges, so that an edge pulls with ``(K s) (x_i - x_j)``.
A Neo-Hookean tetrahedron has a cubic form of ``s`` beside it.
"""

from typing import Any

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.point import point_velocity

vec6 = wp.types.vector(6, wp.float32)
mat66 = wp.types.matrix((6, 6), wp.float32)


@wp.func
def triangle_row(adr: int, n: int, a: int, b: int) -> int:
    """Address of entry (a, b) of a symmetric matrix that is stored from its diagonal on, row by row."""
    low = wp.min(a, b)
    return adr + low * n - low * (low - 1) // 2 + wp.max(a, b) - low


@wp.func
def edge_rate(m: ModelFields, d: DataFields, world: int, e: int) -> float:
    """Rate of an edge's length; from its vertices where nothing needed its Jacobian when the model was made."""
    if m.flexedge_J_rownnz[e] > 0:
        return d.flexedge_velocity[world, e]
    v1 = m.flexedge_vert[e][0]
    v2 = m.flexedge_vert[e][1]
    along = d.flexvert_xpos[world, v2] - d.flexvert_xpos[world, v1]
    return wp.dot(along, vertex_velocity(m, d, world, v2) - vertex_velocity(m, d, world, v1)) / wp.length(along)


@wp.func
def vertex_velocity(m: ModelFields, d: DataFields, world: int, v: int) -> wp.vec3:
    """Velocity [m/s] of a vertex on a body."""
    return point_velocity(m, d, world, m.flex_vertbodyid[v], d.flexvert_xpos[world, v])


@wp.func
def edge_stretch(m: ModelFields, d: DataFields, world: int, e: int):
    """``flexedge_elongation`` of an edge, ``L^2 - L0^2``, and ``flexedge_lengthening``, which takes its place in a damper:
    ``beta / h d (2 L - d)`` with ``d = h dL/dt``.
    """
    length = d.flexedge_length[world, e]
    rest = m.flexedge_length0[world, e]
    d.flexedge_elongation[world, e] = (length - rest) * (length + rest)
    scale = wp.max(m.flex_damping[world, m.flex_edgeflexid[e]], 0.0) / m.opt_timestep[world]
    damper = float(0.0)
    if scale != 0.0 and length >= MINVAL:
        step = m.opt_timestep[world] * edge_rate(m, d, world, e)
        damper = scale * step * (2.0 * length - step)
    d.flexedge_lengthening[world, e] = damper


@wp.func
def triangle_matrix(m: ModelFields, world: int, adr: int) -> wp.mat33:
    """Matrix K of a triangle over its edges."""
    K = wp.mat33()
    for a in range(3):
        for b in range(3):
            K[a, b] = m.flex_stiffness[world, triangle_row(adr, 3, a, b)]
    return K


@wp.func
def tetrahedron_matrix(m: ModelFields, world: int, adr: int) -> Any:
    """Matrix K of a tetrahedron over its edges."""
    K = mat66()
    for a in range(6):
        for b in range(6):
            K[a, b] = m.flex_stiffness[world, triangle_row(adr, 6, a, b)]
    return K


@wp.func
def cubic_slope(s: Any, a: int) -> float:
    """Slope by ``s_a`` of the determinant of the products of a tetrahedron's edges from its first vertex, where squared
    lengths are ``s``.
    """
    x = s[0]
    y = s[2]
    z = s[4]
    xy = 0.5 * (x + y - s[1])
    yz = 0.5 * (y + z - s[3])
    zx = 0.5 * (z + x - s[5])
    # cofactors, of the edges between two first, which are in one product alone
    cxy = yz * zx - xy * z
    cyz = xy * zx - yz * x
    czx = xy * yz - zx * y
    slope = -cxy
    if a == 3:
        slope = -cyz
    elif a == 5:
        slope = -czx
    elif a == 0:
        slope = y * z - yz * yz + cxy + czx
    elif a == 2:
        slope = z * x - zx * zx + cxy + cyz
    elif a == 4:
        slope = x * y - xy * xy + cyz + czx
    return slope


@wp.func
def triangle_tension(m: ModelFields, d: DataFields, world: int, k: int, first: int):
    """``flextension_spring`` and ``flextension_damper`` of a triangle: ``K s`` of its edges."""
    s = wp.vec3()
    r = wp.vec3()
    for a in range(3):
        e = m.flextension_edge[first + a]
        s[a] = d.flexedge_elongation[world, e]
        r[a] = d.flexedge_lengthening[world, e]
        if m.nflexplastic > 0:
            if m.flexstretch_plastic[k] >= 0:
                s[a] -= d.plastic[world, m.flexstretch_plastic[k] + a]
    K = triangle_matrix(m, world, m.flexstretch_adr[k])
    spring = K * s
    damper = K * r
    for a in range(3):
        d.flextension_spring[world, first + a] = spring[a]
        d.flextension_damper[world, first + a] = damper[a]


@wp.func
def tetrahedron_tension(m: ModelFields, d: DataFields, world: int, k: int, first: int):
    """The same of a tetrahedron."""
    s = vec6()
    r = vec6()
    for a in range(6):
        e = m.flextension_edge[first + a]
        s[a] = d.flexedge_elongation[world, e]
        r[a] = d.flexedge_lengthening[world, e]
        if m.nflexplastic > 0:
            if m.flexstretch_plastic[k] >= 0:
                s[a] -= d.plastic[world, m.flexstretch_plastic[k] + a]
    adr = m.flexstretch_adr[k]
    K = tetrahedron_matrix(m, world, adr)
    spring = K * s
    damper = K * r
    # the dampers of Neo-Hookean solids are no tensions
    if m.nflexvolume > 0:
        if m.flexstretch_volume[k] >= 0:
            damper = vec6()
            for a in range(6):
                spring[a] += 2.0 * m.flex_stiffness[world, adr + 21] * cubic_slope(s, a)
    for a in range(6):
        d.flextension_spring[world, first + a] = spring[a]
        d.flextension_damper[world, first + a] = damper[a]


@wp.func
def element_tension(m: ModelFields, d: DataFields, world: int, k: int):
    """Tensions of the edges of an element, less what has yielded."""
    first = m.flexstretch_tensionadr[k]
    if m.flexstretch_tensionadr[k + 1] - first == 3:
        triangle_tension(m, d, world, k, first)
    else:
        tetrahedron_tension(m, d, world, k, first)


@wp.func
def edge_tension(m: ModelFields, d: DataFields, world: int, e: int):
    """``flexedge_spring`` and ``flexedge_damper``: what pushes the vertices of an edge apart, over its length."""
    spring = float(0.0)
    damper = float(0.0)
    if m.nflexstretch > 0:
        for k in range(m.flexedge_tensionadr[e], m.flexedge_tensionadr[e + 1]):
            spring -= d.flextension_spring[world, m.flexedge_tension[k]]
            damper -= d.flextension_damper[world, m.flexedge_tension[k]]
    if m.nflexspring > 0:
        # k (L0 - L) and -b dL/dt along the edge
        f = m.flex_edgeflexid[e]
        length = d.flexedge_length[world, e]
        if m.flexedge_rigid[e] == 0 and length > MINVAL:
            spring += m.flex_edgestiffness[world, f] * (m.flexedge_length0[world, e] - length) / length
            damping = m.flex_edgedamping[world, f]
            if damping != 0.0:
                damper -= damping * edge_rate(m, d, world, e) / length
    d.flexedge_spring[world, e] = wp.where((m.opt_disableflags & MjtDisableBit.SPRING) == 0, spring, 0.0)
    d.flexedge_damper[world, e] = wp.where((m.opt_disableflags & MjtDisableBit.DAMPER) == 0, damper, 0.0)
