"""Plasticity of flexes: what is stretched or bent beyond the yield strain stays so, in part.

Return mapping (Simo and Hughes 1998): the elastic strain of the geometry after the step is drawn back to the yield surface, and
what is taken off is added to the plastic strain. The geometry is that at the start of the step, moved by the new velocities.
Frames of rods are carried through time in the same array, as they were at the start of the step.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtIntegrator
from newtonlite.math.polar import polar_rotation
from newtonlite.math.quaternion import quat_to_mat
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.position.flex_cell import cell_frame
from newtonlite.solvers.mujoco.kernels.primitives.point import linear_at
from newtonlite.solvers.mujoco.kernels.primitives.rk_stage import is_complete, is_first
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.flex_stretch import triangle_row, vec6

MOST_COMPRESSED = wp.constant(-0.99)
"""Least plastic offset of a squared length, in squared lengths at rest."""
MOST_BENT = wp.constant(1.3)
"""Largest plastic angle of a bending edge [rad]."""
MOST_STRAINED = wp.constant(0.35)
"""Largest norm of the plastic strain of a cell."""


@wp.func
def next_place(m: ModelFields, d: DataFields, world: int, b: int, p: int) -> wp.vec3:
    """Place of a point (vertex or node) of body ``b`` after the step, by the velocities of dofs."""
    # x + h J v, with the axes of dofs at the start of the step; RK4's velocity is the mean over its stages
    x = d.flexstart_xpos[world, p]
    arm = x - d.flexstart_com[world, m.body_rootid[b]]
    velocity = wp.vec3(0.0, 0.0, 0.0)
    for c in range(m.chain_adr[b], m.chain_adr[b + 1]):
        i = m.chain_dof[c]
        speed = d.qvel[world, i]
        if m.opt_integrator == MjtIntegrator.RK4:
            speed = d.rk_move[world, i]
        velocity += speed * linear_at(d.flexstart_cdof[world, i], arm)
    return x + m.opt_timestep[world] * velocity


@wp.func
def next_vertex(m: ModelFields, d: DataFields, world: int, v: int) -> wp.vec3:
    """Place of a vertex after the step."""
    return next_place(m, d, world, m.flex_vertbodyid[v], v)


@wp.func
def keep_flex_start(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Geometry at the start of the step: places, axes of dofs, and frames of rods, before RK4's passes move them."""
    if m.nflexplastic > 0 and is_first(m, d, world):
        # places of points, and what their velocities follow from
        for p in range(lane, m.nflexpoint, nlane):
            if p < m.nflexvert:
                d.flexstart_xpos[world, p] = d.flexvert_xpos[world, p]
            elif m.nflexinterp > 0:
                d.flexstart_xpos[world, p] = d.flexnode_xpos[world, p - m.nflexvert]
        for i in range(lane, m.nv, nlane):
            d.flexstart_cdof[world, i] = d.cdof[world, i]
        for b in range(lane, m.nbody, nlane):
            d.flexstart_com[world, b] = d.subtree_com[world, b]
        # frames of rods, the angles between them, and whether they were found
        for e in range(lane, m.nflexrodedge, nlane):
            d.flexstart_tangent[world, e] = d.flexrodedge_tangent[world, e]
            d.flexstart_normal[world, e] = d.flexrodedge_normal[world, e]
        for h in range(lane, m.nflexrod, nlane):
            d.flexstart_turn[world, h] = d.flexrod_turn[world, h]
        for c in range(lane, m.nflexchain, nlane):
            d.flexstart_ok[world, c] = d.flexchain_ok[world, c]
        sync()


@wp.func
def carry_frame(m: ModelFields, d: DataFields, world: int, e: int):
    """Frame of an edge of a rod, and the angle to the next one's, into the state."""
    # six numbers for each edge of a chain, tangent and normal, then one angle for each hinge
    c = m.flexrodedge_chain[e]
    first = m.flexchain_edgeadr[c]
    count = m.flexchain_edgeadr[c + 1] - first
    at = m.flexchain_plastic[c]
    if at >= 0 and d.flexstart_ok[world, c] != 0 and chain_moves(m, d, world, c):
        for i in range(3):
            d.plastic[world, at + 6 * (e - first) + i] = d.flexstart_tangent[world, e][i]
            d.plastic[world, at + 6 * (e - first) + 3 + i] = d.flexstart_normal[world, e][i]
        if e + 1 < first + count:
            d.plastic[world, at + 6 * count + e - first] = d.flexstart_turn[world, m.flexrodedge_hinge[e]]


