"""A task of one's own, trained by the packaged PPO. Needs the extra ``learn``.

python examples/ppo.py [folder]
"""

import sys

import numpy as np

from newtonlite import models
from newtonlite.envs import EventTerm, ObservationGroup, ObservationTerm, RewardTerm, Task, TerminationTerm, mdp
from newtonlite.learn.runner import Runner


def upright(env):
    """1 where the pole stands, and the cart is in the middle."""
    q = env.sim.data.qpos.numpy()
    return np.cos(q[:, 1]) * np.exp(-np.square(q[:, 0]))


def fell(env):
    """Whether the pole has fallen."""
    return np.abs(env.sim.data.qpos.numpy()[:, 1]) > 0.5


def task() -> Task:
    """Balance a pole on a cart."""
    start = {"position_range": (-0.1, 0.1), "velocity_range": (-0.1, 0.1)}
    observed = {"q": ObservationTerm(mdp.joint_pos_rel), "v": ObservationTerm(mdp.joint_vel_rel)}
    return Task(
        model=models.path("cartpole"),
        decimation=2,
        episode_length=200,
        actions={"force": mdp.JointEffortAction(".*")},
        observations={"policy": ObservationGroup(observed)},
        rewards={"upright": RewardTerm(upright, 1.0)},
        terminations={"fell": TerminationTerm(fell)},
        events={"start": EventTerm(mdp.reset_joints_by_offset, "reset", start)},
    )


def run(folder: str = "runs/pole", iterations: int = 30) -> dict:
    """Train; returns the last row of the curves."""
    return Runner(task(), folder, worlds=64, steps=32, iterations=iterations).train()


if __name__ == "__main__":
    print(run(*sys.argv[1:2]))
