"""The solver of a world: what decides it, on the host and within kernels."""

from functools import partial
from itertools import product

import numpy as np
import pytest
import warp as wp

from newtonlite.core.mujoco import MjtCone, MjtSolver
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.model import put_model
from newtonlite.solvers.mujoco.solver_path import (
    DUAL_ROWS,
    NEWTON_DOFS,
    SPARSE_NEWTON_DOFS,
    SolverPath,
    conjugate_gradients,
    dual_rows,
    solver_path,
)
from tests import oracle

ENOUGH, FEW = (100, 50), (4, 50)
BOX = "<body><freejoint/><geom type='box' size='.1 .1 .1'/></body>"


@wp.kernel(module="unique", enable_backward=False)
def paths(cases: wp.array2d[int], found: wp.array2d[int]):
    i = wp.tid()
    solver, nv, nrow, ndual = cases[i, 0], cases[i, 1], cases[i, 2], cases[i, 3]
    conjugate = conjugate_gradients(solver, nv, cases[i, 4] != 0, cases[i, 5] != 0, cases[i, 7] != 0)
    found[i, 0] = int(conjugate)
    found[i, 1] = solver_path(solver, conjugate, nrow, ndual, cases[i, 6] != 0)


def test_kernels_decide_as_the_page_of_solvers_says(device):
    dofs = [1, *(int(limit) + more for limit in (NEWTON_DOFS, SPARSE_NEWTON_DOFS) for more in (0, 1))]
    cases = [*product(map(int, MjtSolver), dofs, (0, 1, 7, 8), (0, 7, 500), (0, 1), (0, 1), (0, 1), (0, 1))]
    found = wp.zeros((len(cases), 2), dtype=int, device=device)
    wp.launch(paths, len(cases), [wp.array(cases, dtype=int, device=device)], [found], device=device)
    for (solver, nv, nrow, ndual, short, alone, stiff, sparse), (conjugate, path) in zip(cases, found.numpy()):
        assert conjugate == conjugate_gradients.func(solver, nv, bool(short), bool(alone), bool(sparse))
        assert path == solver_path.func(solver, bool(conjugate), nrow, ndual, bool(stiff))


@pytest.mark.parametrize("solver", [MjtSolver.NEWTON, MjtSolver.CG])
def test_constraint_space_is_for_no_more_rows_than_dofs(solver):
    assert dual_rows(solver, MjtCone.PYRAMIDAL, *ENOUGH, True, 30, 500) == 30
    assert dual_rows(solver, MjtCone.PYRAMIDAL, *ENOUGH, True, 30, 20) == 20
    assert dual_rows(solver, MjtCone.PYRAMIDAL, *ENOUGH, True, 900, 900) == DUAL_ROWS


@pytest.mark.parametrize(
    "cone, limits", [(MjtCone.ELLIPTIC, ENOUGH), (MjtCone.PYRAMIDAL, FEW), (MjtCone.ELLIPTIC, FEW)]
)
@pytest.mark.parametrize("solver", MjtSolver)
def test_elliptic_cones_and_few_iterations_are_solved_over_the_dofs_unless_by_gauss_seidel(solver, cone, limits):
    assert dual_rows(solver, cone, *limits, True, 30, 500) == (500 if solver == MjtSolver.PGS else 0)


def test_a_gpu_takes_conjugate_gradients_where_a_cpu_takes_constraint_space():
    few = int(NEWTON_DOFS)
    assert [dual_rows(MjtSolver.CG, MjtCone.PYRAMIDAL, *ENOUGH, cpu, 30, 500) for cpu in (True, False)] == [30, 0]
    taken = partial(conjugate_gradients.func, MjtSolver.CG)
    assert [taken(few, False, alone, False) for alone in (True, False)] == [False, True]
    assert taken(few, True, True, False) and taken(few + 1, False, True, False)


def test_one_lane_takes_newtons_method_for_more_dofs_where_rows_are_sparse():
    most = int(SPARSE_NEWTON_DOFS)
    taken = [conjugate_gradients.func(MjtSolver.CG, nv, False, True, True) for nv in (most, most + 1)]
    assert taken == [False, True]


def test_a_stiff_world_leaves_constraint_space_and_a_world_without_rows_needs_no_solver():
    paths = [
        solver_path.func(int(MjtSolver.NEWTON), False, nrow, 8, stiff)
        for nrow, stiff in ((0, True), (8, False), (8, True), (9, False))
    ]
    assert paths == [
        SolverPath.UNCONSTRAINED,
        SolverPath.DUAL_NEWTON,
        SolverPath.PRIMAL_NEWTON,
        SolverPath.PRIMAL_NEWTON,
    ]


@pytest.mark.parametrize("options, expected", [("", True), ("cone='elliptic'", False), ("iterations='3'", False)])
def test_data_have_room_for_the_rows_of_constraint_space(options, expected):
    mj = oracle.compile_xml(
        f"<mujoco><option {options}/><worldbody><geom type='plane' size='1 1 1'/>{BOX}</worldbody></mujoco>"
    )
    m = put_model(mj, 1, "cpu")
    assert np.sign(make_data(m, 1).sizes["ndual"]) == expected
