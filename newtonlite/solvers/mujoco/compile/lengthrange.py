"""Length ranges of actuators: simulation with a force in each direction until the length is at rest.

As MuJoCo's compiler does it: a force along the actuator that accelerates the joints by ``accel``, velocities that fade
with ``timeconst``, limits and ties of joints and tendons, and nothing else.  All actuators and both ways are one batch.
"""

import copy

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtBias, MjtGain, MjtIntegrator, MjtLRMode, MjtTrn
from newtonlite.schema.option import LENGTHRANGE
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.constraint_rows import constraint_rows, solve
from newtonlite.solvers.mujoco.compile.dynamics import Coordinates, advance, bias_slope, terms
from newtonlite.solvers.mujoco.compile.joints import anywhere
from newtonlite.solvers.mujoco.compile.per_world_fields import split_worlds, world
from newtonlite.solvers.mujoco.compile.records import read_records, whole_record
from newtonlite.solvers.mujoco.compile.transmission import actuator_geometry
from newtonlite.solvers.mujoco.compile.worlds import Worlds
from newtonlite.solvers.mujoco.derive.actuator import shares

FADE = 0.01
"""Least time constant [s] by which velocities fade."""
MOST_WORLDS = 64
"""Most worlds that differ whose ranges are simulated one by one."""
MOST_STEPS = 10_000
"""Most steps of a simulation; MuJoCo's default is 1,000."""


def derive_lengthranges(m: CompiledModel, w: Worlds) -> None:
    """Fill ``actuator_lengthrange`` where it is to be computed. ModelError where it cannot be."""
    kept = read_records(w)["lengthrange"]
    options = {attr.name: attr.default for attr in LENGTHRANGE.attrs} | (kept[0][1] if kept else {})
    given = m.actuator_lengthrange
    with whole_record("lengthrange"):
        wanted = np.flatnonzero(is_wanted(m, options)).tolist()
    if options["uselimit"]:
        wanted = [i for i in wanted if not take_limit(m, i)]
    if wanted:
        check(m, wanted)
        ranges = [simulate(one, wanted, options) for one in each_world(m, wanted)]
        values = np.array(np.broadcast_to(m.actuator_lengthrange, (len(ranges), *m.actuator_lengthrange.shape[-2:])))
        values[:, m.actuator_outadr[wanted]] = ranges
        m.actuator_lengthrange = values if (values != values[0]).any() else values[0]
    m.set(actuator_lengthcomputed=anywhere((m.actuator_lengthrange != given).any(-1)))


def is_wanted(m: CompiledModel, options: dict) -> np.ndarray:
    """Whether the range of each actuator is to be computed."""
    kinds = {
        MjtLRMode.NONE: (),
        MjtLRMode.MUSCLE: ((MjtGain.MUSCLE, MjtBias.MUSCLE),),
        MjtLRMode.MUSCLEUSER: ((MjtGain.MUSCLE, MjtBias.MUSCLE), (MjtGain.USER, MjtBias.USER)),
        MjtLRMode.ALL: None,
    }[options["mode"]]
    wanted = np.full(m.nactuator, kinds is None)
    for gain, bias in kinds or ():
        wanted |= (m.actuator_gaintype == gain) | (m.actuator_biastype == bias)
    low, high = np.moveaxis(m.actuator_lengthrange[..., m.actuator_outadr, :], -1, 0)
    given = (low < high).all(axis=tuple(range(low.ndim - 1)))
    return wanted & ~(given & bool(options["useexisting"]))


def take_limit(m: CompiledModel, i: int) -> bool:
    """Take the range of the joint or tendon that an actuator moves, where it is limited."""
    kind, target = m.actuator_trntype[i], m.actuator_trnid[i, 0]
    limited, band = (m.tendon_limited, m.tendon_range) if kind == MjtTrn.TENDON else (m.jnt_limited, m.jnt_range)
    if kind not in (MjtTrn.JOINT, MjtTrn.JOINTINPARENT, MjtTrn.TENDON) or not limited[target]:
        return False
    values = np.array(np.broadcast_to(m.actuator_lengthrange, band.shape[:-2] + m.actuator_lengthrange.shape[-2:]))
    values[..., m.actuator_outadr[i], :] = band[..., target, :]
    m.actuator_lengthrange = values
    return True


def each_world(m: CompiledModel, wanted: list[int]):
    """The model of each world, or one where none differ; ModelError where there are too many to simulate."""
    varied = split_worlds(m)[1]
    count = max((len(values) for values in varied.values()), default=1)
    if count > MOST_WORLDS:
        raise ModelError(f"{unknown(m, wanted)} in {count} worlds that differ; give it, or make at most {MOST_WORLDS}")
    for k in range(count):
        yield world(m, k)


