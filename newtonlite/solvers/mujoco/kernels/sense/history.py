"""Sensor history: delayed values in place of fresh ones, and fresh ones kept for later.

A sensor with a delay gives what it measured that long ago.  One with a period measures anew only when a period has
passed since the last time (the number in front of its buffer), and in between gives its last value.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.actuate.buffer import buffer_insert, buffer_place, buffer_value, slack
from newtonlite.solvers.mujoco.kernels.integrate.check import BAD_QACC
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def is_due(m: ModelFields, d: DataFields, world: int, s: int) -> bool:
    """Whether a sensor measures anew at this time."""
    period = m.sensor_interval[world, s][0]
    t = d.time[world]
    return period <= 0.0 or d.history[world, m.sensor_historyadr[s]] + period <= t + slack(t, m.opt_timestep[world])


@wp.func
def read_delayed(m: ModelFields, d: DataFields, world: int, s: int, t: float):
    """The values a sensor had at time ``t``."""
    adr = m.sensor_historyadr[s]
    shape = m.sensor_history[s]
    dim = m.sensor_dim[s]
    place = buffer_place(d.history, world, adr, shape[0], t, m.opt_timestep[world])
    for k in range(dim):
        d.sensordata[world, m.sensor_adr[s] + k] = buffer_value(d.history, world, adr, shape, dim, k, place)


@wp.func
def sensor_delay(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Keep fresh values aside; give delayed ones, or the last where no new one is due."""
    if m.nsensehistory > 0 and (m.opt_disableflags & MjtDisableBit.SENSOR) == 0:
        for i in range(lane, m.nsensehistory, nlane):
            s = m.sense_history[i]
            for k in range(m.sensor_adr[s], m.sensor_adr[s] + m.sensor_dim[s]):
                d.sensorfresh[world, k] = d.sensordata[world, k]
            delay = m.sensor_delay[world, s]
            if delay > 0.0:
                read_delayed(m, d, world, s, d.time[world] - delay)
            elif not is_due(m, d, world, s):
                read_delayed(m, d, world, s, d.time[world])
    sync()


@wp.func
def sensor_history(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Put the fresh values of this step into the buffers, but for those of a world that starts anew."""
    if m.nsensehistory > 0 and (m.opt_disableflags & MjtDisableBit.SENSOR) == 0 and (d.bad[world] & BAD_QACC) == 0:
        for i in range(lane, m.nsensehistory, nlane):
            s = m.sense_history[i]
            adr = m.sensor_historyadr[s]
            dim = m.sensor_dim[s]
            if is_due(m, d, world, s):
                period = m.sensor_interval[world, s][0]
                if period > 0.0:
                    d.history[world, adr] = d.history[world, adr] + period
                slot = buffer_insert(
                    d.history, world, adr, m.sensor_history[s][0], dim, d.time[world], m.opt_timestep[world]
                )
                for k in range(dim):
                    d.history[world, slot + k] = d.sensorfresh[world, m.sensor_adr[s] + k]
    sync()
