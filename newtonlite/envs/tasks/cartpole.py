"""Cart-pole: balance a pole of one metre on a cart, after the task of the same name in the DeepMind Control Suite."""

import math

import warp as wp

from newtonlite import models
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.mdp.actions import JointEffortAction
from newtonlite.envs.mdp.events import reset_joints_by_offset
from newtonlite.envs.mdp.observations import joint_pos_rel, joint_vel_rel
from newtonlite.envs.task import EventTerm, ObservationGroup, ObservationTerm, RewardTerm, Task

kernel_module(__name__)

AT_MARGIN = wp.constant(-math.log(0.1))  # values fall to a tenth at the margin


@wp.func
def near_zero(x: float, margin: float):
    """1 at zero, a tenth at the margin, by a Gaussian."""
    u = x / margin
    return wp.exp(-AT_MARGIN * u * u)


@wp.kernel
def smooth(
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    action: wp.array2d[float],
    cart: int,
    pole: int,
    out: wp.array[float],
):
    """Product of four numbers between 0 and 1."""
    world = wp.tid()
    a = action[world, 0]
    upright = 0.5 * (wp.cos(qpos[world, pole]) + 1.0)
    centred = 0.5 * (1.0 + near_zero(qpos[world, cart], 2.0))
    gentle = 0.2 * (4.0 + wp.max(0.0, 1.0 - 0.9 * a * a))
    slow = 0.5 * (1.0 + near_zero(qvel[world, pole], 5.0))
    out[world] = upright * centred * gentle * slow


@wp.kernel
def cos_sin(qpos: wp.array2d[float], pole: int, out: wp.array2d[float]):
    """Cosine and sine of an angle."""
    world, i = wp.tid()
    angle = qpos[world, pole]
    out[world, i] = wp.where(i == 0, wp.cos(angle), wp.sin(angle))


@capturable
def smooth_reward(env):
    """The control suite's reward: upright, in the middle, with little control, slowly."""
    d = env.sim.data
    cart, pole = (int(env.sim.compiled.jnt_qposadr[env.sim.find("joint", name)[0]]) for name in ("slider", "hinge"))
    return env.terms.compute(smooth, [d.qpos, d.qvel, env.actions.action, cart, pole])


@capturable
def pole_angle_cos_sin(env):
    """Cosine and sine of the pole's angle."""
    return env.terms.compute(
        cos_sin, [env.sim.data.qpos, int(env.sim.compiled.jnt_qposadr[env.sim.find("joint", "hinge")[0]])], 2
    )


def task(swing_up: bool = False) -> Task:
    """Balance from nearly upright; with ``swing_up`` from hanging down."""
    around = math.pi if swing_up else 0.0
    return Task(
        model=models.path("cartpole"),
        timestep=0.01,
        decimation=1,
        episode_length=1000,
        actions={"force": JointEffortAction("slider")},
        observations={
            "policy": ObservationGroup(
                {
                    "cart_position": ObservationTerm(joint_pos_rel, {"joints": "slider"}),
                    "pole_angle": ObservationTerm(pole_angle_cos_sin),
                    "cart_velocity": ObservationTerm(joint_vel_rel, {"joints": "slider"}),
                    "pole_velocity": ObservationTerm(joint_vel_rel, {"joints": "hinge"}),
                }
            )
        },
        rewards={"smooth": RewardTerm(smooth_reward, 1.0)},
        events={
            "cart": EventTerm(
                reset_joints_by_offset,
                "reset",
                {"joints": "slider", "position_range": (-0.1, 0.1), "velocity_range": (-0.01, 0.01)},
            ),
            "pole": EventTerm(
                reset_joints_by_offset,
                "reset",
                {
                    "joints": "hinge",
                    "position_range": (around - 0.034, around + 0.034),
                    "velocity_range": (-0.01, 0.01),
                },
            ),
        },
        learning={
            "worlds": 128,
            "iterations": 300,
            "steps": 32,
            "learning_rate": 1e-3,
            "target_kl": 0.02,
            "entropy": 0.002,
        },
        about="balance a pole on a cart",
    )
