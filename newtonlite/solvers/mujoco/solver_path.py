"""Solver path: which solver a world is solved by.

``dual_rows`` decides, when data are made, up to how many rows a world is solved in constraint space; ``solver_path``, in
every step, by the rows that there are. Stages of ``pipeline.SOLVERS`` ask it; docs/reference/solver.md has its table.
"""

from enum import IntEnum

import warp as wp

from newtonlite.core.mujoco import MjtCone, MjtSolver
from newtonlite.solvers.mujoco.iteration_limits import cuts_short

DUAL_ROWS = 128
"""Most rows in constraint space: it is the smaller problem up to nv rows; beyond this many its matrix leaves the cache."""
NEWTON_DOFS = wp.constant(64)
"""Dofs up to which one lane takes Newton's method in place of conjugate gradients."""
SPARSE_NEWTON_DOFS = wp.constant(1000)
"""The same of models with sparse rows."""


class SolverPath(IntEnum):
    """Solvers, by which the stages of ``pipeline.SOLVERS`` are distinguished."""

    UNCONSTRAINED = 0
    """``qacc`` is the smooth acceleration."""
    DUAL_NEWTON = 1
    """Newton's method in constraint space (``dual_newton``)."""
    GAUSS_SEIDEL = 2
    """Projected Gauss-Seidel in constraint space (``pgs``), which ``newton`` ends."""
    PRIMAL_NEWTON = 3
    """Newton's method over the dofs (``newton``)."""
    CONJUGATE_GRADIENTS = 4
    """Conjugate gradients over the dofs (``cg``), which ``newton`` ends."""


def dual_rows(solver: int, cone: int, iterations: int, evaluations: int, cpu: bool, nv: int, njmax: int) -> int:
    """Rows up to which worlds are solved in constraint space, of models with these options: all for Gauss-Seidel, which
    has no other form; none where an elliptic cone, or limits that cut iterations short, ask for steps over the dofs.
    """
    if solver == MjtSolver.PGS:
        return njmax
    # a team of a GPU takes conjugate gradients where they are asked for
    by_dofs = cone == MjtCone.ELLIPTIC or cuts_short(iterations, evaluations) or solver == MjtSolver.CG and not cpu
    return 0 if by_dofs else min(njmax, nv, DUAL_ROWS)


@wp.func
def conjugate_gradients(solver: int, nv: int, cut_short: bool, alone: bool, sparse: bool) -> bool:
    """Whether conjugate gradients are taken where they are asked for: not by one lane (``alone``) for few dofs, unless
    it may be stopped early. Newton's method gets to the same minimum in less time.
    """
    # a team shares the products of conjugate gradients among lanes, one lane does not
    if alone:
        few = nv <= SPARSE_NEWTON_DOFS if sparse else nv <= NEWTON_DOFS
        return solver == MjtSolver.CG and (cut_short or not few)
    return solver == MjtSolver.CG


@wp.func
def solver_path(solver: int, conjugate: bool, nrow: int, ndual: int, stiff: bool) -> int:
    """Path of a world with ``nrow`` rows, of which up to ``ndual`` are solved in constraint space unless they are too
    stiff for it.
    """
    if nrow == 0:
        return int(SolverPath.UNCONSTRAINED)
    if nrow <= ndual and solver == MjtSolver.PGS:
        return int(SolverPath.GAUSS_SEIDEL)
    if nrow <= ndual and not stiff:
        return int(SolverPath.DUAL_NEWTON)
    if conjugate:
        return int(SolverPath.CONJUGATE_GRADIENTS)
    return int(SolverPath.PRIMAL_NEWTON)
