"""Adhesion of geoms in contact, as a passive force."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import (
    FlexSide,
    carrier_count,
    carrier_points,
    carrier_weight,
    flex_at_contact,
    point_body,
    point_weight,
    vertex_load,
)
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.wrench import about_tree, wrench_to_dofs


@wp.func
def rod_wrench(m: ModelFields, d: DataFields, world: int, b: int, s: FlexSide, force: wp.vec3) -> wp.spatial_vector:
    """Wrench on body ``b`` of a force on an edge of a rod: the couple that the force makes about the edge's axis acts on its twist
    joint, the rest as opposite forces on its two vertices.
    """
    total = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    none = wp.vec3(0.0, 0.0, 0.0)
    couple = wp.cross(s.arm, force)
    for i in range(2):
        v = s.vertices[i]
        if m.flex_vertbodyid[v] == b:
            load = vertex_load(s, i, force, none)
            total += about_tree(
                m, d, world, b, d.flexvert_xpos[world, v], wp.spatial_bottom(load), wp.spatial_top(load)
            )
    if m.dof_bodyid[s.twist] == b:
        axis = wp.spatial_top(d.cdof[world, s.twist])
        total += wp.spatial_vector(wp.dot(couple, s.axis) * axis, none)
    return total


@wp.func
def flex_wrench(m: ModelFields, d: DataFields, world: int, b: int, c: int, force: wp.vec3) -> wp.spatial_vector:
    """Wrench on body ``b`` of a force on the flex that is the second side of a contact."""
    total = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    s = flex_at_contact(m, d, world, c, 1)
    if m.nflextwist > 0:
        if s.twist >= 0:
            return rod_wrench(m, d, world, b, s, force)
    for i in range(carrier_count(s)):
        points = carrier_points(m, s, i)
        for k in range(points[0], points[1]):
            if point_body(m, s, i, k) == b:
                own = (carrier_weight(s, i) * point_weight(m, s, k)) * force
                total += about_tree(m, d, world, b, d.contact_pos[world, c], own, wp.vec3(0.0, 0.0, 0.0))
    return total


@wp.func
def add_adhesion_to_body(m: ModelFields, d: DataFields, world: int, b: int) -> wp.spatial_vector:
    """Adhesion of the contacts of body ``b``: their pull towards the other body along their normals, added up in their
    order.
    """
    total = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for c in range(d.ncon[world]):
        geoms = d.contact_geom[world, c]
        sign = float(0.0)
        frame = d.contact_frame[world, c]
        if m.nflexgroup == 0 or geoms[0] >= 0:
            if m.geom_bodyid[geoms[0]] == b:
                sign += 1.0
        if m.nflexgroup == 0 or geoms[1] >= 0:
            if m.geom_bodyid[geoms[1]] == b:
                sign -= 1.0
        elif d.contact_adhesion[world, c] != 0.0:
            pull = -d.contact_adhesion[world, c] * wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2])
            total += flex_wrench(m, d, world, b, c, pull)
        size = sign * d.contact_adhesion[world, c]
        if size != 0.0:
            force = size * wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2])
            total += about_tree(m, d, world, b, d.contact_pos[world, c], force, wp.vec3(0.0, 0.0, 0.0))
    return total


@wp.func
def adhesion_force(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qfrc_adhesion``, and its change in ``qfrc_passive``: contacts are known later than the other passive forces."""
    if m.nadhesion > 0 and (m.opt_disableflags & (MjtDisableBit.CONSTRAINT | MjtDisableBit.CONTACT)) == 0:
        for b in range(lane, m.nbody, nlane):
            d.cfrc_applied[world, b] = add_adhesion_to_body(m, d, world, b)
        sync()
        wrench_to_dofs(m, d, d.work, world, lane, nlane)
        for i in range(lane, m.nv, nlane):
            d.qfrc_passive[world, i] = d.qfrc_passive[world, i] + d.work[world, i] - d.qfrc_adhesion[world, i]
            d.qfrc_adhesion[world, i] = d.work[world, i]
    sync()
