"""Entries of tendon Jacobians: a row over all dofs, or side by side those of the dofs that can move a tendon.

Loops go through the places of a tendon's entries, whichever of the two holds them (``nsparse``)::

    span = tendon_entries(m, t)
    for e in range(span[0], span[1]):
        change = d.ten_J[world, tendon_row(m, t), e] * d.qvel[world, entry_dof(m, e)]
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK


@wp.func
def tendon_row(m: ModelFields, t: int) -> int:
    """Row of ``ten_J`` in which a tendon's entries are."""
    if m.nsparse > 0:
        return 0
    return t


@wp.func
def tendon_entries(m: ModelFields, t: int) -> wp.vec2i:
    """First and last + 1 place of a tendon's entries in its row."""
    if m.nsparse > 0:
        return wp.vec2i(m.tendon_dofadr[t], m.tendon_dofadr[t + 1])
    return wp.vec2i(BLOCK * m.tendon_block[t][0], wp.min(m.nv, BLOCK * m.tendon_block[t][1]))


@wp.func
def entry_dof(m: ModelFields, e: int) -> int:
    """Dof of an entry."""
    if m.nsparse > 0:
        return m.tendon_dof[e]
    return e


@wp.func
def entry_of_dof(m: ModelFields, t: int, i: int) -> int:
    """Place of the entry of dof ``i``; -1 where it cannot move the tendon."""
    if m.nsparse > 0:
        # dofs are sorted: halves
        low = m.tendon_dofadr[t]
        high = m.tendon_dofadr[t + 1]
        while low < high:
            middle = (low + high) / 2
            if m.tendon_dof[middle] < i:
                low = middle + 1
            else:
                high = middle
        if low < m.tendon_dofadr[t + 1] and m.tendon_dof[low] == i:
            return low
        return -1
    return i
