"""Reward terms. Penalties are positive here; a task gives them a negative weight."""

import math

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.mdp.actions import by_name
from newtonlite.envs.mdp.observations import orientation

kernel_module(__name__)


@wp.kernel
def flag(values: wp.array[wp.bool], when: bool, out: wp.array[float]):
    """1 where a flag is ``when``."""
    world = wp.tid()
    out[world] = wp.where(values[world] == when, 1.0, 0.0)


@wp.kernel
def sum_squares(values: wp.array2d[float], place: wp.array[int], out: wp.array[float]):
    """Sum of squares of chosen columns."""
    world = wp.tid()
    total = float(0.0)
    for i in range(place.shape[0]):
        x = values[world, place[i]]
        total += x * x
    out[world] = total


@wp.kernel
def sum_squares_of_change(
    a: wp.array2d[float], b: wp.array2d[float], c: wp.array2d[float], twice: float, out: wp.array[float]
):
    """Sum of squares of the first (``twice`` 0) or second difference."""
    world = wp.tid()
    total = float(0.0)
    for i in range(a.shape[1]):
        x = a[world, i] - b[world, i] - twice * (b[world, i] - c[world, i])
        total += x * x
    out[world] = total


@wp.kernel
def beyond_limits(
    qpos: wp.array2d[float], q: wp.array[int], low: wp.array[float], high: wp.array[float], out: wp.array[float]
):
    """Sum over joints of the distance outside their bands."""
    world = wp.tid()
    total = float(0.0)
    for i in range(q.shape[0]):
        x = qpos[world, q[i]]
        total += wp.max(0.0, low[i] - x) + wp.max(0.0, x - high[i])
    out[world] = total


@wp.kernel
def closeness(
    qpos: wp.array2d[float], q: wp.array[int], pose: wp.array[float], weight: wp.array[float], out: wp.array[float]
):
    """exp of less the mean of weighted squares of what joints are off."""
    world = wp.tid()
    total = float(0.0)
    for i in range(q.shape[0]):
        x = qpos[world, q[i]] - pose[i]
        total += x * x * weight[i]
    out[world] = wp.exp(-total / float(q.shape[0]))


@wp.kernel
def closeness_by_speed(
    qpos: wp.array2d[float],
    q: wp.array[int],
    pose: wp.array[float],
    weight: wp.array2d[float],
    command: wp.array2d[float],
    walking: float,
    running: float,
    out: wp.array[float],
):
    """The same with weights for standing, walking or running, as the command asks."""
    world = wp.tid()
    speed = command_speed(command, world)
    row = wp.where(speed < walking, 0, wp.where(speed < running, 1, 2))
    total = float(0.0)
    for i in range(q.shape[0]):
        x = qpos[world, q[i]] - pose[i]
        total += x * x * weight[row, i]
    out[world] = wp.exp(-total / float(q.shape[0]))


@wp.kernel
def power(force: wp.array2d[float], qvel: wp.array2d[float], v: wp.array[int], out: wp.array[float]):
    """Power that actuators put into joints; what comes back does not count."""
    world = wp.tid()
    total = float(0.0)
    for i in range(v.shape[0]):
        total += wp.max(0.0, force[world, v[i]] * qvel[world, v[i]])
    out[world] = total


@wp.func
def lean(qpos: wp.array2d[float], world: int, q: int):
    """Square of the horizontal part of gravity in a free body's axes."""
    g = wp.quat_rotate_inv(orientation(qpos, world, q), wp.vec3(0.0, 0.0, -1.0))
    return g[0] * g[0] + g[1] * g[1]


@wp.kernel
def leaning(qpos: wp.array2d[float], q: int, sharpness: float, out: wp.array[float]):
    """Lean of a body, or (with a sharpness) uprightness."""
    world = wp.tid()
    x = lean(qpos, world, q)
    out[world] = wp.where(sharpness > 0.0, wp.exp(-x * sharpness), x)


@wp.func
def command_speed(command: wp.array2d[float], world: int):
    """Size of a command of velocities."""
    x, y = command[world, 0], command[world, 1]
    return wp.sqrt(x * x + y * y) + wp.abs(command[world, 2])


@wp.kernel
def linear_velocity_tracking(
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    q: int,
    v: int,
    command: wp.array2d[float],
    sharpness: float,
    out: wp.array[float],
):
    """Tracking of the commanded linear velocity by the root: ``exp(-sharpness |error|^2)``."""
    world = wp.tid()
    u = wp.quat_rotate_inv(orientation(qpos, world, q), wp.vec3(qvel[world, v], qvel[world, v + 1], qvel[world, v + 2]))
    off = wp.vec3(command[world, 0], command[world, 1], 0.0) - u
    out[world] = wp.exp(-wp.dot(off, off) * sharpness)


@wp.kernel
def angular_velocity_tracking(
    qvel: wp.array2d[float], v: int, command: wp.array2d[float], sharpness: float, out: wp.array[float]
):
    """Tracking of the commanded angular velocity by the root: ``exp(-sharpness |error|^2)``."""
    world = wp.tid()
    off = wp.vec3(0.0, 0.0, command[world, 2]) - wp.vec3(qvel[world, v + 3], qvel[world, v + 4], qvel[world, v + 5])
    out[world] = wp.exp(-wp.dot(off, off) * sharpness)


