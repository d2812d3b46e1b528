"""Event terms: how worlds start, and what happens to them."""

import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.streams import Stream, uniform

kernel_module(__name__)


@wp.kernel
def offset_joints(
    mask: wp.array[wp.bool],
    s: Stream,
    q: wp.array[int],
    v: wp.array[int],
    pose: wp.array[float],
    least: wp.array[float],
    most: wp.array[float],
    position: wp.vec2,
    velocity: wp.vec2,
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
):
    """Joints somewhere around their pose, within their limits."""
    world, i = wp.tid()
    if mask[world]:
        count = q.shape[0]
        qpos[world, q[i]] = wp.clamp(pose[i] + uniform(s, world, i, position[0], position[1]), least[i], most[i])
        qvel[world, v[i]] = uniform(s, world, count + i, velocity[0], velocity[1])


@capturable
def reset_joints_by_offset(env, mask, position_range: tuple, velocity_range: tuple, joints=".*"):
    """Put joints to their pose at reset plus a number of ``position_range``, within limits, with a velocity of
    ``velocity_range``.
    """
    j, d = env.sim.joints(joints), env.sim.data
    inputs = [
        mask,
        env.terms.stream,
        j.q,
        j.v,
        j.default,
        j.low,
        j.high,
        wp.vec2(*position_range),
        wp.vec2(*velocity_range),
    ]
    env.launch(offset_joints, (env.num_worlds, j.count), inputs, [d.qpos, d.qvel])


AXES = ("x", "y", "z", "roll", "pitch", "yaw")


@wp.func
def draw_axis(s: Stream, world: int, i: int, ranges: wp.array2d[float]):
    """A number of the i-th range."""
    return uniform(s, world, i, ranges[i, 0], ranges[i, 1])


@wp.func
def quat_from_rpy(s: Stream, world: int, first: int, ranges: wp.array2d[float]):
    """A rotation by roll, then pitch, then yaw, about fixed axes."""
    r = wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), draw_axis(s, world, first, ranges))
    p = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), draw_axis(s, world, first + 1, ranges))
    y = wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), draw_axis(s, world, first + 2, ranges))
    return y * p * r


@wp.kernel
def place_root(
    mask: wp.array[wp.bool],
    s: Stream,
    ranges: wp.array2d[float],
    start: wp.array[float],
    origin: wp.array2d[float],
    q: int,
    v: int,
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
):
    """A free body around its pose at reset; rows 0 to 5 of ``ranges`` are for the pose, 6 to 11 for velocities in world
    axes.
    """
    world = wp.tid()
    if not mask[world]:
        return
    for i in range(3):
        qpos[world, q + i] = start[q + i] + origin[world, i] + draw_axis(s, world, i, ranges)
        qvel[world, v + i] = draw_axis(s, world, 6 + i, ranges)
    turn = wp.quat(start[q + 4], start[q + 5], start[q + 6], start[q + 3]) * quat_from_rpy(s, world, 3, ranges)
    qpos[world, q + 3] = turn[3]
    for i in range(3):
        qpos[world, q + 4 + i] = turn[i]
    w = wp.quat_rotate_inv(
        turn, wp.vec3(draw_axis(s, world, 9, ranges), draw_axis(s, world, 10, ranges), draw_axis(s, world, 11, ranges))
    )
    for i in range(3):
        qvel[world, v + 3 + i] = w[i]


@wp.kernel
def kick(
    mask: wp.array[wp.bool],
    s: Stream,
    ranges: wp.array2d[float],
    qpos: wp.array2d[float],
    q: int,
    v: int,
    qvel: wp.array2d[float],
):
    """Add to the velocity of a free body, in world axes."""
    world = wp.tid()
    if not mask[world]:
        return
    turn = wp.quat(qpos[world, q + 4], qpos[world, q + 5], qpos[world, q + 6], qpos[world, q + 3])
    w = wp.quat_rotate_inv(
        turn, wp.vec3(draw_axis(s, world, 3, ranges), draw_axis(s, world, 4, ranges), draw_axis(s, world, 5, ranges))
    )
    for i in range(3):
        qvel[world, v + i] = qvel[world, v + i] + draw_axis(s, world, i, ranges)
        qvel[world, v + 3 + i] = qvel[world, v + 3 + i] + w[i]


@wp.kernel
def push_bodies(
    mask: wp.array[wp.bool],
    s: Stream,
    bodies: wp.array[int],
    force: wp.vec2,
    torque: wp.vec2,
    xfrc: wp.array2d[wp.spatial_vector],
):
    """A force and a torque on each body, world axes, until something else is written."""
    world, k = wp.tid()
    if not mask[world]:
        return
    f = wp.spatial_vector()
    for i in range(3):
        f[i] = uniform(s, world, 6 * k + i, force[0], force[1])
        f[3 + i] = uniform(s, world, 6 * k + 3 + i, torque[0], torque[1])
    xfrc[world, bodies[k]] = f


