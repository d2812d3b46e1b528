"""Sensor output: values written within the sensor's cutoff."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.asleep import is_sensor_asleep


@wp.func
def bounded(m: ModelFields, world: int, s: int, value: float) -> float:
    """A value within the bounds of sensor ``s``."""
    limit = m.sensor_cutoff[world, s]
    clamp = m.sensor_clamp[s]
    if limit > 0.0 and clamp > 0:
        value = wp.min(value, limit)
        if clamp == 1:
            value = wp.max(value, -limit)
    return value


@wp.func
def put(m: ModelFields, d: DataFields, world: int, s: int, k: int, value: float):
    """Number ``k`` of sensor ``s``, which keeps the last one while all it watches sleeps."""
    if m.nsleep > 0:
        if is_sensor_asleep(m, d, world, s):
            return
    d.sensordata[world, m.sensor_adr[s] + k] = bounded(m, world, s, value)


@wp.func
def put_vec3(m: ModelFields, d: DataFields, world: int, s: int, k: int, value: wp.vec3):
    """Numbers ``k``, ``k + 1``, ``k + 2`` of sensor ``s``."""
    for i in range(3):
        put(m, d, world, s, k + i, value[i])


@wp.func
def put_all(m: ModelFields, d: DataFields, world: int, s: int, value: wp.vec4):
    """All numbers, at most four, of sensor ``s``."""
    for i in range(m.sensor_dim[s]):
        put(m, d, world, s, i, value[i])


@wp.func
def one(x: float) -> wp.vec4:
    """The values of a sensor that gives one number."""
    return wp.vec4(x, 0.0, 0.0, 0.0)


@wp.func
def three(v: wp.vec3) -> wp.vec4:
    """The values of a sensor that gives a vector."""
    return wp.vec4(v[0], v[1], v[2], 0.0)


@wp.func
def four(q: wp.quat) -> wp.vec4:
    """The values of a sensor that gives a quaternion."""
    return wp.vec4(q[0], q[1], q[2], q[3])


@wp.func
def several(values: wp.array2d[float], world: int, first: int, count: int) -> wp.vec4:
    """Up to four neighbouring numbers of an array."""
    out = wp.vec4(0.0, 0.0, 0.0, 0.0)
    for i in range(count):
        out[i] = values[world, first + i]
    return out
