"""Sensor noise: normal, with each sensor's standard deviation, from a seed of each world; off unless requested.

What is added follows from the world's seed, its time and the place in ``sensordata`` alone, so that the same state
gives the same numbers, whatever ran before, in whatever batch.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDataType, MjtDisableBit, MjtStage
from newtonlite.math.quaternion import quat_mul, rotvec_to_quat
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.asleep import is_sensor_asleep
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.sense.write import bounded


@wp.func
def deviation(d: DataFields, world: int, place: int) -> float:
    """A number of mean 0 and variance 1 for one place of ``sensordata`` at this time."""
    moment = wp.rand_init(d.noise_seed[world, 0], wp.cast(d.time[world], int))
    return wp.randn(wp.rand_init(wp.randi(moment), place))


@wp.func
def deviation3(d: DataFields, world: int, place: int, size: float) -> wp.vec3:
    """Three such numbers, times ``size``."""
    return size * wp.vec3(deviation(d, world, place), deviation(d, world, place + 1), deviation(d, world, place + 2))


@wp.func
def add_noise(m: ModelFields, d: DataFields, world: int, s: int):
    """Add its noise to what sensor ``s`` has measured: a direction keeps its length, a rotation is turned, a magnitude
    stays at least 0.
    """
    size = m.sensor_noise[world, s]
    adr = m.sensor_adr[s]
    kind = m.sensor_datatype[s]
    if kind == MjtDataType.AXIS:
        v = wp.vec3(d.sensordata[world, adr], d.sensordata[world, adr + 1], d.sensordata[world, adr + 2])
        if wp.length_sq(v) > 0.0:
            v = wp.normalize(v + deviation3(d, world, adr, size))
        for k in range(3):
            d.sensordata[world, adr + k] = v[k]
    elif kind == MjtDataType.QUATERNION:
        q = wp.quat(
            d.sensordata[world, adr],
            d.sensordata[world, adr + 1],
            d.sensordata[world, adr + 2],
            d.sensordata[world, adr + 3],
        )
        q = wp.normalize(quat_mul(q, rotvec_to_quat(deviation3(d, world, adr, size))))
        for k in range(4):
            d.sensordata[world, adr + k] = q[k]
    else:
        for k in range(m.sensor_dim[s]):
            value = d.sensordata[world, adr + k] + size * deviation(d, world, adr + k)
            if kind == MjtDataType.POSITIVE:
                value = wp.max(value, 0.0)
            d.sensordata[world, adr + k] = bounded(m, world, s, value)


@wp.func
def add_noise_to(m: ModelFields, d: DataFields, world: int, stage: int, lane: int, nlane: int):
    """All sensors that have been measured by the end of ``stage``, but not before."""
    if (m.opt_disableflags & MjtDisableBit.SENSOR) == 0:
        for i in range(lane, m.nsensenoise, nlane):
            s = m.sense_noise[i][0]
            rests = bool(m.sense_noise[i][1] != stage)
            if m.nsleep > 0 and not rests:
                rests = is_sensor_asleep(m, d, world, s)
            if not rests:
                add_noise(m, d, world, s)


@wp.func
def sensor_noise_pos(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Noise of the sensors of positions."""
    if m.nsensenoise > 0:
        add_noise_to(m, d, world, MjtStage.POS, lane, nlane)
        sync()


@wp.func
def sensor_noise_vel(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Noise of the sensors of velocities, and of contacts without forces."""
    if m.nsensenoise > 0:
        add_noise_to(m, d, world, MjtStage.VEL, lane, nlane)
        sync()


@wp.func
def sensor_noise_acc(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Noise of the sensors of accelerations and forces."""
    if m.nsensenoise > 0:
        add_noise_to(m, d, world, MjtStage.ACC, lane, nlane)
        sync()
