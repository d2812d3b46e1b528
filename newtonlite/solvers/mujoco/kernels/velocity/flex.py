"""Flex velocities."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


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
