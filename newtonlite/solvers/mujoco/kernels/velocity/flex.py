"""Flex velocities and forces."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.point import lever, linear_at
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.flex_bend import bend_edge, bend_shell
from newtonlite.solvers.mujoco.kernels.velocity.flex_cell import node_displacement, node_force
from newtonlite.solvers.mujoco.kernels.velocity.flex_rod import rod_slots
from newtonlite.solvers.mujoco.kernels.velocity.flex_rod_chain import clamp_torque, rod_chains, twist_force
from newtonlite.solvers.mujoco.kernels.velocity.flex_stretch import edge_stretch, edge_tension, element_tension
from newtonlite.solvers.mujoco.kernels.velocity.flex_volume import resist_volume
from newtonlite.solvers.mujoco.kernels.velocity.passive_contact import passive_contacts
from newtonlite.solvers.mujoco.kernels.velocity.wrench import about_tree, sum_subtree_wrenches


@wp.func
def flex_velocity(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``flexedge_velocity = J qvel``, of edges whose Jacobian something needs."""
    for e in range(lane, m.nflexedge, nlane):
        speed = float(0.0)
        first = m.flexedge_J_rowadr[e]
        for k in range(first, first + m.flexedge_J_rownnz[e]):
            speed += d.flexedge_J[world, k] * d.qvel[world, m.flexedge_J_colind[k]]
        d.flexedge_velocity[world, e] = speed
    sync()


