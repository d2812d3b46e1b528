"""Scratch of the colliders: a lane's hits and work arrays, hulls, and geoms as convex shapes."""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.convex.number import mat, real, vec
from newtonlite.geometry.contact.convex.shape import Convex, Hulls
from newtonlite.geometry.contact.convex.workspace import Workspace
from newtonlite.geometry.contact.hits import MAX_HITS, Hits
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields

CCD_LANES = 8
"""Lanes of a team that collide convex shapes; each needs some kilobytes of scratch."""


@wp.func
def hits_of_lane(d: DataFields, world: int, lane: int) -> Hits:
    """Hits of a lane: its rows of the scratch arrays."""
    hits = Hits()
    hits.dist = d.hit_dist
    hits.pos = d.hit_pos
    hits.normal = d.hit_normal
    hits.tangent = d.hit_tangent
    hits.world = world
    hits.first = lane * MAX_HITS
    return hits


@wp.func
def kept_hits(
    dist: wp.array2d[float], pos: wp.array2d[wp.vec3], normal: wp.array2d[wp.vec3], world: int, first: int
) -> Hits:
    """Hits that an earlier stage kept, from row ``first`` on; their tangents are not stored."""
    rows = Hits()
    rows.dist = dist
    rows.pos = pos
    rows.normal = normal
    rows.tangent = normal
    rows.world = world
    rows.first = first
    return rows


@wp.func
def hulls_of(m: ModelFields) -> Hulls:
    """The model's hulls."""
    h = Hulls()
    h.vert = m.hull_vert
    h.nbr_adr = m.hull_nbradr
    h.nbr = m.hull_nbr
    h.fan_adr = m.hull_fanadr
    h.fan = m.hull_fan
    h.poly_normal = m.hull_normal
    h.poly_adr = m.hull_polyadr
    h.poly = m.hull_poly
    return h


@wp.func
def convex_scratch(d: DataFields, world: int, lane: int) -> Workspace:
    """A lane's scratch."""
    w = Workspace()
    w.shape = d.ccd_shape[world, lane]
    w.point1 = d.ccd_point1[world, lane]
    w.point2 = d.ccd_point2[world, lane]
    w.code = d.ccd_code[world, lane]
    w.face = d.ccd_face[world, lane]
    w.normal = d.ccd_normal[world, lane]
    w.height = d.ccd_height[world, lane]
    w.rim = d.ccd_rim[world, lane]
    w.polygon = d.ccd_polygon[world, lane]
    return w


@wp.func
def convex_geom(m: ModelFields, d: DataFields, world: int, g: int, origin: wp.vec3, turn: mat) -> Convex:
    """A geom in a frame at ``origin`` whose axes are the columns of ``turn``."""
    x = d.geom_xpos[world, g] - origin
    r = d.geom_xmat[world, g]
    size = m.geom_size[world, g]
    s = Convex()
    s.kind = m.geom_type[g]
    s.pos = wp.transpose(turn) * vec(real(x[0]), real(x[1]), real(x[2]))
    s.turn = wp.transpose(turn) * mat(r)
    if s.kind >= MjtGeom.MESH:
        s.kind = wp.static(int(MjtGeom.MESH))
        size = wp.vec3(m.geom_rbound[world, g], 0.0, 0.0)
    s.size = vec(real(size[0]), real(size[1]), real(size[2]))
    s.first = m.geom_hulladr[world, g]
    s.count = m.geom_hullnum[world, g]
    return s
