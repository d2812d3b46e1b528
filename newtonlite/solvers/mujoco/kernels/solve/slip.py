"""Sweeps over friction alone, as if it were hard and the normal forces given."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.enums import DISABLE_CONSTRAINT, DISABLE_CONTACT, ELLIPTIC
from newtonlite.solvers.mujoco.kernels.constraint.row import FRICTION
from newtonlite.solvers.mujoco.kernels.solve.dual import constraint_space, finish_dual
from newtonlite.solvers.mujoco.kernels.solve.settle import TINY, residual, settle_row, settle_slip
from newtonlite.solvers.mujoco.kernels.team import sync


@wp.func
def settle_edges(m: Any, d: Any, world: int, r: int, nrow: int, lane: int, nlane: int) -> float:
    """Best split of the forces of two opposite edges of a pyramid, ``r`` and ``r + 1``, whose sum is held."""
    first = residual(m, d, world, r, nrow, 0.0, lane, nlane)
    second = residual(m, d, world, r + 1, nrow, 0.0, lane, nlane)
    stiff = d.efc_A[world, r, r] + d.efc_A[world, r + 1, r + 1] - 2.0 * d.efc_A[world, r, r + 1]
    half = 0.5 * (d.dual[world, r] + d.dual[world, r + 1])
    old = 0.5 * (d.dual[world, r] - d.dual[world, r + 1])
    push = first - second
    split = float(0.0)
    if stiff > TINY:
        split = wp.clamp(old - push / stiff, -half, half)
    sync()
    if lane == 0:
        d.dual[world, r] = half + split
        d.dual[world, r + 1] = half - split
    sync()
    return -(split - old) * (push + 0.5 * stiff * (split - old))


@wp.func
def less_slip(m: Any, d: Any, world: int, lane: int, nlane: int):
    """Sweep over friction alone, as if it were hard: dry friction of dofs and tendons, and of contacts under their normal forces."""
    nrow = d.nefc[world]
    if m.opt_noslip_iterations > 0 and nrow > 0:
        constraint_space(m, d, world, nrow, lane, nlane)
        for r in range(lane, nrow, nlane):
            d.dual[world, r] = d.efc_force[world, r]
        sync()
        ncon = d.ncon[world]
        if (m.opt_disableflags & (DISABLE_CONSTRAINT | DISABLE_CONTACT)) != 0:
            ncon = int(0)
        scale = 1.0 / (m.stat_meaninertia[world] * float(wp.max(1, m.nv)))
        count = int(0)
        done = bool(False)
        while count < m.opt_noslip_iterations and not done:
            gain = float(0.0)
            for r in range(nrow):
                if d.efc_type[world, r] == FRICTION:
                    gain += settle_row(m, d, world, r, nrow, 0.0, lane, nlane)
            for c in range(ncon):
                row = d.contact_efc_address[world, c]
                dim = d.contact_dim[world, c]
                if row >= 0 and dim > 1:
                    if m.opt_cone == ELLIPTIC:
                        gain += settle_slip(m, d, world, row, nrow, 0.0, lane, nlane)
                    else:
                        for k in range(dim - 1):
                            gain += settle_edges(m, d, world, row + 2 * k, nrow, lane, nlane)
            count += 1
            if not (scale * gain >= m.opt_noslip_tolerance[world]):
                done = True
        finish_dual(m, d, world, nrow, lane, nlane)
