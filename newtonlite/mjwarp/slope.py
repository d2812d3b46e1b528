"""Smooth force derivatives by velocity: the system of an implicit step."""

import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtIntegrator
from newtonlite.mjwarp import sparsity
from newtonlite.mjwarp.sparse_kernels import gather_entries
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.integrate.free_body import gyroscopic_derivative
from newtonlite.solvers.mujoco.kernels.integrate.implicit import implicit_system
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def unfold(
    H: wp.array3d[float],
    ancestor: wp.array2d[float],
    both: bool,
    lone: wp.array[int],
    mean: bool,
    out: wp.array3d[float],
):
    """The whole matrix from its lower triangle, or from both where a tree's system is not symmetric, or their mean where
    the tree is one free body; zero between branches.
    """
    world, i, j = wp.tid()
    one = wp.max(i, j)
    two = wp.min(i, j)
    value = float(0.0)
    whole = bool(both)
    if ancestor[one, two] != 0.0:
        value = H[world, one, two]
        for k in range(lone.shape[0]):
            if i >= lone[k] and i < lone[k] + 6:
                whole = True
                if mean and not both:
                    value = 0.5 * (H[world, i, j] + H[world, j, i])
                    whole = False
        if whole:
            value = H[world, i, j]
    out[world, i, j] = value


@wp.func
def subtract_gyroscopic(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Take the derivatives of gyroscopic forces of free bodies, which an ``implicitfast`` step adds by itself, out of
    ``H``.
    """
    if m.opt_integrator != MjtIntegrator.IMPLICIT:
        for k in range(lane, m.nlonefree, nlane):
            gyroscopic_derivative(m, d, world, m.lone_free_dof[k], -m.opt_timestep[world])
    sync()


def deriv_smooth_vel(m, d, out: wp.array) -> None:
    """``out = M - dt d qfrc_smooth / d qvel``, as the model's implicit integrator takes it: ``[nworld, nv, nv]``, or the
    entries ``[nworld, nC]`` of its lower triangle. Fluid forces make the system of a free body by itself unsymmetric; the
    triangle has the mean of both halves of it. Gyroscopic forces of such bodies are in neither.

    Needs ``forward``. With an integrator that is not implicit, as ``implicitfast`` would take it. Raises StateError for
    other shapes, and for such integrators in models with a fluid, which have no arrays for the derivatives of its forces.
    """
    m.follow()
    wanted = (
        {}
        if m.opt_integrator in (MjtIntegrator.IMPLICIT, MjtIntegrator.IMPLICITFAST)
        else {"opt_integrator": MjtIntegrator.IMPLICITFAST}
    )
    if wanted and m.nfluid:
        raise StateError(
            "deriv_smooth_vel: the model has a fluid and an integrator that takes in no slopes; choose implicit or implicitfast"
        )
    if m.nsparse:
        raise StateError(
            "deriv_smooth_vel: a matrix of so many dofs is kept tree by tree; take finite differences of forward"
        )
    kept = sparsity.inertia(m.source)
    dense, sparse = (d.nworld, m.nv, m.nv), (d.nworld, len(kept.colind))
    if out.shape not in (dense, sparse):
        raise StateError(f"out: expected shape {dense} or {sparse}, got {out.shape}")
    schedule = d.schedule(m, **wanted)
    schedule.add("deriv_smooth_vel", (implicit_system, subtract_gyroscopic))
    schedule.run("deriv_smooth_vel")
    inputs = [
        d.engine.H,
        m.dof_ancestor,
        m.opt_integrator == MjtIntegrator.IMPLICIT,
        m.lone_free_dof,
        out.shape == sparse,
    ]
    whole = out if out.shape == dense else wp.zeros(dense, dtype=float, device=m.device)
    wp.launch(unfold, dense, inputs, [whole], device=m.device)
    if whole is not out:
        at = [d.kept_index(f"M_{which}", getattr(kept, which)) for which in ("rows", "colind")]
        wp.launch(gather_entries, sparse, [whole, *at, out], device=m.device)
