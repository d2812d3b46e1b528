"""Arm: grasp a cube and take it to a place above the table."""

from newtonlite.envs import mdp
from newtonlite.envs.task import (
    CommandTerm,
    EventTerm,
    ObservationGroup,
    ObservationTerm,
    RewardTerm,
    Task,
    TerminationTerm,
)
from newtonlite.envs.tasks import arm_reach

JOINTS = f"{arm_reach.ARM}|finger_left|finger_right"
HAND, CUBE, GOAL = "site:grip", "body:cube", {"command_name": "goal"}


def task() -> Task:
    """Twenty milliseconds a decision, 250 of them."""
    made = arm_reach.task()
    made.keep = ("site_xpos", "xpos")
    made.actions = {
        "arm": mdp.JointPositionAction(arm_reach.ARM, scale=0.5),
        "gripper": mdp.JointPositionAction("finger_.*", scale=0.02, clip=(0.0, 0.035)),
    }
    made.commands = {
        "goal": CommandTerm(
            mdp.UniformGoalCommand,
            {"resampling_time_range": (5.0, 5.0), "ranges": ((0.2, 0.4), (-0.2, 0.2), (0.15, 0.35))},
        )
    }
    made.observations = {
        "policy": ObservationGroup(
            {
                "joint_pos": ObservationTerm(mdp.joint_pos_rel, {"joints": JOINTS}),
                "joint_vel": ObservationTerm(mdp.joint_vel_rel, {"joints": JOINTS}, scale=0.2),
                "to_cube": ObservationTerm(mdp.object_to_object, {"a": HAND, "b": CUBE}),
                "cube_to_goal": ObservationTerm(mdp.object_to_goal, {"a": CUBE, **GOAL}),
                "actions": ObservationTerm(mdp.last_action),
            }
        )
    }
    made.rewards = {
        "reach": RewardTerm(mdp.nearness, 0.5, {"a": HAND, "b": CUBE, "std": 0.2}),
        "lift": RewardTerm(
            mdp.staged_nearness, 1.0, {"hand": HAND, "thing_name": CUBE, **GOAL, "reach_std": 0.1, "bring_std": 0.15}
        ),
        "precise": RewardTerm(mdp.nearness, 1.0, {"a": CUBE, **GOAL, "std": 0.05}),
        "action_rate_l2": RewardTerm(mdp.action_rate_l2, -0.01),
    }
    made.terminations = {"cube_fell": TerminationTerm(mdp.height_below, {"a": CUBE, "minimum_height": -0.1})}
    made.events["cube"] = EventTerm(
        mdp.reset_root_state_uniform,
        "reset",
        {"pose_range": {"x": (-0.1, 0.08), "y": (-0.15, 0.15), "yaw": (-0.8, 0.8)}},
    )
    made.about = "an arm grasps a cube and takes it to a place"
    return made
