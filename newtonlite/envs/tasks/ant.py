"""Ant: a ball on four legs walks forward. The same task as gymnasium's Ant-v5."""

from newtonlite import models
from newtonlite.envs.mdp.actions import JointEffortAction
from newtonlite.envs.mdp.locomotion import (
    contact_cost,
    control_cost,
    engine_array,
    forward_velocity,
    is_healthy,
    reset_state_noise,
    unhealthy,
)
from newtonlite.envs.task import EventTerm, ObservationGroup, ObservationTerm, RewardTerm, Task, TerminationTerm

HEALTHY = {"height": 2, "z_range": (0.2, 1.0), "closed": True}


def task() -> Task:
    """Fifty milliseconds a decision, up to 1000 of them."""
    return Task(
        model=models.path("gymnasium/ant"),
        decimation=5,
        keep=("xpos", "cfrc_ext"),
        actions={"torque": JointEffortAction()},
        observations={
            "policy": ObservationGroup(
                {
                    "position": ObservationTerm(engine_array, {"field": "qpos", "first": 2}),
                    "velocity": ObservationTerm(engine_array, {"field": "qvel"}),
                    "contact_forces": ObservationTerm(
                        engine_array, {"field": "cfrc_ext", "first": 6}, clip=(-1.0, 1.0)
                    ),
                }
            )
        },
        rewards={
            "forward": RewardTerm(forward_velocity, 1.0, {"body": "torso"}),
            "healthy": RewardTerm(is_healthy, 1.0, HEALTHY),
            "control": RewardTerm(control_cost, -0.5),
            "contact": RewardTerm(contact_cost, -5e-4, {"clip": (-1.0, 1.0)}),
        },
        terminations={"unhealthy": TerminationTerm(unhealthy, HEALTHY)},
        events={"start": EventTerm(reset_state_noise, "reset", {"position": 0.1, "velocity": 0.1, "gaussian": True})},
        learning={
            "worlds": 32,
            "steps": 128,
            "iterations": 600,
            "epochs": 10,
            "minibatches": 64,
            "initial_std": 0.4,
            "normalise_rewards": True,
        },
        about="a ball on four legs walks forward (gymnasium's Ant-v5)",
    )
