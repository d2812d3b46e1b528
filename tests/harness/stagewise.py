"""A step of a model taken apart: every part starts from MuJoCo's own numbers, so that an error is that of the part it
shows in.

Parts run in the order of a step. What a part computes is held against MuJoCo's, then replaced by it before the next
part runs.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtConstraint, MjtIntegrator
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.derive.ipc import keeps_apart
from newtonlite.solvers.mujoco.kernels.constraint.least_regularization import MIN_R_SHARE
from newtonlite.solvers.mujoco.kernels.constraint.row import MIN_R
from newtonlite.solvers.mujoco.kernels.integrate.effective_inertia import couple_inertia
from newtonlite.solvers.mujoco.kernels.sleep.sleep import wake_collision
from newtonlite.solvers.mujoco.kernels.velocity.adhesion import adhesion_force
from tests import oracle
from tests.harness import sensing
from tests.harness import shaken as shake
from tests.harness.comparing import error_of, fit, in_use, match_contacts, read
from tests.harness.engine import Engine
from tests.harness.expected import expected
from tests.tolerance import tolerance

OF_TENDONS = (MjtConstraint.FRICTION_TENDON, MjtConstraint.LIMIT_TENDON)


class Part(NamedTuple):
    """Stages, and the quantity of tests.tolerance that each array they leave is held to."""

    stages: tuple
    compared: dict


def fields(quantity: str, names: str) -> dict:
    """The same quantity for several arrays."""
    return dict.fromkeys(names.split(), quantity)


PARTS = {
    "position": Part(
        pipeline.POSITION,
        {
            **fields(
                "kinematics",
                "xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat subtree_com ten_length",
            ),
            **fields("inertia", "cinert cdof ten_J crb M"),
        },
    ),
    "collision": Part(
        (*pipeline.COLLISION, wake_collision),
        {
            **fields("same", "ncon contact_dim contact_geom contact_flex contact_elem contact_vert"),
            **fields("contact", "contact_dist contact_pos contact_frame contact_surfacevel"),
            **fields(
                "parameter",
                "contact_includemargin contact_friction contact_solref contact_solreffriction contact_solimp contact_adhesion",
            ),
        },
    ),
    "velocity": Part(
        (*pipeline.VELOCITY, adhesion_force),
        {
            **fields("velocity", "cvel ten_velocity"),
            **fields("force", "qfrc_bias qfrc_passive qfrc_spring qfrc_damper qfrc_gravcomp qfrc_fluid qfrc_adhesion"),
        },
    ),
    "actuation": Part(
        tuple(s for s in pipeline.ACTUATION if s is not adhesion_force),
        {
            **fields("kinematics", "actuator_length actuator_velocity"),
            **fields("velocity", "actuator_moment"),
            **fields("force", "act_dot actuator_force qfrc_actuator qfrc_smooth"),
        },
    ),
    "constraint": Part(
        (*pipeline.CONSTRAINT, couple_inertia),
        {
            **fields("same", "nefc ne nf nl efc_cost contact_efc_address"),
            **fields("row", "efc_J efc_pos efc_vel"),
            **fields("parameter", "efc_margin efc_frictionloss"),
            **fields("reference", "efc_D efc_R efc_aref"),
        },
    ),
    "solve": Part(
        tuple(s for s in pipeline.SOLVE if s is not couple_inertia), fields("qacc", "qacc qfrc_constraint efc_force")
    ),
    "sense": Part((*pipeline.SENSOR_POS, *pipeline.SENSOR_VEL, *pipeline.SENSOR_ACC), {}),
    "integrate": Part(pipeline.INTEGRATE, fields("integrator", "qpos qvel act history")),
    "step": Part((), {**fields("same", "ncon nefc"), "qacc": "qacc", **fields("next", "qpos qvel act history")}),
}
"""What follows what; ``step`` is all of it from the state alone."""
EPILOGUE = ("integrate", "step")  # compared with what MuJoCo's step leaves
COUNTS = {"contact_": "ncon", "efc_": "nefc"}


class Found(NamedTuple):
    """How far an array, or a sensor, is from MuJoCo's."""

    what: str
    error: np.ndarray  # [n]
    limit: float

    @property
    def worst(self) -> float:
        """The largest error."""
        return float(self.error.max(initial=0.0))

    @property
    def share(self) -> float:
        """The worst error in units of what is allowed."""
        return self.worst / self.limit if self.limit else np.inf if self.worst else 0.0


