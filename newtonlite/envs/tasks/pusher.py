"""Pusher: an arm of seven joints pushes a cylinder to a place. The same task as gymnasium's Pusher-v5."""

import warp as wp

from newtonlite import models
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.mdp.actions import JointEffortAction
from newtonlite.envs.mdp.locomotion import control_cost, engine_array
from newtonlite.envs.streams import Stream, uniform
from newtonlite.envs.task import EventTerm, ObservationGroup, ObservationTerm, RewardTerm, Task
from newtonlite.envs.tasks.reacher import bodies, body_distance

kernel_module(__name__)

TRIES = wp.constant(64)


@wp.kernel
def start(mask: wp.array[wp.bool], s: Stream, qpos: wp.array2d[float], qvel: wp.array2d[float]):
    """The arm at rest or nearly so, the cylinder somewhere away from the goal."""
    world = wp.tid()
    if not mask[world]:
        return
    for i in range(7):
        qvel[world, i] = uniform(s, world, i, -0.005, 0.005)
    for i in range(4):
        qvel[world, 7 + i] = 0.0
        qpos[world, 7 + i] = 0.0
    for k in range(TRIES):
        x = uniform(s, world, 8 + 2 * k, -0.3, 0.0)
        y = uniform(s, world, 9 + 2 * k, -0.2, 0.2)
        if wp.sqrt(x * x + y * y) > 0.17:
            qpos[world, 7] = x
            qpos[world, 8] = y
            break


@wp.kernel
def places(xpos: wp.array2d[wp.vec3], a: int, b: int, c: int, out: wp.array2d[float]):
    """Positions of three bodies."""
    world, i = wp.tid()
    k = i / 3
    body = wp.where(k == 0, a, wp.where(k == 1, b, c))
    out[world, i] = xpos[world, body][i - 3 * k]


@capturable
def body_places(env):
    """Positions of the tips, the cylinder and the goal."""
    return env.terms.compute(places, [env.sim.data.xpos, *bodies(env, "tips", "object", "goal")], 9)


@capturable
def reset_object(env, mask):
    """A new start."""
    env.launch(start, env.num_worlds, [mask, env.terms.stream], [env.sim.data.qpos, env.sim.data.qvel])


def task() -> Task:
    """Fifty milliseconds a decision, 100 of them."""
    return Task(
        model=models.path("gymnasium/pusher"),
        decimation=5,
        episode_length=100,
        keep=("xpos",),
        actions={"torque": JointEffortAction()},
        observations={
            "policy": ObservationGroup(
                {
                    "position": ObservationTerm(engine_array, {"field": "qpos", "count": 7}),
                    "velocity": ObservationTerm(engine_array, {"field": "qvel", "count": 7}),
                    "places": ObservationTerm(body_places),
                }
            )
        },
        rewards={
            "near": RewardTerm(body_distance, -0.5, {"a": "object", "b": "tips"}),
            "distance": RewardTerm(body_distance, -1.0, {"a": "object", "b": "goal"}),
            "control": RewardTerm(control_cost, -0.1),
        },
        events={"start": EventTerm(reset_object, "reset")},
        about="an arm pushes a cylinder to a place (gymnasium's Pusher-v5)",
    )
