"""Near pairs of incremental potential contact: those that can meet on the way of a step, in one order.

Every vertex, edge and static feature looks for partners by boxes about their motion.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.ipc.pair import (
    BAND,
    CORNER_TRIANGLE,
    EDGE_EDGE,
    SIDE_EDGE,
    VERTEX_GEOM,
    VERTEX_TRIANGLE,
    closing_bound,
    corner_place,
    corner_radius,
    pair_band,
    pair_gap,
    pair_reach,
    pair_vertices,
    vertex_at,
)
from newtonlite.solvers.mujoco.kernels.primitives.team import one_lane, sync, team_scan

NEAR = wp.constant(1)
"""Places in ``ipc_count``."""
LOST = wp.constant(3)


@wp.func
def lower(d: DataFields, world: int, v: int) -> wp.vec3:
    """Lowest corner of the box about the motion of a vertex."""
    return wp.min(vertex_at(d, world, v, 0.0), vertex_at(d, world, v, 1.0))


@wp.func
def upper(d: DataFields, world: int, v: int) -> wp.vec3:
    """Highest corner of it."""
    return wp.max(vertex_at(d, world, v, 0.0), vertex_at(d, world, v, 1.0))


@wp.func
def motion_boxes(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Boxes about the motion of triangles and edges."""
    for k in range(lane, m.nipctri, nlane):
        v = m.ipctri_vert[k]
        low = wp.min(lower(d, world, v[0]), lower(d, world, v[1]))
        high = wp.max(upper(d, world, v[0]), upper(d, world, v[1]))
        d.ipctri_box[world, k, 0] = wp.min(low, lower(d, world, v[2]))
        d.ipctri_box[world, k, 1] = wp.max(high, upper(d, world, v[2]))
    for k in range(lane, m.nipcedge, nlane):
        e = m.ipcedge_vert[k]
        d.ipcedge_box[world, k, 0] = wp.min(lower(d, world, e[0]), lower(d, world, e[1]))
        d.ipcedge_box[world, k, 1] = wp.max(upper(d, world, e[0]), upper(d, world, e[1]))
    sync()


@wp.func
def apart(low: wp.vec3, high: wp.vec3, other_low: wp.vec3, other_high: wp.vec3, reach: float) -> bool:
    """Whether two boxes are farther apart than ``reach`` along an axis."""
    under = wp.max(low - other_high)
    over = wp.max(other_low - high)
    return wp.max(under, over) > reach


@wp.func
def put_near(m: ModelFields, d: DataFields, world: int, pair: wp.vec3i, at: int, write: bool) -> int:
    """1 if a pair is near, which goes to place ``at`` if there is one; else 0."""
    # nothing to keep apart where no vertex moves
    verts = pair_vertices(m, pair)
    moving = bool(False)
    for i in range(4):
        if verts[i] >= 0:
            moving = moving or m.ipcpoint_active[verts[i]] > 0
    if not moving:
        return 0
    # near, or can come near; surfaces that touch have no direction
    gap = pair_gap(m, d, world, pair, 0.0).gap
    kind = pair[0]
    if kind <= EDGE_EDGE and gap <= 0.0:
        return 0
    reach = pair_reach(m, world, kind, verts) + pair_band(m, world, verts)
    if gap >= reach + closing_bound(m, d, world, kind, verts):
        return 0
    if write and at < d.nipcpair:
        d.ipcnear[world, at] = pair
        d.ipcnear_gap[world, at] = gap
    return 1


@wp.struct
class Search:
    """Search of one part: kind and first part of its pairs, the box about its motion, and partners by number."""

    kind: int
    part: int
    low: wp.vec3
    high: wp.vec3
    reach: float  # [m]
    flex: int  # -1: a static feature
    row: int  # of static features, of ipcgeom_meets
    own: wp.vec2i  # bodies that partners must not have a vertex on: neighbours share one
    first: int
    last: int


@wp.func
def bodies_of(m: ModelFields, two: wp.vec2i) -> wp.vec2i:
    """Bodies of two vertices."""
    return wp.vec2i(m.flex_vertbodyid[two[0]], m.flex_vertbodyid[two[1]])


