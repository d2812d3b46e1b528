"""Buffers of delayed controls and sensors: reading them at a time, and filling them."""

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.mjwarp.reset import reset_worlds
from newtonlite.solvers.mujoco.kernels.actuate.buffer import buffer_place, buffer_value, nth

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def read_buffer(
    history: wp.array2d[float],
    fresh: wp.array2d[float],
    first: int,
    adr: int,
    shape: wp.vec2i,
    delay: wp.array2d[float],
    id: int,
    width: int,
    time: wp.array[float],
    timestep: wp.array[float],
    result: wp.array2d[float],
):
    """Value of a buffer ``delay`` before a time; without a buffer, the present one."""
    world = wp.tid()
    if shape[0] == 0:
        for k in range(width):
            result[world, k] = fresh[world, first + k]
        return
    t = time[world] - delay[world % delay.shape[0], id]
    place = buffer_place(history, world, adr, shape[0], t, timestep[world % timestep.shape[0]])
    for k in range(width):
        result[world, k] = buffer_value(history, world, adr, shape, width, k, place)


@wp.kernel(enable_backward=False)
def fill_buffer(
    adr: int,
    count: int,
    width: int,
    times: wp.array[float],
    values: wp.array2d[float],
    phase: wp.array[float],
    history: wp.array2d[float],
):
    """Samples, oldest first; without times they take the places and times of those there are."""
    world = wp.tid()
    if phase.shape[0] > 0:
        history[world, adr] = phase[world % phase.shape[0]]
    cursor = int(history[world, adr + 1])
    if times.shape[0] > 0:
        cursor = count - 1
        history[world, adr + 1] = float(cursor)
    for age in range(count):
        place = nth(cursor, count, age)
        if times.shape[0] > 0:
            history[world, adr + 2 + place] = times[age]
        for k in range(width):
            history[world, adr + 2 + count + place * width + k] = values[world, age * width + k]


def read_ctrl(m, d, ctrlid: int, time: wp.array, interp: int, result: wp.array) -> None:
    """Controls of actuator ``ctrlid`` as they are in effect at ``time [nworld]``, into ``result [nworld, controls]``
    (``mj_readCtrl``).

    ``interp``: -1 as the model says, 0 hold, 1 linear, 2 cubic. Raises StateError for an actuator that does not exist.
    """
    _read(m, d, "actuator", ctrlid, time, interp, result, d.ctrl)


def read_sensor(m, d, sensorid: int, time: wp.array, interp: int, result: wp.array) -> None:
    """Values of a sensor as they are shown at ``time [nworld]``, into ``result [nworld, dim]`` (``mj_readSensor``)."""
    _read(m, d, "sensor", sensorid, time, interp, result, d.sensordata)


def init_ctrl_history(m, d, ctrlid: int, times: wp.array | None, values: wp.array) -> None:
    """Fill the buffer of an actuator: ``values [nworld, samples * controls]``, oldest first, at ``times [samples]``
    (None: those it has).

    Raises StateError for an actuator without a buffer, for times that do not increase and for arrays of other shapes.
    """
    _fill(m, d, "actuator", ctrlid, times, values, None)


def init_sensor_history(m, d, sensorid: int, times: wp.array | None, values: wp.array, phase=None) -> None:
    """Fill the buffer of a sensor; ``phase``, a number or ``[nworld]``, is when it last measured, where it has a
    period.
    """
    _fill(m, d, "sensor", sensorid, times, values, phase)


def reset_history(m, d, reset: wp.array | None = None) -> None:
    """Buffers as a reset leaves them, in all worlds or those of the mask ``reset [nworld]``."""
    if m.nhistory:
        reset_worlds(m, d, reset, None, only=("history",))


def _layout(m, kind: str, id: int) -> tuple[int, wp.vec2i, int, int]:
    """(address, (samples, interpolation), width, first of its fresh numbers) of a buffer."""
    source = m.source
    count = int(source.nactuator if kind == "actuator" else source.nsensor)
    if not 0 <= id < count:
        raise StateError(f"{kind} {id}: the model has {count}")
    width, first = ("actuator_ctrlnum", "actuator_ctrladr") if kind == "actuator" else ("sensor_dim", "sensor_adr")
    address = int(m.arrays[f"{kind}_historyadr"].numpy()[id])
    shape = wp.vec2i(*(int(x) for x in m.arrays[f"{kind}_history"].numpy()[id]))
    return address, shape, int(getattr(source, width)[id]), int(getattr(source, first)[id])


def _read(m, d, kind: str, id: int, time: wp.array, interp: int, result: wp.array, fresh: wp.array) -> None:
    address, shape, width, first = _layout(m, kind, id)
    target = result.reshape((d.nworld, 1)) if result.ndim == 1 else result
    if target.shape != (d.nworld, width) or time.shape != (d.nworld,):
        raise StateError(
            f"{kind} {id}: time must have shape ({d.nworld},) and result shape ({d.nworld}, {width}), got {time.shape} and {result.shape}"
        )
    shape = wp.vec2i(shape[0], shape[1] if interp < 0 else int(interp))
    inputs = [d.history, fresh, first, address, shape, getattr(m, f"{kind}_delay"), id, width, time, m.opt_timestep]
    wp.launch(read_buffer, d.nworld, inputs, [target], device=m.device)


def _fill(m, d, kind: str, id: int, times, values: wp.array, phase) -> None:
    address, shape, width, _ = _layout(m, kind, id)
    count = int(shape[0])
    if not count:
        raise StateError(f"{kind} {id} has no buffer; give it nsample and a delay in the model")
    if values.shape == (d.nworld, count, width):
        values = values.reshape((d.nworld, count * width))
    if values.shape != (d.nworld, count * width):
        raise StateError(f"{kind} {id}: values must have shape ({d.nworld}, {count * width}), got {values.shape}")
    if times is not None and times.shape != (count,):
        raise StateError(f"{kind} {id}: times must have shape ({count},), got {times.shape}")
    if times is not None and not (np.diff(times.numpy()) > 0).all():
        raise StateError(f"{kind} {id}: times must be strictly increasing, got {times.numpy().tolist()}")
    if isinstance(phase, wp.array) and phase.shape not in ((1,), (d.nworld,)):
        raise StateError(f"{kind} {id}: phase array must have shape ({d.nworld},), got {phase.shape}")
    none = wp.empty(0, dtype=float, device=m.device)
    if phase is not None and not isinstance(phase, wp.array):
        phase = wp.full(1, float(phase), dtype=float, device=m.device)
    inputs = [address, count, width, none if times is None else times, values, none if phase is None else phase]
    wp.launch(fill_buffer, d.nworld, inputs, [d.history], device=m.device)
