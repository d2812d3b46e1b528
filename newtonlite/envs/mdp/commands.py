"""Command terms: goals that are drawn anew from time to time."""

import math

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.mdp.observations import orientation
from newtonlite.envs.streams import Stream, uniform

kernel_module(__name__)

PI = wp.constant(math.pi)


@wp.struct
class Ranges:
    """Ranges and distributions of random velocity commands."""

    time: wp.vec2
    x: wp.vec2
    y: wp.vec2
    turn: wp.vec2
    heading: wp.vec2
    standing: float
    heads: float
    forward: float
    stiffness: float


@wp.kernel
def steer(
    mask: wp.array[wp.bool],
    s: Stream,
    r: Ranges,
    dt: float,
    qpos: wp.array2d[float],
    q: int,
    left: wp.array[float],
    heading: wp.array2d[float],
    command: wp.array2d[float],
):
    """Draw a velocity where it is time, and turn towards a heading where one is asked for. ``heading``: (is one asked
    for, which).
    """
    world = wp.tid()
    if not mask[world]:
        return
    left[world] = left[world] - dt
    if dt == 0.0 or left[world] < 1.0e-6:
        left[world] = uniform(s, world, 0, r.time[0], r.time[1])
        command[world, 0] = uniform(s, world, 1, r.x[0], r.x[1])
        command[world, 1] = uniform(s, world, 2, r.y[0], r.y[1])
        command[world, 2] = uniform(s, world, 3, r.turn[0], r.turn[1])
        heading[world, 0] = wp.where(uniform(s, world, 4, 0.0, 1.0) < r.heads, 1.0, 0.0)
        heading[world, 1] = uniform(s, world, 5, r.heading[0], r.heading[1])
        if uniform(s, world, 6, 0.0, 1.0) < r.forward:
            command[world, 0] = wp.max(0.3, wp.abs(command[world, 0]))
            command[world, 1] = 0.0
            command[world, 2] = 0.0
            heading[world, 0] = 0.0
        if uniform(s, world, 7, 0.0, 1.0) < r.standing:
            for i in range(3):
                command[world, i] = 0.0
            heading[world, 0] = 0.0
    if heading[world, 0] > 0.0:
        ahead = wp.quat_rotate(orientation(qpos, world, q), wp.vec3(1.0, 0.0, 0.0))
        off = heading[world, 1] - wp.atan2(ahead[1], ahead[0])
        off = off - 2.0 * PI * wp.floor((off + PI) / (2.0 * PI))
        command[world, 2] = wp.clamp(r.stiffness * off, r.turn[0], r.turn[1])


@capturable
class UniformVelocityCommand:
    """Velocity of the root in its own axes: x, y [m/s] and turning [rad/s], ``command`` ``[nworld, 3]``.

    ``ranges`` has ``lin_vel_x``, ``lin_vel_y``, ``ang_vel_z`` and, where a share ``rel_heading_envs`` shall turn
    towards a heading, ``heading`` [rad]. Shares of the worlds stand still or go straight ahead.
    """

    def __init__(
        self,
        env,
        resampling_time_range: tuple,
        ranges: dict,
        rel_standing_envs: float = 0.0,
        rel_heading_envs: float = 0.0,
        rel_forward_envs: float = 0.0,
        heading_control_stiffness: float = 1.0,
    ):
        self.env, self.ranges = env, {"heading": (-math.pi, math.pi), **ranges}
        self.settings = (
            resampling_time_range,
            rel_standing_envs,
            rel_heading_envs,
            rel_forward_envs,
            heading_control_stiffness,
        )
        self.command = wp.zeros((env.num_worlds, 3), dtype=float, device=env.device)
        self.left = wp.zeros(env.num_worlds, dtype=float, device=env.device)
        self.heading = wp.zeros((env.num_worlds, 2), dtype=float, device=env.device)
        self.stream = env.stream(env.terms.name)

    def _ranges(self) -> Ranges:
        r = Ranges()
        time, r.standing, r.heads, r.forward, r.stiffness = self.settings
        r.time = wp.vec2(*time)
        r.x, r.y, r.turn, r.heading = (
            wp.vec2(*self.ranges[k]) for k in ("lin_vel_x", "lin_vel_y", "ang_vel_z", "heading")
        )
        return r

    def reset(self, mask: wp.array) -> None:
        """A new velocity for the worlds of the mask."""
        self._steer(mask, 0.0)

    def update(self, mask: wp.array) -> None:
        """One control step later."""
        self._steer(mask, self.env.step_dt)

    def _steer(self, mask: wp.array, dt: float) -> None:
        env = self.env
        inputs = [mask, self.stream, self._ranges(), dt, env.sim.data.qpos, env.sim.root.q]
        env.launch(steer, env.num_worlds, inputs, [self.left, self.heading, self.command])

    def state(self, name: str) -> dict:
        """Arrays that a checkpoint needs."""
        return {f"command/{name}/{k}": getattr(self, k) for k in ("command", "left", "heading")}


@wp.kernel
def place_goal(
    mask: wp.array[wp.bool],
    s: Stream,
    dt: float,
    time: wp.vec2,
    low: wp.array[float],
    high: wp.array[float],
    left: wp.array[float],
    command: wp.array2d[float],
):
    """Draw a point of a box where it is time."""
    world = wp.tid()
    if not mask[world]:
        return
    left[world] = left[world] - dt
    if dt == 0.0 or left[world] < 1.0e-6:
        n = command.shape[1]
        left[world] = uniform(s, world, n, time[0], time[1])
        for i in range(n):
            command[world, i] = uniform(s, world, i, low[i], high[i])


@capturable
class UniformGoalCommand:
    """Numbers drawn evenly from ``ranges``, a pair for each: a place to reach, angles to take. ``command`` is
    ``[nworld, n]``.
    """

    def __init__(self, env, resampling_time_range: tuple, ranges: tuple):
        self.env, self.time = env, wp.vec2(*resampling_time_range)
        self.low, self.high = (wp.array([r[i] for r in ranges], dtype=float, device=env.device) for i in (0, 1))
        self.command = wp.zeros((env.num_worlds, len(ranges)), dtype=float, device=env.device)
        self.left = wp.zeros(env.num_worlds, dtype=float, device=env.device)
        self.stream = env.stream(env.terms.name)

    def reset(self, mask: wp.array) -> None:
        """A new goal for the worlds of the mask."""
        self._place(mask, 0.0)

    def update(self, mask: wp.array) -> None:
        """One control step later."""
        self._place(mask, self.env.step_dt)

    def _place(self, mask: wp.array, dt: float) -> None:
        inputs = [mask, self.stream, dt, self.time, self.low, self.high]
        self.env.launch(place_goal, self.env.num_worlds, inputs, [self.left, self.command])

    def state(self, name: str) -> dict:
        """Arrays that a checkpoint needs."""
        return {f"command/{name}/{k}": getattr(self, k) for k in ("command", "left")}
