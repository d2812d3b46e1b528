"""What is left of the gradient of the constraint problem, beside what MuJoCo leaves; and who stops at the limit of iterations."""

import numpy as np
import pytest

from tests import oracle
from tests.solvers.mujoco.optimality import measured
from tests.solvers.mujoco.stagewise import Truth
from tests.tolerance import tolerance

STATES = 20
MODELS = ["humanoid", "box_stack_three", "elliptic_condim_1_3_4_6", "free_bodies_condim_1_3_4_6", "slide_friction_loss",
          "ball_joint_limit", "heap_of_convex_shapes", "gauss_seidel_elliptic", "equality_with_contacts"]  # fmt: skip
REAL = ["mujoco_mjx/sensor/model.xml", "mujoco_test/engine/core_smooth/rne_post/connect/force_free.xml"]
"""Rows of real models that are much stiffer than the inertia they move."""
SOLVERS = {"Newton": oracle.NEWTON, "CG": oracle.CG, "PGS": oracle.PGS}


def held(mj, device):
    """The residuals of a model whose options are as its file has them."""
    oracle.be_quiet()
    return measured(mj, Truth(mj, oracle.gentle_states(mj, STATES)), device)


def assert_as_good(found):
    """The worst state is as good as MuJoCo's worst, or as float32 allows; and the typical one as MuJoCo's typical."""
    for size in (np.max, np.median):
        ours, theirs = size(found["ours"]), size(found["rounded"])
        assert ours <= max(tolerance("residual"), tolerance("residual_share") * theirs), (size.__name__, ours, theirs)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", MODELS)
def test_residuals_are_mujocos_or_roundings(name, solver, device):
    mj = oracle.named_model(name)
    mj.opt.solver = SOLVERS[solver]
    found = held(mj, device)
    assert_as_good(found)
    assert not (found["stopped"] & ~found["their_stopped"]).any()


@pytest.mark.parametrize("path", REAL)
def test_stiff_rows_are_solved_as_well_as_soft_ones(path, device, assets):
    found = held(oracle.compile_xml(assets / "mjcf" / path), device)
    assert found["ours"].max() <= tolerance("residual")
