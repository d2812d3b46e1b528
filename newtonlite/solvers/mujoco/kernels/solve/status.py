"""Solver status: how far the stages of ``pipeline.SOLVERS`` have come with a world."""

from enum import IntEnum


class SolverStatus(IntEnum):
    """Values of the field ``solver_status``, which every stage that gives up or ends a solution writes."""

    SOLVED = 0
    UNSOLVED = 1
    """The next stage solves it over the dofs, from the warm start."""
    STARTED = 2
    """The next stage goes on from ``qacc``, after the ``solver_niter`` iterations that led there."""
