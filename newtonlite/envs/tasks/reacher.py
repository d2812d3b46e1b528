"""Reacher: an arm of two links takes its tip to a target. The same task as gymnasium's Reacher-v5."""

import warp as wp

from newtonlite import models
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.mdp.actions import JointEffortAction
from newtonlite.envs.mdp.locomotion import control_cost, engine_array
from newtonlite.envs.streams import Stream, uniform
from newtonlite.envs.task import EventTerm, ObservationGroup, ObservationTerm, RewardTerm, Task

kernel_module(__name__)

REACH = wp.constant(0.2)
TRIES = wp.constant(64)  # one in 10^42 worlds still has a target out of reach


@wp.kernel
def start(mask: wp.array[wp.bool], s: Stream, qpos: wp.array2d[float], qvel: wp.array2d[float]):
    """The arm nearly straight, the target anywhere in reach."""
    world = wp.tid()
    if not mask[world]:
        return
    for i in range(2):
        qpos[world, i] = uniform(s, world, i, -0.1, 0.1)
        qvel[world, i] = uniform(s, world, 2 + i, -0.005, 0.005)
        qvel[world, 2 + i] = 0.0
    for k in range(TRIES):
        x = uniform(s, world, 4 + 2 * k, -REACH, REACH)
        y = uniform(s, world, 5 + 2 * k, -REACH, REACH)
        if wp.sqrt(x * x + y * y) < REACH:
            qpos[world, 2] = x
            qpos[world, 3] = y
            break


@wp.kernel
def cos_sin(qpos: wp.array2d[float], out: wp.array2d[float]):
    """Cosines of both angles, then sines."""
    world, i = wp.tid()
    angle = qpos[world, i % 2]
    out[world, i] = wp.where(i < 2, wp.cos(angle), wp.sin(angle))


@wp.kernel
def between(xpos: wp.array2d[wp.vec3], a: int, b: int, out: wp.array2d[float]):
    """From one body to another, across."""
    world, i = wp.tid()
    out[world, i] = xpos[world, a][i] - xpos[world, b][i]


@wp.kernel
def distance(xpos: wp.array2d[wp.vec3], a: int, b: int, out: wp.array[float]):
    """From one body to another."""
    world = wp.tid()
    out[world] = wp.length(xpos[world, a] - xpos[world, b])


@capturable
def tip_to_target(env):
    """Vector from the target to the tip, x and y."""
    return env.terms.compute(between, [env.sim.data.xpos, *bodies(env, "fingertip", "target")], 2)


@capturable
def body_distance(env, a: str, b: str):
    """Distance of two bodies."""
    return env.terms.compute(distance, [env.sim.data.xpos, *bodies(env, a, b)])


def bodies(env, *names) -> list:
    """Numbers of bodies."""
    return [env.sim.find("body", name)[0] for name in names]


@capturable
def angles(env):
    """Cosines and sines of both joints."""
    return env.terms.compute(cos_sin, [env.sim.data.qpos], 4)


@capturable
def reset_arm_and_target(env, mask):
    """A new start."""
    env.launch(start, env.num_worlds, [mask, env.terms.stream], [env.sim.data.qpos, env.sim.data.qvel])


def task() -> Task:
    """Twenty milliseconds a decision, 50 of them."""
    return Task(
        model=models.path("gymnasium/reacher"),
        decimation=2,
        episode_length=50,
        keep=("xpos",),
        actions={"torque": JointEffortAction()},
        observations={
            "policy": ObservationGroup(
                {
                    "angles": ObservationTerm(angles),
                    "target": ObservationTerm(engine_array, {"field": "qpos", "first": 2}),
                    "velocity": ObservationTerm(engine_array, {"field": "qvel", "count": 2}),
                    "to_target": ObservationTerm(tip_to_target),
                }
            )
        },
        rewards={
            "distance": RewardTerm(body_distance, -1.0, {"a": "fingertip", "b": "target"}),
            "control": RewardTerm(control_cost, -1.0),
        },
        events={"start": EventTerm(reset_arm_and_target, "reset")},
        learning={
            "worlds": 64,
            "steps": 50,
            "iterations": 500,
            "epochs": 10,
            "minibatches": 16,
            "learning_rate": 1e-3,
            "gamma": 0.95,
            "normalise_rewards": True,
        },
        about="an arm of two links reaches a target (gymnasium's Reacher-v5)",
    )