@wp.func
def chain_moves(m: ModelFields, d: DataFields, world: int, c: int) -> bool:
    """Whether anything of a rod is awake."""
    awake = bool(False)
    for e in range(m.flexchain_edgeadr[c], m.flexchain_edgeadr[c + 1]):
        for i in range(2):
            awake = awake or moves(m, d, world, m.flex_vertbodyid[m.flexrodedge_vert[e][i]])
        dof = m.flexrodedge_dofadr[e]
        if dof >= 0:
            awake = awake or moves(m, d, world, m.dof_bodyid[dof])
    return awake


@wp.func
def moves(m: ModelFields, d: DataFields, world: int, b: int) -> bool:
    """Whether a body's tree is awake; without sleep all are."""
    if m.nsleep > 0:
        t = m.body_treeid[b]
        return t >= 0 and d.tree_awake[world, wp.max(t, 0)] != 0
    return True


@wp.func
def face_trace(g: vec6, K: wp.array2d[float], world: int, adr: int, n: int, a: int, b: int, c: int) -> float:
    """Part of the trace that the three edges of a face have in common."""
    # twice the inner products of the face's edges, by the law of cosines
    ab = g[a] + g[b] - g[c]
    ac = g[a] + g[c] - g[b]
    bc = g[b] + g[c] - g[a]
    total = ab * ab * K[world, triangle_row(adr, n, a, b)] + ac * ac * K[world, triangle_row(adr, n, a, c)]
    return 0.5 * (total + bc * bc * K[world, triangle_row(adr, n, b, c)])


@wp.func
def reference_trace(g: vec6, K: wp.array2d[float], world: int, adr: int, n: int) -> float:
    """Trace of the matrix of an element in the metric of its reference, from squared lengths ``g``."""
    # tr(K G) by squares of edges, then products of edges that share a face
    trace = float(0.0)
    for a in range(n):
        trace += g[a] * g[a] * K[world, triangle_row(adr, n, a, a)]
    trace += face_trace(g, K, world, adr, n, 0, 1, 2)
    if n == 6:
        trace += face_trace(g, K, world, adr, n, 0, 4, 5)
        trace += face_trace(g, K, world, adr, n, 1, 3, 5)
        trace += face_trace(g, K, world, adr, n, 2, 3, 4)
        # opposite edges
        for a in range(3):
            b = (a + 1) % 3
            c = (a + 2) % 3
            apart = g[b] + g[b + 3] - g[c] - g[c + 3]
            trace += 0.5 * apart * apart * K[world, triangle_row(adr, n, a, a + 3)]
    return trace


@wp.func
def corner_metric(q: vec6) -> wp.mat33:
    """Gram matrix of the three edges from one corner of a tetrahedron with squared lengths ``q``."""
    ab = 0.5 * (q[0] + q[2] - q[1])
    ac = 0.5 * (q[0] + q[4] - q[5])
    bc = 0.5 * (q[2] + q[4] - q[3])
    return wp.mat33(q[0], ab, ac, ab, q[2], bc, ac, bc, q[4])


@wp.func
def adjugate(A: wp.mat33) -> wp.mat33:
    """Adjugate of a symmetric matrix: its cofactors."""
    c0 = wp.vec3(A[0, 0], A[1, 0], A[2, 0])
    c1 = wp.vec3(A[0, 1], A[1, 1], A[2, 1])
    c2 = wp.vec3(A[0, 2], A[1, 2], A[2, 2])
    return wp.matrix_from_cols(wp.cross(c1, c2), wp.cross(c2, c0), wp.cross(c0, c1))


@wp.func
def isochoric_growth(n: vec6, g: vec6) -> float:
    """Largest ``u`` for which offsets ``n + u g`` keep the volume of ``g``: ``det G(n + u g) = det G(g)``, without a term in
    ``u^2`` as ``n`` has no volumetric part.
    """
    # u^3 - 3 m2 u = 1 - det N / det G: one real root by Cardano's formula, or the largest of three by cosines
    G = corner_metric(g)
    N = corner_metric(n)
    full = wp.determinant(G)
    u = float(1.0)
    if full > MINVAL:
        m2 = wp.max(0.0, -wp.ddot(adjugate(N), G) / (3.0 * full))
        if m2 > MINVAL:
            root = wp.sqrt(m2)
            r = (full - wp.determinant(N)) / (2.0 * full * root * m2)
            if r >= 1.0:
                w = wp.pow(r + wp.sqrt(wp.max(0.0, r * r - 1.0)), 1.0 / 3.0)
                u = root * (w + 1.0 / w)
            else:
                u = 2.0 * root * wp.cos(wp.acos(wp.max(-1.0, r)) / 3.0)
    return u


