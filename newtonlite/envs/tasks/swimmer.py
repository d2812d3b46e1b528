"""Swimmer: three links swim forward in a plane. The same task as gymnasium's Swimmer-v5."""

from newtonlite import models
from newtonlite.envs.mdp.actions import JointEffortAction
from newtonlite.envs.mdp.locomotion import control_cost, engine_array, forward_velocity, reset_state_noise
from newtonlite.envs.task import EventTerm, ObservationGroup, ObservationTerm, RewardTerm, Task


def task() -> Task:
    """Forty milliseconds a decision, 1000 of them."""
    return Task(
        model=models.path("gymnasium/swimmer"),
        decimation=4,
        actions={"torque": JointEffortAction()},
        observations={
            "policy": ObservationGroup(
                {
                    "position": ObservationTerm(engine_array, {"field": "qpos", "first": 2}),
                    "velocity": ObservationTerm(engine_array, {"field": "qvel"}),
                }
            )
        },
        rewards={"forward": RewardTerm(forward_velocity, 1.0), "control": RewardTerm(control_cost, -1e-4)},
        events={"start": EventTerm(reset_state_noise, "reset", {"position": 0.1, "velocity": 0.1})},
        learning={
            "worlds": 16,
            "steps": 256,
            "iterations": 300,
            "epochs": 10,
            "minibatches": 32,
            "gamma": 0.999,
            "lam": 0.995,  # shorter sums end at strokes that pay soon, near a return of 140
            "normalise_rewards": True,
        },
        about="three links swim forward (gymnasium's Swimmer-v5)",
    )
