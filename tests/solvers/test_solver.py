"""The base of solvers: what one's own solver need not define."""

import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.errors import StateError


def mask(*values, dtype=wp.bool):
    return wp.array(values, dtype=dtype, device="cpu")


@pytest.fixture(scope="module")
def solver():
    builder = newton.ModelBuilder()
    for _ in range(2):
        builder.begin_world()
        builder.add_body(mass=1.0)
        builder.end_world()
    return newton.solvers.SolverBase(builder.finalize(device="cpu"))


def test_reset_of_a_solver_without_memory_leaves_the_state(solver):
    state = solver.model.state()
    before = state.body_q.numpy().copy()
    solver.reset(state)
    solver.reset(state, world_mask=mask(True, False, True), flags=newton.StateFlags.BODY)
    assert (state.body_q.numpy() == before).all()


@pytest.mark.parametrize("wrong", [mask(True, False), mask(True), mask(True, False, True, True)])
def test_masks_of_another_length_are_refused(solver, wrong):
    with pytest.raises(StateError, match=r"world_count \+ 1\], 3 entries"):
        solver.reset(solver.model.state(), world_mask=wrong)


@pytest.mark.parametrize("wrong", [mask(1, 0, 1, dtype=int), [True, False, True]])
def test_what_is_no_mask_is_refused(solver, wrong):
    with pytest.raises(TypeError, match="expected a wp.bool array"):
        solver.reset(solver.model.state(), world_mask=wrong)
