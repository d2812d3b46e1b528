"""What is left of the gradient of the constraint problem, beside what MuJoCo leaves; and who stops at the limit of
iterations.
"""

import numpy as np
import pytest

from tests import oracle
from tests.harness.optimality import cost, engine_solution, measured, optimum, problems, share
from tests.tolerance import assert_close, tolerance

STATES = 20
MODELS = [
    "humanoid",
    "box_stack_three",
    "elliptic_condim_1_3_4_6",
    "free_bodies_condim_1_3_4_6",
    "slide_friction_loss",
    "ball_joint_limit",
    "heap_of_convex_shapes",
    "gauss_seidel_elliptic",
    "equality_with_contacts",
    "equality_weld",
    "elliptic_sliding_box",
    "tendon_limits_and_friction",
    "less_slip_on_a_slope",
    "many_small_trees",
]
REAL = ["mujoco_mjx/sensor/model.xml", "mujoco_test/engine/core_smooth/rne_post/connect/force_free.xml"]
"""Rows of real models that are much stiffer than the inertia they move."""
SOLVERS = {"Newton": oracle.NEWTON, "CG": oracle.CG, "PGS": oracle.PGS}
CONES = (oracle.PYRAMIDAL, oracle.ELLIPTIC)


def assert_as_good(found, stuck=False):
    """Every state is as good as MuJoCo's or as the optimum rounded to float32, and none is given up that MuJoCo solves.
    Sweeps over elliptic cones may get `stuck` short of the minimum where MuJoCo's do.
    """
    assert len(found["ours"])
    assert share(found).max() <= (tolerance("residual_stuck") if stuck else tolerance("residual"))
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
        stuck = solver == "PGS" and cone == oracle.ELLIPTIC
        assert_as_good(measured(mj, oracle.gentle_states(mj, STATES), device), stuck)


@pytest.mark.parametrize("path", REAL)
def test_stiff_rows_are_solved_as_well_as_soft_ones(path, device, assets):
    mj = oracle.compile_xml(assets / "mjcf" / path)
    assert_as_good(measured(mj, oracle.gentle_states(mj, STATES), device))


@pytest.mark.parametrize("solver", ["Newton", "CG"])
@pytest.mark.parametrize("name", ["free_bodies_condim_1_3_4_6", "ball_joint_limit"])
def test_solvers_of_one_iteration_end_where_mujocos_do(name, solver, device):
    """They begin where MuJoCo's do: at the warm start, or at the acceleration without constraints where that costs
    less.
    """
    mj = oracle.named_model(name)
    mj.opt.solver, mj.opt.iterations = SOLVERS[solver], 1
    states = oracle.gentle_states(mj, STATES)
    for warm in (True, False):
        if not warm:
            mj.opt.disableflags |= oracle.DISABLE_WARMSTART
        found = measured(mj, states, device)
        assert share(found).max() <= tolerance("residual")
        assert not (found["stopped"] & ~found["their_stopped"]).any()
        assert (found["niter"] == found["their_niter"]).all()


@pytest.mark.parametrize(("iterations", "steps"), [(1, 4), (3, 5)])
@pytest.mark.parametrize("name", ["elliptic_sliding_box", "box_stack_three", "contacts_overridden"])
def test_iterations_cut_short_end_where_mujocos_do(name, iterations, steps, device):
    """The limits of files tuned for MJX: neither a higher cost nor farther from the solution than MuJoCo's answer."""
    mj = oracle.named_model(name)
    mj.opt.solver, mj.opt.iterations, mj.opt.ls_iterations = oracle.NEWTON, 1000, 100
    states = oracle.gentle_states(mj, STATES)
    converged = problems(mj, states)
    solutions = [optimum(converged, i) if converged.datas[i].nefc else None for i in range(STATES)]
    mj.opt.iterations, mj.opt.ls_iterations = iterations, steps
    truth = problems(mj, states)
    qacc, niter, same = engine_solution(mj, truth, device)
    assert (niter <= iterations).all()
    for i in np.flatnonzero(same & (truth.want["nefc"] > 0)):
        theirs = cost(truth, i, truth.want["qacc"][i])
        assert cost(truth, i, qacc[i]) <= theirs + tolerance("solver_cost") * max(1.0, abs(theirs))
        M, best = truth.want["M"][i], solutions[i]
        size = np.sqrt(best @ M @ best)
        mine, other = (np.sqrt((x - best) @ M @ (x - best)) for x in (qacc[i], truth.want["qacc"][i]))
        assert mine <= other + tolerance("cut_short") * (size + other)


@pytest.mark.parametrize("sweeps", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "name",
    ["gauss_seidel_elliptic", "box_stack_three", "equality_with_contacts", "many_small_trees", "slide_friction_loss"],
)
def test_sweeps_are_mujocos_one_by_one(name, sweeps, device):
    """The same rows in the same order, from as far along the last step, island by island or all at once."""
    mj = oracle.named_model(name)
    mj.opt.solver, mj.opt.iterations, mj.opt.noslip_iterations = oracle.PGS, sweeps, 0
    for flags in (0, oracle.DISABLE_ISLAND):
        mj.opt.disableflags |= flags
        truth = problems(mj, oracle.gentle_states(mj, STATES))
        qacc, niter, same = engine_solution(mj, truth, device)
        assert same.all()
        assert_close(qacc, truth.want["qacc"], "qacc")
        stopped = np.array([max(data.solver_niter[: max(1, data.nisland)]) == sweeps for data in truth.datas])
        assert stopped.any() or sweeps > 2
        assert (niter[stopped] == sweeps).all()


STIFF = """
<mujoco>
  <option solver="CG"/>
  <worldbody>
    <geom type="box" size=".1 .2 .3"/>
    <body>
      <joint type="hinge" axis="0 1 0"/>
      <geom type="box" size=".1 .2 .3"/>
    </body>
  </worldbody>
</mujoco>
"""


def test_gradients_longer_than_a_float_can_square(device, tmp_path):
    """A body on a hinge within a box: MuJoCo gives its contacts no softness, and forces of 1e18."""
    (tmp_path / "stiff.xml").write_text(STIFF)
    mj = oracle.compile_xml(tmp_path / "stiff.xml")
    found = measured(mj, oracle.gentle_states(mj, STATES), device)
    assert len(found["ours"])
    assert found["rounding"].max() > 1e6
    assert share(found).max() <= tolerance("residual")