@wp.kernel
def shove(
    mask: wp.array[wp.bool],
    s: Stream,
    dt: float,
    force: wp.vec2,
    torque: wp.vec2,
    duration: wp.vec2,
    cooldown: wp.vec2,
    bodies: wp.array[int],
    offset: wp.vec3,
    qpos: wp.array2d[float],
    q: int,
    left: wp.array[float],
    on: wp.array[int],
    xfrc: wp.array2d[wp.spatial_vector],
):
    """Wait, push for a while, wait. ``q``: where the root's orientation is, for pushes off the centre."""
    world = wp.tid()
    if not mask[world]:
        return
    if s.step[world] <= 1:
        left[world] = uniform(s, world, 0, cooldown[0], cooldown[1])
        on[world] = 0
    left[world] = left[world] - dt
    if left[world] > 1.0e-6:
        return
    n = bodies.shape[0]
    if on[world] == 1:
        on[world] = 0
        left[world] = uniform(s, world, 0, cooldown[0], cooldown[1])
        for k in range(n):
            xfrc[world, bodies[k]] = wp.spatial_vector()
    else:
        on[world] = 1
        left[world] = uniform(s, world, 1, duration[0], duration[1])
        for k in range(n):
            f, t = wp.vec3(), wp.vec3()
            for i in range(3):
                f[i] = uniform(s, world, 8 + 6 * k + i, force[0], force[1])
                t[i] = uniform(s, world, 11 + 6 * k + i, torque[0], torque[1])
            if q >= 0:
                turn = wp.quat(qpos[world, q + 4], qpos[world, q + 5], qpos[world, q + 6], qpos[world, q + 3])
                t = t + wp.cross(wp.quat_rotate(turn, offset), f)
            xfrc[world, bodies[k]] = wp.spatial_vector(f, t)


def _ranges(env, *given) -> wp.array:
    """Pairs of numbers by axis, six for each dict. ModelError for a name that is no axis."""
    rows = []
    for ranges in given:
        unknown = set(ranges or {}) - set(AXES)
        if unknown:
            raise ModelError(f"term '{env.terms.name}': {sorted(unknown)[0]!r} is no axis; expected {', '.join(AXES)}")
        rows += [(ranges or {}).get(axis, (0.0, 0.0)) for axis in AXES]
    return env.sim.cached(("ranges", tuple(map(tuple, rows))), lambda: wp.array(rows, dtype=float, device=env.device))


@capturable
def reset_scene_to_default(env, mask):
    """Reset everything to its start. Every reset does so before other events; this is for events at other times."""
    env.sim.reset(mask)


@capturable
def reset_root_state_uniform(env, mask, pose_range: dict, velocity_range: dict | None = None):
    """Put the root somewhere around its pose at reset, with some velocity in world axes; ranges by axis: x, y, z, roll,
    pitch, yaw.
    """
    d, root = env.sim.data, env.sim.root
    inputs = [
        mask,
        env.terms.stream,
        _ranges(env, pose_range, velocity_range),
        env.sim.start,
        env.origins,
        root.q,
        root.v,
    ]
    env.launch(place_root, env.num_worlds, inputs, [d.qpos, d.qvel])


@capturable
def push_by_setting_velocity(env, mask, velocity_range: dict):
    """Add a velocity to the root's, in world axes; ranges by axis: x, y, z, roll, pitch, yaw."""
    d, root = env.sim.data, env.sim.root
    env.launch(
        kick, env.num_worlds, [mask, env.terms.stream, _ranges(env, velocity_range), d.qpos, root.q, root.v], [d.qvel]
    )


@capturable
def apply_external_force_torque(env, mask, force_range: tuple, torque_range: tuple, bodies):
    """A force [N] and a torque [N m] on each body, each component of these ranges, that stay until something else is
    applied or the world is reset.
    """
    ids, d = env.sim.indices("body", bodies), env.sim.data
    inputs = [mask, env.terms.stream, ids, wp.vec2(*force_range), wp.vec2(*torque_range)]
    env.launch(push_bodies, (env.num_worlds, len(ids)), inputs, [d.xfrc_applied])


@capturable
class apply_body_impulse:
    """Pushes that begin after ``cooldown_s``, last ``duration_s``, and come again. For mode ``step``.

    ``body_point_offset`` is where they act, in the root's axes, off the centres of mass.
    """

    def __init__(
        self,
        env,
        force_range: tuple,
        torque_range: tuple,
        duration_s: tuple,
        cooldown_s: tuple,
        bodies,
        body_point_offset: tuple | None = None,
    ):
        self.env, self.ids, self.stream = env, env.sim.indices("body", bodies), env.terms.stream
        self.ranges = [wp.vec2(*r) for r in (force_range, torque_range, duration_s, cooldown_s)]
        self.offset, self.q = wp.vec3(*(body_point_offset or (0, 0, 0))), env.sim.root.q if body_point_offset else -1
        self.left = wp.zeros(env.num_worlds, dtype=float, device=env.device)
        self.on = wp.zeros(env.num_worlds, dtype=int, device=env.device)

    def __call__(self, mask: wp.array) -> None:
        """One control step."""
        d = self.env.sim.data
        inputs = [mask, self.stream, self.env.step_dt, *self.ranges, self.ids, self.offset, d.qpos, self.q]
        self.env.launch(shove, self.env.num_worlds, inputs, [self.left, self.on, d.xfrc_applied])

    def state(self, name: str) -> dict:
        """Arrays that a checkpoint needs."""
        return {f"{name}/left": self.left, f"{name}/on": self.on}