@wp.func
def flex_elements(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Tensions of edges, and forces of bending edges and cells on their vertices and nodes."""
    # edges, then elements, then the edges that they share
    if m.nflexstretch > 0:
        for e in range(lane, m.nflexedge, nlane):
            edge_stretch(m, d, world, e)
        sync()
        for k in range(lane, m.nflexstretch, nlane):
            element_tension(m, d, world, k)
        sync()
    if m.nflexstretch > 0 or m.nflexspring > 0:
        for e in range(lane, m.nflexedge, nlane):
            edge_tension(m, d, world, e)

    # slots
    if m.nflexchain > 0:
        rod_chains(m, d, world, lane, nlane)
    for h in range(lane, m.nflexrod, nlane):
        rod_slots(m, d, world, h)
    for k in range(lane, m.nflexvolume, nlane):
        resist_volume(m, d, world, k)
    for k in range(lane, m.nflexbend, nlane):
        bend_edge(m, d, world, k)
    for k in range(lane, m.nflexcellnode, nlane):
        node_displacement(m, d, world, k)
    sync()
    for k in range(lane, m.nflexcellnode, nlane):
        node_force(m, d, world, k)
    for k in range(lane, m.nflexshellbend, nlane):
        bend_shell(m, d, world, k)
    sync()


@wp.func
def point_force(m: ModelFields, d: DataFields, world: int, p: int, damper: bool) -> wp.vec3:
    """Force [N] on a vertex or node: what its edges pull, then its slots."""
    force = wp.vec3(0.0, 0.0, 0.0)
    if m.nflexstretch > 0 or m.nflexspring > 0:
        for k in range(m.flexpoint_edgeadr[p], m.flexpoint_edgeadr[p + 1]):
            e = m.flexpoint_edge[k]
            other = m.flexedge_vert[e][0]
            if other == p:
                other = m.flexedge_vert[e][1]
            push = wp.where(damper, d.flexedge_damper[world, e], d.flexedge_spring[world, e])
            force += push * (d.flexvert_xpos[world, p] - d.flexvert_xpos[world, other])
    for k in range(m.flexpoint_slotadr[p], m.flexpoint_slotadr[p + 1]):
        s = m.flexpoint_slot[k]
        force += wp.where(damper, d.flexslot_damper[world, s], d.flexslot_spring[world, s])
    return force


@wp.func
def point_place(m: ModelFields, d: DataFields, world: int, p: int) -> wp.vec3:
    """Place [m] of a vertex or node."""
    place = wp.vec3(0.0, 0.0, 0.0)
    if p < m.nflexvert:
        place = d.flexvert_xpos[world, p]
    elif m.nflexinterp > 0:
        place = d.flexnode_xpos[world, p - m.nflexvert]
    return place


@wp.func
def dof_force(m: ModelFields, d: DataFields, world: int, i: int, damper: bool) -> float:
    """Force [N or N m] on a dof: of the wrenches on all that it moves, and of those on its own nodes."""
    b = m.dof_bodyid[i]
    total = wp.dot(d.cdof[world, i], d.cfrc_applied[world, b])
    if m.nflexinterp > 0:
        for k in range(m.flexbody_pointadr[b], m.flexbody_pointadr[b + 1]):
            p = m.flexbody_point[k]
            if m.flexpoint_alone[p] == 1:
                arm = lever(m, d, world, b, point_place(m, d, world, p))
                total += wp.dot(linear_at(d.cdof[world, i], arm), point_force(m, d, world, p, damper))
    return total


@wp.func
def gather_wrenches(m: ModelFields, d: DataFields, world: int, damper: bool, lane: int, nlane: int):
    """``cfrc_applied``: wrenches of the forces on vertices and nodes, by bodies and then by subtrees."""
    for b in range(lane, m.nbody, nlane):
        wrench = wp.spatial_vector()
        for k in range(m.flexbody_pointadr[b], m.flexbody_pointadr[b + 1]):
            p = m.flexbody_point[k]
            if m.flexpoint_alone[p] == 0:
                force = point_force(m, d, world, p, damper)
                place = point_place(m, d, world, p)
                wrench += about_tree(m, d, world, b, place, force, wp.vec3(0.0, 0.0, 0.0))
        if m.nflexchain > 0 and b > 0:
            wrench += wp.spatial_vector(clamp_torque(m, d, world, b, damper), wp.vec3(0.0, 0.0, 0.0))
        d.cfrc_applied[world, b] = wrench
    sync()
    sum_subtree_wrenches(m, d, world, lane, nlane)


@wp.func
def add_twist(m: ModelFields, d: DataFields, out: wp.array2d[float], world: int, damper: bool, lane: int, nlane: int):
    """Add the forces on twist joints of rods."""
    for e in range(lane, m.nflexrodedge, nlane):
        i = m.flexrodedge_dofadr[e]
        if i >= 0:
            force = twist_force(m, d, world, e, damper)
            out[world, i] = out[world, i] + force
            d.qfrc_passive[world, i] = d.qfrc_passive[world, i] + force
    sync()


@wp.func
def flex_passive(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Springs and dampers of flexes into ``qfrc_spring``, ``qfrc_damper`` and their sum ``qfrc_passive``."""
    if m.nflexforce > 0:
        flex_elements(m, d, world, lane, nlane)
        if (m.opt_disableflags & MjtDisableBit.SPRING) == 0:
            gather_wrenches(m, d, world, False, lane, nlane)
            for i in range(lane, m.nv, nlane):
                force = dof_force(m, d, world, i, False)
                d.qfrc_spring[world, i] = d.qfrc_spring[world, i] + force
                d.qfrc_passive[world, i] = d.qfrc_passive[world, i] + force
            sync()
            if m.nflexchain > 0:
                add_twist(m, d, d.qfrc_spring, world, False, lane, nlane)
        if (m.opt_disableflags & MjtDisableBit.DAMPER) == 0:
            gather_wrenches(m, d, world, True, lane, nlane)
            for i in range(lane, m.nv, nlane):
                force = dof_force(m, d, world, i, True)
                d.qfrc_damper[world, i] = d.qfrc_damper[world, i] + force
                d.qfrc_passive[world, i] = d.qfrc_passive[world, i] + force
            sync()
            if m.nflexchain > 0:
                add_twist(m, d, d.qfrc_damper, world, True, lane, nlane)
    # springs of contacts, which no flag switches off
    if m.nflexpassive > 0:
        if lane == 0:
            passive_contacts(m, d, world)
        sync()
