"""Termination terms: when episodes end."""

import math

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable

kernel_module(__name__)


@wp.kernel
def reached(step: wp.array[int], most: int, out: wp.array[wp.bool]):
    """Whether as many steps were made."""
    world = wp.tid()
    out[world] = step[world] >= most


@wp.kernel
def tilted(qpos: wp.array2d[float], q: int, least: float, out: wp.array[wp.bool]):
    """Whether the z axis of a free body is farther from the vertical than an angle of this cosine."""
    world = wp.tid()
    x, y = qpos[world, q + 4], qpos[world, q + 5]
    out[world] = 1.0 - 2.0 * (x * x + y * y) < least


@wp.kernel
def below(qpos: wp.array2d[float], q: int, least: float, out: wp.array[wp.bool]):
    """Whether a coordinate is less than a number."""
    world = wp.tid()
    out[world] = qpos[world, q] < least


@wp.kernel
def same(flag: wp.array[wp.bool], out: wp.array[wp.bool]):
    """A copy."""
    world = wp.tid()
    out[world] = flag[world]


@capturable
def time_out(env):
    """The episode is as long as the task allows."""
    return env.terms.compute(reached, [env.step_count, env.task.episode_length], dtype=wp.bool)


@capturable
def bad_orientation(env, limit_angle: float):
    """The root leans more than ``limit_angle`` [rad]."""
    return env.terms.compute(tilted, [env.sim.data.qpos, env.sim.root.q, math.cos(limit_angle)], dtype=wp.bool)


@capturable
def root_height_below_minimum(env, minimum_height: float):
    """The root is lower than this [m]."""
    return env.terms.compute(below, [env.sim.data.qpos, env.sim.root.q + 2, minimum_height], dtype=wp.bool)


@capturable
def nan_detection(env):
    """The engine found numbers that are not finite and put the world back. Such worlds are cut off whether a task asks
    for it or not.
    """
    return env.terms.compute(same, [env.bad], dtype=wp.bool)
