"""Contact sides that are flexes: the bodies that carry a contact, with their weights.

A flex moves at a contact as the weighted mean of what carries it there, each as if it were at the contact: the bodies of its
element's vertices, or the nodes of a cell. Inner nodes of shells are carried by nodes of the surface in turn.

An edge of a rod turns besides: with its two vertices, and about itself by its twist joint, whose body carries no weight.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.rod_section import is_box_rod

KNOWN = wp.constant(0.25)
"""Squared length above which an axis of a frame was kept: unit vectors are, and zeros are not."""


@wp.struct
class FlexSide:
    """A flex at a contact: the vertices, of all flexes, of what touches (-1 beyond the last) and their weights; of an
    interpolated flex the place in a cell.
    """

    vertices: wp.vec4i
    share: wp.vec4
    order: int  # of the polynomials; 0: not interpolated
    node: int  # first of the cell, of all flexes
    step: wp.vec3i  # from a node to the next along each axis
    place: wp.vec3  # within the cell, 0 to 1
    twist: int  # dof by which an edge of a rod turns about itself; -1: no rod
    axis: wp.vec3  # unit vector along that edge, from the first vertex to the second
    length: float  # of it [m]
    arm: wp.vec3  # from the axis to the contact [m]
    is_rigid: bool  # both vertices are on one body, which turns the edge
    body_arm: wp.vec3  # by which that body does [m]
    roll: (
        wp.vec3
    )  # turn about the axis per way of the second vertex beside the first, of a frame carried since the last step [1/m]


@wp.func
def is_flex_side(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> bool:
    """Whether a side of a contact is a flex."""
    if m.nflexgroup > 0:
        return d.contact_geom[world, c][side] < 0
    return False


@wp.func
def is_springy(m: ModelFields, f: int) -> bool:
    """Whether contacts of a flex are springs: of those that ask for it all but rigid ones and lines."""
    return m.flex_passive[f] != 0 and m.flex_rigid[f] == 0 and m.flex_dim[f] > 1


@wp.func
def is_passive(m: ModelFields, d: DataFields, world: int, c: int) -> bool:
    """Whether a contact is a spring in place of rows: of a passive flex with what does not move, or with a flex."""
    if m.nflexpassive == 0:
        return False
    g = d.contact_geom[world, c]
    if g[1] >= 0:
        return False
    f = d.contact_flex[world, c]
    if g[0] >= 0:
        return is_springy(m, f[1]) and m.body_weldid[m.geom_bodyid[g[0]]] == 0
    return is_springy(m, f[0]) or is_springy(m, f[1])


@wp.func
def side_vertices(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> wp.vec4i:
    """Vertices, of all flexes, of a flex at a contact; -1 beyond the last."""
    f = d.contact_flex[world, c][side]
    v = d.contact_vert[world, c][side]
    if v >= 0:
        return wp.vec4i(m.flex_vertadr[f] + v, -1, -1, -1)
    found = m.flexelem_vert[m.flex_elemadr[f] + d.contact_elem[world, c][side]]
    for k in range(4):
        if k > m.flex_dim[f]:
            found[k] = -1
    return found


@wp.func
def cell_side(m: ModelFields, s: FlexSide, f: int) -> FlexSide:
    """The side of an interpolated flex: the cell of the weighted mean of its vertices at qpos0, and the place there."""
    # u = sum_v share_v u_v, in the unit box about the flex
    box = wp.vec3(0.0, 0.0, 0.0)
    for i in range(4):
        if s.vertices[i] >= 0:
            box += s.share[i] * m.flex_vert0[s.vertices[i]]

    # nodes are numbered along the last axis first, and cells share those between them
    cells = m.flex_cellnum[f]
    s.order = wp.abs(m.flex_interp[f])
    s.step = wp.vec3i((s.order * cells[1] + 1) * (s.order * cells[2] + 1), s.order * cells[2] + 1, 1)
    node = m.flex_nodeadr[f]
    place = wp.vec3(0.0, 0.0, 0.0)
    for axis in range(3):
        x = box[axis] * float(cells[axis])
        cell = wp.clamp(int(wp.floor(x)), 0, cells[axis] - 1)
        place[axis] = wp.clamp(x - float(cell), 0.0, 1.0)
        node += s.order * cell * s.step[axis]
    s.node = node
    s.place = place
    return s


@wp.func
def rod_roll(m: ModelFields, d: DataFields, world: int, edge: int, s: FlexSide) -> wp.vec3:
    """Turn of an edge about its axis, per way of its second vertex beside the first: ``-(t0 x t) / (length (1 + t0 . t))``.

    The frame of an edge is that of the last step, where the edge went along ``t0``, carried the shortest way to ``t``.
    """
    chain = m.flexrodedge_chain[edge]
    at = m.flexchain_plastic[chain]
    if at < 0:
        return wp.vec3(0.0, 0.0, 0.0)
    k = at + 6 * (edge - m.flexchain_edgeadr[chain])
    before = wp.vec3(d.plastic[world, k], d.plastic[world, k + 1], d.plastic[world, k + 2])
    normal = wp.vec3(d.plastic[world, k + 3], d.plastic[world, k + 4], d.plastic[world, k + 5])
    size = s.length * (1.0 + wp.dot(before, s.axis))
    if wp.min(wp.length_sq(before), wp.length_sq(normal)) <= KNOWN or size < MINVAL:
        return wp.vec3(0.0, 0.0, 0.0)
    return (-1.0 / size) * wp.cross(before, s.axis)


@wp.func
def edge_turn(s: FlexSide, u: wp.vec3) -> wp.vec3:
    """Angular velocity of an edge of a rod whose second vertex moves with ``u`` beside the first: ``t x u / length`` across
    it, and about it what its frame rolls.
    """
    return wp.cross(s.axis, u) / s.length + wp.dot(s.roll, u) * s.axis


@wp.func
def edge_couple(s: FlexSide, torque: wp.vec3) -> wp.vec3:
    """Force on the second vertex of an edge, its opposite on the first, by which a torque acts: the transpose of ``edge_turn``."""
    return wp.cross(torque, s.axis) / s.length + wp.dot(s.axis, torque) * s.roll


@wp.func
def vertex_turn(s: FlexSide, i: int, u: wp.vec3, spin: wp.vec3) -> wp.vec3:
    """Angular velocity of an edge of a rod whose vertex ``i`` alone moves, with ``u``, on a body that turns with ``spin``; of
    one on a single body the vertex's share of that.
    """
    if s.is_rigid:
        return s.share[i] * spin
    return edge_turn(s, wp.where(i == 0, -1.0, 1.0) * u)


@wp.func
def vertex_load(s: FlexSide, i: int, force: wp.vec3, torque: wp.vec3) -> wp.spatial_vector:
    """Torque on the body of vertex ``i`` of an edge of a rod, and force at the vertex, of a force and a torque on the edge at
    the contact: the transpose of what ``vertex_turn`` is part of.
    """
    if s.is_rigid:
        return s.share[i] * wp.spatial_vector(wp.cross(s.body_arm, force) + torque, force)
    couple = wp.where(i == 0, -1.0, 1.0) * edge_couple(s, wp.cross(s.arm, force) + torque)
    return wp.spatial_vector(wp.vec3(0.0, 0.0, 0.0), s.share[i] * force + couple)


@wp.func
def rod_side(m: ModelFields, d: DataFields, world: int, c: int, side: int, s: FlexSide) -> FlexSide:
    """The side of a rod: its edge there, of a vertex the one that begins with it, or the last; vertices are in the rod's
    order.
    """
    f = d.contact_flex[world, c][side]
    e = m.flex_elemadr[f] + d.contact_elem[world, c][side]
    v = d.contact_vert[world, c][side]
    if v >= 0:
        e = m.flexvert_twistelem[m.flex_vertadr[f] + v]
    if e < 0:
        return s
    edge = m.flexelem_rodedge[e]
    if edge < 0:
        return s
    s.twist = m.flexrodedge_dofadr[edge]
    if s.twist < 0:
        return s
    ends = m.flexrodedge_vert[edge]
    if v >= 0:
        last = ends[1] == s.vertices[0]
        s.share = wp.where(last, wp.vec4(0.0, 1.0, 0.0, 0.0), wp.vec4(1.0, 0.0, 0.0, 0.0))
    elif s.vertices[0] != ends[0]:
        s.share = wp.vec4(s.share[1], s.share[0], 0.0, 0.0)
    s.vertices = wp.vec4i(ends[0], ends[1], -1, -1)
    s.is_rigid = m.flex_vertbodyid[ends[0]] == m.flex_vertbodyid[ends[1]]

    # from the axis to the contact; a vertex is touched straight below it
    a = d.flexvert_xpos[world, ends[0]]
    b = d.flexvert_xpos[world, ends[1]]
    s.length = wp.length(b - a)
    s.axis = wp.normalize(b - a)
    s.arm = d.contact_pos[world, c] - (s.share[0] * a + s.share[1] * b)
    s.body_arm = s.arm
    if v >= 0:
        frame = d.contact_frame[world, c]
        inwards = wp.where(side == 0, 1.0, -1.0) * wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2])
        if is_box_rod(m, f):
            # a corner of a section, of which the contact is half way to the plane
            s.arm -= 0.5 * d.contact_dist[world, c] * inwards
        else:
            s.arm = m.flex_radius[world, f] * inwards
    s.roll = rod_roll(m, d, world, edge, s)
    return s


@wp.func
def flex_at_contact(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> FlexSide:
    """Side of a contact that is a flex: its vertices, or its place in a cell."""
    s = FlexSide()
    s.vertices = side_vertices(m, d, world, c, side)
    s.share = d.contact_share[world, c, side]
    s.twist = -1
    if m.nflextwist > 0:
        s = rod_side(m, d, world, c, side, s)
    if m.nflexinterp > 0:
        f = d.contact_flex[world, c][side]
        if m.flex_interp[f] != 0:
            s = cell_side(m, s, f)
    return s


@wp.func
def carrier_count(s: FlexSide) -> int:
    """Count of the vertices, or nodes of a cell, that carry a side, and of the twist of a rod; some of the vertices may be
    none.
    """
    return wp.where(s.order == 0, wp.where(s.twist < 0, 4, 5), (s.order + 1) * (s.order + 1) * (s.order + 1))


@wp.func
def node_axes(s: FlexSide, i: int) -> wp.vec3i:
    """Place of node ``i`` of a cell along each axis, 0 to the order."""
    n = s.order + 1
    return wp.vec3i(i / (n * n), (i / n) % n, i % n)


@wp.func
def node_basis(order: int, k: int, x: float) -> float:
    """Lagrange polynomial of node ``k`` along one axis of a cell, at 0 <= x <= 1."""
    if order == 1:
        return wp.where(k == 0, 1.0 - x, x)
    if k == 1:
        return 4.0 * x * (1.0 - x)
    return wp.where(k == 0, 2.0 * (x - 0.5) * (x - 1.0), 2.0 * x * (x - 0.5))


@wp.func
def carrier_weight(s: FlexSide, i: int) -> float:
    """Weight of vertex, or node of a cell, ``i``; a twist has none."""
    if s.order == 0:
        return wp.where(i < 4, s.share[wp.min(i, 3)], 0.0)
    at = node_axes(s, i)
    return (
        node_basis(s.order, at[0], s.place[0])
        * node_basis(s.order, at[1], s.place[1])
        * node_basis(s.order, at[2], s.place[2])
    )


@wp.func
def carrier_points(m: ModelFields, s: FlexSide, i: int) -> wp.vec2i:
    """Numbers, first and last + 1, of the bodies of vertex or node ``i``; none of no vertex."""
    if s.order == 0:
        return wp.vec2i(0, wp.where(i < 4 and s.vertices[wp.min(i, 3)] < 0, 0, 1))
    at = node_axes(s, i)
    n = s.node + at[0] * s.step[0] + at[1] * s.step[1] + at[2] * s.step[2]
    return wp.vec2i(m.flexnode_bodyadr[n], m.flexnode_bodyadr[n + 1])


@wp.func
def point_body(m: ModelFields, s: FlexSide, i: int, k: int) -> int:
    """Body ``k`` of vertex or node ``i``."""
    if s.order == 0:
        if i == 4:
            return m.dof_bodyid[s.twist]
        return m.flex_vertbodyid[s.vertices[i]]
    return m.flexnode_body[k]


@wp.func
def point_weight(m: ModelFields, s: FlexSide, k: int) -> float:
    """Share of body ``k`` in its vertex or node."""
    if s.order == 0:
        return 1.0
    return m.flexnode_share[k]


@wp.func
def first_body(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> int:
    """Body of the first vertex of a flex at a contact, or of the first node that the vertex is interpolated from."""
    v = side_vertices(m, d, world, c, side)[0]
    b = m.flex_vertbodyid[v]
    if b < 0:
        b = m.flex_nodebodyid[m.flexvert_node[m.flexvert_nodeadr[v]]]
    return b


@wp.func
def waking_body(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> int:
    """Body by which a flex wakes at a contact: of the vertex, or of the element's first; of an interpolated flex that of
    its first node.
    """
    f = d.contact_flex[world, c][side]
    if m.flex_interp[f] != 0:
        return m.flex_nodebodyid[m.flex_nodeadr[f]]
    return m.flex_vertbodyid[side_vertices(m, d, world, c, side)[0]]
