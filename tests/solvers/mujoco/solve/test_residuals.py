"""What is left of the gradient of the constraint problem, beside what MuJoCo leaves; and who stops at the limit of iterations."""

import numpy as np
import pytest

from tests import oracle
from tests.solvers.mujoco.optimality import measured, share
from tests.tolerance import tolerance

STATES = 20
MODELS = ["humanoid", "box_stack_three", "elliptic_condim_1_3_4_6", "free_bodies_condim_1_3_4_6", "slide_friction_loss",
          "ball_joint_limit", "heap_of_convex_shapes", "gauss_seidel_elliptic", "equality_with_contacts", "equality_weld",
          "elliptic_sliding_box", "tendon_limits_and_friction", "less_slip_on_a_slope", "many_small_trees"]  # fmt: skip
REAL = ["mujoco_mjx/sensor/model.xml", "mujoco_test/engine/core_smooth/rne_post/connect/force_free.xml"]
"""Rows of real models that are much stiffer than the inertia they move."""
SOLVERS = {"Newton": oracle.NEWTON, "CG": oracle.CG, "PGS": oracle.PGS}
CONES = (oracle.PYRAMIDAL, oracle.ELLIPTIC)


def assert_as_good(found, asleep=False):
    """The typical and the worst state are as good as MuJoCo's, every one as good as MuJoCo's or as one rounding, and none is given up that MuJoCo
    solves. Sweeps over elliptic cones (`asleep`) may stop short of the minimum, MuJoCo's as the engine's, and not in all the same states."""
    assert len(found["ours"])
    assert asleep or share(found).max() <= tolerance("residual")
    ended = ~(found["stopped"] & found["their_stopped"])
    ours, allowed = found["ours"][ended], np.maximum(found["theirs"], found["floor"])[ended]
    assert np.median(ours / allowed) <= tolerance("residual_typical")
    assert ours.max() <= tolerance("residual_worst") * allowed.max()
    assert not (found["stopped"] & ~found["their_stopped"]).any()
    assert not found["other"].any()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", MODELS)
def test_residuals_are_mujocos_in_float32(name, solver, device):
    mj = oracle.named_model(name)
    mj.opt.solver, mj.opt.noslip_iterations = SOLVERS[solver], 0
    for cone in CONES:
        mj.opt.cone = cone
        asleep = solver == "PGS" and cone == oracle.ELLIPTIC
        assert_as_good(measured(mj, oracle.gentle_states(mj, STATES), device), asleep)


@pytest.mark.parametrize("path", REAL)
def test_stiff_rows_are_solved_as_well_as_soft_ones(path, device, assets):
    mj = oracle.compile_xml(assets / "mjcf" / path)
    assert_as_good(measured(mj, oracle.gentle_states(mj, STATES), device))
