"""Inertia: centres of mass, motion axes, and the joint-space inertia matrix by the composite rigid body algorithm."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtJoint
from newtonlite.math.spatial import inertia_mul, shift_inertia
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.branches import branch_mass
from newtonlite.solvers.mujoco.kernels.primitives.dense import mass_rows
from newtonlite.solvers.mujoco.kernels.primitives.team import one_lane, sync
from newtonlite.solvers.mujoco.kernels.primitives.tree_sums import add_inertias_to_parents, add_positions_to_parents


@wp.func
def subtree_com_by_level(m: ModelFields, d: DataFields, world: int):
    """``x_b + sum m (x - x_b) / sum m`` from the first body of each subtree, by one lane."""
    for k in range(m.nlevel):
        level = m.nlevel - 1 - k
        for i in range(m.level_adr[level], m.level_adr[level + 1]):
            b = m.level_body[i]
            com = d.xipos[world, b]
            total = wp.vec3(0.0, 0.0, 0.0)
            for c in range(m.child_adr[b], m.child_adr[b + 1]):
                child = m.child_body[c]
                total += m.body_subtreemass[world, child] * (d.subtree_com[world, child] - com)
            mass = m.body_subtreemass[world, b]
            if mass > MINVAL:
                com += total / mass
            d.subtree_com[world, b] = com


@wp.func
def subtree_com_by_team(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``x_r + sum m (x - x_r) / sum m`` from the first body ``r`` of the tree."""
    for b in range(1 + lane, m.nbody, nlane):
        d.subtree_com[world, b] = m.body_mass[world, b] * (d.xipos[world, b] - d.xipos[world, m.body_rootid[b]])
    sync()
    add_positions_to_parents(m.body_parentid, m.child_adr, m.child_body, d.subtree_com, world, lane, nlane)
    sync()
    for b in range(1 + lane, m.nbody, nlane):
        mass = m.body_subtreemass[world, b]
        com = d.xipos[world, b]
        if mass > MINVAL:
            com = d.xipos[world, m.body_rootid[b]] + d.subtree_com[world, b] / mass
        d.subtree_com[world, b] = com


@wp.func
def subtree_com(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Centre of mass of every subtree, from that of one body, so that a body alone keeps its own."""
    if one_lane():
        subtree_com_by_level(m, d, world)
    else:
        subtree_com_by_team(m, d, world, lane, nlane)
    sync()
    if lane == 0:
        everything = wp.vec3(0.0, 0.0, 0.0)
        for c in range(m.child_adr[0], m.child_adr[1]):
            first = m.child_body[c]
            everything += m.body_subtreemass[world, first] * d.subtree_com[world, first]
        if m.body_subtreemass[world, 0] > MINVAL:
            everything = everything / m.body_subtreemass[world, 0]
        d.subtree_com[world, 0] = everything


@wp.func
def rotational_axes(m: ModelFields, d: DataFields, world: int, adr: int, b: int, arm: wp.vec3):
    """Motion axes of a ball joint or the rotations of a free one: the body's own axes."""
    for k in range(3):
        axis = wp.vec3(d.xmat[world, b][0, k], d.xmat[world, b][1, k], d.xmat[world, b][2, k])
        d.cdof[world, adr + k] = wp.spatial_vector(axis, wp.cross(axis, arm))


@wp.func
def com_pos(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``cdof``: spatial axis of each dof about its tree's centre of mass; ``cinert`` about the same point."""
    for b in range(1 + lane, m.nbody, nlane):
        com = d.subtree_com[world, m.body_rootid[b]]
        d.cinert[world, b] = shift_inertia(
            m.body_inertia[world, b], d.ximat[world, b], m.body_mass[world, b], d.xipos[world, b] - com
        )
        for j in range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b]):
            adr = m.jnt_dofadr[j]
            kind = m.jnt_type[j]
            axis = d.xaxis[world, j]
            arm = com - d.xanchor[world, j]
            zero = wp.vec3(0.0, 0.0, 0.0)
            if kind == MjtJoint.FREE:
                d.cdof[world, adr] = wp.spatial_vector(zero, wp.vec3(1.0, 0.0, 0.0))
                d.cdof[world, adr + 1] = wp.spatial_vector(zero, wp.vec3(0.0, 1.0, 0.0))
                d.cdof[world, adr + 2] = wp.spatial_vector(zero, wp.vec3(0.0, 0.0, 1.0))
                rotational_axes(m, d, world, adr + 3, b, arm)
            elif m.nball > 0 and kind == MjtJoint.BALL:
                rotational_axes(m, d, world, adr, b, arm)
            elif kind == MjtJoint.SLIDE:
                d.cdof[world, adr] = wp.spatial_vector(zero, axis)
            else:
                d.cdof[world, adr] = wp.spatial_vector(axis, wp.cross(axis, arm))
    sync()


@wp.func
def crb(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Composite rigid bodies: inertias ``I_subtree``, and forces ``I_subtree(i) S_i``. Featherstone, table 6.2."""
    if one_lane():
        for k in range(m.nlevel):
            level = m.nlevel - 1 - k
            for i in range(m.level_adr[level], m.level_adr[level + 1]):
                b = m.level_body[i]
                total = d.cinert[world, b]
                for c in range(m.child_adr[b], m.child_adr[b + 1]):
                    total += d.crb[world, m.child_body[c]]
                d.crb[world, b] = total
    else:
        for b in range(1 + lane, m.nbody, nlane):
            d.crb[world, b] = d.cinert[world, b]
        sync()
        add_inertias_to_parents(m.body_parentid, m.child_adr, m.child_body, d.crb, world, lane, nlane)
        sync()
    for i in range(lane, m.nv, nlane):
        d.cdof_force[world, i] = inertia_mul(d.crb[world, m.dof_bodyid[i]], d.cdof[world, i])
    sync()


@wp.func
def mass_matrix(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Joint-space inertia matrix ``M_ij = S_j . (I_subtree(i) S_i)``, with the armature."""
    if m.nv > 0:
        if m.nstem > 0:
            branch_mass(m, d, world, lane, nlane)
            return
        mass_rows(d.cdof, d.cdof_force, m.dof_ancestor, m.dof_armature, m.dof_block, d.M, world, m.nv, lane, nlane)
        sync()
