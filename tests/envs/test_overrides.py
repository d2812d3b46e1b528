"""Overrides: fields of a task by text."""

import pytest

from newtonlite.core.errors import ModelError
from newtonlite.envs import tasks
from newtonlite.envs.overrides import override


def test_fields_of_a_task_are_set():
    task = tasks.load("quadruped_velocity")
    override(
        task,
        [
            "episode_length=200",
            "rewards.upright.weight=2.5",
            "rewards.upright.params.std=0.3",
            "events.push_robot=None",
            "commands.twist.params.ranges={'lin_vel_x': (0, 1)}",
            "observations.policy.terms.joint_pos.noise.a=-0.5",
            "actions.joint_pos.scale=0.2",
            "keyframe=stand",
        ],
    )
    assert (task.episode_length, task.rewards["upright"].weight, task.keyframe) == (200, 2.5, "stand")
    assert task.rewards["upright"].params["std"] == 0.3
    assert "push_robot" not in task.events
    assert task.commands["twist"].params["ranges"] == {"lin_vel_x": (0, 1)}
    assert task.observations["policy"].terms["joint_pos"].noise.a == -0.5
    assert task.actions["joint_pos"].scale == 0.2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("episode_length", "expected PATH=VALUE"),
        ("episodes=3", "a task has no 'episodes'; it has model, "),
        ("rewards.upwrong.weight=2", "rewards has no 'upwrong'; it has smooth"),
        ("rewards.smooth.wait=2", "rewards.smooth has no 'wait'; it has func, weight, params"),
        ("episode_length.much=2", "episode_length has no 'much'; it has no parts"),
    ],
)
def test_paths_that_are_none_are_named(text, message):
    with pytest.raises(ModelError, match=message):
        override(tasks.load("cartpole"), [text])