@wp.func
def search_of_task(m: ModelFields, d: DataFields, world: int, task: int) -> Search:
    """The search of one task: vertices by geoms, corners and sides of geoms, vertices by triangles, edges."""
    s = Search()
    s.own = wp.vec2i(-1, -1)
    s.flex = -1
    s.first = 0
    s.last = m.nipctri
    k = task
    corner = int(-1)
    v = int(-1)
    edge = int(-1)
    if k < m.nipcpoint:
        v = k
        s.kind = VERTEX_GEOM
        s.last = m.nipcgeom
    elif k < m.nipcpoint + m.nipccorner:
        k -= m.nipcpoint
        corner = k
        s.kind = CORNER_TRIANGLE
    elif k < m.nipcpoint + m.nipccorner + m.nipcside:
        k -= m.nipcpoint + m.nipccorner
        corner = m.ipcside_corner[k][0]
        s.kind = SIDE_EDGE
        s.last = m.nipcedge
    elif k < 2 * m.nipcpoint + m.nipccorner + m.nipcside:
        k -= m.nipcpoint + m.nipccorner + m.nipcside
        v = k
        s.kind = VERTEX_TRIANGLE
    else:
        k -= 2 * m.nipcpoint + m.nipccorner + m.nipcside
        edge = k
        s.kind = EDGE_EDGE
        s.first = k + 1
        s.last = m.nipcedge
    s.part = k

    # box, radius, and who it is
    if corner >= 0:
        s.low = corner_place(m, d, world, corner)
        s.high = s.low
        s.row = m.ipccorner_geom[corner] * m.nflex
        s.reach = corner_radius(m, world, corner) + BAND
        if s.kind == SIDE_EDGE:
            end = corner_place(m, d, world, m.ipcside_corner[k][1])
            s.low = wp.min(s.low, end)
            s.high = wp.max(s.high, end)
    elif v >= 0:
        s.low = lower(d, world, v)
        s.high = upper(d, world, v)
        s.own = bodies_of(m, wp.vec2i(v, v))
        s.flex = m.ipcpoint_flex[v]
        s.reach = m.flex_radius[world, s.flex] + BAND
        # of no surface, or one that cannot meet geoms since it stays
        if m.ipcpoint_active[v] == 0 or (s.kind == VERTEX_GEOM and m.ipcpoint_active[v] < 0):
            s.last = 0
    else:
        s.low = d.ipcedge_box[world, edge, 0]
        s.high = d.ipcedge_box[world, edge, 1]
        s.own = bodies_of(m, m.ipcedge_vert[edge])
        s.flex = m.ipcpoint_flex[m.ipcedge_vert[edge][0]]
        s.reach = m.flex_radius[world, s.flex] + BAND
    return s


@wp.func
def is_partner(m: ModelFields, d: DataFields, world: int, s: Search, k: int) -> bool:
    """Whether partner ``k`` may meet the part, by masks, shared vertices and boxes."""
    if s.kind == VERTEX_GEOM:
        return m.ipcgeom_meets[k * m.nflex + s.flex] > 0

    # triangles and edges
    low = wp.vec3(0.0, 0.0, 0.0)
    high = low
    v = wp.vec3i(0, 0, 0)
    if s.kind == VERTEX_TRIANGLE or s.kind == CORNER_TRIANGLE:
        v = m.ipctri_vert[k]
        low = d.ipctri_box[world, k, 0]
        high = d.ipctri_box[world, k, 1]
    else:
        e = m.ipcedge_vert[k]
        v = wp.vec3i(e[0], e[1], e[1])
        low = d.ipcedge_box[world, k, 0]
        high = d.ipcedge_box[world, k, 1]
    other = m.ipcpoint_flex[v[0]]
    if apart(s.low, s.high, low, high, s.reach + m.flex_radius[world, other]):
        return False
    if s.flex < 0:
        return m.ipcgeom_meets[s.row + other] > 0
    for i in range(3):
        b = m.flex_vertbodyid[v[i]]
        if b == s.own[0] or b == s.own[1]:
            return False
    return m.ipcflex_meets[s.flex * m.nflex + other] > 0


@wp.func
def near_of_task(m: ModelFields, d: DataFields, world: int, task: int, at: int, write: bool) -> int:
    """Near pairs of one part, from place ``at`` on; returns their number."""
    s = search_of_task(m, d, world, task)
    count = int(0)
    for k in range(s.first, s.last):
        if is_partner(m, d, world, s, k):
            count += put_near(m, d, world, wp.vec3i(s.kind, s.part, k), at + count, write)
    return count


@wp.func
def list_near(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Near pairs on the way from ``ipc_safe`` to ``ipc_move``, part after part."""
    motion_boxes(m, d, world, lane, nlane)
    total = int(0)
    base = int(0)
    # one lane writes as it finds; a team counts in a first turn, so that it knows where to write in a second
    turns = int(2)
    if one_lane():
        turns = int(1)
    while base < m.nipctask:
        at = total
        for turn in range(turns):
            count = int(0)
            if base + lane < m.nipctask:
                count = near_of_task(m, d, world, base + lane, at, turn == turns - 1)
            if turns == 1:
                total += count
            elif turn == 0:
                places = team_scan(d.team_i, world, count)
                at = total + places[0]
                total += places[1]
        base += nlane
    sync()
    # those that do not fit are counted
    if lane == 0:
        d.ipc_count[world, NEAR] = wp.min(total, d.nipcpair)
        d.ipc_count[world, LOST] = wp.max(d.ipc_count[world, LOST], total - d.nipcpair)
    sync()
