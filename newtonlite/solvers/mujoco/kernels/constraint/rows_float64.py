"""Constraint rows in double, for models whose inertia needs more digits than float32 has.

What a row does to a body is one wrench on it, and rounding in that is of no account. Rounding in the entries of J, one
by one, is a force on light links that no wrench on their load could have.
"""

import warp as wp

from newtonlite.core.mujoco import MjtCone, MjtDisableBit, MjtEq
from newtonlite.math.quaternion import quat_conj, quat_mul, quat_rotate
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.contact import contact_row_count
from newtonlite.solvers.mujoco.kernels.constraint.equality_row import anchor
from newtonlite.solvers.mujoco.kernels.constraint.weld import TORQUE_SCALE, quat_error_rate, welded_frame
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import (
    FlexSide,
    carrier_count,
    carrier_points,
    carrier_weight,
    flex_at_contact,
    is_flex_side,
    point_body,
    point_weight,
    vertex_load,
)
from newtonlite.solvers.mujoco.kernels.primitives.point import lever
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.inertia_float64 import widened


@wp.func
def start_of(m: ModelFields, first: int, last: int) -> int:
    """First block of the trees whose dofs lie in a stretch of blocks."""
    low = int(first)
    for i in range(16 * first, wp.min(16 * last, m.nv)):
        low = wp.min(low, m.dof_block[i][0])
    return low


@wp.func
def widen_blocks(m: ModelFields, d: DataFields, world: int, row: int) -> wp.vec4i:
    """Blocks of a row, from the roots of its trees on; where the stretches meet, one."""
    # each stretch begins at the root of its trees; two that then overlap become one
    t = d.efc_block[world, row]
    one = start_of(m, t[0], t[1])
    two = int(t[2])
    if t[2] < t[3]:
        two = start_of(m, t[2], t[3])
        if two < t[1]:
            return wp.vec4i(wp.min(one, two), t[3], t[3], t[3])
    return wp.vec4i(one, t[1], two, t[3])


@wp.func
def copy_row(m: ModelFields, d: DataFields, world: int, row: int):
    """A row of J in double, with zeros up to the roots of its trees, and a copy."""
    # outside its own blocks a row is 0; those that are new in it are cleared, since nobody has
    t = d.efc_block[world, row]
    wide = widen_blocks(m, d, world, row)
    for i in range(m.nv):
        b = i / 16
        value = float(0.0)
        if (t[0] <= b and b < t[1]) or (t[2] <= b and b < t[3]):
            value = d.efc_J[world, row, i]
        if (wide[0] <= b and b < wide[1]) or (wide[2] <= b and b < wide[3]):
            d.efc_J[world, row, i] = value
        d.kept_J[world, row, i] = value
        d.rows64[world, row, i] = wp.float64(value)
    d.efc_block[world, row] = wide


@wp.func
def clear_row_float64(m: ModelFields, d: DataFields, world: int, row: int):
    """Start a row anew."""
    for i in range(m.nv):
        d.rows64[world, row, i] = wp.float64(0.0)


@wp.func
def add_wrench(m: ModelFields, d: DataFields, world: int, row: int, b: int, torque: wp.vec3, force: wp.vec3):
    """Add ``S_i . w`` for a wrench on a body, about its tree's centre of mass."""
    # the row's entry of a dof is the power of the wrench at unit speed of that dof
    wrench = widened(wp.spatial_vector(torque, force))
    for k in range(m.chain_adr[b], m.chain_adr[b + 1]):
        i = m.chain_dof[k]
        d.rows64[world, row, i] = d.rows64[world, row, i] + wp.dot(widened(d.cdof[world, i]), wrench)


@wp.func
def add_rod_wrench(m: ModelFields, d: DataFields, world: int, row: int, s: FlexSide, force: wp.vec3, turn: wp.vec3):
    """Add a wrench on an edge of a rod: forces on its two vertices, and a torque on its twist.

    What turns it, ``arm x force + turn``, is a couple of forces on the vertices and its part along the axis.
    """
    moment = wp.cross(s.arm, force) + turn
    for i in range(2):
        b = m.flex_vertbodyid[s.vertices[i]]
        load = vertex_load(s, i, force, turn)
        own = wp.spatial_bottom(load)
        arm = lever(m, d, world, b, d.flexvert_xpos[world, s.vertices[i]])
        add_wrench(m, d, world, row, b, wp.cross(arm, own) + wp.spatial_top(load), own)
    hinge = wp.spatial_top(d.cdof[world, s.twist])
    add_wrench(m, d, world, row, m.dof_bodyid[s.twist], wp.dot(s.axis, moment) * hinge, wp.vec3(0.0, 0.0, 0.0))


@wp.func
def add_flex_wrench(
    m: ModelFields, d: DataFields, world: int, c: int, row: int, side: int, force: wp.vec3, turn: wp.vec3
):
    """Add a wrench on a flex: its share on each of the flex's points."""
    # each body has its share, as if it were at the contact
    s = flex_at_contact(m, d, world, c, side)
    if m.nflextwist > 0:
        if s.twist >= 0:
            add_rod_wrench(m, d, world, row, s, force, turn)
            return
    for i in range(carrier_count(s)):
        points = carrier_points(m, s, i)
        for k in range(points[0], points[1]):
            weight = carrier_weight(s, i) * point_weight(m, s, k)
            b = point_body(m, s, i, k)
            arm = lever(m, d, world, b, d.contact_pos[world, c])
            add_wrench(m, d, world, row, b, weight * (wp.cross(arm, force) + turn), weight * force)