@wp.func
def yield_element(m: ModelFields, d: DataFields, world: int, k: int):
    """Squared lengths that an element has taken on for good."""
    first = m.flexstretch_tensionadr[k]
    n = m.flexstretch_tensionadr[k + 1] - first
    at = m.flexstretch_plastic[k]
    adr = m.flexstretch_adr[k]
    awake = bool(False)

    # elastic elongations s after the step, against squared lengths g at rest
    g = vec6()
    s = vec6()
    for a in range(n):
        e = m.flextension_edge[first + a]
        v1 = m.flexedge_vert[e][0]
        v2 = m.flexedge_vert[e][1]
        awake = awake or moves(m, d, world, m.flex_vertbodyid[v1]) or moves(m, d, world, m.flex_vertbodyid[v2])
        length = wp.length(next_vertex(m, d, world, v2) - next_vertex(m, d, world, v1))
        rest = m.flexedge_length0[world, e]
        g[a] = rest * rest
        s[a] = (length - rest) * (length + rest) - d.plastic[world, at + a]

    # volumetric part alpha g, and the rest, both by the energy's metric
    gKg = float(0.0)
    gKs = float(0.0)
    h = vec6()
    t = vec6()
    for a in range(n):
        for b in range(n):
            entry = m.flex_stiffness[world, triangle_row(adr, n, a, b)]
            h[a] += entry * g[b]
            t[a] += entry * s[b]
        gKg += g[a] * h[a]
        gKs += g[a] * t[a]
    shear = (reference_trace(g, m.flex_stiffness, world, adr, n) - gKg / wp.where(n == 3, 2.0, 3.0)) / float(n - 1)
    if not awake or wp.abs(gKg) <= MINVAL or shear <= MINVAL:
        return
    alpha = gKs / gKg
    size = float(0.0)
    for a in range(n):
        size += (s[a] - alpha * g[a]) * (t[a] - alpha * h[a])

    # equivalent strain, of a sheet with its growth; the part beyond the yield strain becomes plastic
    grown = wp.where(n == 3, wp.max(0.0, alpha), 0.0)
    strain = wp.sqrt(wp.max(0.0, size / (4.0 * shear)) * (2.0 / 3.0) + grown * grown)
    most = wp.max(0.0, m.flex_yield[world, m.flexstretch_flexid[k]][0])
    if strain > most:
        share = 1.0 - most / strain
        p = vec6()
        volume = float(0.0)
        for a in range(n):
            p[a] = d.plastic[world, at + a] + share * (s[a] - (alpha - grown) * g[a])
            volume += h[a] * p[a]
        if n == 6:
            # a solid keeps its volume
            p -= (volume / gKg) * g
            p += (isochoric_growth(p, g) - 1.0) * g
        for a in range(n):
            d.plastic[world, at + a] = wp.max(p[a], MOST_COMPRESSED * g[a])


@wp.func
def yield_bend(m: ModelFields, d: DataFields, world: int, k: int):
    """Angle that a bending edge has taken on for good, as an addition to its record's last number."""
    # geometry after the step: the angle between the triangles, and twice their areas
    vert = m.flexbend_vert[k]
    awake = bool(False)
    for i in range(4):
        awake = awake or moves(m, d, world, m.flex_vertbodyid[vert[i]])
    x0 = next_vertex(m, d, world, vert[0])
    e0 = next_vertex(m, d, world, vert[1]) - x0
    e1 = next_vertex(m, d, world, vert[2]) - x0
    e2 = next_vertex(m, d, world, vert[3]) - x0
    n1 = wp.cross(e0, e1)
    n2 = wp.cross(e2, e0)
    area1 = wp.length(n1)
    area2 = wp.length(n2)
    rest = m.flexedge_length0[world, m.flexbend_edge[k]]
    stiff = m.flex_bending[world, m.flexbend_adr[k] + 11]
    thickness = m.flex_stiffness[world, m.flexbend_thickness[k]]
    if not awake or area1 * area2 <= MINVAL or rest <= MINVAL or stiff <= MINVAL or thickness <= MINVAL:
        return
    angle = wp.atan2(rest * wp.dot(e2, n1), wp.dot(n2, n1))

    # what the strain of the outer fibre allows beyond the angle at which the edge rests
    at = m.flexbend_plastic[k]
    turn = m.flex_bending[world, m.flexbend_adr[k] + 16]
    still = wp.atan2(-(turn + d.plastic[world, at]) * rest, stiff)
    strain = wp.max(0.0, m.flex_yield[world, m.flexbend_flexid[k]][1])
    most = (area1 + area2) / rest * strain / thickness
    if wp.abs(angle - still) > most:
        still = wp.clamp(angle - wp.sign(angle - still) * most, -MOST_BENT, MOST_BENT)
        d.plastic[world, at] = -stiff / rest * wp.tan(still) - turn


