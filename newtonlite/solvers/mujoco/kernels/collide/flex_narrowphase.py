"""Narrow phase of flexes: hits of near vertices with planes, and of near elements with geoms and each other.

Hits are kept apart from the contacts of geoms, in the order of groups (``flexgroup_*``) and of what is near in each;
``flex_contacts`` then puts them among these. Of rigid and interpolated flexes, whose many vertices move with few
dofs, 50 hits of a pair stay (``flex_reduction``).
"""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtGeom
from newtonlite.geometry.contact.convex.hfield import MOST_GROUND_HITS, cells_under, touch_prism
from newtonlite.geometry.contact.convex.number import mat, real
from newtonlite.geometry.contact.convex.pair import ConvexSearch, nearest_touch, put_touch
from newtonlite.geometry.contact.convex.workspace import Workspace
from newtonlite.geometry.contact.element.closest import FlexElement
from newtonlite.geometry.contact.element.colliders import collide_element, collide_rods, convex_element
from newtonlite.geometry.contact.element.round_normal import set_round_normal
from newtonlite.geometry.contact.hits import Hits, no_tangent, z_axis
from newtonlite.geometry.contact.plane import plane_point
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.convex import search_of
from newtonlite.solvers.mujoco.kernels.collide.flex_apart import are_parted
from newtonlite.solvers.mujoco.kernels.collide.flex_boxes import find_boxes
from newtonlite.solvers.mujoco.kernels.collide.flex_field import drop_repeated, field_element
from newtonlite.solvers.mujoco.kernels.collide.flex_near import (
    CLOSED_FORM,
    CONVEX,
    FIELD,
    OTHER_FLEX,
    VERTICES,
    list_near,
)
from newtonlite.solvers.mujoco.kernels.collide.flex_parameters import group_cutoff
from newtonlite.solvers.mujoco.kernels.collide.flex_reduction import reduce_hits
from newtonlite.solvers.mujoco.kernels.collide.flex_rod_box import (
    collide_rod_box,
    find_rod_frames,
    has_frame,
    plane_section,
)
from newtonlite.solvers.mujoco.kernels.collide.hfield import hfield_shape
from newtonlite.solvers.mujoco.kernels.collide.sleep_filter import group_can_wake
from newtonlite.solvers.mujoco.kernels.collide.workspace import CCD_LANES, convex_geom, convex_scratch, hulls_of
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_scan


@wp.func
def flex_element(m: ModelFields, d: DataFields, world: int, e: int) -> FlexElement:
    """An element where it is."""
    v = m.flexelem_vert[e]
    f = m.flex_elemflexid[e]
    element = FlexElement()
    element.dim = m.flex_dim[f]
    element.a = d.flexvert_xpos[world, v[0]]
    element.b = d.flexvert_xpos[world, v[1]]
    element.c = d.flexvert_xpos[world, v[2]]
    element.d = d.flexvert_xpos[world, v[3]]
    element.radius = m.flex_radius[world, f]
    return element


@wp.func
def search_ground(
    m: ModelFields, d: DataFields, hits: Hits, world: int, work: Workspace, g: int, e: FlexElement, search: ConvexSearch
) -> int:
    """Leave the hits of height field ``g`` and an element: one for each prism that it touches, the first 50."""
    ground = hfield_shape(m, g)
    hulls = hulls_of(m)
    pos = d.geom_xpos[world, g]
    turn = d.geom_xmat[world, g]
    s = convex_element(e, pos, mat(turn))
    cells = cells_under(ground, hulls, s, search.cutoff)
    place = hits
    n = int(0)
    for i in range(2 * cells.rows * cells.columns):
        if n < MOST_GROUND_HITS:
            place.first = hits.first + n
            n += touch_prism(work, place, hulls, ground, cells, i, s, search, pos, turn)
    return n


@wp.func
def search_element(
    m: ModelFields, d: DataFields, hits: Hits, world: int, lane: int, group: int, near: wp.vec2i, cutoff: float
) -> int:
    """Leave the hit of a group's geom, or of the element ``near[0]``, and the element ``near[1]`` by the convex collider."""
    kind = m.flexgroup_kind[group]
    other = m.flexgroup_other[group]
    work = convex_scratch(d, world, lane)
    search = search_of(m, world, cutoff, 0.0)
    search.margin = real(cutoff)
    second = flex_element(m, d, world, near[1])
    if m.nflexground > 0 and kind == CONVEX and m.geom_type[other] == MjtGeom.HFIELD:
        return search_ground(m, d, hits, world, work, other, second, search)
    origin = second.a
    turn = wp.identity(n=3, dtype=float)
    if kind == CONVEX:
        origin = d.geom_xpos[world, other]
        turn = d.geom_xmat[world, other]
        work.shape[0] = convex_geom(m, d, world, other, origin, mat(turn))
    else:
        work.shape[0] = convex_element(flex_element(m, d, world, near[0]), origin, mat(turn))
    work.shape[1] = convex_element(second, origin, mat(turn))
    hulls = hulls_of(m)
    n = put_touch(work, hits, hulls, nearest_touch(work, hulls, mat(turn), search), search, origin, turn)
    if kind == CONVEX and second.dim == 2:
        set_round_normal(hits, n, m.geom_type[other], origin, turn, m.geom_size[world, other])
    return n


