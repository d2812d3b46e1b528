"""Entries of the effective inertia: in ``M``, or between trees in the rows of ``efm_coupled`` where these are stored sparse."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def is_in_inertia(m: ModelFields, i: int, j: int) -> bool:
    """Whether ``M`` has the entry of two dofs: of one part, or of a branch and a stem that carries it."""
    # parts are trees, but for stems with many branches, each of which is one; those that carry a part come before it
    p = wp.max(m.dof_part[i], m.dof_part[j])
    q = wp.min(m.dof_part[i], m.dof_part[j])
    while p > q:
        p = m.part_root[p]
    return p == q


@wp.func
def coupled_place(m: ModelFields, i: int, j: int) -> int:
    """Place of entry (i, j) in ``efm_coupled``."""
    # columns rise: halves of the row, until one entry is left
    low = m.coupled_rowadr[i]
    high = m.coupled_rowadr[i + 1]
    while high - low > 1:
        middle = (low + high) // 2
        if m.coupled_colind[middle] <= j:
            low = middle
        else:
            high = middle
    return low


@wp.func
def add_inertia(m: ModelFields, d: DataFields, world: int, i: int, j: int, value: float, last: int) -> int:
    """Add to entry (i, j) of the effective inertia; returns its place, which is looked for behind ``last`` first."""
    # mostly the dofs of a point, one after the other
    if m.ncoupled > 0:
        if not is_in_inertia(m, i, j):
            place = last + 1
            if last < 0 or place >= m.coupled_rowadr[i + 1] or m.coupled_colind[place] != j:
                place = coupled_place(m, i, j)
            d.efm_coupled[world, place] = d.efm_coupled[world, place] + value
            return place
    d.M[world, i, j] = d.M[world, i, j] + value
    return -1


@wp.func
def clear_couplings(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """No couplings between trees."""
    # zeros in all places: drives and flexes add to them
    for e in range(lane, m.ncoupled, nlane):
        d.efm_coupled[world, e] = 0.0
    sync()
