"""Body forces after the constraint forces are known: contact forces, accelerations, forces between bodies."""

import warp as wp

from newtonlite.core.mujoco import MjtCone
from newtonlite.math.spatial import inertia_mul, momentum_rate
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import is_flex_side
from newtonlite.solvers.mujoco.kernels.primitives.team import one_lane, sync
from newtonlite.solvers.mujoco.kernels.primitives.tree_sums import add_forces_to_parents
from newtonlite.solvers.mujoco.kernels.sense.equality_wrench import (
    about_tree,
    equality_wrenches,
    spatial_tendon_forces,
    spatial_tendon_wrenches,
)


@wp.func
def row_wrench(m: ModelFields, d: DataFields, world: int, c: int) -> wp.spatial_vector:
    """Force and torque of contact ``c`` in its frame, from the forces of its rows; edges of a pyramid come in pairs."""
    row = d.contact_efc_address[world, c]
    dim = d.contact_dim[world, c]
    out = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if dim == 1 or m.opt_cone == MjtCone.ELLIPTIC:
        for k in range(dim):
            out[k] = d.efc_force[world, row + k]
        return out
    friction = d.contact_friction[world, c]
    for k in range(dim - 1):
        plus = d.efc_force[world, row + 2 * k]
        minus = d.efc_force[world, row + 2 * k + 1]
        out[0] += plus + minus
        out[k + 1] = friction[k] * (plus - minus)
    return out


@wp.func
def contact_forces(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Force and torque of every contact in its frame, the pull of one that sticks taken off; zero where it has no rows."""
    if m.ncontactforce > 0:
        for c in range(lane, d.ncon[world], nlane):
            wrench = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            if d.contact_efc_address[world, c] >= 0:
                wrench = row_wrench(m, d, world, c)
                if m.nadhesion > 0:
                    wrench[0] -= d.contact_adhesion[world, c]
            d.contact_force[world, c] = wrench
    sync()


@wp.func
def wrench_of_contacts(m: ModelFields, d: DataFields, world: int, b: int) -> wp.spatial_vector:
    """Wrench of the contacts of body ``b`` on it, added up in their order."""
    total = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for c in range(d.ncon[world]):
        geoms = d.contact_geom[world, c]
        sign = float(0.0)
        # contacts of flexes count for no body, as in MuJoCo
        if not is_flex_side(m, d, world, c, 1):
            if m.geom_bodyid[geoms[0]] == b:
                sign -= 1.0
            if m.geom_bodyid[geoms[1]] == b:
                sign += 1.0
        if sign != 0.0:
            turn = wp.transpose(d.contact_frame[world, c])
            wrench = sign * d.contact_force[world, c]
            force = turn * wp.spatial_top(wrench)
            torque = turn * wp.spatial_bottom(wrench)
            total += about_tree(m, d, world, b, d.contact_pos[world, c], force, torque)
    return total


@wp.func
def external_wrench(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``cfrc_ext``: the caller's wrench, contacts, connects and welds, and spatial tendons of each body."""
    if m.nspatial > 0:
        spatial_tendon_forces(m, d, world, lane, nlane)
    if lane == 0:
        d.cfrc_ext[world, 0] = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for b in range(1 + lane, m.nbody, nlane):
        given = d.xfrc_applied[world, b]
        own = about_tree(m, d, world, b, d.xipos[world, b], wp.spatial_top(given), wp.spatial_bottom(given))
        own += wrench_of_contacts(m, d, world, b)
        if m.neq > 0:
            own += equality_wrenches(m, d, world, b)
        if m.nspatial > 0:
            own += spatial_tendon_wrenches(m, d, world, b)
        d.cfrc_ext[world, b] = own
    sync()


@wp.func
def true_accelerations(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``cacc += sum S qacc`` over the dofs that move a body: from the acceleration at qacc = 0 to that of the step."""
    for b in range(1 + lane, m.nbody, nlane):
        a = d.cacc[world, b]
        for k in range(m.chain_adr[b], m.chain_adr[b + 1]):
            i = m.chain_dof[k]
            a += d.cdof[world, i] * d.qacc[world, i]
        d.cacc[world, b] = a
    sync()


@wp.func
def own_wrench(m: ModelFields, d: DataFields, world: int, b: int) -> wp.spatial_vector:
    """``I a + v x* I v - f_ext`` of one body."""
    f = -d.cfrc_ext[world, b]
    if b > 0:
        inertia = d.cinert[world, b]
        v = d.cvel[world, b]
        f += inertia_mul(inertia, d.cacc[world, b]) + momentum_rate(inertia, v)
    return f


@wp.func
def joint_wrench(m: ModelFields, d: DataFields, world: int, b: int) -> wp.spatial_vector:
    """``f = I a + v x* I v - f_ext + sum f_child``: what a body needs from its parent."""
    f = own_wrench(m, d, world, b)
    for k in range(m.child_adr[b], m.child_adr[b + 1]):
        f += d.cfrc_int[world, m.child_body[k]]
    return f


@wp.func
def rne_postconstraint(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Recursive Newton-Euler with the accelerations of the step: ``cfrc_ext``, ``cacc``, ``cfrc_int``, leaf to root."""
    if m.nrne > 0:
        external_wrench(m, d, world, lane, nlane)
        true_accelerations(m, d, world, lane, nlane)
        if one_lane():
            for k in range(m.nlevel):
                level = m.nlevel - 1 - k
                for i in range(m.level_adr[level], m.level_adr[level + 1]):
                    b = m.level_body[i]
                    d.cfrc_int[world, b] = joint_wrench(m, d, world, b)
        else:
            for b in range(1 + lane, m.nbody, nlane):
                d.cfrc_int[world, b] = own_wrench(m, d, world, b)
            sync()
            add_forces_to_parents(m.body_parentid, m.child_adr, m.child_body, d.cfrc_int, world, lane, nlane)
            sync()
        if lane == 0:
            d.cfrc_int[world, 0] = joint_wrench(m, d, world, 0)
        sync()
