"""Terms of gymnasium's MuJoCo tasks: arrays of the engine as observations, speed forward, health, cost of control,
noisy starts.
"""

import math

import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.streams import Stream, normal, uniform

kernel_module(__name__)


@wp.kernel
def copy_columns(values: wp.array2d[float], first: int, out: wp.array2d[float]):
    """Columns from ``first`` on."""
    world, i = wp.tid()
    out[world, i] = values[world, first + i]


@wp.kernel
def change_of(now: wp.array2d[float], before: wp.array2d[float], column: int, rate: float, out: wp.array[float]):
    """Rate of change of a number over the control step."""
    world = wp.tid()
    out[world] = (now[world, column] - before[world, column]) * rate


@wp.kernel
def change_of_centre(
    now: wp.array2d[wp.vec3], before: wp.array2d[wp.vec3], mass: wp.array2d[float], rate: float, out: wp.array[float]
):
    """Velocity of the centre of all mass along x over the control step."""
    world = wp.tid()
    m = wp.where(mass.shape[0] > 1, world, 0)
    moved = float(0.0)
    total = float(0.0)
    for b in range(mass.shape[1]):
        moved += mass[m, b] * (now[world, b][0] - before[world, b][0])
        total += mass[m, b]
    out[world] = moved / total * rate


@wp.kernel
def squares(values: wp.array2d[float], low: float, high: float, most: float, out: wp.array[float]):
    """Sum of squares of clipped numbers, at most ``most``."""
    world = wp.tid()
    total = float(0.0)
    for i in range(values.shape[1]):
        x = wp.clamp(values[world, i], low, high)
        total += x * x
    out[world] = wp.min(total, most)


@wp.kernel
def check_health(
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    height: int,
    z: wp.vec2,
    angle: int,
    a: wp.vec2,
    first: int,
    s: wp.vec2,
    closed: bool,
    when: bool,
    out: wp.array[wp.bool],
):
    """Whether height, lean and state are within bounds; bounds of the height belong to it where ``closed``."""
    world = wp.tid()
    h = qpos[world, height]
    fine = wp.where(closed, h >= z[0] and h <= z[1], h > z[0] and h < z[1])
    if angle >= 0:
        fine = fine and qpos[world, angle] > a[0] and qpos[world, angle] < a[1]
    if first >= 0:
        for i in range(first, qpos.shape[1]):
            fine = fine and qpos[world, i] > s[0] and qpos[world, i] < s[1]
        for i in range(qvel.shape[1]):
            fine = fine and qvel[world, i] > s[0] and qvel[world, i] < s[1]
    out[world] = fine == when


@wp.kernel
def as_number(values: wp.array[wp.bool], out: wp.array[float]):
    """1 for true."""
    world = wp.tid()
    out[world] = wp.where(values[world], 1.0, 0.0)


@wp.kernel
def shake_state(
    mask: wp.array[wp.bool],
    s: Stream,
    start: wp.array[float],
    position: float,
    velocity: float,
    gaussian: bool,
    nv: int,
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
):
    """All of the state around its start; quaternions are normalised by the engine when it reads them."""
    world, i = wp.tid()
    if not mask[world]:
        return
    if i < start.shape[0]:
        qpos[world, i] = start[i] + uniform(s, world, i, -position, position)
    if i < nv:
        k = 1024 + i
        qvel[world, i] = velocity * wp.where(gaussian, normal(s, world, k), uniform(s, world, k, -1.0, 1.0))


@capturable
def engine_array(env, field: str, first: int = 0, count: int | None = None):
    """Numbers of an array of the engine's data, flattened, from ``first`` on: ``engine_array(field="qpos", first=1)``.

    Arrays that are not kept anyway (``xpos``, ``cvel``, ...) are named in the task's ``keep``.
    """
    values = env.sim.numbers(field)
    count = values.shape[1] - first if count is None else count
    if first < 0 or count < 1 or first + count > values.shape[1]:
        raise ModelError(
            f"term '{env.terms.name}': {field} has {values.shape[1]} numbers, asked for {count} from {first}"
        )
    return env.terms.compute(copy_columns, [values, first], count)


@capturable
def forward_velocity(env, body: str | None = None, whole: bool = False):
    """Velocity along x over the control step [m/s]: of coordinate 0, of a body (as the last physics step saw it), or of
    the whole mass.
    """
    rate = 1.0 / env.step_dt
    if whole:
        return env.terms.compute(
            change_of_centre, [env.sim.data.xipos, env.before("xipos"), env.sim.model.body_mass, rate]
        )
    field, column = ("xpos", 3 * env.sim.find("body", body)[0]) if body else ("qpos", 0)
    return env.terms.compute(change_of, [env.sim.numbers(field), env.before(field, numbers=True), column, rate])


@capturable
def control_cost(env):
    """Sum of squares of the action."""
    return env.terms.compute(squares, [env.actions.action, -math.inf, math.inf, math.inf])


@capturable
def contact_cost(env, clip: tuple = (-math.inf, math.inf), most: float = math.inf):
    """Sum of squares of the forces from outside on all bodies (``cfrc_ext``), clipped one by one, at most ``most``."""
    return env.terms.compute(squares, [env.sim.numbers("cfrc_ext"), float(clip[0]), float(clip[1]), float(most)])


def _health(
    env,
    when: bool,
    height: int,
    z_range: tuple,
    angle: int | None = None,
    angle_range: tuple = (0, 0),
    state_from: int | None = None,
    state_range: tuple = (0, 0),
    closed: bool = False,
):
    d = env.sim.data
    inputs = [
        d.qpos,
        d.qvel,
        height,
        wp.vec2(*z_range),
        -1 if angle is None else angle,
        wp.vec2(*angle_range),
        -1 if state_from is None else state_from,
        wp.vec2(*state_range),
        closed,
        when,
    ]
    return env.terms.compute(check_health, inputs, dtype=wp.bool)


@capturable
def unhealthy(env, **bounds):
    """Height (coordinate ``height``), lean (``angle``) or state (from coordinate ``state_from``) are out of their
    ranges.
    """
    return _health(env, False, **bounds)


@capturable
def is_healthy(env, **bounds):
    """1 where height, lean and state are in their ranges."""
    return env.terms.compute(as_number, [_health(env, True, **bounds)])


@capturable
def reset_state_noise(env, mask, position: float, velocity: float, gaussian: bool = False):
    """All coordinates evenly around their start, all velocities evenly (or normally, with this deviation) around zero."""
    d, m = env.sim.data, env.sim.model
    inputs = [mask, env.terms.stream, env.sim.start, float(position), float(velocity), gaussian, m.nv]
    env.launch(shake_state, (env.num_worlds, max(m.nq, m.nv)), inputs, [d.qpos, d.qvel])
