"""Callbacks at MuJoCo's places in a step: ``m.callback.control = lambda m, d: wp.launch(...)``.

Each is called on the host between the kernels before and after its place, once for all worlds, and may launch kernels
over the data.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from newtonlite.core.errors import ModelError, StateError
from newtonlite.core.mujoco import MjtDisableBit, MjtStage
from newtonlite.solvers.mujoco import pipeline as p
from newtonlite.solvers.mujoco.kernels.actuate.actuation import fwd_actuation
from newtonlite.solvers.mujoco.kernels.actuate.smooth import smooth_force
from newtonlite.solvers.mujoco.kernels.velocity.tendon import tendon_passive

BEFORE_ACTUATION = ("control", "act_dyn", "act_gain", "act_bias")
FORCES = (fwd_actuation, smooth_force)


@dataclass
class Callback:
    """Callbacks of a step: all take ``(m, d)``, ``sensor`` also the stage (1 position, 2 velocity, 3 acceleration).

    ``passive`` after the passive forces, to add to ``qfrc_passive``; ``control`` before actuation, when sensors of
    positions and velocities have measured, to set ``ctrl``; ``act_dyn``, ``act_gain`` and ``act_bias`` there too, to
    set ``user_rate``, ``user_gain`` and ``user_bias`` of actuators with user laws; ``sensor`` after the sensors of each
    stage, to write ``sensordata`` of user sensors; ``contactfilter`` after collision, to change ``d.contact``: a
    contact whose ``type`` is set to 0 makes no rows.
    """

    passive: Callable | None = None
    control: Callable | None = None
    act_dyn: Callable | None = None
    act_gain: Callable | None = None
    act_bias: Callable | None = None
    sensor: Callable | None = None
    contactfilter: Callable | None = None

    def __setattr__(self, name, value):
        if name not in self.__dataclass_fields__:
            raise ModelError(f"callback.{name}: not a place of a step; places: {', '.join(self.__dataclass_fields__)}")
        if value is not None and not callable(value):
            raise ModelError(f"callback.{name}: expected a function of (m, d), got {value!r}")
        super().__setattr__(name, value)
        given = tuple(n for n in self.__dataclass_fields__ if getattr(self, n) is not None)
        self.__dict__["active"] = given

    def names(self) -> tuple:
        """Places that have a function."""
        return self.__dict__["active"]


def run(m, d, name: str, groups: tuple, without: tuple = ()) -> None:
    """Run groups of stages with the callbacks in between, but those of the places ``without``. StateError where
    intermediate results are not kept.
    """
    if d.engine.scratch != "per_world":
        raise StateError("callback: functions are called between kernels; make the data with scratch='per_world'")
    if m.opt_disableflags & MjtDisableBit.ACTUATION:
        without = (*without, *BEFORE_ACTUATION)
    schedule, given = d.schedule(m), tuple(place for place in m.callback.names() if place not in without)
    for g, group in enumerate(groups):
        for k, (stages, calls) in enumerate(parts(late_actuation(group), given)):
            program = f"{name}_{g}_{k}_{'_'.join(given)}"
            if stages:
                schedule.add(program, stages)
                schedule.run(program)
            for place, arguments in calls:
                call(m, d, place, arguments)


def late_actuation(stages: tuple) -> tuple:
    """The stages with the forces of actuators as late as can be, where MuJoCo has them: after sensors that do not
    depend on them.
    """
    moved = tuple(stage for stage in stages if stage in FORCES)
    rest = [stage for stage in stages if stage not in FORCES]
    at = next(
        (i for i, stage in enumerate(rest) if stage in (*p.SOLVE, *p.SENSOR_ACC, *p.INTEGRATE, *p.INVERSE[-2:])),
        len(rest),
    )
    return (*rest[:at], *moved, *rest[at:])


def call(m, d, place: str, arguments: tuple) -> None:
    """Call the function of a place; a contact filter sees one list of contacts, which then replaces the engine's."""
    if place != "contactfilter":
        getattr(m.callback, place)(m, d, *arguments)
        return
    d._filtered = d.contact
    try:
        m.callback.contactfilter(m, d)
        d._filtered.put_back()
    finally:
        d._filtered = None


def parts(stages: tuple, given: tuple) -> Iterator[tuple]:
    """(stages, calls after them) of a group."""
    after: dict = {}
    if "contactfilter" in given:
        after[p.COLLISION[-1]] = [("contactfilter", ())]
    if "passive" in given:
        after[tendon_passive] = [("passive", ())]
    before_actuation = [(place, ()) for place in BEFORE_ACTUATION if place in given]
    if "sensor" in given:
        ends = (p.SENSOR_POS[-1], p.SENSOR_VEL[-1], p.SENSOR_ACC[-1])
        after |= {end: [("sensor", (stage,))] for end, stage in zip(ends, (MjtStage.POS, MjtStage.VEL, MjtStage.ACC))}
    part = []
    for stage in stages:
        if stage is fwd_actuation and before_actuation:
            yield tuple(part), before_actuation
            part = []
        part.append(stage)
        if stage in after:
            yield tuple(part), after[stage]
            part = []
    if part:
        yield tuple(part), []
