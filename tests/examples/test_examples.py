"""The scripts in examples/, written as for Newton, run and do what they say."""

import importlib.util

import numpy as np

from tests.house.project import ROOT
from tests.tolerance import assert_close, tolerance


def example(name: str):
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_pendulum_swings():
    script = example("pendulum").Example(frames=20)
    assert abs(script.run() - 1.2) > 0.1 and np.isfinite(script.state_0.body_q.numpy()).all()


def test_arms_beside_humanoids_reach_their_targets():
    q = example("many_robots").run(arms=4, humanoids=2, steps=200)
    assert q.shape == (4, 3) and (np.diff(q[:, 0]) > 0.0).all()


def test_a_stack_rests_on_the_pipelines_contacts():
    height, force = example("pipeline_contacts").run(frames=40)
    assert_close([height], [0.3], "contact_rest")
    weight = 1000.0 * 0.2**3 * 9.81
    assert abs(force - weight) <= 10.0 * tolerance("law") * weight


def test_a_usd_arm_sags_below_its_target():
    pose = example("usd_robot").main(seconds=0.5).body_q.numpy()[0]
    assert 0.6 < pose[2] < 1.0 - 0.3 * np.sin(np.pi / 6)
