"""Smooth force: the sum of all forces but constraint forces, ``qfrc_smooth``."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.asleep import is_dof_asleep
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_sum
from newtonlite.solvers.mujoco.kernels.primitives.vector_copy import any_beyond_spatial


@wp.func
def external_forces(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qfrc_smooth += J' xfrc_applied``: each body's wrench acts at its centre of mass."""
    some = any_beyond_spatial(d.xfrc_applied, 0.0, 1, world, m.nbody - 1, lane, nlane)
    if team_sum(d.team_f, world, some) > 0.0:
        for b in range(1, m.nbody):
            wrench = d.xfrc_applied[world, b]
            force = wp.spatial_top(wrench)
            arm = d.xipos[world, b] - d.subtree_com[world, m.body_rootid[b]]
            about_tree = wp.spatial_vector(wp.spatial_bottom(wrench) + wp.cross(arm, force), force)
            for k in range(m.chain_adr[b] + lane, m.chain_adr[b + 1], nlane):
                i = m.chain_dof[k]
                d.qfrc_smooth[world, i] = d.qfrc_smooth[world, i] + wp.dot(d.cdof[world, i], about_tree)
            sync()


@wp.func
def smooth_force(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qfrc_smooth = passive - bias + applied + actuator + J' xfrc``; nothing where a tree sleeps."""
    for i in range(lane, m.nv, nlane):
        d.qfrc_smooth[world, i] = (
            d.qfrc_passive[world, i] - d.qfrc_bias[world, i] + d.qfrc_applied[world, i] + d.qfrc_actuator[world, i]
        )
    sync()
    external_forces(m, d, world, lane, nlane)
    if m.nsleep > 0:
        for i in range(lane, m.nv, nlane):
            if is_dof_asleep(m, d, world, i):
                d.qfrc_smooth[world, i] = 0.0
                d.qacc_warmstart[world, i] = 0.0
        sync()
