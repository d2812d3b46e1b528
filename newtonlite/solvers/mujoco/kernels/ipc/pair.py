"""Pairs of incremental potential contact: two parts of surfaces, or a part and a static feature, and the distance between
their nearest points.

Distances are of the middle surfaces; each is a function of the places of at most four vertices, whose weights along the
normal are its gradient.  Li, Ferguson, Schneider et al., Incremental potential contact, SIGGRAPH 2020.
"""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.element.closest import segment_shares, triangle_share
from newtonlite.geometry.signed_distance.primitive import (
    box_field,
    capsule_field,
    cylinder_field,
    ellipsoid_field,
    plane_field,
    sphere_field,
)
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields

VERTEX_TRIANGLE = wp.constant(0)
"""Kinds of pairs, by their two parts: vertices and edges of surfaces come first, static features too."""
EDGE_EDGE = wp.constant(1)
VERTEX_GEOM = wp.constant(2)
CORNER_TRIANGLE = wp.constant(3)
SIDE_EDGE = wp.constant(4)

BAND = wp.constant(0.003)
"""Distance below which parts are near, unless the thinner of them has a smaller radius [m]."""
STANDOFF = wp.constant(0.001)
"""Distance at which they rest, likewise [m]."""
STIFFNESS = wp.constant(5.0e7)
"""Stiffness of a pair over the least mass of its vertices [1/s^2]."""
NO_MASS = wp.constant(1.0e-9)
"""Mass of a pair none of whose vertices has one [kg]."""
FAR = wp.constant(1.0e9)


@wp.struct
class PairGap:
    """Distance of a pair, its direction, and how it follows the vertices of ``pair_vertices``."""

    gap: float  # [m]
    normal: wp.vec3  # to the first part
    weight: wp.vec4


@wp.func
def vertex_at(d: DataFields, world: int, v: int, t: float) -> wp.vec3:
    """Place [m] of a vertex at part ``t`` of the way from where nothing crosses to the last solution."""
    way = d.ipc_safe[world, v] + t * (d.ipc_move[world, v] - d.ipc_safe[world, v])
    return d.flexvert_xpos[world, v] + way


@wp.func
def pair_vertices(m: ModelFields, pair: wp.vec3i) -> wp.vec4i:
    """Vertices of a pair, those of the first part before those of the second; -1 for static features."""
    if pair[0] == VERTEX_TRIANGLE or pair[0] == CORNER_TRIANGLE:
        corners = m.ipctri_vert[pair[2]]
        return wp.vec4i(wp.where(pair[0] == VERTEX_TRIANGLE, pair[1], -1), corners[0], corners[1], corners[2])
    if pair[0] == VERTEX_GEOM:
        return wp.vec4i(pair[1], -1, -1, -1)
    two = m.ipcedge_vert[pair[2]]
    if pair[0] == SIDE_EDGE:
        return wp.vec4i(-1, -1, two[0], two[1])
    one = m.ipcedge_vert[pair[1]]
    return wp.vec4i(one[0], one[1], two[0], two[1])


@wp.func
def corner_place(m: ModelFields, d: DataFields, world: int, k: int) -> wp.vec3:
    """Place [m] of corner ``k`` of a static geom."""
    g = m.ipcgeom[m.ipccorner_geom[k]]
    at = m.ipccorner_at[k]
    size = m.geom_size[world, g]
    kind = m.geom_type[g]
    if kind == MjtGeom.CAPSULE:
        at = wp.vec3(0.0, 0.0, at[2] * size[1])
    elif kind != MjtGeom.MESH:
        at = wp.cw_mul(at, size)
    return d.geom_xpos[world, g] + d.geom_xmat[world, g] * at


@wp.func
def corner_radius(m: ModelFields, world: int, k: int) -> float:
    """Distance [m] of a geom's surface from its corner ``k``: that of a ball about it."""
    g = m.ipcgeom[m.ipccorner_geom[k]]
    if m.geom_type[g] == MjtGeom.SPHERE or m.geom_type[g] == MjtGeom.CAPSULE:
        return m.geom_size[world, g][0]
    return 0.0