class Truth:
    """MuJoCo's numbers for every part of a step from each of some states."""

    def __init__(self, mj, states, shaken: tuple | None = None):
        self.mj, self.states = mj, states
        self.datas = sensing.forwards(mj, states)
        if shaken is not None:  # a seed and a number of roundings
            for data in self.datas:
                shake.forward(mj, data, *shaken)
        self.want = expected(mj, states, self.datas)
        self.softest = softened(self.want, self.datas)
        self.want["sensordata"] = np.array([data.sensordata for data in self.datas])
        self.after = vars(
            oracle.step(
                mj, states, partial(shake.step, seed=shaken[0], roundings=shaken[1]) if shaken else oracle.advance
            )
        )

    def numbers(self, part: str) -> dict:
        """What a part should leave."""
        return self.after if part in EPILOGUE else self.softest if part == "constraint" else self.want

    def floor(self, part: str, field: str):
        """The least size that errors are relative to, where forces or accelerations nearly cancel."""
        pull = np.maximum(self.after["pull"], 1.0)
        if field == "qacc":
            return pull
        if field == "qvel":  # a velocity near zero is owed to the step alone, and may be off by what qacc may
            wide = tolerance("qacc") / tolerance("next") if part == "step" else 1.0
            return pull * self.mj.opt.timestep * wide
        if field.startswith("qfrc_"):  # forces that give the accelerations above, if every dof moved by itself
            return pull * np.linalg.norm(np.diagonal(self.want["M"], axis1=1, axis2=2), axis=1)
        if field == "efc_force":  # a difference of J qacc and aref, times D
            size = np.abs(self.want["efc_D"] * self.want["efc_aref"])
            return np.linalg.norm(np.where(in_use(field, self.want, size), size, 0.0), axis=1)
        return 0.0


def softened(want: dict, datas: list) -> dict:
    """The same with no row harder than float32 carries, next to 1, to the inertia that rows of tendons without weight
    move and, of equalities, to that which the hardest of three moves.
    """
    R, D = np.maximum(want["efc_R"], MIN_R), want["efc_D"].copy()
    for w, data in enumerate(datas):
        weightless = want["efc_R"][w, : data.nefc] < 2 * MINVAL
        rows, tendons = np.arange(data.ne), np.flatnonzero(np.isin(data.efc_type[: data.nefc], OF_TENDONS) & weightless)
        inertia = np.maximum(np.diagonal(want["M"][w]), 1e-30)
        moved = want["efc_J"][w] ** 2 @ (1 / inertia)
        R[w, tendons] = np.maximum(R[w, tendons], MIN_R_SHARE * moved[tendons])
        owner = np.array(data.efc_id[: data.ne], int)
        group = owner * 2 + (rows - np.searchsorted(owner, owner)) // 3
        least = MIN_R_SHARE * np.array([moved[rows][group == g].max() for g in group])
        R[w, rows] = np.maximum(R[w, rows], least)
        for contact in data.contact:  # of a flex: MuJoCo's least R of the first row, and multiples of it
            first = contact.efc_address
            if contact.geom[1] < 0 <= first and want["efc_R"][w, first] < MIN_R:
                own = np.flatnonzero(np.array(data.efc_id[: data.nefc]) == data.efc_id[first])
                own = own[(own >= first) & (np.array(data.efc_type)[own] >= MjtConstraint.CONTACT_FRICTIONLESS)]
                R[w, own] = want["efc_R"][w, own] / MINVAL * MIN_R_SHARE * moved[first]
    D = np.where(R > want["efc_R"], 1 / np.maximum(R, MIN_R), D)
    return {**want, "efc_R": R, "efc_D": D}


