"""MuJoCo and the engine side by side: every step starts from MuJoCo's state, but each knows by itself what sleeps."""

from dataclasses import dataclass, field

import numpy as np

from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle

NEAR = 1e-6
"""Positions nearer than this are the same but for the normalisation of quaternions."""


@dataclass
class Course:
    """What happened: flags of MuJoCo [steps, ntree], the worst errors, where flags differed, and where sleepers moved."""

    asleep: list = field(default_factory=list)
    differ: list = field(default_factory=list)
    moved: list = field(default_factory=list)
    nefc: list = field(default_factory=list)
    qpos: float = 0.0
    qvel: float = 0.0
    sensors: list = field(default_factory=list)

    @property
    def slept(self) -> np.ndarray:
        """Which trees slept at some step."""
        return (np.array(self.asleep) >= 0).any(0)

    @property
    def woke(self) -> np.ndarray:
        """How often each tree woke."""
        asleep = np.array(self.asleep) >= 0
        return (asleep[:-1] & ~asleep[1:]).sum(0)

    @property
    def asleep_last(self) -> np.ndarray:
        """Which trees sleep at the end."""
        return np.array(self.asleep[-1]) >= 0


class Pair:
    """A model with MuJoCo's data and the engine's, one world."""

    def __init__(self, mj, device: str, nlane: int | None = None, **capacity):
        self.mj, self.data = mj, oracle.empty_data(mj)
        self.m = put_model(mj, 1, device)
        self.d = make_data(self.m, 1, **capacity)
        self.schedule = Schedule(self.m, self.d, threads=1, nlane=nlane)

    def hand_over(self) -> None:
        """Round MuJoCo's state and give it, and all inputs, to the engine. Sleepers that nobody moved keep the engine's
        positions.
        """
        awake = oracle.round_awake(self.mj, self.data)
        for name in ("qpos", "qvel", "qacc_warmstart", "qfrc_applied", "ctrl", "act"):
            array, values = getattr(self.d, name), getattr(self.data, name).copy()
            rows = array.numpy()
            if name == "qpos":
                values = np.where(awake | (np.abs(values - rows[0]) > NEAR), values, rows[0])
            rows[0, : len(values)] = values
            array.assign(rows)
        for name in ("xfrc_applied", "mocap_pos", "mocap_quat", "eq_active"):
            array, values = getattr(self.d, name), np.asarray(getattr(self.data, name))
            if values.size:
                array.assign(values[None].astype(np.int32 if name == "eq_active" else np.float32))

    def run(self, steps: int, poke=None) -> Course:
        """Step both; ``poke(step, data)`` may change MuJoCo's data before a step."""
        found = Course()
        for step in range(steps):
            if poke:
                poke(step, self.data)
            self.hand_over()
            before = self.d.qpos.numpy()[0]
            oracle.advance(self.mj, self.data)
            self.schedule.step()
            self.note(found, step, before)
        return found

    def note(self, found: Course, step: int, before: np.ndarray) -> None:
        """Compare the two after a step."""
        flags, ours = self.data.tree_asleep.copy(), self.d.tree_asleep.numpy()[0]
        found.asleep.append(flags)
        found.nefc.append((self.data.nefc, int(self.d.nefc.numpy()[0])))
        if not np.array_equal(flags, ours):
            found.differ.append((step, flags, ours))
        qpos, qvel = self.d.qpos.numpy()[0], self.d.qvel.numpy()[0, : self.mj.nv]
        for j in range(self.mj.njnt):
            if ours[self.mj.dof_treeid[self.mj.jnt_dofadr[j]]] >= 0:
                end = self.mj.jnt_qposadr[j + 1] if j + 1 < self.mj.njnt else self.mj.nq
                mine = slice(self.mj.jnt_qposadr[j], end)
                if qpos[mine].tobytes() != before[mine].tobytes():
                    found.moved.append(step)
        if qvel[ours[self.mj.dof_treeid] >= 0].any():
            found.moved.append(step)
        found.qpos = max(found.qpos, np.abs(qpos - self.data.qpos).max(initial=0.0))
        found.qvel = max(
            found.qvel, np.abs(qvel - self.data.qvel).max(initial=0.0) / (1.0 + np.abs(qvel).max(initial=0.0))
        )
        found.sensors.append((self.data.sensordata.copy(), self.d.sensordata.numpy()[0].copy()))
