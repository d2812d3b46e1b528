"""One step of the engine against one step of MuJoCo, over states met along rollouts with random control."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.harness.random_scene import RandomScene
from tests.tolerance import assert_close, relative_error, tolerance

STATES, FEW = 200, 32
WEDGED = 0.03  # [m] bodies that start inside each other press with forces no float32 Jacobian carries to the joints
BENCHMARKED = ["humanoid", "three_humanoids"]
SAMPLE = [
    "newton/nv_humanoid.xml",
    "newton/nv_ant.xml",
    "mjwarp_bench/unitree_g1/scene_flat.xml",
    "unitree_go1_mjlab/go1.xml",
    "mjwarp_test/collision.xml",
    "mjwarp_test/actuation/actuation.xml",
    "mujoco_test/engine/vis_interact/boxes.xml",
    "mujoco_test/engine/core_constraint/surfacevel_conveyor.xml",
    "mujoco_test/engine/core_constraint/surfacevel_turntable.xml",
    "mujoco_test/engine/spin_recoil.xml",
    "mujoco_test/engine/island/abacus.xml",
    "mujoco_model/replicate/cylinder.xml",
    "mujoco_usd_converter/stacked_joints.xml",
    "mujoco_usd_converter/contact_excludes.xml",
]


def assert_parity(mj, states, device, strict=False) -> np.ndarray:
    """One step from every state, against MuJoCo's.

    Not `strict`, errors are relative to the accelerations that nearly cancel in a body held still by contacts,
    springs or friction: float32 cannot tell such a rest from 1e-6 of gravity, and neither can MuJoCo once its
    input is rounded to float32. A velocity near zero is then owed to the step alone: it may be off by what qacc may.
    Returns the relative errors of qacc.
    """
    want = oracle.step(mj, states)
    engine = Engine(mj, states, device).step()
    assert not engine.read("overflow").any() and not engine.read("bad").any()
    np.testing.assert_array_equal(engine.read("ncon"), want.ncon)
    np.testing.assert_array_equal(engine.read("nefc"), want.nefc)
    scale = 0.0 if strict else want.pull
    assert_close(engine.read("qacc"), want.qacc, "qacc", scale)
    assert_close(engine.read("qpos"), want.qpos, "next", what="qpos")
    step_alone = scale * mj.opt.timestep * tolerance("qacc") / tolerance("next")
    assert_close(engine.read("qvel"), want.qvel, "next", step_alone, what="qvel")
    assert_close(engine.read("act"), want.act, "next", what="act")
    assert_close(engine.read("history"), want.history, "next", what="history")
    return relative_error(engine.read("qacc"), want.qacc, scale)


@pytest.mark.parametrize("name", oracle.model_names())
def test_a_step_of_a_small_model_is_mujocos(name, device):
    mj = oracle.small_model(name)
    errors = assert_parity(mj, oracle.rollout_states(mj, STATES), device)
    assert np.median(errors) < tolerance("qacc_median")


@pytest.mark.parametrize("name", BENCHMARKED)
def test_a_step_of_the_benchmark_humanoids_is_mujocos(name, device, assets):
    mj = oracle.compile_xml(assets / "mjcf" / "mjwarp_bench" / "humanoid" / f"{name}.xml")
    errors = assert_parity(mj, oracle.rollout_states(mj, STATES), device, strict=True)
    assert np.median(errors) < tolerance("qacc_median")


@pytest.mark.parametrize("path", SAMPLE)
def test_a_step_of_a_real_model_is_mujocos(path, device, assets):
    mj = oracle.compile_xml(assets / "mjcf" / path)
    assert_parity(mj, oracle.rollout_states(mj, FEW, length=60), device)


def test_a_step_of_our_humanoid_is_mujocos(device):
    mj = oracle.named_model("humanoid")
    errors = assert_parity(mj, oracle.rollout_states(mj, STATES), device, strict=True)
    assert np.median(errors) < tolerance("qacc_median")


@pytest.mark.parametrize("seed", [seed for seed in range(40) if seed not in (5, 18)])  # always wedged
def test_a_step_of_a_scene_nobody_chose_is_mujocos(seed, device):
    """Combinations of joints, shapes, cones, actuators and integrators that no hand-written model has."""
    mj = oracle.compile_xml(RandomScene(seed).text)
    states = oracle.rollout_states(mj, FEW, seed=seed)
    wedged = oracle.step(mj, states).depth > WEDGED
    assert_parity(mj, states[~wedged], device)