def shaken(truth: Truth, seed: int, roundings: float = 1.0) -> Truth:
    """MuJoCo's numbers from inputs that are moved by roundings of float32, and so is what its parts hand on to each
    other.
    """
    model, states = shake.shaken_model(truth.mj, seed, roundings), shake.shaken_states(truth.states, seed, roundings)
    return Truth(model, states, (seed, roundings))


def compare(part: str, got: Callable, truth: Truth) -> list[Found]:
    """Arrays `got(name)` of a part against MuJoCo's; contacts and rows only in worlds that have as many of them."""
    if part == "sense":
        return sensors(got, truth)
    want, out = truth.numbers(part), []
    if part == "collision":
        got = match_contacts(got, want)
    for field, quantity in PARTS[part].compared.items():
        if field not in want or not want[field].size:
            continue
        error = error_of(got(field), field, want, truth.floor(part, field))
        for prefix, count in COUNTS.items():
            if field.startswith(prefix):
                error = np.where(got(count) == want[count], error, 0.0)
        out.append(Found(field, error, tolerance(quantity)))
    return out


def sensors(got: Callable, truth: Truth) -> list[Found]:
    """Sensors, one by one."""
    mj = truth.mj
    if not mj.nsensor:
        return []
    error = sensing.errors(mj, got("sensordata").astype(float), truth.datas)
    return [Found(f"sensor {sensing.describe(mj, s)}", error[:, s], sensing.limit(mj, s)) for s in range(mj.nsensor)]


def engine_for(mj, truth: Truth, device="cpu") -> Engine:
    """An engine for a model, MuJoCo's or our own, with capacity for what MuJoCo found."""
    capacity = {"nconmax": int(truth.want["ncon"].max()) + 8, "njmax": int(truth.want["nefc"].max()) + 32}
    return Engine(mj, truth.states, device, mode="staged", **capacity)


def part_errors(engine: Engine, truth: Truth) -> dict[str, list[Found]]:
    """What every part of a step finds from MuJoCo's inputs, and the whole step from the state alone."""
    out = {}
    engine.load(truth.states)
    for name, part in PARTS.items():
        if name == "integrate" and truth.mj.opt.integrator == MjtIntegrator.RK4:
            continue  # its four passes are no one part; the whole step has them
        if name in ("solve", "integrate") and keeps_apart(truth.mj):
            continue  # a forward pass is free flight, and the step solves anew
        if name == "step":
            engine.load(truth.states)
            engine.step()
        else:
            engine.run(part.stages)
        out[name] = compare(name, lambda field: read(engine, field), truth)
        if name == "collision" and truth.mj.nflex:
            others = np.any([found.error > 0 for found in out[name] if found.limit == 0], axis=0)
        elif (
            name == "constraint" and truth.mj.nflex
        ):  # shares of vertices go with contacts, and are not MuJoCo's to give
            out[name] = [found._replace(error=np.where(others, 0.0, found.error)) for found in out[name]]
        for field in part.compared:
            if name not in EPILOGUE and field in truth.want:
                engine.fill(field, truth.numbers(name)[field])
    return out


def moved(truth: Truth, shaken: list[Truth], part: str) -> list[np.ndarray]:
    """How far MuJoCo's own numbers move when its inputs do: for each of ``compare``'s findings, the worst over
    `shaken`, [n].
    """
    found = []
    for other in shaken:
        numbers = other.numbers(part)
        found.append(
            [
                f.error
                for f in compare(
                    part, lambda field, numbers=numbers: fit(numbers[field], truth.numbers(part)[field].shape), truth
                )
            ]
        )
    return [np.max(errors, axis=0) for errors in zip(*found, strict=True)]
