"""History buffers of controls and sensors, as a reset leaves them.

A buffer of ``n`` samples of ``dim`` numbers is: a number of its user's (a sensor's last time), the cursor (place of the
newest sample), ``n`` times, ``n dim`` values; samples go round, the oldest follows the cursor.
"""

import numpy as np

from newtonlite.core.mujoco import MjtCtrlChart, MjtGain


def buffer(times, width: int, user: float = 0.0, value=None) -> np.ndarray:
    """A buffer with samples at ``times`` [s], oldest first, each holding ``value`` (zeros)."""
    value = np.zeros(width) if value is None else np.asarray(value, float)
    return np.concatenate([[user, len(times) - 1], times, np.tile(value, len(times))])


def resting_controls(mj) -> np.ndarray:
    """Controls after a reset: zero, and the identity where they are a quaternion."""
    ctrl = np.zeros(int(mj.nu))
    for u in range(int(mj.nactuator)):
        if mj.actuator_gaintype[u] == MjtGain.SO3 and mj.actuator_ctrlspec[u] == MjtCtrlChart.QUAT:
            ctrl[mj.actuator_ctrladr[u]] = 1.0
    return ctrl


def initial_history(mj) -> np.ndarray:
    """All buffers after a reset, [nhistory]: samples a time step apart, the newest one step ago."""
    out = np.zeros(int(getattr(mj, "nhistory", 0)))
    step = float(np.ravel(mj.opt.timestep)[0])
    for u, (count, _) in enumerate(np.asarray(mj.actuator_history, int).reshape(-1, 2)):
        if count > 0:
            first, width = int(mj.actuator_ctrladr[u]), int(mj.actuator_ctrlnum[u])
            times = step * (np.arange(count) - count)
            filled = buffer(times, width, value=resting_controls(mj)[first : first + width])
            at = int(mj.actuator_historyadr[u])
            out[at : at + len(filled)] = filled
    for s in range(int(getattr(mj, "nsensor", 0))):
        count = int(mj.sensor_history[s][0])
        if count > 0:
            period, phase = np.reshape(mj.sensor_interval, (-1, 2))[s]
            times, user = sample_times(count, step, float(period), float(phase))
            filled = buffer(times, int(mj.sensor_dim[s]), user)
            at = int(mj.sensor_historyadr[s])
            out[at : at + len(filled)] = filled
    return out


def sample_times(count: int, step: float, period: float, phase: float) -> tuple[np.ndarray, float]:
    """Times of the samples in a sensor's buffer before the start, whole steps, and the number in front: the last time, in
    continuous time. Periods shorter than a step leave one sample a step.
    """
    if period <= 0:
        return step * (np.arange(count) - count), -step
    apart = max(period, step)
    times = (phase if phase else -apart) - apart * np.arange(count)[::-1]
    return np.ceil(times / step - 1e-6) * step, phase if phase else -period  # a whole step less a rounding is whole
