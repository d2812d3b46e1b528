"""Effective inertia of the integrator discrete: the step that MuJoCo's solve gives, over many steps, in any batch."""

import numpy as np
import pytest

from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo
from tests import oracle
from tests.harness.discrete_scenes import FLEXES, flex_scene
from tests.harness.engine import Engine
from tests.tolerance import assert_close, tolerance

MODELS = ["discrete_springs_and_servos", "discrete_stiff_rows", "discrete_muscles_in_a_fluid"]
WORLDS = 20


@pytest.mark.parametrize("name", [MODELS[0], MODELS[2]])
def test_the_inverse_of_a_step_is_mujocos(name, device):
    """Not of rows so stiff that the rounding of an acceleration to float32 moves their forces by more than is allowed."""
    mj = oracle.small_model(name)
    states = oracle.rollout_states(mj, WORLDS)
    qacc = np.float32((oracle.step(mj, states).qvel - states.qvel) / mj.opt.timestep)
    want = oracle.inverse(mj, states, qacc)
    engine = Engine(mj, states, device, mode="staged")
    engine.fill("qacc", qacc)
    engine.schedule.inverse()
    size = sum(np.linalg.norm(values, axis=1) for values in want.values())
    for part in ("qfrc_constraint", "qfrc_inverse"):
        assert_close(engine.read(part), want[part], "inverse", size, part)


@pytest.mark.parametrize("name", MODELS)
def test_inertia_and_forces_are_the_models_own_after_a_step(name, device):
    """What a step solves with leaves no trace in ``M`` and ``qfrc_smooth``: those of the same state under Euler."""
    found = []
    for integrator in (4, 0):
        mj = oracle.small_model(name)
        states = oracle.rollout_states(mj, WORLDS)
        mj.opt.integrator = integrator
        engine = Engine(mj, states, device, mode="staged")
        engine.schedule.forward()
        found.append([engine.read(part) for part in ("M", "qfrc_smooth")])
    blocks = np.abs(found[1][0]) > 0
    np.testing.assert_array_equal(found[0][0][blocks], found[1][0][blocks])
    np.testing.assert_array_equal(found[0][1], found[1][1])


@pytest.mark.parametrize("name", FLEXES)
def test_a_step_of_flexes_is_mujocos(name, device):
    """Young's moduli at which Euler diverges within a few steps."""
    mj = oracle.compile_xml(flex_scene(FLEXES[name]))
    states = oracle.rollout_states(mj, 6)
    want = oracle.step(mj, states)
    engine = Engine(mj, states, device).step()
    np.testing.assert_array_equal(engine.read("nefc"), want.nefc)
    assert_close(engine.read("qpos"), want.qpos, "next", what="qpos")
    assert_close(engine.read("qvel"), want.qvel, "next", what="qvel")


def test_a_world_is_the_same_alone_and_among_others(device):
    mj = oracle.small_model(MODELS[0])
    states = oracle.rollout_states(mj, 5)
    together = Engine(mj, states, device).step().read("qvel")
    for w in range(5):
        alone = Engine(mj, states[w : w + 1], device).step().read("qvel")
        np.testing.assert_array_equal(alone[0], together[w])


def test_a_stiff_spring_is_stable_at_a_large_step():
    """A mass of 1 kg on 1e6 N/m at steps of 0.01 s: explicit integration would be off by powers of 100."""
    builder = ModelBuilder()
    builder.add_mjcf(
        '<mujoco><option gravity="0 0 0"/><worldbody><body><joint type="slide" stiffness="1e6" ref="0"/>'
        '<geom size=".1" mass="1"/></body></worldbody></mujoco>'
    )
    model = builder.finalize("cpu")
    solver, state = SolverMuJoCo(model, integrator="discrete"), model.state()
    state.joint_q.fill_(0.1)
    for _ in range(50):
        solver.step(state, state, model.control(), None, 0.01)
    assert np.abs(state.joint_q.numpy()).max() < tolerance("next")
