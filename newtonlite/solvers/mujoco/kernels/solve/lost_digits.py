"""Lost digits: steps in which a factor of the mass matrix kept few of them, counted per world.

A pivot is what is left of a dof's inertia when all dofs below it are taken out: its rounding is that of the whole. A
Hessian's pivots are above those of M, where constraints hold a dof that M alone does not tell from the others.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import one_lane, sync, team_sum

FEW_DIGITS = wp.constant(2.0e4)
"""Ratio of a dof's inertia to its pivot beyond which float32 keeps less than three digits of the latter; as in ``free_trees.h``."""
FEW_DIGITS_FLOAT64 = wp.constant(wp.float64(1.0e13))


@wp.func
def count_lost(m: ModelFields, d: DataFields, world: int, lost: float, lane: int):
    """Count a step if any dof's pivot is lost."""
    found = team_sum(d.team_f, world, lost)
    if lane == 0 and found > 0.0:
        d.lost_digits[world] = d.lost_digits[world] + 1
    sync()


@wp.func
def count_lost_digits(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """By the factor in ``H``, whose diagonal has the reciprocals of the roots of the pivots, just after it was made."""
    most = float(0.0)
    for i in range(lane, m.nv, nlane):
        root = d.H[world, i, i]
        most = wp.max(most, d.M[world, i, i] * root * root)
    count_lost(m, d, world, wp.where(most > FEW_DIGITS, 1.0, 0.0), lane)


@wp.func
def count_lost_sparse(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """By the factor in ``H_profile``, just after it was made."""
    most = float(0.0)
    border = d.H_shape[world, 1]

    # the diagonal of a row: behind its border columns, and as far as its first column is to the left
    for i in range(lane, m.nv, nlane):
        p = d.H_place[world, i]
        at = d.H_rowadr[world, p] + p
        if p >= border:
            at += border - d.H_low[world, p]
        # M_ii beside the pivot, of which the factor has the reciprocal root
        root = d.H_profile[world, at]
        most = wp.max(most, d.M[world, i, i] * root * root)
    count_lost(m, d, world, wp.where(most > FEW_DIGITS, 1.0, 0.0), lane)


@wp.func
def count_of_teams(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """The count of worlds that a team solved over the dofs, in a kernel that has registers for it: ``H`` still holds their
    factor. Models in double count where that is made.
    """
    if not one_lane():
        if m.nfloat64 == 0 and m.nsparse == 0 and m.nv > 0 and d.nefc[world] > d.ndual:
            count_lost_digits(m, d, world, lane, nlane)


@wp.func
def count_lost_float64(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """By the factor in double."""
    lost = float(0.0)
    for i in range(lane, m.nv, nlane):
        root = d.L64[world, i, i]
        if d.M64[world, i, i] > FEW_DIGITS_FLOAT64 * root * root:
            lost += 1.0
    count_lost(m, d, world, lost, lane)
