"""Parts of the effective inertia by themselves, in ``M``, for programs that read them and put ``M`` back."""

import warp as wp

from newtonlite.core.mujoco import MjtIntegrator
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.integrate.add_inertia import clear_couplings
from newtonlite.solvers.mujoco.kernels.integrate.effective_inertia import add_drag, add_drives
from newtonlite.solvers.mujoco.kernels.integrate.flex_stiffness import flex_stiffness
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def clear_inertia(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Zeros in place of ``M``."""
    # all of a row's columns that there may be entries in
    for i in range(lane, m.nv, nlane):
        for j in range(BLOCK * m.dof_block[i][0], wp.min(BLOCK * m.dof_block[i][1], m.nv)):
            d.M[world, i, j] = 0.0
    clear_couplings(m, d, world, lane, nlane)


@wp.func
def flex_part(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``(h^2 + h beta) K`` of flexes, alone in ``M``; ``efm_c`` is what it was."""
    if m.opt_integrator == MjtIntegrator.DISCRETE and m.ncoupling > 0:
        clear_inertia(m, d, world, lane, nlane)
        # what a step changes of forces is kept: flexes add to it
        for i in range(lane, m.nv, nlane):
            d.search[world, i] = d.efm_c[world, i]
        sync()
        # one lane: elements share points
        if lane == 0:
            flex_stiffness(m, d, world)
        sync()
        # and comes back
        for i in range(lane, m.nv, nlane):
            d.efm_c[world, i] = d.search[world, i]
        sync()


@wp.func
def drag_part(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``h D`` of fluids, alone in ``M``."""
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        # which is symmetric, and between a dof and those above it
        clear_inertia(m, d, world, lane, nlane)
        add_drag(m, d, world, lane, nlane)


@wp.func
def add_backbone_part(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``M`` and what joints and fluids add to it, by the weights that a step had."""
    # joints by their diagonal, then fluids
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        for i in range(lane, m.nv, nlane):
            d.M[world, i, i] = d.M[world, i, i] + d.efm_diag[world, i]
        sync()
        add_drag(m, d, world, lane, nlane)


@wp.func
def add_drives_part(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Couplings by tendons, actuators and twist joints, added to ``M``; ``efm_c`` is what it was."""
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        # what a step changes of forces is kept: twist joints add to it
        for i in range(lane, m.nv, nlane):
            d.search[world, i] = d.efm_c[world, i]
        sync()
        add_drives(m, d, world, lane)
        sync()
        for i in range(lane, m.nv, nlane):
            d.efm_c[world, i] = d.search[world, i]
        sync()
