"""Hand: turn a cube in the palm to an orientation that is drawn anew from time to time."""

import math

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs import mdp
from newtonlite.envs.capture import capturable
from newtonlite.envs.task import (
    CommandTerm,
    EventTerm,
    ObservationGroup,
    ObservationTerm,
    RewardTerm,
    Task,
    TerminationTerm,
)

kernel_module(__name__)

CUBE = 0.022  # half an edge [m]
LINKS = (0.045, 0.03, 0.025)  # of a finger [m]
FINGERS = {
    "index": (0.05, 0.03, 0.0),
    "middle": (0.055, 0.0, 0.0),
    "ring": (0.05, -0.03, 0.0),
    "thumb": (-0.045, 0.0, math.pi),
}


def finger(name: str, x: float, y: float, yaw: float) -> str:
    """A finger of four joints: sideways, and three that bend."""
    body, ends = "", ""
    for i, length in enumerate(LINKS):
        sideways = f'<joint name="{name}_side" axis="0 0 1" range="-0.4 0.4"/>' if i == 0 else ""
        place = f'pos="{x} {y} 0.01" euler="0 -0.5 {yaw}"' if i == 0 else f'pos="{LINKS[i - 1]} 0 0"'
        body += (
            f'<body name="{name}_{i}" {place}>{sideways}<joint name="{name}_bend_{i}" axis="0 -1 0" range="-0.2 1.6"/>'
        )
        body += f'<geom name="{name}_{i}" type="capsule" fromto="0 0 0 {length} 0 0" size="0.009"/>'
        ends += "</body>"
    return body + ends


def model() -> str:
    """A palm that looks up, four fingers of four servos each, and a cube."""
    fingers = "".join(finger(name, *place) for name, place in FINGERS.items())
    servos = "".join(
        f'<position name="{j}" joint="{j}"/>'
        for name in FINGERS
        for j in (f"{name}_side", *(f"{name}_bend_{i}" for i in range(len(LINKS))))
    )
    return f"""<mujoco model="hand">
  <compiler angle="radian"/>
  <option timestep="0.004" integrator="implicitfast" cone="elliptic" impratio="5"/>
  <default>
    <joint damping="0.02" armature="0.0005"/>
    <geom density="900" friction="1 0.01 0.001" condim="4" rgba="0.75 0.77 0.8 1"/>
    <position kp="1.5" kv="0.05" forcerange="-0.6 0.6" ctrlrange="-0.4 1.6"/>
  </default>
  <worldbody>
    <light name="sun" pos="0 0 2" directional="true"/>
    <geom name="floor" type="plane" size="0 0 0.1" rgba="0.5 0.55 0.6 1"/>
    <body name="palm" pos="0 0 0.2"><geom name="palm" type="box" size="0.05 0.045 0.01"/>{fingers}</body>
    <body name="cube" pos="0.005 0 {0.21 + CUBE + 0.002}">
      <freejoint name="cube"/>
      <geom name="cube" type="box" size="{CUBE} {CUBE} {CUBE}" density="500" rgba="0.93 0.47 0.17 1"/>
    </body>
  </worldbody>
  <actuator>{servos}</actuator>
</mujoco>"""


@wp.func
def goal_turn(goal: wp.array2d[float], world: int):
    """A rotation by three angles about fixed axes."""
    x = wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), goal[world, 0])
    y = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), goal[world, 1])
    return wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), goal[world, 2]) * y * x


@wp.func
def off_turn(qpos: wp.array2d[float], q: int, goal: wp.array2d[float], world: int):
    """From the cube's orientation to the goal's; the real part is not negative."""
    turn = wp.quat_inverse(
        wp.quat(qpos[world, q + 4], qpos[world, q + 5], qpos[world, q + 6], qpos[world, q + 3])
    ) * goal_turn(goal, world)
    return wp.where(turn[3] < 0.0, wp.quat(-turn[0], -turn[1], -turn[2], -turn[3]), turn)


@wp.kernel
def show_turn(qpos: wp.array2d[float], q: int, goal: wp.array2d[float], out: wp.array2d[float]):
    """Rotation that is left to the goal, as a quaternion."""
    world, i = wp.tid()
    out[world, i] = off_turn(qpos, q, goal, world)[i]


@wp.kernel
def near_turn(qpos: wp.array2d[float], q: int, goal: wp.array2d[float], scale: float, out: wp.array[float]):
    """1 / (1 + angle / scale)."""
    world = wp.tid()
    angle = 2.0 * wp.acos(wp.min(1.0, off_turn(qpos, q, goal, world)[3]))
    out[world] = 1.0 / (1.0 + angle / scale)


@capturable
def cube_to_goal(env):
    """Rotation from the cube to the goal, ``[nworld, 4]``."""
    return env.terms.compute(show_turn, [env.sim.data.qpos, env.sim.root.q, env.command("goal")], 4)


@capturable
def orientation_closeness(env, scale: float):
    """Closeness of the cube's orientation to the goal."""
    return env.terms.compute(near_turn, [env.sim.data.qpos, env.sim.root.q, env.command("goal"), scale])


def task() -> Task:
    """Twenty milliseconds a decision, 500 of them."""
    return Task(
        model=model,
        decimation=5,
        episode_length=500,
        keep=("xpos",),
        nconmax=40,
        actions={"fingers": mdp.JointPositionAction(scale=0.5)},
        commands={
            "goal": CommandTerm(
                mdp.UniformGoalCommand,
                {"resampling_time_range": (3.0, 5.0), "ranges": ((-0.3, 0.3), (-0.3, 0.3), (-math.pi, math.pi))},
            )
        },
        observations={
            "policy": ObservationGroup(
                {
                    "joint_pos": ObservationTerm(mdp.joint_pos_rel),
                    "joint_vel": ObservationTerm(mdp.joint_vel_rel, scale=0.1),
                    "cube_place": ObservationTerm(
                        mdp.object_to_object, {"a": "body:palm", "b": "body:cube"}, scale=10.0
                    ),
                    "cube_lin_vel": ObservationTerm(mdp.base_lin_vel),
                    "cube_ang_vel": ObservationTerm(mdp.base_ang_vel, scale=0.2),
                    "cube_to_goal": ObservationTerm(cube_to_goal),
                    "actions": ObservationTerm(mdp.last_action),
                }
            )
        },
        rewards={
            "turned": RewardTerm(orientation_closeness, 1.0, {"scale": 0.3}),
            "centred": RewardTerm(mdp.distance, -5.0, {"a": "body:cube", "b": "body:palm"}),
            "action_rate_l2": RewardTerm(mdp.action_rate_l2, -0.005),
            "lost": RewardTerm(mdp.is_terminated, -20.0),
        },
        terminations={"dropped": TerminationTerm(mdp.height_below, {"a": "body:cube", "minimum_height": 0.15})},
        events={
            "cube": EventTerm(
                mdp.reset_root_state_uniform,
                "reset",
                {"pose_range": {"x": (-0.005, 0.005), "y": (-0.005, 0.005), "yaw": (-math.pi, math.pi)}},
            ),
            "fingers": EventTerm(
                mdp.reset_joints_by_offset, "reset", {"position_range": (-0.1, 0.1), "velocity_range": (0.0, 0.0)}
            ),
        },
        learning={
            "worlds": 256,
            "steps": 24,
            "iterations": 1000,
            "learning_rate": 1e-3,
            "target_kl": 0.01,
            "hidden": (128, 128),
            "activation": "elu",
        },
        about="a hand turns a cube to an orientation",
    )
