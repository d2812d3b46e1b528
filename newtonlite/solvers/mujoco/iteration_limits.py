"""Iteration limits below which a file cuts the solver short."""

FEW_ITERATIONS, FEW_EVALUATIONS = 5, 20


def cuts_short(iterations: int, evaluations: int) -> bool:
    """Whether a file that allows so many iterations of a solver, and evaluations of a line search, cuts them short:
    where they stop makes the solution, and shall be where MuJoCo's do, over the dofs, from MuJoCo's start, island by
    island.
    """
    return iterations < FEW_ITERATIONS or evaluations < FEW_EVALUATIONS
