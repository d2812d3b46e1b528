"""Terms about feet: how long they are in the air, how high, how fast they slide, how hard they land."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.mdp.rewards import command_speed

kernel_module(__name__)


@wp.kernel
def count_swings(
    air: wp.array2d[float],
    least: float,
    most: float,
    command: wp.array2d[float],
    threshold: float,
    out: wp.array[float],
):
    """Feet that are in the air for a sensible time, where a command asks to move."""
    world = wp.tid()
    total = float(0.0)
    for i in range(air.shape[1]):
        if air[world, i] > least and air[world, i] < most:
            total += 1.0
    out[world] = wp.where(moving(command, world, threshold), total, 0.0)


@wp.func
def moving(command: wp.array2d[float], world: int, threshold: float):
    """Whether a command asks for more than a threshold; true where there is no command."""
    if command.shape[1] == 0:
        return True
    return command_speed(command, world) > threshold


@wp.kernel
def off_height(
    sensordata: wp.array2d[float],
    place: wp.array[int],
    speed: wp.array[int],
    target: float,
    command: wp.array2d[float],
    threshold: float,
    out: wp.array[float],
):
    """Distance of feet from a height, times their horizontal speed."""
    world = wp.tid()
    total = float(0.0)
    for i in range(place.shape[0]):
        x, y = sensordata[world, speed[i]], sensordata[world, speed[i] + 1]
        total += wp.abs(sensordata[world, place[i] + 2] - target) * wp.sqrt(x * x + y * y)
    out[world] = wp.where(moving(command, world, threshold), total, 0.0)


@wp.kernel
def sliding(
    sensordata: wp.array2d[float],
    speed: wp.array[int],
    found: wp.array2d[float],
    command: wp.array2d[float],
    threshold: float,
    out: wp.array[float],
):
    """Squares of the horizontal velocities of feet that touch the ground."""
    world = wp.tid()
    total = float(0.0)
    for i in range(speed.shape[0]):
        if found[world, i] > 0.0:
            x, y = sensordata[world, speed[i]], sensordata[world, speed[i] + 1]
            total += x * x + y * y
    out[world] = wp.where(moving(command, world, threshold), total, 0.0)


@wp.kernel
def impact(
    force: wp.array3d[float],
    landed: wp.array2d[float],
    command: wp.array2d[float],
    threshold: float,
    out: wp.array[float],
):
    """Forces at landing."""
    world = wp.tid()
    total = float(0.0)
    for i in range(landed.shape[1]):
        total += landed[world, i] * wp.length(wp.vec3(force[world, i, 0], force[world, i, 1], force[world, i, 2]))
    out[world] = wp.where(moving(command, world, threshold), total, 0.0)


@wp.kernel
def touching(found: wp.array2d[float], out: wp.array2d[float]):
    """1 where a foot touches."""
    world, i = wp.tid()
    out[world, i] = wp.where(found[world, i] > 0.0, 1.0, 0.0)


@wp.kernel
def squeezed(force: wp.array3d[float], out: wp.array2d[float]):
    """Forces on a scale of logarithms, with their signs."""
    world, i = wp.tid()
    k = i / 3
    x = force[world, k, i - 3 * k]
    out[world, i] = wp.sign(x) * wp.log(1.0 + wp.abs(x))


@wp.kernel
def any_touch(found: wp.array2d[float], out: wp.array[wp.bool]):
    """Whether anything touches."""
    world = wp.tid()
    hit = bool(False)
    for i in range(found.shape[1]):
        if found[world, i] > 0.0:
            hit = True
    out[world] = hit


def _command(env, name):
    return env.command(name) if name else env.no_command


@capturable
def feet_air_time(
    env,
    sensor_name: str,
    threshold_min: float = 0.05,
    threshold_max: float = 0.5,
    command_name: str | None = None,
    command_threshold: float = 0.5,
):
    """Number of feet that have been in the air for a sensible time, where the command asks to move."""
    air = env.sensor(sensor_name).current_air_time
    return env.terms.compute(
        count_swings, [air, threshold_min, threshold_max, _command(env, command_name), command_threshold]
    )


@capturable
def feet_clearance(
    env, positions, velocities, target_height: float, command_name: str | None = None, command_threshold: float = 0.01
):
    """|height - target| times speed, over the feet; ``positions`` and ``velocities`` are ``framepos`` and
    ``framelinvel`` sensors by pattern.
    """
    place, speed = env.sim.sensor_places(positions), env.sim.sensor_places(velocities)
    return env.terms.compute(
        off_height,
        [env.sim.data.sensordata, place, speed, target_height, _command(env, command_name), command_threshold],
    )


@capturable
def feet_slip(env, sensor_name: str, velocities, command_name: str | None = None, command_threshold: float = 0.01):
    """Squares of the horizontal velocities of feet in contact; ``velocities`` are ``framelinvel`` sensors by pattern,
    in the order of the contact sensors.
    """
    inputs = [
        env.sim.data.sensordata,
        env.sim.sensor_places(velocities),
        env.sensor(sensor_name).found,
        _command(env, command_name),
        command_threshold,
    ]
    return env.terms.compute(sliding, inputs)


@capturable
def soft_landing(env, sensor_name: str, command_name: str | None = None, command_threshold: float = 0.05):
    """Forces of feet in the step in which they land [N]."""
    s = env.sensor(sensor_name)
    return env.terms.compute(impact, [s.force, s.first_contact, _command(env, command_name), command_threshold])


@capturable
def foot_air_time(env, sensor_name: str):
    """Air time of feet [s], ``[nworld, feet]``."""
    return env.sensor(sensor_name).current_air_time


@capturable
def foot_contact(env, sensor_name: str):
    """1 where a foot touches, ``[nworld, feet]``."""
    found = env.sensor(sensor_name).found
    return env.terms.compute(touching, [found], found.shape[1])


@capturable
def foot_contact_forces(env, sensor_name: str):
    """Forces on feet, as sign(f) log(1 + |f|), ``[nworld, 3 feet]``."""
    force = env.sensor(sensor_name).force
    return env.terms.compute(squeezed, [force], 3 * force.shape[1])


@capturable
def illegal_contact(env, sensor_name: str):
    """Contact of a part that should not touch anything."""
    return env.terms.compute(any_touch, [env.sensor(sensor_name).found], dtype=wp.bool)


@capturable
def self_collision_cost(env, sensor_name: str):
    """Number of self-collision sensors that have found a collision."""
    found = foot_contact(env, sensor_name)
    return env.terms.compute(row_sum, [found])


@wp.kernel
def row_sum(values: wp.array2d[float], out: wp.array[float]):
    """Sum of a row."""
    world = wp.tid()
    total = float(0.0)
    for i in range(values.shape[1]):
        total += values[world, i]
    out[world] = total
