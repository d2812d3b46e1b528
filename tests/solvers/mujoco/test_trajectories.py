"""Motion that is not chaotic stays beside MuJoCo's for hundreds of steps."""

import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

MODELS = [
    "arm_position_actuators",
    "spring_damper_joints",
    "implicit_damping_euler",
    "implicitfast_damped_arm",
    "gravity_compensated_links",
    "disabled_parts",
]
WORLDS, STEPS = 8, 200


@pytest.mark.parametrize("name", MODELS)
def test_a_smooth_trajectory_is_mujocos(name, device):
    mj = oracle.named_model(name)
    states = oracle.rollout_states(mj, WORLDS, seed=21)
    want = oracle.roll(mj, states, STEPS)
    engine = Engine(mj, states, device)
    engine.step(STEPS)
    assert_close(engine.read("qpos"), want.qpos, "trajectory", what="qpos")
    assert_close(engine.read("qvel"), want.qvel, "trajectory", 1.0, what="qvel")
