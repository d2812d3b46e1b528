"""Inverted double pendulum: keep two poles upright on a cart. The same task as gymnasium's InvertedDoublePendulum-v5."""

import warp as wp

from newtonlite import models
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.mdp.actions import JointEffortAction
from newtonlite.envs.mdp.locomotion import engine_array, reset_state_noise
from newtonlite.envs.mdp.rewards import is_alive
from newtonlite.envs.task import EventTerm, ObservationGroup, ObservationTerm, RewardTerm, Task, TerminationTerm

kernel_module(__name__)


@wp.kernel
def sin_cos(qpos: wp.array2d[float], out: wp.array2d[float]):
    """Sines of both angles, then cosines."""
    world, i = wp.tid()
    angle = qpos[world, 1 + i % 2]
    out[world, i] = wp.where(i < 2, wp.sin(angle), wp.cos(angle))


@wp.kernel
def penalty(tip: wp.array2d[wp.vec3], qvel: wp.array2d[float], out: wp.array[float]):
    """Distance of the tip from where it should be, and speed of the poles."""
    world = wp.tid()
    x, z = tip[world, 0][0], tip[world, 0][2] - 2.0
    u, v = qvel[world, 1], qvel[world, 2]
    out[world] = 0.01 * x * x + z * z + 0.001 * u * u + 0.005 * v * v


@wp.kernel
def low(tip: wp.array2d[wp.vec3], out: wp.array[wp.bool]):
    """Whether the tip is lower than a metre."""
    world = wp.tid()
    out[world] = tip[world, 0][2] <= 1.0


@capturable
def angles(env):
    """Sines and cosines of the poles' angles."""
    return env.terms.compute(sin_cos, [env.sim.data.qpos], 4)


@capturable
def off_target(env):
    """Penalty of distance and speed."""
    return env.terms.compute(penalty, [env.sim.data.site_xpos, env.sim.data.qvel])


@capturable
def fell(env):
    """The tip is lower than a metre."""
    return env.terms.compute(low, [env.sim.data.site_xpos], dtype=wp.bool)


def task() -> Task:
    """Fifty milliseconds a decision, up to 1000 of them."""
    return Task(
        model=models.path("gymnasium/inverted_double_pendulum"),
        decimation=5,
        keep=("site_xpos", "qfrc_constraint"),
        actions={"force": JointEffortAction()},
        observations={
            "policy": ObservationGroup(
                {
                    "cart": ObservationTerm(engine_array, {"field": "qpos", "count": 1}),
                    "angles": ObservationTerm(angles),
                    "velocity": ObservationTerm(engine_array, {"field": "qvel"}, clip=(-10.0, 10.0)),
                    "constraint": ObservationTerm(
                        engine_array, {"field": "qfrc_constraint", "count": 1}, clip=(-10.0, 10.0)
                    ),
                }
            )
        },
        rewards={"upright": RewardTerm(is_alive, 10.0), "off_target": RewardTerm(off_target, -1.0)},
        terminations={"fell": TerminationTerm(fell)},
        events={"start": EventTerm(reset_state_noise, "reset", {"position": 0.1, "velocity": 0.1, "gaussian": True})},
        learning={
            "worlds": 64,
            "steps": 64,
            "iterations": 300,
            "epochs": 10,
            "minibatches": 16,
            "learning_rate": 5e-4,
            "normalise_rewards": True,
        },
        about="keep two poles upright on a cart (gymnasium's InvertedDoublePendulum-v5)",
    )