@wp.func
def collide_near(
    m: ModelFields, d: DataFields, hits: Hits, world: int, lane: int, group: int, near: wp.vec2i, cutoff: float
) -> int:
    """Leave the hits of what a group has near; returns how many."""
    kind = m.flexgroup_kind[group]
    other = m.flexgroup_other[group]
    f = m.flexgroup_flex[group]
    if m.nflexflat > 0:
        if kind == VERTICES and has_frame(m, d, world, m.flexvert_flatedge[near[1]]):
            return plane_section(m, d, hits, world, other, f, near[1], cutoff)
        if kind == CLOSED_FORM and has_frame(m, d, world, m.flexelem_flatedge[near[1]]):
            return collide_rod_box(m, d, hits, world, other, f, m.flexelem_flatedge[near[1]], cutoff)
    if kind == VERTICES:
        up = z_axis(d.geom_xmat[world, other])
        vertex = d.flexvert_xpos[world, near[1]]
        return plane_point(
            hits, 0, d.geom_xpos[world, other], up, vertex, m.flex_radius[world, f], no_tangent(), cutoff
        )
    if m.nflexfield > 0 and kind == FIELD:
        return field_element(m, d, hits, world, other, flex_element(m, d, world, near[1]))
    if kind == CLOSED_FORM:
        turn = d.geom_xmat[world, other]
        e = flex_element(m, d, world, near[1])
        return collide_element(
            hits, m.geom_type[other], d.geom_xpos[world, other], turn, m.geom_size[world, other], e, cutoff
        )
    if m.nflexpair > 0 and kind >= OTHER_FLEX and m.flex_dim[f] == 1 and m.flex_dim[other] == 1:
        return collide_rods(hits, flex_element(m, d, world, near[0]), flex_element(m, d, world, near[1]), cutoff)
    if m.nflexconvex > 0:
        return search_element(m, d, hits, world, lane, group, near, cutoff)
    return 0


@wp.func
def needs_search(m: ModelFields, d: DataFields, world: int, kind: int, near: wp.vec2i, cutoff: float) -> bool:
    """Whether no plane is known to part two elements; of a geom, or a vertex, nothing is known."""
    if m.nflexpair > 0 and m.nflexconvex > 0 and kind >= OTHER_FLEX:
        return not are_parted(m, d, world, near[0], near[1], cutoff)
    return True


@wp.func
def keep_hits(d: DataFields, hits: Hits, world: int, n: int, group: int, near: wp.vec2i, slot: int):
    """Copy ``n`` hits of a lane to places ``slot ..``, those for which there is room."""
    for i in range(n):
        if slot + i < d.nflexhit:
            d.flexhit_dist[world, slot + i] = hits.dist[world, hits.first + i]
            d.flexhit_pos[world, slot + i] = hits.pos[world, hits.first + i]
            d.flexhit_normal[world, slot + i] = hits.normal[world, hits.first + i]
            d.flexhit_group[world, slot + i] = group
            d.flexhit_part[world, slot + i] = near


@wp.func
def collide_group(
    m: ModelFields, d: DataFields, hits: Hits, world: int, group: int, found: int, lane: int, nlane: int
) -> int:
    """Hits of a group, behind the ``found`` ones; returns how many there are then."""
    cutoff = group_cutoff(m, world, group)
    before = int(found)
    kind = m.flexgroup_kind[group]
    workers = int(nlane)
    if kind >= CONVEX:
        workers = wp.min(nlane, CCD_LANES)
    begin = int(0)
    while begin >= 0:
        listed = list_near(m, d, world, group, cutoff, begin, lane, nlane)
        sync()
        for first in range(0, listed[0], workers):
            n = int(0)
            near = wp.vec2i(-1, -1)
            if lane < workers and first + lane < listed[0]:
                near = d.flexnear[world, first + lane]
                # asked here: a call hands the fields over, which takes longer than the answer
                if needs_search(m, d, world, kind, near, cutoff):
                    n = collide_near(m, d, hits, world, lane, group, near, cutoff)
            slots = team_scan(d.team_i, world, n)
            keep_hits(d, hits, world, n, group, near, found + slots[0])
            found += slots[1]
        sync()
        begin = listed[1]
    if m.nflexfield > 0 and kind == FIELD:
        found = drop_repeated(d, world, before, found, lane, nlane)
    return found


@wp.func
def flex_narrowphase(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``flexhit_*`` of all groups in turn; ``nflexhits`` counts those too for which there is no room."""
    if m.nflexgroup > 0:
        found = int(0)
        if (m.opt_disableflags & (MjtDisableBit.CONSTRAINT | MjtDisableBit.CONTACT)) == 0:
            hits = Hits()
            hits.dist = d.flexlane_dist
            hits.pos = d.flexlane_pos
            hits.normal = d.flexlane_normal
            hits.tangent = d.flexlane_tangent
            hits.world = world
            hits.first = lane * m.nelementhit
            if m.nsleep == 0:  # where trees sleep, the boxes of the sleep filter
                find_boxes(m, d, world, lane, nlane)
            if m.nflexflat > 0:
                find_rod_frames(m, d, world, lane, nlane)
            start = int(0)
            for group in range(m.nflexgroup):
                if m.flexgroup_begins[group] != 0:
                    start = int(found)
                if group_can_wake(m, d, world, group):
                    found = collide_group(m, d, hits, world, group, found, lane, nlane)
                if m.nflexreduce > 0 and m.flexgroup_reduces[group] != 0:
                    found = reduce_hits(m, d, world, start, found, lane, nlane)
        if lane == 0:
            d.nflexhits[world] = found
        sync()