@wp.kernel
def rolling(qpos: wp.array2d[float], qvel: wp.array2d[float], q: int, v: int, out: wp.array[float]):
    """Square of the horizontal part of the root's angular velocity."""
    world = wp.tid()
    w = wp.quat_rotate(orientation(qpos, world, q), wp.vec3(qvel[world, v + 3], qvel[world, v + 4], qvel[world, v + 5]))
    out[world] = w[0] * w[0] + w[1] * w[1]


@capturable
def is_alive(env):
    """1 where the episode is not over."""
    return env.terms.compute(flag, [env.terminated, False])


@capturable
def is_terminated(env):
    """1 where the episode is over, and not cut off."""
    return env.terms.compute(flag, [env.terminated, True])


@capturable
def joint_torques_l2(env, actuators=".*"):
    """Sum of squares of actuator forces. The task keeps ``actuator_force``."""
    return env.terms.compute(sum_squares, [env.sim.data.actuator_force, env.sim.indices("actuator", actuators)])


@capturable
def joint_vel_l2(env, joints=".*"):
    """Sum of squares of joint velocities."""
    return env.terms.compute(sum_squares, [env.sim.data.qvel, env.sim.joints(joints).v])


@capturable
def joint_acc_l2(env, joints=".*"):
    """Sum of squares of joint accelerations."""
    return env.terms.compute(sum_squares, [env.sim.data.qacc, env.sim.joints(joints).v])


@capturable
def action_rate_l2(env):
    """Sum of squares of what the action changed by."""
    a = env.actions
    return env.terms.compute(sum_squares_of_change, [a.action, a.prev_action, a.prev_prev_action, 0.0])


@capturable
def action_acc_l2(env):
    """Sum of squares of the action's second difference."""
    a = env.actions
    return env.terms.compute(sum_squares_of_change, [a.action, a.prev_action, a.prev_prev_action, 1.0])


@capturable
def joint_pos_limits(env, joints=".*", soft: float = 1.0):
    """Distances of joints beyond the share ``soft`` of their ranges, added up."""
    low, high = env.sim.soft_limits(joints, soft)
    return env.terms.compute(beyond_limits, [env.sim.data.qpos, env.sim.joints(joints).q, low, high])


@capturable
class posture:
    """exp(-mean(((q - pose at reset) / std)^2)); ``std`` is a number, one for each joint, or a dict by pattern."""

    def __init__(self, env, std, joints=".*"):
        self.env, self.joints = env, env.sim.joints(joints)
        std = by_name(env.terms.name, "std", self.joints.names, std)
        self.weight = wp.array(1.0 / std**2, dtype=float, device=env.device)

    def __call__(self):
        """The reward of every world."""
        j, env = self.joints, self.env
        return env.terms.compute(closeness, [env.sim.data.qpos, j.q, j.default, self.weight])


@capturable
class variable_posture:
    """``posture`` with another ``std`` for standing, walking and running, as the command asks."""

    def __init__(
        self,
        env,
        command_name: str,
        std_standing,
        std_walking,
        std_running,
        joints=".*",
        walking_threshold: float = 0.5,
        running_threshold: float = 1.5,
    ):
        self.env, self.joints, self.command = env, env.sim.joints(joints), command_name
        std = [by_name(env.terms.name, "std", self.joints.names, s) for s in (std_standing, std_walking, std_running)]
        self.weight = wp.array(1.0 / np.array(std) ** 2, dtype=float, device=env.device)
        self.thresholds = walking_threshold, running_threshold

    def __call__(self):
        """The reward of every world."""
        j, env = self.joints, self.env
        inputs = [env.sim.data.qpos, j.q, j.default, self.weight, env.command(self.command), *self.thresholds]
        return env.terms.compute(closeness_by_speed, inputs)


@capturable
def electrical_power_cost(env, joints=".*"):
    """Power that actuators put into joints [W]. The task keeps ``qfrc_actuator``."""
    d = env.sim.data
    return env.terms.compute(power, [d.qfrc_actuator, d.qvel, env.sim.joints(joints).v])


@capturable
def flat_orientation_l2(env):
    """Square of the horizontal part of gravity in the root's axes."""
    return env.terms.compute(leaning, [env.sim.data.qpos, env.sim.root.q, 0.0])


@capturable
def upright(env, std: float):
    """exp(-lean^2 / std^2): 1 where the root is upright."""
    return env.terms.compute(leaning, [env.sim.data.qpos, env.sim.root.q, 1.0 / check_positive("std", std) ** 2])


@capturable
def track_linear_velocity(env, command_name: str, std: float):
    """exp(-error^2 / std^2) of the root's velocity in its own axes; up and down count as errors."""
    d, root = env.sim.data, env.sim.root
    return env.terms.compute(
        linear_velocity_tracking,
        [d.qpos, d.qvel, root.q, root.v, env.command(command_name), 1.0 / check_positive("std", std) ** 2],
    )


@capturable
def track_angular_velocity(env, command_name: str, std: float):
    """exp(-error^2 / std^2) of the root's angular velocity; rolling and pitching count as errors."""
    return env.terms.compute(
        angular_velocity_tracking,
        [env.sim.data.qvel, env.sim.root.v, env.command(command_name), 1.0 / check_positive("std", std) ** 2],
    )


@capturable
def body_angular_velocity_penalty(env):
    """Square of the root's angular velocity about horizontal axes."""
    d, root = env.sim.data, env.sim.root
    return env.terms.compute(rolling, [d.qpos, d.qvel, root.q, root.v])


def check_positive(name: str, value: float) -> float:
    """The value. ModelError unless it is positive."""
    if not (math.isfinite(value) and value > 0):
        raise ModelError(f"{name}={value!r}: expected a positive number")
    return value