@wp.func
def contact_row_float64(m: ModelFields, d: DataFields, world: int, c: int, row: int, k: int):
    """Row ``k`` of a contact: an axis of its frame, or an edge of its pyramid."""
    # which axis of the frame, and how much of it beside the normal: edges of a pyramid are n +- mu t
    frame = d.contact_frame[world, c]
    dim = d.contact_dim[world, c]
    axis = int(k)
    share = float(1.0)  # of that axis, beside the normal
    normal = float(0.0)
    if dim > 1 and m.opt_cone != MjtCone.ELLIPTIC:
        axis = k / 2 + 1
        share = d.contact_friction[world, c][k / 2] * wp.where(k % 2 == 0, 1.0, -1.0)
        normal = 1.0
    # axes 0 to 2 are forces along the frame, 3 to 5 torques about it
    force = normal * wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2])
    turn = wp.vec3(0.0, 0.0, 0.0)
    if axis < 3:
        force += share * wp.vec3(frame[axis, 0], frame[axis, 1], frame[axis, 2])
    else:
        turn = share * wp.vec3(frame[axis - 3, 0], frame[axis - 3, 1], frame[axis - 3, 2])
    # the wrench on the second side, its opposite on the first
    clear_row_float64(m, d, world, row)
    geoms = d.contact_geom[world, c]
    for side in range(2):
        sign = wp.where(side == 0, -1.0, 1.0)
        if is_flex_side(m, d, world, c, side):
            add_flex_wrench(m, d, world, c, row, side, sign * force, sign * turn)
        else:
            b = m.geom_bodyid[geoms[side]]
            arm = lever(m, d, world, b, d.contact_pos[world, c])
            add_wrench(m, d, world, row, b, sign * (wp.cross(arm, force) + turn), sign * force)


@wp.func
def contact_rows_float64(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Rows of all contacts."""
    ncon = d.ncon[world]
    if (m.opt_disableflags & (MjtDisableBit.CONSTRAINT | MjtDisableBit.CONTACT)) != 0:
        ncon = int(0)
    for c in range(lane, ncon, nlane):
        row = d.contact_efc_address[world, c]
        if row >= 0:
            for k in range(contact_row_count(m, d, world, c)):
                contact_row_float64(m, d, world, c, row + k, k)


@wp.func
def tie_rows_float64(m: ModelFields, d: DataFields, world: int, k: int, row: int):
    """Rows of a connect or weld: three of positions, three of orientations."""
    # positions: a unit force along each axis of the world at the anchor of either body
    for r in range(3):
        axis = wp.vec3(0.0, 0.0, 0.0)
        axis[r] = 1.0
        clear_row_float64(m, d, world, row + r)
        for side in range(2):
            b = m.eq_body[k][side]
            force = axis * wp.where(side == 0, 1.0, -1.0)
            arm = lever(m, d, world, b, anchor(m, d, world, k, side))
            add_wrench(m, d, world, row + r, b, wp.cross(arm, force), force)
    # orientations: the rate of the error's vector part with a turn about each axis, times the weld's scale
    if m.eq_type[k] == MjtEq.WELD:
        back = quat_conj(welded_frame(m, d, world, k, 1))
        error = quat_mul(back, welded_frame(m, d, world, k, 0))
        for r in range(3):
            torque = wp.vec3(0.0, 0.0, 0.0)
            for c in range(3):
                axis = wp.vec3(0.0, 0.0, 0.0)
                axis[c] = 1.0
                rate = quat_error_rate(error, quat_rotate(back, axis))
                torque[c] = m.eq_data[world, k, TORQUE_SCALE] * rate[r]
            clear_row_float64(m, d, world, row + 3 + r)
            for side in range(2):
                sign = wp.where(side == 0, 1.0, -1.0)
                add_wrench(m, d, world, row + 3 + r, m.eq_body[k][side], sign * torque, wp.vec3(0.0, 0.0, 0.0))


@wp.func
def tied_rows_float64(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Rows of all connects and welds."""
    if (m.opt_disableflags & (MjtDisableBit.CONSTRAINT | MjtDisableBit.EQUALITY)) == 0:
        for k in range(lane, m.neq, nlane):
            row = d.eq_efc_address[world, k]
            kind = m.eq_type[k]
            if row >= 0 and (kind == MjtEq.CONNECT or kind == MjtEq.WELD):
                tie_rows_float64(m, d, world, k, row)


@wp.func
def rows_float64(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``rows64``: J in double, with the rows of bodies made of wrenches."""
    for row in range(lane, d.nefc[world], nlane):
        copy_row(m, d, world, row)
    sync()
    contact_rows_float64(m, d, world, lane, nlane)
    if m.neq > 0:
        tied_rows_float64(m, d, world, lane, nlane)
    sync()
