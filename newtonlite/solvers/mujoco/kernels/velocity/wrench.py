"""Wrenches from outside on bodies, as generalized forces."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def about_tree(
    m: ModelFields, d: DataFields, world: int, b: int, point: wp.vec3, force: wp.vec3, torque: wp.vec3
) -> wp.spatial_vector:
    """A force at a point of body ``b``, and a torque, about the centre of mass of the body's tree."""
    return wp.spatial_vector(torque + wp.cross(point - d.subtree_com[world, m.body_rootid[b]], force), force)


@wp.func
def sum_subtree_wrenches(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``cfrc_applied`` of bodies to that of their subtrees, leaf to root."""
    for k in range(m.nlevel):
        level = m.nlevel - 1 - k
        for i in range(m.level_adr[level] + lane, m.level_adr[level + 1], nlane):
            b = m.level_body[i]
            f = d.cfrc_applied[world, b]
            for c in range(m.child_adr[b], m.child_adr[b + 1]):
                f += d.cfrc_applied[world, m.child_body[c]]
            d.cfrc_applied[world, b] = f
        sync()


@wp.func
def wrench_to_dofs(m: ModelFields, d: DataFields, out: wp.array2d[float], world: int, lane: int, nlane: int):
    """``out = S' sum_subtree cfrc_applied``."""
    sum_subtree_wrenches(m, d, world, lane, nlane)
    for i in range(lane, m.nv, nlane):
        out[world, i] = wp.dot(d.cdof[world, i], d.cfrc_applied[world, m.dof_bodyid[i]])
    sync()