def simulate(m: CompiledModel, wanted: list[int], options: dict) -> np.ndarray:
    """The ranges of some actuators [n, 2], from simulation; of one that has several outputs that of the first, as
    MuJoCo has it.
    """
    loaded = copy.copy(m)
    loaded.__dict__.update(shares(m))
    out, count = m.actuator_outadr[wanted], len(wanted)
    sign = np.repeat([-1.0, 1.0], count)
    timestep = options["timestep"] if options["timestep"] > 0 else float(m.opt.timestep)
    if not options["inttotal"] / timestep <= MOST_STEPS:
        name = m.names_actuator[wanted[0]] or wanted[0]
        raise ModelError(
            f"actuator '{name}': its length range would take more than {MOST_STEPS} steps; give a longer timestep or a shorter inttotal of lengthrange"
        )
    fade = np.exp(-timestep / max(FADE, options["timeconst"]))
    state = Coordinates(np.tile(m.qpos0, (2 * count, 1)), np.zeros((2 * count, m.nv)), np.zeros((2 * count, m.nv)))
    low, high, time = np.full(2 * count, np.inf), np.full(2 * count, -np.inf), 0.0
    while time < options["inttotal"]:
        state.qvel = state.qvel * fade
        length, state = pulled(m, loaded, state, out, sign, options, timestep)
        time += timestep
        if not np.isfinite(state.qpos).all():
            raise ModelError(
                f"actuator '{m.names_actuator[wanted[0]]}': its length range cannot be computed, the simulation is unstable; give lengthrange"
            )
        if time > options["inttotal"] - options["interval"]:
            low, high = np.minimum(low, length), np.maximum(high, length)
    ranges = np.zeros((count, 2))
    for k, i in enumerate(wanted):
        least, most = low[k], high[count + k]
        loose = max(high[k] - low[k], high[count + k] - low[count + k])
        if not most > least or loose > options["tolrange"] * (most - least):
            name = m.names_actuator[i] or i
            raise ModelError(
                f"actuator '{name}': its length comes to no rest between {least:.6g} and {most:.6g}; give lengthrange, or limit its joints"
            )
        ranges[k] = least, most
    return ranges


def check(m: CompiledModel, wanted: list[int]) -> None:
    """ModelError where a model has what is not simulated here."""
    if m.opt.integrator == MjtIntegrator.DISCRETE:
        raise ModelError(f"{unknown(m, wanted)} with the integrator discrete; give it, or choose another integrator")


def unknown(m: CompiledModel, wanted: list[int]) -> str:
    """The beginning of a message about what cannot be computed."""
    return (
        f"actuator '{m.names_actuator[wanted[0]] or wanted[0]}': its lengthrange is not given, and cannot be computed"
    )


def pulled(
    m: CompiledModel, loaded, state: Coordinates, out, sign, options: dict, timestep: float
) -> tuple[np.ndarray, Coordinates]:
    """Length [n] of each batch's own actuator, and the state a step later."""
    t = terms(m, loaded, state)
    here = copy.copy(m)
    here.qpos0 = state.qpos  # lengths of joint transmissions are those of the coordinates
    lengths, moments = actuator_geometry(here, t.pose, t.length, t.ten_J)
    each, own = np.arange(len(sign)), np.tile(out, 2)
    moment = np.broadcast_to(moments, (len(sign), *moments.shape[-2:]))[each, own]
    length = np.broadcast_to(lengths, (len(sign), lengths.shape[-1]))[each, own]
    caused = np.linalg.solve(t.M, moment[..., None])[..., 0]
    force = moment * (sign * options["accel"] / np.maximum(MINVAL, np.linalg.norm(caused, axis=-1)))[:, None]
    size = np.linalg.norm(force, axis=-1)
    if options["maxforce"] > 0:
        force = force * np.minimum(1.0, options["maxforce"] / np.maximum(MINVAL, size))[:, None]
    smooth = np.linalg.solve(t.M, (force - t.bias)[..., None])[..., 0]
    qacc = solve(t.M, smooth, constraint_rows(m, state, t, timestep), state.qacc)
    if m.opt.integrator == MjtIntegrator.IMPLICIT:
        force = t.M @ qacc[..., None]
        qacc = np.linalg.solve(t.M + timestep * bias_slope(m, t, state.qvel), force)[..., 0]
    return length, advance(m, state, qacc, timestep)