@wp.func
def hull_field(m: ModelFields, k: int, p: wp.vec3) -> wp.vec4:
    """Direction and signed distance of a point from the hull of the mesh of static geom ``k``, in its frame."""
    # the highest plane: inside it is the nearest
    high = wp.vec4(0.0, 0.0, 1.0, -FAR)
    for f in range(m.ipcface_adr[k], m.ipcface_adr[k + 1]):
        a = m.ipcface_at[f, 0]
        normal = wp.normalize(wp.cross(m.ipcface_at[f, 1] - a, m.ipcface_at[f, 2] - a))
        above = wp.dot(normal, p - a)
        if above > high[3]:
            high = wp.vec4(normal[0], normal[1], normal[2], above)
    if high[3] <= 0.0:
        return high

    # outside the nearest point of all faces
    least = float(FAR)
    way = wp.vec3(high[0], high[1], high[2])
    for f in range(m.ipcface_adr[k], m.ipcface_adr[k + 1]):
        share = triangle_share(p, m.ipcface_at[f, 0], m.ipcface_at[f, 1], m.ipcface_at[f, 2])
        out = p - (share[0] * m.ipcface_at[f, 0] + share[1] * m.ipcface_at[f, 1] + share[2] * m.ipcface_at[f, 2])
        if wp.length(out) < least:
            least = wp.length(out)
            way = out / wp.max(least, 1.0e-12)
    return wp.vec4(way[0], way[1], way[2], least)


@wp.func
def geom_field(m: ModelFields, d: DataFields, world: int, k: int, at: wp.vec3) -> wp.vec4:
    """Direction and signed distance of a point from the surface of static geom ``k``."""
    g = m.ipcgeom[k]
    mat = d.geom_xmat[world, g]
    p = wp.transpose(mat) * (at - d.geom_xpos[world, g])
    size = m.geom_size[world, g]
    kind = m.geom_type[g]
    found = plane_field(p)
    if kind == MjtGeom.SPHERE:
        found = sphere_field(p, size[0])
    elif kind == MjtGeom.CAPSULE:
        found = capsule_field(p, size[0], size[1])
    elif kind == MjtGeom.ELLIPSOID:
        found = ellipsoid_field(p, size)
    elif kind == MjtGeom.CYLINDER:
        found = cylinder_field(p, size[0], size[1])
    elif kind == MjtGeom.BOX:
        found = box_field(p, size)
    elif kind == MjtGeom.MESH:
        found = hull_field(m, k, p)
    normal = mat * wp.vec3(found[0], found[1], found[2])
    return wp.vec4(normal[0], normal[1], normal[2], found[3])


@wp.func
def gap_between(one: wp.vec3, two: wp.vec3, radius: float, weight: wp.vec4) -> PairGap:
    """The gap of two nearest points; without a direction where they coincide."""
    found = PairGap()
    away = one - two
    length = wp.length(away)
    found.gap = length - radius
    found.weight = weight
    found.normal = wp.vec3(0.0, 0.0, 0.0)
    if length > 1.0e-15:
        found.normal = away / length
    return found


