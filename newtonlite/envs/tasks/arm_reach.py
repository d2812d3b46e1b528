"""Arm: bring the hand to a place that is drawn anew from time to time."""

from newtonlite import models
from newtonlite.envs import mdp
from newtonlite.envs.task import CommandTerm, EventTerm, ObservationGroup, ObservationTerm, RewardTerm, Task

GOAL = {"a": "site:grip", "command_name": "goal"}
ARM = "waist|shoulder|elbow|forearm_roll|wrist_pitch|wrist_roll"


def task() -> Task:
    """Twenty milliseconds a decision, 250 of them."""
    return Task(
        model=models.path("arm"),
        decimation=5,
        episode_length=250,
        keyframe="ready",
        keep=("site_xpos",),
        nconmax=24,
        actions={"arm": mdp.JointPositionAction(ARM, scale=0.5)},
        commands={
            "goal": CommandTerm(
                mdp.UniformGoalCommand,
                {"resampling_time_range": (2.0, 4.0), "ranges": ((0.15, 0.45), (-0.3, 0.3), (0.08, 0.5))},
            )
        },
        observations={
            "policy": ObservationGroup(
                {
                    "joint_pos": ObservationTerm(mdp.joint_pos_rel, {"joints": ARM}),
                    "joint_vel": ObservationTerm(mdp.joint_vel_rel, {"joints": ARM}, scale=0.2),
                    "to_goal": ObservationTerm(mdp.object_to_goal, GOAL),
                    "goal": ObservationTerm(mdp.generated_commands, {"command_name": "goal"}),
                    "actions": ObservationTerm(mdp.last_action),
                }
            )
        },
        rewards={
            "near": RewardTerm(mdp.nearness, 1.0, {**GOAL, "std": 0.25}),
            "very_near": RewardTerm(mdp.nearness, 1.0, {**GOAL, "std": 0.05}),
            "action_rate_l2": RewardTerm(mdp.action_rate_l2, -0.01),
            "joint_pos_limits": RewardTerm(mdp.joint_pos_limits, -1.0, {"joints": ARM}),
        },
        events={
            "start": EventTerm(
                mdp.reset_joints_by_offset,
                "reset",
                {"joints": ARM, "position_range": (-0.3, 0.3), "velocity_range": (0.0, 0.0)},
            )
        },
        learning={
            "worlds": 256,
            "steps": 24,
            "iterations": 400,
            "learning_rate": 1e-3,
            "target_kl": 0.01,
            "hidden": (128, 128),
            "activation": "elu",
        },
        about="an arm brings its hand to a place",
    )
