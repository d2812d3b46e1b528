"""Action terms: how numbers of a policy become controls of actuators."""

import re
from dataclasses import dataclass

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtTrn
from newtonlite.envs.capture import Counted, capturable
from newtonlite.envs.streams import Stream, uniform

kernel_module(__name__)


@wp.kernel
def draw_lag(mask: wp.array[wp.bool], s: Stream, least: int, most: int, lag: wp.array[int]):
    """Delay in steps of the actions of an episode."""
    world = wp.tid()
    if mask[world] and s.step[world] == 0:
        lag[world] = wp.min(most, least + int(uniform(s, world, 0, 0.0, float(most - least + 1))))


@wp.kernel
def write_controls(
    mask: wp.array[wp.bool],
    action: wp.array2d[float],
    first: int,
    control: wp.array[int],
    scale: wp.array[float],
    offset: wp.array[float],
    low: wp.array[float],
    high: wp.array[float],
    place: wp.array[int],
    step: wp.array[int],
    lag: wp.array[int],
    ring: wp.array3d[float],
    qpos: wp.array2d[float],
    ctrl: wp.array2d[float],
):
    """``ctrl = clip(offset + scale * action)``, of an action some steps ago; with a ``place`` in ``qpos``, relative to
    what is there.
    """
    world, i = wp.tid()
    if not mask[world]:
        return
    a = action[world, first + i]
    depth = ring.shape[1]
    if depth > 0:
        t = step[world]
        ring[world, t % depth, i] = a
        a = ring[world, wp.max(0, t - lag[world]) % depth, i]
    value = wp.clamp(offset[i] + scale[i] * a, low[i], high[i])
    if place[i] >= 0:
        value = value + qpos[world, place[i]]
    ctrl[world, control[i]] = value


@capturable
class Controls:
    """Controls that an action term writes: ``count`` of them, with bounds ``low`` and ``high`` of the action."""

    def __init__(self, env, name: str, first: int, term):
        self.env, self.name, self.first, self.term = env, name, first, term
        sim, mj = env.sim, env.sim.compiled
        if not len(sim.names("actuator")):
            raise ModelError(
                f"{name}: the model has no actuators; add some to its file, or by the task: actuators={{'legs': BuiltinPositionActuator(...)}}"
            )
        names, found = sim.names("actuator"), sim.find("actuator", term.actuators)
        self.names, self.count = tuple(names[a] for a in found), len(found)
        controls = np.asarray(mj.actuator_ctrladr)[found] if hasattr(mj, "actuator_ctrladr") else np.asarray(found)
        joints = [_joint_of(mj, a) for a in found]
        default = [sim.start_qpos[mj.jnt_qposadr[j]] if j >= 0 else np.nan for j in joints]
        place = [int(mj.jnt_qposadr[j]) if j >= 0 else -1 for j in joints]
        if (term.relative or term.use_default_offset) and np.isnan(default).any():
            raise ModelError(
                f"{name}: actuator '{self.names[int(np.isnan(default).argmax())]}' drives no joint, so there is no pose to start from"
            )
        scale = by_name(name, "scale", self.names, term.scale)
        offset = by_name(name, "offset", self.names, term.offset) + (
            np.array(default) if term.use_default_offset else 0.0
        )
        low, high = np.array(term.clip or (-np.inf, np.inf), float)[:, None] * np.ones(self.count)
        self.low, self.high = self._bounds(mj, controls, scale, offset)
        array = lambda values, dtype=float: wp.array(np.asarray(values), dtype=dtype, device=env.device)
        self.constants = [
            array(controls, int),
            array(scale),
            array(offset),
            array(low),
            array(high),
            array(place if term.relative else [-1] * self.count, int),
        ]
        depth = term.delay_max_lag + 1 if term.delay_max_lag else 0
        self.lag = wp.zeros(env.num_worlds, dtype=int, device=env.device)
        self.ring = wp.zeros((env.num_worlds, depth, self.count), dtype=float, device=env.device)
        self.stream = env.stream(f"{name}/lag")

    def _bounds(self, mj, controls, scale, offset) -> tuple:
        """The actions that reach the ends of the controls' ranges; no bounds where a control has none, or is relative."""
        limited = (np.asarray(mj.actuator_ctrllimited)[controls] != 0) & (scale != 0) & (not self.term.relative)
        ends = (np.asarray(mj.actuator_ctrlrange)[controls] - offset[:, None]) / np.where(scale == 0, 1.0, scale)[
            :, None
        ]
        ends = np.where(limited[:, None], np.sort(ends, axis=1), [[-np.inf, np.inf]])
        return ends[:, 0], ends[:, 1]

    def apply(self, mask: wp.array, action: wp.array) -> None:
        """Write the controls of the worlds of the mask."""
        env, d = self.env, self.env.sim.data
        if self.term.delay_max_lag:
            inputs = [mask, self.stream, self.term.delay_min_lag, self.term.delay_max_lag]
            env.launch(draw_lag, env.num_worlds, inputs, [self.lag])
        inputs = [mask, action, self.first, *self.constants, env.step_count, self.lag, self.ring, d.qpos]
        env.launch(write_controls, (env.num_worlds, self.count), inputs, [d.ctrl])

    def state(self) -> dict:
        """Arrays that a checkpoint needs."""
        return {f"{self.name}/lag": self.lag, f"{self.name}/ring": self.ring} if self.term.delay_max_lag else {}


