"""Contact rows of flexes: columns, weight and velocity of a side that is a flex, as of one that is a geom."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row import body_blocks
from newtonlite.solvers.mujoco.kernels.constraint.row_store import chain_length
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import (
    FlexSide,
    carrier_count,
    carrier_points,
    carrier_weight,
    edge_turn,
    first_body,
    flex_at_contact,
    point_body,
    point_weight,
)
from newtonlite.solvers.mujoco.kernels.primitives.point import point_velocity


@wp.func
def side_blocks(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> wp.vec2i:
    """Column blocks, first and last + 1, of the trees that a side of a contact moves with; none: 0, 0."""
    g = d.contact_geom[world, c][side]
    if g >= 0:
        return body_blocks(m, m.geom_bodyid[g])
    # a flex: from the first to the last block of all bodies that carry the element's vertices
    span = wp.vec2i(0, 0)
    s = flex_at_contact(m, d, world, c, side)
    for i in range(carrier_count(s)):
        points = carrier_points(m, s, i)
        for k in range(points[0], points[1]):
            own = body_blocks(m, point_body(m, s, i, k))
            if own[1] > 0:
                span = wp.where(span[1] == 0, own, wp.vec2i(wp.min(span[0], own[0]), wp.max(span[1], own[1])))
    return span


@wp.func
def side_width(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> int:
    """Entries of a sparse row of a contact that one side has: all dofs that move its bodies, body after body."""
    # points of weight 0 count too: the width follows from what touches alone
    g = d.contact_geom[world, c][side]
    total = int(0)
    if g >= 0:
        total = chain_length(m, m.geom_bodyid[g])
    elif m.nflexgroup > 0:
        s = flex_at_contact(m, d, world, c, side)
        for i in range(carrier_count(s)):
            points = carrier_points(m, s, i)
            for k in range(points[0], points[1]):
                total += chain_length(m, point_body(m, s, i, k))
    return total


@wp.func
def side_weight(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> float:
    """Inverse inertia at qpos0 that a side of a contact adds to a row: the weighted mean over its points [1/kg]."""
    g = d.contact_geom[world, c][side]
    if g >= 0:
        return m.body_invweight0[world, m.geom_bodyid[g]][0]
    # w = sum_i weight_i sum_k share_ik w_ik, over vertices or nodes i and the bodies k that carry them
    total = float(0.0)
    s = flex_at_contact(m, d, world, c, side)
    for i in range(carrier_count(s)):
        points = carrier_points(m, s, i)
        for k in range(points[0], points[1]):
            b = point_body(m, s, i, k)
            total += carrier_weight(s, i) * point_weight(m, s, k) * m.body_invweight0[world, b][0]
    return total


@wp.func
def sides_move(m: ModelFields, d: DataFields, world: int, c: int) -> bool:
    """Whether a dof moves a side of a contact against the other: not where neither has any, nor where all is welded
    together.
    """
    # go through the bodies of both sides: are they welded to different ones, and does a dof move any of them
    weld = int(-1)
    apart = bool(False)
    moves = bool(False)
    for side in range(2):
        g = d.contact_geom[world, c][side]
        if g >= 0:
            b = m.geom_bodyid[g]
            apart = apart or (weld >= 0 and m.body_weldid[b] != weld)
            weld = m.body_weldid[b]
            moves = moves or body_blocks(m, b)[1] > 0
        else:
            s = flex_at_contact(m, d, world, c, side)
            for i in range(carrier_count(s)):
                points = carrier_points(m, s, i)
                # nodes of weight 0 carry nothing
                if s.order > 0 and carrier_weight(s, i) == 0.0:
                    points = wp.vec2i(0, 0)
                for k in range(points[0], points[1]):
                    b = point_body(m, s, i, k)
                    apart = apart or (weld >= 0 and m.body_weldid[b] != weld)
                    weld = m.body_weldid[b]
                    moves = moves or body_blocks(m, b)[1] > 0
    return moves and apart


@wp.func
def side_body(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> int:
    """Body of a side of a contact: the geom's; of a flex that of the first vertex of its element."""
    g = d.contact_geom[world, c][side]
    if m.nflexgroup > 0:
        if g < 0:
            return first_body(m, d, world, c, side)
    return m.geom_bodyid[g]


@wp.func
def rod_velocity(m: ModelFields, d: DataFields, world: int, s: FlexSide) -> wp.spatial_vector:
    """Angular [rad/s] and linear velocity [m/s] of an edge of a rod at a contact."""
    a = s.vertices[0]
    b = s.vertices[1]
    va = point_velocity(m, d, world, m.flex_vertbodyid[a], d.flexvert_xpos[world, a])
    vb = point_velocity(m, d, world, m.flex_vertbodyid[b], d.flexvert_xpos[world, b])
    spin = wp.spatial_top(d.cvel[world, m.flex_vertbodyid[a]])
    across = wp.where(s.is_rigid, spin, edge_turn(s, vb - va))
    twist = d.qvel[world, s.twist] * s.axis
    turned = wp.cross(across, wp.where(s.is_rigid, s.body_arm, s.arm)) + wp.cross(twist, s.arm)
    return wp.spatial_vector(across + twist, s.share[0] * va + s.share[1] * vb + turned)


@wp.func
def side_velocity(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> wp.spatial_vector:
    """Angular [rad/s] and linear velocity [m/s] of a side at a contact; of a flex the weighted means over its points."""
    g = d.contact_geom[world, c][side]
    if m.nflexgroup > 0:
        if g < 0:
            # all bodies' velocities are taken at the contact, as the Jacobian's columns are
            total = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            s = flex_at_contact(m, d, world, c, side)
            if m.nflextwist > 0:
                if s.twist >= 0:
                    return rod_velocity(m, d, world, s)
            for i in range(carrier_count(s)):
                points = carrier_points(m, s, i)
                for k in range(points[0], points[1]):
                    b = point_body(m, s, i, k)
                    slide = point_velocity(m, d, world, b, d.contact_pos[world, c])
                    turn = wp.spatial_top(d.cvel[world, b])
                    total += (carrier_weight(s, i) * point_weight(m, s, k)) * wp.spatial_vector(turn, slide)
            return total
    # a geom moves with its body
    b = m.geom_bodyid[g]
    slide = point_velocity(m, d, world, b, d.contact_pos[world, c])
    return wp.spatial_vector(wp.spatial_top(d.cvel[world, b]), slide)
