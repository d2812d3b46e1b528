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


@wp.func
def near_triangles(m: ModelFields, d: DataFields, world: int, part: int, vertex: bool, at: int, write: bool) -> int:
    """Pairs of a vertex, or of a static corner, with triangles; returns their number."""
    # box about the point's motion
    low = wp.vec3(0.0, 0.0, 0.0)
    high = low
    reach = float(0.0)
    f = int(-1)
    kind = int(VERTEX_TRIANGLE)
    if vertex:
        low = lower(d, world, part)
        high = upper(d, world, part)
        f = m.ipcpoint_flex[part]
        reach = m.flex_radius[world, f] + BAND
    else:
        low = corner_place(m, d, world, part)
        high = low
        reach = corner_radius(m, world, part) + BAND
        kind = int(CORNER_TRIANGLE)
    count = int(0)
    for k in range(m.nipctri):
        v = m.ipctri_vert[k]
        other = m.ipcpoint_flex[v[0]]
        box_reach = reach + m.flex_radius[world, other]
        if not apart(low, high, d.ipctri_box[world, k, 0], d.ipctri_box[world, k, 1], box_reach):
            meets = bool(False)
            if vertex:
                meets = m.ipcflex_meets[f * m.nflex + other] > 0 and part != v[0] and part != v[1] and part != v[2]
            else:
                meets = m.ipcgeom_meets[m.ipccorner_geom[part] * m.nflex + other] > 0
            if meets:
                count += put_near(m, d, world, wp.vec3i(kind, part, k), at + count, write)
    return count


@wp.func
def near_edges(m: ModelFields, d: DataFields, world: int, part: int, edge: bool, at: int, write: bool) -> int:
    """Pairs of an edge with those after it, or of a static side with edges; returns their number."""
    low = wp.vec3(0.0, 0.0, 0.0)
    high = low
    reach = float(0.0)
    f = int(-1)
    kind = int(EDGE_EDGE)
    first = int(0)
    own = wp.vec2i(-1, -1)
    if edge:
        low = d.ipcedge_box[world, part, 0]
        high = d.ipcedge_box[world, part, 1]
        own = m.ipcedge_vert[part]
        f = m.ipcpoint_flex[own[0]]
        reach = m.flex_radius[world, f] + BAND
        first = part + 1
    else:
        ends = m.ipcside_corner[part]
        one = corner_place(m, d, world, ends[0])
        two = corner_place(m, d, world, ends[1])
        low = wp.min(one, two)
        high = wp.max(one, two)
        reach = corner_radius(m, world, ends[0]) + BAND
        kind = int(SIDE_EDGE)
    count = int(0)
    for k in range(first, m.nipcedge):
        e = m.ipcedge_vert[k]
        other = m.ipcpoint_flex[e[0]]
        box_reach = reach + m.flex_radius[world, other]
        if not apart(low, high, d.ipcedge_box[world, k, 0], d.ipcedge_box[world, k, 1], box_reach):
            meets = bool(False)
            if edge:
                # neighbours share a vertex
                shared = own[0] == e[0] or own[0] == e[1] or own[1] == e[0] or own[1] == e[1]
                meets = m.ipcflex_meets[f * m.nflex + other] > 0 and not shared
            else:
                meets = m.ipcgeom_meets[m.ipccorner_geom[m.ipcside_corner[part][0]] * m.nflex + other] > 0
            if meets:
                count += put_near(m, d, world, wp.vec3i(kind, part, k), at + count, write)
    return count


@wp.func
def near_geoms(m: ModelFields, d: DataFields, world: int, v: int, at: int, write: bool) -> int:
    """Pairs of a vertex that moves with static geoms; returns their number."""
    count = int(0)
    if m.ipcpoint_active[v] > 0:
        f = m.ipcpoint_flex[v]
        for k in range(m.nipcgeom):
            if m.ipcgeom_meets[k * m.nflex + f] > 0:
                count += put_near(m, d, world, wp.vec3i(VERTEX_GEOM, v, k), at + count, write)
    return count


@wp.func
def near_of_task(m: ModelFields, d: DataFields, world: int, task: int, at: int, write: bool) -> int:
    """Near pairs of one part; returns their number."""
    k = task
    if k < m.nipcpoint:
        return near_geoms(m, d, world, k, at, write)
    k -= m.nipcpoint
    if k < m.nipccorner:
        return near_triangles(m, d, world, k, False, at, write)
    k -= m.nipccorner
    if k < m.nipcside:
        return near_edges(m, d, world, k, False, at, write)
    k -= m.nipcside
    if k < m.nipcpoint:
        if m.ipcpoint_active[k] == 0:
            return 0
        return near_triangles(m, d, world, k, True, at, write)
    return near_edges(m, d, world, k - m.nipcpoint, True, at, write)


@wp.func
def list_near(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Near pairs on the way from ``ipc_safe`` to ``ipc_move``, part after part."""
    motion_boxes(m, d, world, lane, nlane)
    total = int(0)
    base = int(0)
    # one lane writes as it finds; a team counts first
    while base < m.nipctask:
        task = base + lane
        if one_lane():
            total += near_of_task(m, d, world, task, total, True)
        else:
            count = int(0)
            if task < m.nipctask:
                count = near_of_task(m, d, world, task, 0, False)
            places = team_scan(d.team_i, world, count)
            if count > 0:
                near_of_task(m, d, world, task, total + places[0], True)
            total += places[1]
        base += nlane
    sync()
    # those that do not fit are counted
    if lane == 0:
        d.ipc_count[world, NEAR] = wp.min(total, d.nipcpair)
        d.ipc_count[world, LOST] = wp.max(d.ipc_count[world, LOST], total - d.nipcpair)
    sync()
