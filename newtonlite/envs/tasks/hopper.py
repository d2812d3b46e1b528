"""Hopper: one leg hops forward. The same task as gymnasium's Hopper-v5."""

import math

from newtonlite import models
from newtonlite.envs.mdp.actions import JointEffortAction
from newtonlite.envs.mdp.locomotion import (
    control_cost,
    engine_array,
    forward_velocity,
    is_healthy,
    reset_state_noise,
    unhealthy,
)
from newtonlite.envs.task import EventTerm, ObservationGroup, ObservationTerm, RewardTerm, Task, TerminationTerm

HEALTHY = {
    "height": 1,
    "z_range": (0.7, math.inf),
    "angle": 2,
    "angle_range": (-0.2, 0.2),
    "state_from": 2,
    "state_range": (-100.0, 100.0),
}


def task() -> Task:
    """Eight milliseconds a decision, up to 1000 of them."""
    return Task(
        model=models.path("gymnasium/hopper"),
        decimation=4,
        actions={"torque": JointEffortAction()},
        observations={
            "policy": ObservationGroup(
                {
                    "position": ObservationTerm(engine_array, {"field": "qpos", "first": 1}),
                    "velocity": ObservationTerm(engine_array, {"field": "qvel"}, clip=(-10.0, 10.0)),
                }
            )
        },
        rewards={
            "forward": RewardTerm(forward_velocity, 1.0),
            "healthy": RewardTerm(is_healthy, 1.0, HEALTHY),
            "control": RewardTerm(control_cost, -1e-3),
        },
        terminations={"unhealthy": TerminationTerm(unhealthy, HEALTHY)},
        events={"start": EventTerm(reset_state_noise, "reset", {"position": 5e-3, "velocity": 5e-3})},
        learning={
            "worlds": 32,
            "steps": 128,
            "iterations": 600,
            "epochs": 10,
            "minibatches": 64,
            "normalise_rewards": True,
        },
        about="one leg hops forward (gymnasium's Hopper-v5)",
    )