@wp.func
def next_strain(m: ModelFields, d: DataFields, world: int, c: int) -> wp.mat33:
    """Strain of a cell after the step, in the frame that turns with it."""
    # F = sum x grad N over the nodes, relative to the first, where digits are lost least
    first = m.flexcell_nodeadr[c]
    c0 = wp.vec3(0.0, 0.0, 0.0)
    c1 = wp.vec3(0.0, 0.0, 0.0)
    c2 = wp.vec3(0.0, 0.0, 0.0)
    p0 = m.flexcellnode_point[first]
    origin = next_place(m, d, world, m.flex_nodebodyid[p0 - m.nflexvert], p0)
    for k in range(first, m.flexcell_nodeadr[c + 1]):
        p = m.flexcellnode_point[k]
        x = next_place(m, d, world, m.flex_nodebodyid[p - m.nflexvert], p) - origin
        g = m.flexcellnode_gradient[k]
        c0 += x * g[0]
        c1 += x * g[1]
        c2 += x * g[2]
    # E = sym(R' F) - 1 with the rotation R of the polar decomposition
    F = cell_frame(m.flexcell_axis[c], c0, c1, c2)
    A = wp.transpose(quat_to_mat(polar_rotation(F))) * F
    return 0.5 * (A + wp.transpose(A)) - wp.identity(n=3, dtype=float)


@wp.func
def yield_cell(m: ModelFields, d: DataFields, world: int, c: int):
    """Strain that a cell (xx, yy, zz, 2 xy, 2 xz, 2 yz) or a face (aa, bb, 2 ab) has taken on for good."""
    # what sleeps does not yield
    awake = bool(False)
    for k in range(m.flexcell_nodeadr[c], m.flexcell_nodeadr[c + 1]):
        awake = awake or moves(m, d, world, m.flex_nodebodyid[m.flexcellnode_point[k] - m.nflexvert])
    if not awake:
        return
    E = next_strain(m, d, world, c)
    most = wp.max(0.0, m.flex_yield[world, m.flexcell_flexid[c]][0])
    at = m.flexcell_plastic[c]
    axis = m.flexcell_axis[c]
    e = vec6()
    p = vec6()
    grown = float(0.0)
    if axis < 0:
        # a block: deviator
        for i in range(6):
            p[i] = d.plastic[world, at + i]
        e = vec6(E[0, 0], E[1, 1], E[2, 2], 2.0 * E[0, 1], 2.0 * E[0, 2], 2.0 * E[1, 2]) - p
        mean = (e[0] + e[1] + e[2]) / 3.0
        for i in range(3):
            e[i] -= mean
    else:
        # a face: deviator in the plane, and growth
        for i in range(3):
            p[wp.where(i == 2, 3, i)] = d.plastic[world, at + i]
        a = (axis + 1) % 3
        b = (axis + 2) % 3
        e = vec6(E[a, a], E[b, b], 0.0, 2.0 * E[a, b], 0.0, 0.0) - p
        mean = 0.5 * (e[0] + e[1])
        e[0] -= mean
        e[1] -= mean
        grown = wp.max(0.0, mean)

    # equivalent strain, and the part beyond the yield strain, bounded
    size = strain_norm(e)
    strain = wp.sqrt(size * (2.0 / 3.0) + grown * grown)
    if strain > most:
        share = 1.0 - most / strain
        p += share * e
        if axis >= 0:
            p[0] += share * grown
            p[1] += share * grown
        # no further than the small strains for which the law is meant
        total = wp.sqrt(strain_norm(p))
        if total > MOST_STRAINED:
            p = p * (MOST_STRAINED / total)
        if axis < 0:
            for i in range(6):
                d.plastic[world, at + i] = p[i]
        else:
            for i in range(3):
                d.plastic[world, at + i] = p[wp.where(i == 2, 3, i)]


@wp.func
def strain_norm(e: vec6) -> float:
    """Squared norm of a strain with doubled shears."""
    return e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 0.5 * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5])


@wp.func
def yield_flexes(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``plastic`` of elements, bending edges, cells and rods after the step."""
    if m.nflexplastic > 0 and is_complete(m, d, world):
        # each element, edge and cell has numbers of its own in plastic: no order among lanes
        for k in range(lane, m.nflexstretch, nlane):
            if m.flexstretch_plastic[k] >= 0:
                yield_element(m, d, world, k)
        for k in range(lane, m.nflexbend, nlane):
            if m.flexbend_plastic[k] >= 0:
                yield_bend(m, d, world, k)
        for c in range(lane, m.nflexcell, nlane):
            if m.flexcell_plastic[c] >= 0:
                yield_cell(m, d, world, c)
        for e in range(lane, m.nflexrodedge, nlane):
            carry_frame(m, d, world, e)
        sync()
