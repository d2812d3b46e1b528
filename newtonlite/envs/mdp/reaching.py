"""Terms about reaching and moving things: places of bodies and sites, their distance from each other and from goals.

A thing is named ``body:NAME`` or ``site:NAME``; the task keeps ``xpos`` or ``site_xpos``. Places are those of the last
physics step.
"""

import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.mdp.rewards import check_positive

kernel_module(__name__)

FIELDS = {"body": "xpos", "site": "site_xpos"}


@wp.kernel
def from_to(a: wp.array2d[wp.vec3], i: int, b: wp.array2d[wp.vec3], j: int, out: wp.array2d[float]):
    """From one thing to another."""
    world, k = wp.tid()
    out[world, k] = b[world, j][k] - a[world, i][k]


@wp.kernel
def from_to_goal(a: wp.array2d[wp.vec3], i: int, goal: wp.array2d[float], out: wp.array2d[float]):
    """From a thing to a goal."""
    world, k = wp.tid()
    out[world, k] = goal[world, k] - a[world, i][k]


@wp.kernel
def length(values: wp.array2d[float], sharpness: float, out: wp.array[float]):
    """Length of a row, or (with a sharpness) how near it is to zero."""
    world = wp.tid()
    total = float(0.0)
    for i in range(values.shape[1]):
        total += values[world, i] * values[world, i]
    out[world] = wp.where(sharpness > 0.0, wp.exp(-total * sharpness), wp.sqrt(total))


@wp.kernel
def lower(a: wp.array2d[wp.vec3], i: int, least: float, out: wp.array[wp.bool]):
    """Whether a thing is lower than this."""
    world = wp.tid()
    out[world] = a[world, i][2] < least


def thing(env, name: str) -> tuple:
    """(places, number) of ``body:NAME`` or ``site:NAME``."""
    kind, _, label = name.partition(":")
    if kind not in FIELDS or not label:
        raise ModelError(f"term '{env.terms.name}': {name!r}; expected 'body:NAME' or 'site:NAME'")
    return getattr(env.sim.data, FIELDS[kind]), env.sim.find(kind, label)[0]


@capturable
def object_to_object(env, a: str, b: str):
    """Vector from one thing to another, world axes [m], ``[nworld, 3]``."""
    return env.terms.compute(from_to, [*thing(env, a), *thing(env, b)], 3)


@capturable
def object_to_goal(env, a: str, command_name: str):
    """Vector from a thing to a command of three coordinates, world axes [m], ``[nworld, 3]``."""
    return env.terms.compute(from_to_goal, [*thing(env, a), env.command(command_name)], 3)


@capturable
def distance(env, a: str, b: str | None = None, command_name: str | None = None):
    """Distance of a thing from another, or from a command [m]."""
    return env.terms.compute(length, [_apart(env, a, b, command_name), 0.0])


@capturable
def nearness(env, a: str, b: str | None = None, command_name: str | None = None, std: float = 0.1):
    """exp(-distance^2 / std^2) of a thing from another, or from a command."""
    return env.terms.compute(length, [_apart(env, a, b, command_name), 1.0 / check_positive("std", std) ** 2])


@capturable
def staged_nearness(env, hand: str, thing_name: str, command_name: str, reach_std: float, bring_std: float):
    """Near the thing, times one plus how near the thing is to the goal: first reach, then bring."""
    reach = nearness(env, hand, thing_name, std=reach_std)
    bring = nearness(env, thing_name, command_name=command_name, std=bring_std)
    return env.terms.compute(staged, [reach, bring])


@wp.kernel
def staged(reach: wp.array[float], bring: wp.array[float], out: wp.array[float]):
    """Reach, then bring."""
    world = wp.tid()
    out[world] = reach[world] * (1.0 + bring[world])


@capturable
def height_below(env, a: str, minimum_height: float):
    """A thing is lower than this [m]."""
    return env.terms.compute(lower, [*thing(env, a), minimum_height], dtype=wp.bool)


def _apart(env, a: str, b: str | None, command_name: str | None):
    if (b is None) == (command_name is None):
        raise ModelError(f"term '{env.terms.name}': give either another thing or a command_name")
    return object_to_object(env, a, b) if b else object_to_goal(env, a, command_name)
