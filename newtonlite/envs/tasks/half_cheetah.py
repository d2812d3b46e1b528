"""Half-cheetah: two legs run forward in a plane. The same task as gymnasium's HalfCheetah-v5."""

from newtonlite import models
from newtonlite.envs.mdp.actions import JointEffortAction
from newtonlite.envs.mdp.locomotion import control_cost, engine_array, forward_velocity, reset_state_noise
from newtonlite.envs.task import EventTerm, ObservationGroup, ObservationTerm, RewardTerm, Task


def task() -> Task:
    """Fifty milliseconds a decision, 1000 of them."""
    return Task(
        model=models.path("gymnasium/half_cheetah"),
        decimation=5,
        actions={"torque": JointEffortAction()},
        observations={
            "policy": ObservationGroup(
                {
                    "position": ObservationTerm(engine_array, {"field": "qpos", "first": 1}),
                    "velocity": ObservationTerm(engine_array, {"field": "qvel"}),
                }
            )
        },
        rewards={"forward": RewardTerm(forward_velocity, 1.0), "control": RewardTerm(control_cost, -0.1)},
        events={"start": EventTerm(reset_state_noise, "reset", {"position": 0.1, "velocity": 0.1, "gaussian": True})},
        learning={
            "worlds": 32,
            "steps": 64,
            "iterations": 700,
            "epochs": 10,
            "minibatches": 32,
            "hidden": (256, 256),
            "activation": "relu",
            "learning_rate": 1e-4,
            "gamma": 0.98,
            "lam": 0.92,
            "entropy": 4e-4,
            "max_grad_norm": 0.8,
            "initial_std": 0.135,
            "normalise_rewards": True,
        },
        about="two legs run forward in a plane (gymnasium's HalfCheetah-v5)",
    )