@wp.func
def pair_gap(m: ModelFields, d: DataFields, world: int, pair: wp.vec3i, t: float) -> PairGap:
    """Gap of a pair at part ``t`` of the way."""
    kind = pair[0]
    if kind == VERTEX_GEOM:
        field = geom_field(m, d, world, pair[2], vertex_at(d, world, pair[1], t))
        found = PairGap()
        found.gap = field[3]
        found.normal = wp.vec3(field[0], field[1], field[2])
        found.weight = wp.vec4(1.0, 0.0, 0.0, 0.0)
        return found

    # a point and a triangle
    verts = pair_vertices(m, pair)
    three = vertex_at(d, world, verts[2], t)
    four = vertex_at(d, world, verts[3], t)
    radius = float(0.0)
    if kind == VERTEX_TRIANGLE or kind == CORNER_TRIANGLE:
        two = vertex_at(d, world, verts[1], t)
        point = two
        if kind == VERTEX_TRIANGLE:
            point = vertex_at(d, world, verts[0], t)
        else:
            point = corner_place(m, d, world, pair[1])
            radius = corner_radius(m, world, pair[1])
        share = triangle_share(point, two, three, four)
        near = share[0] * two + share[1] * three + share[2] * four
        own = wp.where(kind == VERTEX_TRIANGLE, 1.0, 0.0)
        return gap_between(point, near, radius, wp.vec4(own, -share[0], -share[1], -share[2]))

    # two segments
    begin = three
    end = four
    if kind == EDGE_EDGE:
        begin = vertex_at(d, world, verts[0], t)
        end = vertex_at(d, world, verts[1], t)
    else:
        ends = m.ipcside_corner[pair[1]]
        begin = corner_place(m, d, world, ends[0])
        end = corner_place(m, d, world, ends[1])
        radius = corner_radius(m, world, ends[0])
    shares = segment_shares(begin, end, three, four)
    one = begin + shares[0] * (end - begin)
    near = three + shares[1] * (four - three)
    weight = wp.vec4(0.0, 0.0, shares[1] - 1.0, -shares[1])
    if kind == EDGE_EDGE:
        weight = wp.vec4(1.0 - shares[0], shares[0], shares[1] - 1.0, -shares[1])
    return gap_between(one, near, radius, weight)


@wp.func
def pair_band(m: ModelFields, world: int, verts: wp.vec4i) -> float:
    """Distance [m] below which the parts of a pair are near."""
    band = float(BAND)
    for i in range(4):
        if verts[i] >= 0:
            band = wp.min(band, m.flex_radius[world, m.ipcpoint_flex[verts[i]]])
    return band


@wp.func
def pair_reach(m: ModelFields, world: int, kind: int, verts: wp.vec4i) -> float:
    """Radii [m] of the parts of a pair that are of surfaces."""
    last = wp.where(kind == VERTEX_GEOM, verts[0], verts[3])
    reach = m.flex_radius[world, m.ipcpoint_flex[last]]
    if kind <= EDGE_EDGE:
        reach += m.flex_radius[world, m.ipcpoint_flex[verts[0]]]
    return reach


@wp.func
def vertex_mass(m: ModelFields, d: DataFields, world: int, v: int) -> float:
    """Mass [kg] of a vertex; its share of what it rides; 0 where that is static."""
    if m.ipcpoint_dof[v] >= 0:
        return d.efm_bare[world, m.ipcpoint_dof[v]]
    if m.ipcpoint_riders[v] > 0:
        return m.body_subtreemass[world, m.flex_vertbodyid[v]] / float(m.ipcpoint_riders[v])
    return 0.0


@wp.func
def pair_stiffness(m: ModelFields, d: DataFields, world: int, verts: wp.vec4i) -> float:
    """Stiffness [N/m] of a pair."""
    least = float(FAR)
    for i in range(4):
        if verts[i] >= 0:
            mass = vertex_mass(m, d, world, verts[i])
            if mass > 0.0:
                least = wp.min(least, mass)
    if least == FAR:
        least = NO_MASS
    return STIFFNESS * least


@wp.func
def closing_bound(m: ModelFields, d: DataFields, world: int, kind: int, verts: wp.vec4i) -> float:
    """The most [m] by which a pair can come closer on the way. What all vertices of one surface move alike is left out."""
    # the mean of a surface's own pair
    mean = wp.vec3(0.0, 0.0, 0.0)
    f = m.ipcpoint_flex[wp.max(verts[0], 0)]
    own = bool(kind <= EDGE_EDGE and m.ipcpoint_flex[wp.max(verts[3], 0)] == f)
    if own:
        for i in range(4):
            mean += 0.25 * (d.ipc_move[world, verts[i]] - d.ipc_safe[world, verts[i]])
    # the fastest vertices of both parts
    split = wp.where(kind == EDGE_EDGE or kind == SIDE_EDGE, 2, 1)
    first = float(0.0)
    second = float(0.0)
    for i in range(4):
        if verts[i] >= 0:
            way = wp.length(d.ipc_move[world, verts[i]] - d.ipc_safe[world, verts[i]] - mean)
            if i < split:
                first = wp.max(first, way)
            else:
                second = wp.max(second, way)
    return first + second
