"""Least regularisation of rows whose inverse weight at qpos0 may vanish: equalities and tendons."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK

MIN_R_SHARE = wp.constant(1.0e-6)
"""Least regularisation of a row, relative to the inverse inertia it moves."""


@wp.func
def inverse_inertia_of_row(m: ModelFields, d: DataFields, world: int, row: int) -> float:
    """Inverse inertia of the dofs a row moves, each by itself: ``sum J^2 / M``."""
    total = float(0.0)
    if m.nsparse > 0:
        adr = d.efc_J_rowadr[world, row]
        for e in range(adr, adr + d.efc_J_rownnz[world, row]):
            j = d.efc_J[world, 0, e]
            i = d.efc_J_colind[world, e]
            total += j * j / d.M[world, i, i]
        return total
    block = d.efc_block[world, row]
    for i in range(BLOCK * block[0], wp.min(BLOCK * block[3], m.nv)):
        if i < BLOCK * block[1] or i >= BLOCK * block[2]:
            j = d.efc_J[world, row, i]
            total += j * j / d.M[world, i, i]
    return total


@wp.func
def min_regularization(m: ModelFields, d: DataFields, world: int, row: int, nrow: int) -> float:
    """Least R of rows of equal weight: no stiffer, next to the inertia they move, than float32 can add to it.

    MuJoCo's inverse weight is that at qpos0, of bodies at their centre of mass: it vanishes for a crank that turns about its
    own, and for a tendon whose length no dof changes there. Exact weights do not.
    """
    least = float(0.0)
    if m.ndiagexact == 0:
        for r in range(row, row + nrow):
            least = wp.max(least, MIN_R_SHARE * inverse_inertia_of_row(m, d, world, r))
    return least


@wp.func
def keep_above(d: DataFields, world: int, row: int, least: float):
    """Raise a row's R to the least that float32 can tell from the inertia."""
    if d.efc_R[world, row] < least:
        d.efc_R[world, row] = least
        d.efc_D[world, row] = 1.0 / least
