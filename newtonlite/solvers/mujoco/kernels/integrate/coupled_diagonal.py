"""Effective inertia without the couplings of tendons and actuators, of which the diagonal stays: MuJoCo's matrix for the
exact diagonal of rows and for less slip.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.diag_exact import exact_diagonal


@wp.func
def exchange_inertia(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``M`` and ``efm_backbone``, the inertia without couplings, change places; the diagonal stays in ``M``."""
    for i in range(lane, m.nefmkept, nlane):
        for j in range(BLOCK * m.dof_block[i][0], wp.min(BLOCK * m.dof_block[i][1], m.nv)):
            other = d.efm_backbone[world, i, j]
            d.efm_backbone[world, i, j] = d.M[world, i, j]
            if j != i:
                d.M[world, i, j] = other
    sync()


@wp.func
def coupled_diagonal(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``diag_exact`` beside couplings, which are in ``M`` and afterwards are so again."""
    exchange_inertia(m, d, world, lane, nlane)
    exact_diagonal(m, d, world, lane, nlane)
    exchange_inertia(m, d, world, lane, nlane)
