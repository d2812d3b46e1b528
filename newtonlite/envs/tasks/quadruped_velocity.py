"""Quadruped that follows velocity commands, with noise on what is observed, pushes, and numbers of the model that
differ by world.
"""

import math

from newtonlite import models
from newtonlite.envs.mdp import dr, events, feet, rewards, terminations
from newtonlite.envs.mdp import observations as obs
from newtonlite.envs.mdp.actions import JointPositionAction
from newtonlite.envs.mdp.commands import UniformVelocityCommand
from newtonlite.envs.mdp.metrics import mean_action_acc
from newtonlite.envs.sensors import ContactSensor
from newtonlite.envs.task import (
    CommandTerm,
    EventTerm,
    MetricTerm,
    Noise,
    ObservationGroup,
    ObservationTerm,
    RewardTerm,
    Task,
    TerminationTerm,
)

LEGS = ("front_left", "front_right", "hind_left", "hind_right")
TWIST = {"command_name": "twist"}


def model() -> str:
    """The packaged quadruped, with sensors at its feet."""
    sensors = "".join(
        f'<contact name="touch_{leg}" geom1="foot_{leg}" num="1" data="found force" reduce="netforce"/>'
        f'<framepos name="foot_pos_{leg}" objtype="geom" objname="foot_{leg}"/>'
        f'<framelinvel name="foot_vel_{leg}" objtype="geom" objname="foot_{leg}"/>'
        for leg in LEGS
    )
    return models.path("quadruped").read_text().replace("</mujoco>", f"<sensor>{sensors}</sensor></mujoco>")


def task() -> Task:
    """On flat ground, 20 s, 50 decisions a second."""
    policy = {
        "base_lin_vel": ObservationTerm(obs.base_lin_vel, noise=Noise("uniform", -0.1, 0.1)),
        "base_ang_vel": ObservationTerm(obs.base_ang_vel, noise=Noise("uniform", -0.2, 0.2)),
        "projected_gravity": ObservationTerm(obs.projected_gravity, noise=Noise("uniform", -0.05, 0.05)),
        "joint_pos": ObservationTerm(obs.joint_pos_rel, {"biased": True}, noise=Noise("uniform", -0.01, 0.01)),
        "joint_vel": ObservationTerm(obs.joint_vel_rel, noise=Noise("uniform", -1.5, 1.5), scale=0.1),
        "actions": ObservationTerm(obs.last_action),
        "command": ObservationTerm(obs.generated_commands, TWIST),
    }
    return Task(
        model=model,
        timestep=0.005,
        decimation=4,
        episode_length=1000,
        keyframe="stand",
        scale_rewards_by_dt=True,
        actions={"joint_pos": JointPositionAction(scale=0.3)},
        commands={
            "twist": CommandTerm(
                UniformVelocityCommand,
                {
                    "resampling_time_range": (3.0, 8.0),
                    "rel_standing_envs": 0.1,
                    "rel_heading_envs": 0.3,
                    "rel_forward_envs": 0.2,
                    "heading_control_stiffness": 0.5,
                    "ranges": {"lin_vel_x": (-1.0, 1.0), "lin_vel_y": (-0.5, 0.5), "ang_vel_z": (-0.5, 0.5)},
                },
            )
        },
        sensors={"feet": ContactSensor("touch_.*")},
        observations={
            "policy": ObservationGroup(policy, enable_corruption=True),
            "critic": ObservationGroup(
                {
                    **policy,
                    "joint_pos": ObservationTerm(obs.joint_pos_rel),
                    "foot_air_time": ObservationTerm(feet.foot_air_time, {"sensor_name": "feet"}),
                    "foot_contact": ObservationTerm(feet.foot_contact, {"sensor_name": "feet"}),
                    "foot_contact_forces": ObservationTerm(feet.foot_contact_forces, {"sensor_name": "feet"}),
                }
            ),
        },
        rewards={
            "track_linear_velocity": RewardTerm(rewards.track_linear_velocity, 2.0, {**TWIST, "std": 0.5}),
            "track_angular_velocity": RewardTerm(rewards.track_angular_velocity, 2.0, {**TWIST, "std": math.sqrt(0.5)}),
            "upright": RewardTerm(rewards.upright, 1.0, {"std": math.sqrt(0.2)}),
            "pose": RewardTerm(
                rewards.variable_posture,
                1.0,
                {
                    **TWIST,
                    "std_standing": 0.05,
                    "std_walking": 0.3,
                    "std_running": 0.5,
                    "walking_threshold": 0.05,
                    "running_threshold": 1.5,
                },
            ),
            "dof_pos_limits": RewardTerm(rewards.joint_pos_limits, -1.0, {"soft": 0.9}),
            "action_rate_l2": RewardTerm(rewards.action_rate_l2, -0.1),
            "air_time": RewardTerm(feet.feet_air_time, 0.2, {"sensor_name": "feet", **TWIST}),
            "foot_clearance": RewardTerm(
                feet.feet_clearance,
                -1.0,
                {
                    "positions": "foot_pos_.*",
                    "velocities": "foot_vel_.*",
                    "target_height": 0.08,
                    **TWIST,
                    "command_threshold": 0.05,
                },
            ),
            "foot_slip": RewardTerm(
                feet.feet_slip,
                -0.1,
                {"sensor_name": "feet", "velocities": "foot_vel_.*", **TWIST, "command_threshold": 0.05},
            ),
            "soft_landing": RewardTerm(feet.soft_landing, -1e-5, {"sensor_name": "feet", **TWIST}),
        },
        terminations={"fell_over": TerminationTerm(terminations.bad_orientation, {"limit_angle": math.radians(70.0)})},
        events={
            "foot_friction": EventTerm(
                dr.geom_friction,
                "startup",
                {"names": "foot_.*", "ranges": (0.3, 1.2), "axes": [0], "shared_random": True},
            ),
            "encoder_bias": EventTerm(dr.encoder_bias, "startup", {"bias_range": (-0.015, 0.015)}),
            "base_com": EventTerm(
                dr.body_com_offset,
                "startup",
                {"names": "trunk", "ranges": {0: (-0.025, 0.025), 1: (-0.025, 0.025), 2: (-0.03, 0.03)}},
            ),
            "reset_base": EventTerm(
                events.reset_root_state_uniform,
                "reset",
                {"pose_range": {"x": (-0.5, 0.5), "y": (-0.5, 0.5), "z": (0.01, 0.05), "yaw": (-math.pi, math.pi)}},
            ),
            "reset_robot_joints": EventTerm(
                events.reset_joints_by_offset, "reset", {"position_range": (-0.1, 0.1), "velocity_range": (0.0, 0.0)}
            ),
            "push_robot": EventTerm(
                events.push_by_setting_velocity,
                "interval",
                {"velocity_range": {"x": (-0.5, 0.5), "y": (-0.5, 0.5), "yaw": (-0.5, 0.5)}},
                interval_range_s=(5.0, 10.0),
            ),
        },
        metrics={"mean_action_acc": MetricTerm(mean_action_acc)},
        about="a quadruped follows velocity commands, on flat ground",
    )
