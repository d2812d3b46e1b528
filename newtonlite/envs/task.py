"""Task: what an environment is made of, as tables of terms. A task is one readable file that fills these in.

A term's ``func`` is a plain function ``func(env, **params)`` that returns one number ``[nworld]``, or a row ``[nworld,
n]``, for every world: a Warp array, a NumPy array, or a torch tensor. Functions of events and curricula are ``func(env,
mask, **params)`` and return nothing: they change the worlds of ``mask``, a Warp array of bools. A class is made once,
``func(env, **params)``, and its object called without parameters.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from newtonlite.core.errors import ModelError
from newtonlite.envs.capture import Counted


@dataclass
class Noise(Counted):
    """Noise added to an observation: ``uniform`` between ``a`` and ``b``, ``gaussian`` of mean ``a`` and deviation
    ``b``, or ``constant`` ``a``.

    ``bias`` is the deviation (or half the width, where uniform) of a further error that is drawn at reset and stays for
    the episode.
    """

    kind: str = "uniform"
    a: float = -1.0
    b: float = 1.0
    bias: float = 0.0


@dataclass
class ObservationTerm(Counted):
    """Numbers of an observation group: computed, then noise, clip, scale, delay and history, in this order.

    Lags are in control steps: drawn between ``delay_min_lag`` and ``delay_max_lag`` every ``delay_update_period`` steps
    (0: every step), and kept with probability ``delay_hold_prob``. A ``history_length`` of n shows the last n values,
    oldest first; before there are as many, the first one.
    """

    func: Callable
    params: dict = field(default_factory=dict)
    noise: Noise | None = None
    clip: tuple | None = None
    scale: float | tuple | None = None
    delay_min_lag: int = 0
    delay_max_lag: int = 0
    delay_hold_prob: float = 0.0
    delay_update_period: int = 0
    history_length: int = 0


@dataclass
class ObservationGroup(Counted):
    """Terms whose numbers, one after the other, are one observation. ``enable_corruption``: noise is added.
    ``history_length`` is that of all terms.
    """

    terms: dict[str, ObservationTerm]
    enable_corruption: bool = False
    history_length: int | None = None


@dataclass
class RewardTerm(Counted):
    """A reward of every world, times ``weight`` (and times the control step, where the task says so)."""

    func: Callable
    weight: float
    params: dict = field(default_factory=dict)


@dataclass
class TerminationTerm(Counted):
    """Worlds whose episode ends; with ``time_out`` it is cut off (truncated), otherwise over (terminated)."""

    func: Callable
    params: dict = field(default_factory=dict)
    time_out: bool = False


@dataclass
class EventTerm(Counted):
    """A change of worlds: at ``startup`` (once for a seed), ``reset``, after intervals of seconds (``interval``), or
    every ``step``.
    """

    func: Callable
    mode: str
    params: dict = field(default_factory=dict)
    interval_range_s: tuple | None = None
    min_step_count_between_reset: int = 0


@dataclass
class CommandTerm(Counted):
    """A goal that changes by itself: ``func`` is a class with ``command`` ``[nworld, n]``, ``reset(mask)`` and
    ``update(mask)``.
    """

    func: Callable
    params: dict = field(default_factory=dict)


@dataclass
class CurriculumTerm(Counted):
    """A change of the task by what was reached: called for worlds that are about to be reset."""

    func: Callable
    params: dict = field(default_factory=dict)


@dataclass
class MetricTerm(Counted):
    """A number whose mean over the episode is reported."""

    func: Callable
    params: dict = field(default_factory=dict)


@dataclass
class Task(Counted):
    """An environment's description.

    ``model``: an MJCF, URDF or USD file, MJCF text, a ModelBuilder, or a function that returns one. ``actuators``,
    ``init_state`` (those of ``newtonlite.envs.entity``), ``sensors`` and ``terrain`` add what a file lacks;
    ``floating`` frees a root without joints; ``compiler`` are settings of MuJoCo's compiler for a URDF file,
    ``{"balanceinertia": True}``. ``options`` are MJCF's (``{"integrator": "implicitfast"}``), ``timestep``
    [s] is one of them; ``decimation`` physics steps make a control step. ``episode_length`` is in control steps; a
    time-out is added to the terminations unless it is None. ``actions`` are the objects of
    ``newtonlite.envs.mdp.actions``, ``sensors`` those of ``newtonlite.envs.sensors``. ``keep`` names results of the
    engine that terms read (``xpos``, ``cvel``, ...); they are of the last physics step, one time step old, except after
    a reset. ``per_world`` names parameters that events change. ``terrain`` is made by ``newtonlite.envs.terrains``, or
    ``"plane"`` for a model without ground.
    ``learning`` are settings of ``newtonlite.learn.ppo`` that suit the task.
    """

    model: Any
    actions: dict
    observations: dict[str, ObservationGroup]
    rewards: dict[str, RewardTerm]
    terminations: dict[str, TerminationTerm] = field(default_factory=dict)
    events: dict[str, EventTerm] = field(default_factory=dict)
    commands: dict[str, CommandTerm] = field(default_factory=dict)
    curriculum: dict[str, CurriculumTerm] = field(default_factory=dict)
    metrics: dict[str, MetricTerm] = field(default_factory=dict)
    sensors: dict = field(default_factory=dict)
    actuators: dict = field(default_factory=dict)
    init_state: Any = None
    floating: bool | None = None
    compiler: dict = field(default_factory=dict)
    options: dict = field(default_factory=dict)
    timestep: float | None = None
    decimation: int = 1
    episode_length: int | None = 1000
    scale_rewards_by_dt: bool = False
    keyframe: str | None = None
    keep: tuple = ()
    per_world: tuple = ()
    terrain: Any = None
    nconmax: int | None = None
    njmax: int | None = None
    learning: dict = field(default_factory=dict)
    about: str = ""

    def check(self) -> None:
        """ModelError for a table of which an entry is not what belongs there."""
        kinds = {"observations": ObservationGroup, "rewards": RewardTerm, "terminations": TerminationTerm}
        kinds |= {"events": EventTerm, "commands": CommandTerm, "curriculum": CurriculumTerm, "metrics": MetricTerm}
        tables = [(name, getattr(self, name), kind) for name, kind in kinds.items()]
        check_tables(tables)
        check_tables([(f"observations '{k}'", group.terms, ObservationTerm) for k, group in self.observations.items()])


def check_tables(tables: list) -> None:
    """ModelError for a table of (its name, itself, kind of its entries) that holds something else."""
    for name, table, kind in tables:
        if not isinstance(table, dict):
            raise ModelError(f"{name}: expected a dict of {kind.__name__}, got {type(table).__name__}")
        for key, entry in table.items():
            if not isinstance(entry, kind):
                raise ModelError(f"{name}: '{key}': expected {kind.__name__}(...), got {type(entry).__name__}")
