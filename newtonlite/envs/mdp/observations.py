"""Observation terms."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable

kernel_module(__name__)


@wp.kernel
def less(values: wp.array2d[float], place: wp.array[int], pose: wp.array[float], out: wp.array2d[float]):
    """Chosen columns less a row."""
    world, i = wp.tid()
    out[world, i] = values[world, place[i]] - pose[i]


@wp.kernel
def chosen(values: wp.array2d[float], place: wp.array[int], out: wp.array2d[float]):
    """Chosen columns."""
    world, i = wp.tid()
    out[world, i] = values[world, place[i]]


@wp.kernel
def columns(values: wp.array2d[float], first: int, out: wp.array2d[float]):
    """Columns from ``first`` on."""
    world, i = wp.tid()
    out[world, i] = values[world, first + i]


@wp.func
def orientation(qpos: wp.array2d[float], world: int, q: int):
    """The quaternion (x, y, z, w) of a free joint."""
    return wp.quat(qpos[world, q + 4], qpos[world, q + 5], qpos[world, q + 6], qpos[world, q + 3])


@wp.kernel
def linear_in_body(qpos: wp.array2d[float], qvel: wp.array2d[float], q: int, v: int, out: wp.array2d[float]):
    """Velocity of a free body in its own axes."""
    world = wp.tid()
    u = wp.quat_rotate_inv(orientation(qpos, world, q), wp.vec3(qvel[world, v], qvel[world, v + 1], qvel[world, v + 2]))
    for i in range(3):
        out[world, i] = u[i]


@wp.kernel
def gravity_in_body(qpos: wp.array2d[float], q: int, out: wp.array2d[float]):
    """The direction of gravity in a free body's axes."""
    world = wp.tid()
    g = wp.quat_rotate_inv(orientation(qpos, world, q), wp.vec3(0.0, 0.0, -1.0))
    for i in range(3):
        out[world, i] = g[i]


@capturable
def base_lin_vel(env):
    """Velocity of the root in its own axes [m/s], ``[nworld, 3]``."""
    d, root = env.sim.data, env.sim.root
    out = env.terms.array(3)
    env.launch(linear_in_body, env.num_worlds, [d.qpos, d.qvel, root.q, root.v], [out])
    return out


@capturable
def base_ang_vel(env):
    """Angular velocity of the root in its own axes [rad/s], ``[nworld, 3]``."""
    return env.terms.compute(columns, [env.sim.data.qvel, env.sim.root.v + 3], 3)


@capturable
def projected_gravity(env):
    """Direction of gravity in the root's axes, ``[nworld, 3]``."""
    out = env.terms.array(3)
    env.launch(gravity_in_body, env.num_worlds, [env.sim.data.qpos, env.sim.root.q], [out])
    return out


@capturable
def projected_gravity_from_sensor(env, sensor_name: str):
    """The same, less what a ``framezaxis`` sensor of the world in the body's frame shows."""
    first, _ = env.sim.sensor(sensor_name)
    return env.terms.compute(negated, [env.sim.data.sensordata, first], 3)


@wp.kernel
def negated(values: wp.array2d[float], first: int, out: wp.array2d[float]):
    """Columns from ``first`` on, with the other sign."""
    world, i = wp.tid()
    out[world, i] = -values[world, first + i]


@capturable
def joint_pos_rel(env, joints=".*", biased: bool = False):
    """Positions of joints less those at reset, ``[nworld, joints]``; with ``biased`` as encoders with an error show
    them (``dr.encoder_bias``).
    """
    j = env.sim.joints(joints)
    out = env.terms.compute(less, [env.sim.data.qpos, j.q, j.default], j.count)
    bias = env.sim.encoder_bias if biased else None
    if bias is not None:
        env.launch(add_columns, out.shape, [bias, j.q], [out])
    return out


@wp.kernel
def add_columns(values: wp.array2d[float], place: wp.array[int], out: wp.array2d[float]):
    """Add chosen columns."""
    world, i = wp.tid()
    out[world, i] = out[world, i] + values[world, place[i]]


@capturable
def joint_vel_rel(env, joints=".*"):
    """Velocities of joints, ``[nworld, joints]``."""
    j = env.sim.joints(joints)
    return env.terms.compute(chosen, [env.sim.data.qvel, j.v], j.count)


@capturable
def last_action(env, action_name: str | None = None):
    """Last action of the policy, ``[nworld, n]``: all of it, or the numbers of one term."""
    if action_name is None:
        return env.actions.action
    term = env.actions.terms[action_name]
    return env.terms.compute(columns, [env.actions.action, term.first], term.count)


@capturable
def generated_commands(env, command_name: str):
    """A command, ``[nworld, n]``."""
    return env.command(command_name)


@capturable
def builtin_sensor(env, sensor_name: str):
    """Values of a sensor of the model, ``[nworld, n]``."""
    first, count = env.sim.sensor(sensor_name)
    return env.terms.compute(columns, [env.sim.data.sensordata, first], count)
