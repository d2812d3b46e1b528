"""Humanoid on its back: stand up. The same task as gymnasium's HumanoidStandup-v5."""

from newtonlite import models
from newtonlite.envs.mdp.actions import JointEffortAction
from newtonlite.envs.mdp.locomotion import contact_cost, control_cost, engine_array, reset_state_noise
from newtonlite.envs.mdp.rewards import is_alive
from newtonlite.envs.task import EventTerm, RewardTerm, Task
from newtonlite.envs.tasks.humanoid import observations

TIMESTEP = 0.003


def task() -> Task:
    """Fifteen milliseconds a decision, 1000 of them."""
    return Task(
        model=models.path("gymnasium/humanoid_standup"),
        decimation=5,
        keep=("cinert", "cvel", "qfrc_actuator", "cfrc_ext"),
        actions={"torque": JointEffortAction()},
        observations=observations(),
        rewards={
            "height": RewardTerm(engine_array, 1.0 / TIMESTEP, {"field": "qpos", "first": 2, "count": 1}),
            "always": RewardTerm(is_alive, 1.0),
            "control": RewardTerm(control_cost, -0.1),
            "contact": RewardTerm(contact_cost, -5e-7, {"most": 2e7}),
        },
        events={"start": EventTerm(reset_state_noise, "reset", {"position": 0.01, "velocity": 0.01})},
        about="a humanoid stands up (gymnasium's HumanoidStandup-v5)",
    )
