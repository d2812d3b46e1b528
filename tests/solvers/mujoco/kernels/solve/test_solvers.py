"""Newton, conjugate gradients, Gauss-Seidel and less slip: the same optimum as MuJoCo's, and the conditions of an
optimum.
"""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

MODELS = [
    "box_stack_three",
    "elliptic_condim_1_3_4_6",
    "free_bodies_condim_1_3_4_6",
    "slide_friction_loss",
    "ball_joint_limit",
    "equality_with_contacts",
    "conjugate_gradients_on_boxes",
    "gauss_seidel_elliptic",
]
ITERATIONS = {oracle.NEWTON: 100, oracle.CG: 1000, oracle.PGS: 2000}
SLOW = ["equality_with_contacts"]
WORLDS = 24


def converged(name, solver):
    """A model whose solver runs until it gains nothing any more."""
    mj = oracle.named_model(name)
    mj.opt.solver, mj.opt.iterations, mj.opt.tolerance = solver, ITERATIONS[solver], 1e-12
    return mj


@pytest.mark.parametrize("solver", ITERATIONS)
@pytest.mark.parametrize("name", MODELS)
def test_every_solver_finds_mujocos_acceleration(name, solver, device):
    if name in SLOW and solver == oracle.PGS:
        pytest.skip("MuJoCo's own Gauss-Seidel is a hundredth away from its Newton after 2000 iterations")
    mj = converged(name, solver)
    states = oracle.rollout_states(mj, WORLDS)
    want = oracle.step(mj, states)
    engine = Engine(mj, states, device, mode="staged").step()
    assert_close(engine.read("qacc"), want.qacc, "qacc", want.pull)


@pytest.mark.parametrize("solver", [oracle.NEWTON, oracle.CG])
@pytest.mark.parametrize("name", MODELS)
def test_what_is_left_of_the_optimality_conditions(name, solver, device):
    """MuJoCo's gradient of the primal problem at the engine's acceleration: the force that is not accounted for."""
    mj = converged(name, solver)
    states = oracle.rollout_states(mj, WORLDS)
    engine = Engine(mj, states, device, mode="staged").forward()
    at = oracle.inverse(mj, states, engine.read("qacc").astype(float))
    size = sum(np.linalg.norm(values, axis=1) for values in at.values())
    applied = np.array([oracle.forward(mj, states, k).qfrc_actuator for k in range(WORLDS)])
    assert_close(at["qfrc_inverse"], applied, "optimality", size)


@pytest.mark.parametrize("name", ["less_slip_with_elliptic_cones", "equality_with_contacts"])
def test_newtons_iterations_end_where_float32_does(name, device):
    """Without a tolerance: a step that is lost in rounding is the last one, and not one of a hundred."""
    mj = converged(name, oracle.NEWTON)
    mj.opt.tolerance = 0.0
    engine = Engine(mj, oracle.rollout_states(mj, WORLDS), device, mode="staged").step()
    assert engine.read("solver_niter").max() <= 20


@pytest.mark.parametrize("solver", ITERATIONS)
@pytest.mark.parametrize("sweeps", [1, 5, 40])
@pytest.mark.parametrize(
    "name",
    [
        "less_slip_on_a_slope",
        "less_slip_with_elliptic_cones",
        "box_stack_three",
        "slide_friction_loss",
        "many_small_trees",
    ],
)
def test_sweeps_against_slip_are_mujocos(name, sweeps, solver, device):
    """One after the other in MuJoCo's order, so that even a few of them agree."""
    mj = converged(name, solver)
    mj.opt.noslip_iterations = sweeps
    states = oracle.rollout_states(mj, WORLDS)
    want = oracle.step(mj, states)
    engine = Engine(mj, states, device, mode="staged").step()
    assert_close(engine.read("qacc"), want.qacc, "qacc", want.pull)


def test_less_slip_slips_less(device):
    """A box on a slope creeps by soft friction, and hardly after the sweeps."""
    mj = oracle.small_model("less_slip_on_a_slope")
    states = oracle.rollout_states(mj, 1, speed=0.0, length=1, every=1)
    moved = []
    for sweeps in (0, 20):
        mj.opt.noslip_iterations = sweeps
        engine = Engine(mj, states, device, mode="staged")
        start = engine.step(100).read("qpos")[:, 0]
        moved.append(abs(engine.step(250).read("qpos")[:, 0] - start)[0])
    assert moved[1] < 0.02 * moved[0]


@pytest.mark.parametrize("solver", ITERATIONS)
def test_lanes_and_threads_do_not_matter(solver, device):
    mj = converged("gauss_seidel_elliptic", solver)
    states = oracle.rollout_states(mj, 9)
    first = Engine(mj, states, device, mode="staged", threads=1).step(3)
    second = Engine(mj, states, device, mode="staged", threads=3).step(3)
    np.testing.assert_array_equal(first.read("qpos"), second.read("qpos"))


SLIDING = """<mujoco><option gravity="3 0 -9.81" impratio="3" cone="{}" noslip_tolerance="1e-4"/><worldbody><geom type="plane" size="5 5 .1"/>
  <body pos="0 0 .099"><freejoint/><geom type="{}" size=".1 .12 .1" friction="1 .05 .01"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("shape", ["sphere", "box"])
def test_sweeps_against_slip_count_as_iterations(shape, cone, device):
    """As many as MuJoCo takes, on top of the solver's, and no more than there may be."""
    counts = []
    for sweeps in (0, 3, 50):
        mj = oracle.compile_xml(SLIDING.format(cone, shape))
        mj.opt.noslip_iterations = sweeps
        states = oracle.rollout_states(mj, 8, seed=4)
        engine = Engine(mj, states, device, mode="staged").forward()
        counts.append((engine.read("solver_niter"), oracle.step(mj, states).niter))
    (ours, theirs), *more = counts
    assert any((with_sweeps[1] > theirs).any() for with_sweeps in more)
    for mine, other in more:
        np.testing.assert_array_equal(mine - ours, other - theirs)
