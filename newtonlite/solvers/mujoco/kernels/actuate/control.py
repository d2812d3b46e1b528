"""Controls in effect, and buffers of past ones."""

import warp as wp

from newtonlite.core.constants import MAXVAL
from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.actuate.buffer import buffer_insert, buffer_place, buffer_value


@wp.func
def set_controls(m: ModelFields, d: DataFields, world: int, u: int):
    """``control`` of one actuator: its ``ctrl``, now or some time ago, zero where it is no number, clamped to its
    range.
    """
    first = m.actuator_ctrladr[u]
    late = bool(False)
    if m.ndelay > 0:
        late = m.actuator_history[u][0] > 0 and m.actuator_delay[world, u] > 0.0
    place = wp.vec3(0.0, 0.0, 0.0)
    if m.ndelay > 0 and late:
        place = buffer_place(
            d.history,
            world,
            m.actuator_historyadr[u],
            m.actuator_history[u][0],
            d.time[world] - m.actuator_delay[world, u],
            m.opt_timestep[world],
        )
    for k in range(m.actuator_ctrlnum[u]):
        c = first + k
        value = d.ctrl[world, c]
        if m.ndelay > 0 and late:
            value = buffer_value(
                d.history, world, m.actuator_historyadr[u], m.actuator_history[u], m.actuator_ctrlnum[u], k, place
            )
        if not (wp.abs(value) <= MAXVAL):
            value = 0.0
        if m.actuator_ctrllimited[c] != 0 and (m.opt_disableflags & MjtDisableBit.CLAMPCTRL) == 0:
            value = wp.clamp(value, m.actuator_ctrlrange[world, c][0], m.actuator_ctrlrange[world, c][1])
        d.control[world, c] = value


@wp.func
def keep_controls(m: ModelFields, d: DataFields, world: int, u: int):
    """Put the controls of one actuator, as they were given, into its buffer, under the time at which the step began."""
    count = m.actuator_history[u][0]
    if count > 0:
        width = m.actuator_ctrlnum[u]
        slot = buffer_insert(
            d.history, world, m.actuator_historyadr[u], count, width, d.time[world], m.opt_timestep[world]
        )
        for k in range(width):
            d.history[world, slot + k] = d.ctrl[world, m.actuator_ctrladr[u] + k]
