"""Humanoid: walk forward without falling. The same task as gymnasium's Humanoid-v5."""

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

HEALTHY = {"height": 2, "z_range": (1.0, 2.0)}


def observations() -> dict:
    """Observations of both humanoid tasks: 348 numbers."""
    return {
        "policy": ObservationGroup(
            {
                "position": ObservationTerm(engine_array, {"field": "qpos", "first": 2}),
                "velocity": ObservationTerm(engine_array, {"field": "qvel"}),
                "inertia": ObservationTerm(engine_array, {"field": "cinert", "first": 10}),
                "body_velocity": ObservationTerm(engine_array, {"field": "cvel", "first": 6}),
                "actuator_force": ObservationTerm(engine_array, {"field": "qfrc_actuator", "first": 6}),
                "contact_forces": ObservationTerm(engine_array, {"field": "cfrc_ext", "first": 6}),
            }
        )
    }


def task() -> Task:
    """Fifteen milliseconds a decision, up to 1000 of them."""
    return Task(
        model=models.path("gymnasium/humanoid"),
        decimation=5,
        keep=("xipos", "cinert", "cvel", "qfrc_actuator", "cfrc_ext"),
        actions={"torque": JointEffortAction()},
        observations=observations(),
        rewards={
            "forward": RewardTerm(forward_velocity, 1.25, {"whole": True}),
            "healthy": RewardTerm(is_healthy, 5.0, HEALTHY),
            "control": RewardTerm(control_cost, -0.1),
            "contact": RewardTerm(contact_cost, -5e-7, {"most": 2e7}),
        },
        terminations={"unhealthy": TerminationTerm(unhealthy, HEALTHY)},
        events={"start": EventTerm(reset_state_noise, "reset", {"position": 0.01, "velocity": 0.01})},
        about="a humanoid walks forward (gymnasium's Humanoid-v5)",
    )
