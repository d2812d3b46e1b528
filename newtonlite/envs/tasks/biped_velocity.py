"""Biped on velocity commands: the packaged humanoid, its motors turned into position servos, follows them."""

import math
import re

from newtonlite import models
from newtonlite.envs import mdp
from newtonlite.envs.sensors import ContactSensor
from newtonlite.envs.task import (
    CommandTerm,
    EventTerm,
    Noise,
    ObservationGroup,
    ObservationTerm,
    RewardTerm,
    Task,
    TerminationTerm,
)

TWIST = {"command_name": "twist"}
STIFFNESS = 2.0  # of a servo per N m that its motor has [1/rad]


def servo(motor: re.Match) -> str:
    """A position servo as strong as a motor."""
    name, gear = motor[1], float(motor[2])
    return f'<position name="{name}" joint="{name}" kp="{STIFFNESS * gear:g}" kv="{0.05 * STIFFNESS * gear:g}" forcerange="{-gear:g} {gear:g}" ctrllimited="false"/>'


def model() -> str:
    """The packaged humanoid with servos, and sensors at its feet."""
    text = re.sub(r'<motor name="(\w+)" joint="\w+" gear="([\d.]+)"/>', servo, models.path("humanoid").read_text())
    sensors = "".join(
        f'<contact name="touch_{side}" body1="foot_{side}" num="1" data="found force" reduce="netforce"/>'
        f'<framelinvel name="foot_vel_{side}" objtype="body" objname="foot_{side}"/>'
        for side in ("left", "right")
    )
    return text.replace("</mujoco>", f"<sensor>{sensors}</sensor></mujoco>")


def task() -> Task:
    """On flat ground, 20 s, 50 decisions a second."""
    policy = {
        "base_lin_vel": ObservationTerm(mdp.base_lin_vel, noise=Noise("uniform", -0.1, 0.1)),
        "base_ang_vel": ObservationTerm(mdp.base_ang_vel, noise=Noise("uniform", -0.2, 0.2)),
        "projected_gravity": ObservationTerm(mdp.projected_gravity, noise=Noise("uniform", -0.05, 0.05)),
        "joint_pos": ObservationTerm(mdp.joint_pos_rel, noise=Noise("uniform", -0.01, 0.01)),
        "joint_vel": ObservationTerm(mdp.joint_vel_rel, noise=Noise("uniform", -1.5, 1.5), scale=0.1),
        "actions": ObservationTerm(mdp.last_action),
        "command": ObservationTerm(mdp.generated_commands, TWIST),
    }
    feet = {
        "foot_air_time": ObservationTerm(mdp.foot_air_time, {"sensor_name": "feet"}),
        "foot_contact": ObservationTerm(mdp.foot_contact, {"sensor_name": "feet"}),
    }
    return Task(
        model=model,
        timestep=0.005,
        decimation=4,
        episode_length=1000,
        keyframe="stand",
        scale_rewards_by_dt=True,
        actions={"joint_pos": mdp.JointPositionAction(scale=0.5)},
        commands={
            "twist": CommandTerm(
                mdp.UniformVelocityCommand,
                {
                    "resampling_time_range": (3.0, 8.0),
                    "rel_standing_envs": 0.1,
                    "ranges": {"lin_vel_x": (-0.5, 1.0), "lin_vel_y": (-0.3, 0.3), "ang_vel_z": (-0.5, 0.5)},
                },
            )
        },
        sensors={"feet": ContactSensor("touch_.*")},
        observations={
            "policy": ObservationGroup(policy, enable_corruption=True),
            "critic": ObservationGroup({**policy, **feet}),
        },
        rewards={
            "track_linear_velocity": RewardTerm(mdp.track_linear_velocity, 2.0, {**TWIST, "std": 0.5}),
            "track_angular_velocity": RewardTerm(mdp.track_angular_velocity, 2.0, {**TWIST, "std": math.sqrt(0.5)}),
            "upright": RewardTerm(mdp.upright, 1.0, {"std": math.sqrt(0.2)}),
            "alive": RewardTerm(mdp.is_alive, 0.5),
            "pose": RewardTerm(
                mdp.variable_posture,
                1.0,
                {
                    **TWIST,
                    "std_standing": 0.1,
                    "std_walking": 0.4,
                    "std_running": 0.6,
                    "walking_threshold": 0.05,
                    "running_threshold": 1.5,
                },
            ),
            "dof_pos_limits": RewardTerm(mdp.joint_pos_limits, -1.0, {"soft": 0.9}),
            "action_rate_l2": RewardTerm(mdp.action_rate_l2, -0.05),
            "air_time": RewardTerm(mdp.feet_air_time, 0.5, {"sensor_name": "feet", **TWIST, "command_threshold": 0.1}),
            "foot_slip": RewardTerm(
                mdp.feet_slip,
                -0.1,
                {"sensor_name": "feet", "velocities": "foot_vel_.*", **TWIST, "command_threshold": 0.05},
            ),
        },
        terminations={
            "fell_over": TerminationTerm(mdp.bad_orientation, {"limit_angle": math.radians(70.0)}),
            "too_low": TerminationTerm(mdp.root_height_below_minimum, {"minimum_height": 0.5}),
        },
        events={
            "reset_base": EventTerm(
                mdp.reset_root_state_uniform,
                "reset",
                {"pose_range": {"x": (-0.5, 0.5), "y": (-0.5, 0.5), "yaw": (-math.pi, math.pi)}},
            ),
            "reset_robot_joints": EventTerm(
                mdp.reset_joints_by_offset, "reset", {"position_range": (-0.05, 0.05), "velocity_range": (0.0, 0.0)}
            ),
            "foot_friction": EventTerm(
                mdp.dr.geom_friction, "startup", {"names": "floor", "ranges": (0.5, 1.2), "axes": [0]}
            ),
            "push_robot": EventTerm(
                mdp.push_by_setting_velocity,
                "interval",
                {"velocity_range": {"x": (-0.3, 0.3), "y": (-0.3, 0.3)}},
                interval_range_s=(5.0, 10.0),
            ),
        },
        about="a biped follows velocity commands, on flat ground",
    )
