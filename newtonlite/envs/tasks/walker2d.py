"""Walker: two legs walk forward in a plane. The same task as gymnasium's Walker2d-v5."""

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

HEALTHY = {"height": 1, "z_range": (0.8, 2.0), "angle": 2, "angle_range": (-1.0, 1.0)}


def task() -> Task:
    """Eight milliseconds a decision, up to 1000 of them."""
    return Task(
        model=models.path("gymnasium/walker2d"),
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
        about="two legs walk forward in a plane (gymnasium's Walker2d-v5)",
    )
