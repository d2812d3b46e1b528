"""Contact Jacobian: what the dofs that move each side of a contact write into its rows."""

import warp as wp

from newtonlite.core.mujoco import MjtCone
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.contact_flex import side_width
from newtonlite.solvers.mujoco.kernels.constraint.row_store import chain_length, put
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import (
    FlexSide,
    carrier_count,
    carrier_points,
    carrier_weight,
    flex_at_contact,
    is_flex_side,
    point_body,
    point_weight,
    vertex_turn,
)
from newtonlite.solvers.mujoco.kernels.primitives.point import lever, linear_at
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def put_dof_axes(m: ModelFields, d: DataFields, world: int, c: int, place: int, i: int, lin: wp.vec3, rot: wp.vec3):
    """Entries of dof ``i`` in all rows of a contact, from its motion in the contact frame; ``place`` is that in sparse
    rows.
    """
    row = d.contact_efc_address[world, c]
    # without friction the normal alone; an elliptic cone has a row for each axis, translations first
    dim = d.contact_dim[world, c]
    if dim == 1:
        put(m, d, world, row, place, i, lin[0])
    elif m.opt_cone == MjtCone.ELLIPTIC:
        for k in range(3):
            put(m, d, world, row + k, place, i, lin[k])
        for k in range(3, dim):
            put(m, d, world, row + k, place, i, rot[k - 3])
    else:
        # edges of the pyramid: normal plus and minus friction times a tangent, or times a rotation
        friction = d.contact_friction[world, c]
        for k in range(2):
            side = friction[k] * lin[k + 1]
            put(m, d, world, row + 2 * k, place, i, lin[0] + side)
            put(m, d, world, row + 2 * k + 1, place, i, lin[0] - side)
        for k in range(2, dim - 1):
            turn = friction[k] * rot[k - 2]
            put(m, d, world, row + 2 * k, place, i, lin[0] + turn)
            put(m, d, world, row + 2 * k + 1, place, i, lin[0] - turn)


@wp.func
def add_body_jacobian(
    m: ModelFields, d: DataFields, world: int, c: int, at: wp.vec2i, sign: float, lane: int, nlane: int
):
    """Share of the dofs that move body ``at[0]`` in the relative motion at the contact, times ``sign``, which is negative
    for the first body; sparse rows have it from place ``at[1]`` on.
    """
    b = at[0]
    if m.chain_adr[b] < m.chain_adr[b + 1]:
        # velocity of the body's point at the contact, and rotation, per unit speed of each dof, in the contact frame
        frame = d.contact_frame[world, c] * sign
        arm = lever(m, d, world, b, d.contact_pos[world, c])
        first = at[1] - m.chain_adr[b]
        for k in range(m.chain_adr[b] + lane, m.chain_adr[b + 1], nlane):
            i = m.chain_dof[k]
            axis = d.cdof[world, i]
            lin = frame * linear_at(axis, arm)
            rot = wp.vec3(0.0, 0.0, 0.0)
            if d.contact_dim[world, c] > 3:
                rot = frame * wp.spatial_top(axis)
            put_dof_axes(m, d, world, c, first + k, i, lin, rot)


@wp.func
def side_place(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> int:
    """First entry of a side in the sparse rows of a contact: those of the second are at the end."""
    # widths of both sides add up to that of the row
    if m.nsparse > 0 and side == 1:
        return d.efc_J_rownnz[world, d.contact_efc_address[world, c]] - side_width(m, d, world, c, 1)
    return 0


@wp.func
def add_rod_jacobian(m: ModelFields, d: DataFields, world: int, c: int, side: int, s: FlexSide, lane: int, nlane: int):
    """Share of the dofs that move an edge of a rod: those of its two vertices, then its twist.

    ``v = sum_i w_i v_i + omega x arm`` with ``omega = sum_i vertex_turn(v_i) + axis dtwist/dt``.
    """
    # each vertex turns the edge, one way or the other, as well as it moves it
    frame = d.contact_frame[world, c] * wp.where(side == 0, -1.0, 1.0)
    place = side_place(m, d, world, c, side)
    for i in range(2):
        b = m.flex_vertbodyid[s.vertices[i]]
        arm = lever(m, d, world, b, d.flexvert_xpos[world, s.vertices[i]])
        for k in range(m.chain_adr[b] + lane, m.chain_adr[b + 1], nlane):
            dof = m.chain_dof[k]
            u = linear_at(d.cdof[world, dof], arm)
            omega = vertex_turn(s, i, u, wp.spatial_top(d.cdof[world, dof]))
            lin = frame * (s.share[i] * u + wp.cross(omega, wp.where(s.is_rigid, s.body_arm, s.arm)))
            put_dof_axes(m, d, world, c, place + k - m.chain_adr[b], dof, lin, frame * omega)
        place += chain_length(m, b)
        sync()

    # about its own axis
    if lane == 0:
        put_dof_axes(m, d, world, c, place, s.twist, frame * wp.cross(s.axis, s.arm), frame * s.axis)
    sync()


@wp.func
def add_flex_jacobian(m: ModelFields, d: DataFields, world: int, c: int, side: int, lane: int, nlane: int):
    """Share of the dofs that move a flex: those of each of its points, by its weight, as if it were at the contact."""
    sign = wp.where(side == 0, -1.0, 1.0)
    place = side_place(m, d, world, c, side)
    s = flex_at_contact(m, d, world, c, side)
    if m.nflextwist > 0:
        if s.twist >= 0:
            add_rod_jacobian(m, d, world, c, side, s, lane, nlane)
            return
    for i in range(carrier_count(s)):
        points = carrier_points(m, s, i)
        for k in range(points[0], points[1]):
            weight = sign * carrier_weight(s, i) * point_weight(m, s, k)
            b = point_body(m, s, i, k)
            # points may share dofs: one after the other
            # sparse entries are all written: what is reserved is read
            if weight != 0.0 or m.nsparse > 0:
                add_body_jacobian(m, d, world, c, wp.vec2i(b, place), weight, lane, nlane)
            place += chain_length(m, b)
            sync()


@wp.func
def add_side_jacobian(m: ModelFields, d: DataFields, world: int, c: int, side: int, lane: int, nlane: int):
    """Share of the dofs that move a side of a contact: second minus first, motion apart along the normal."""
    sign = wp.where(side == 0, -1.0, 1.0)
    if is_flex_side(m, d, world, c, side):
        add_flex_jacobian(m, d, world, c, side, lane, nlane)
    else:
        b = m.geom_bodyid[d.contact_geom[world, c][side]]
        add_body_jacobian(m, d, world, c, wp.vec2i(b, side_place(m, d, world, c, side)), sign, lane, nlane)
