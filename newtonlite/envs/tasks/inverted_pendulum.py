"""Inverted pendulum: keep a pole upright on a cart. The same task as gymnasium's InvertedPendulum-v5."""

from newtonlite import models
from newtonlite.envs.mdp.actions import JointEffortAction
from newtonlite.envs.mdp.locomotion import engine_array, reset_state_noise, unhealthy
from newtonlite.envs.mdp.rewards import is_alive
from newtonlite.envs.task import EventTerm, ObservationGroup, ObservationTerm, RewardTerm, Task, TerminationTerm


def task() -> Task:
    """Forty milliseconds a decision, up to 1000 of them."""
    return Task(
        model=models.path("gymnasium/inverted_pendulum"),
        decimation=2,
        actions={"force": JointEffortAction()},
        observations={
            "policy": ObservationGroup(
                {
                    "position": ObservationTerm(engine_array, {"field": "qpos"}),
                    "velocity": ObservationTerm(engine_array, {"field": "qvel"}),
                }
            )
        },
        rewards={"upright": RewardTerm(is_alive, 1.0)},
        terminations={"fell": TerminationTerm(unhealthy, {"height": 1, "z_range": (-0.2, 0.2), "closed": True})},
        events={"start": EventTerm(reset_state_noise, "reset", {"position": 0.01, "velocity": 0.01})},
        learning={"worlds": 64, "iterations": 120, "steps": 32, "learning_rate": 1e-3, "target_kl": 0.02},
        about="keep a pole upright on a cart (gymnasium's InvertedPendulum-v5)",
    )