def by_name(term: str, what: str, names: tuple, value) -> np.ndarray:
    """One number for all names, one for each, or a dict by pattern. ModelError for a name without a number."""
    if not isinstance(value, dict):
        value = np.asarray(value, float)
        if value.ndim and len(value) != len(names):
            raise ModelError(
                f"{term}: {what} has {len(value)} numbers, there are {len(names)} names: {', '.join(names)}"
            )
        return np.broadcast_to(value, len(names)).astype(float)
    found = np.full(len(names), np.nan)
    for pattern, number in value.items():
        hits = [i for i, name in enumerate(names) if re.fullmatch(pattern, name)]
        if not hits:
            raise ModelError(f"{term}: {what} names {pattern!r}, which none is called; there are: {', '.join(names)}")
        found[hits] = number
    if np.isnan(found).any():
        raise ModelError(f"{term}: {what} has no number for {names[int(np.isnan(found).argmax())]!r}")
    return found


def _joint_of(mj, actuator: int) -> int:
    """The slide or hinge that an actuator drives, -1: none."""
    if mj.actuator_trntype[actuator] not in (MjtTrn.JOINT, MjtTrn.JOINTINPARENT):
        return -1
    joint = int(np.asarray(mj.actuator_trnid)[actuator][0])
    return joint if mj.jnt_type[joint] > 1 else -1


@dataclass
class JointEffortAction(Counted):
    """Controls of the actuators whose names match: ``clip(offset + scale * action)``.

    ``scale`` and ``offset`` are one number, one for each actuator, or a dict by pattern. Lags are in control steps,
    drawn for an episode.
    """

    actuators: str | tuple = ".*"
    scale: float | tuple | dict = 1.0
    offset: float | tuple | dict = 0.0
    clip: tuple | None = None
    use_default_offset: bool = False
    relative: bool = False
    delay_min_lag: int = 0
    delay_max_lag: int = 0

    def make(self, env, name: str, first: int) -> Controls:
        """The term at work, whose numbers start at ``first`` in the action."""
        return Controls(env, name, first, self)


@dataclass
class JointPositionAction(JointEffortAction):
    """Setpoints of position servos: around the pose at reset, unless ``use_default_offset`` is False."""

    use_default_offset: bool = True


@dataclass
class JointVelocityAction(JointEffortAction):
    """Setpoints of velocity servos."""


@dataclass
class RelativeJointPositionAction(JointEffortAction):
    """Setpoints of position servos, relative to where the joints are when the action comes: they stay for all physics
    steps of a control step, where mjlab and Isaac Lab move them with the joints.
    """

    relative: bool = True


@dataclass
class TendonLengthAction(JointEffortAction):
    """Setpoints of position servos on tendons."""


@dataclass
class TendonVelocityAction(JointEffortAction):
    """Setpoints of velocity servos on tendons."""


@dataclass
class TendonEffortAction(JointEffortAction):
    """Forces of motors on tendons."""


@dataclass
class SiteEffortAction(JointEffortAction):
    """Forces of motors on sites."""
