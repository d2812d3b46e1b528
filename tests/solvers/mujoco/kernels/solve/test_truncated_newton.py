"""Truncated Newton: near the minimum of sparse rows conjugate gradients on the Hessian are taken in place of its factor."""

import numpy as np
import pytest

from newtonlite.core.mujoco import MjtSolver
from newtonlite.solvers.mujoco.derive import sparse
from newtonlite.solvers.mujoco.kernels.solve import truncated_newton
from tests import oracle
from tests.harness import wide_scenes
from tests.harness.engine import Engine
from tests.harness.sparse_rows import dense_rows
from tests.tolerance import relative_error, tolerance

WORLDS = 4


@pytest.fixture
def wide(monkeypatch):
    """All models are wide ones."""
    monkeypatch.setattr(sparse, "WIDE_DOFS", 0)


def settled(mj):
    """States of a cloth, of which MuJoCo's accelerations of the step before are the warm start."""
    return oracle.rollout_states(mj, WORLDS, length=200)


def test_near_the_minimum_nothing_is_factored(wide):
    """Few conjugate gradients end as near the minimum as MuJoCo's."""
    mj = wide_scenes.cloth(6, 'solver="CG" tolerance="1e-4"')
    states = settled(mj)
    got = Engine(mj, states, "cpu", mode="staged").step()
    assert (got.read("H_shape") == 0).all() and (got.read("solver_niter") <= truncated_newton.FEWEST).all()
    theirs = oracle.step(mj, states).qacc
    mj.opt.solver, mj.opt.tolerance, mj.opt.iterations = int(MjtSolver.NEWTON), 1e-12, 200
    want = oracle.step(mj, states).qacc
    assert (relative_error(got.read("qacc"), want) <= relative_error(theirs, want)).all()


def test_far_from_it_the_hessian_is_factored(wide):
    """From no warm start Newton's method takes over."""
    mj = wide_scenes.cloth(6, 'solver="CG" tolerance="1e-10"')
    states = settled(mj)
    states.qacc_warmstart[:] = 0.0
    got = Engine(mj, states, "cpu", mode="staged").step()
    assert (got.read("solver_niter") < truncated_newton.FEWEST).all()
    assert (got.read("H_shape")[:, 0] > 0).all()


def test_the_product_is_that_of_the_hessian(wide):
    """Directions end where ``H p = -grad``: forces and accelerations balance at the end of a step."""
    mj = wide_scenes.cloth(6, 'solver="CG" tolerance="1e-6"')
    got = Engine(mj, settled(mj), "cpu", mode="staged").step()
    J, f = dense_rows(got), got.read("efc_force")
    push = np.einsum("wri,wr->wi", J, f[:, : J.shape[1]])
    assert relative_error(push, got.read("qfrc_constraint")).max() <= tolerance("balance")
