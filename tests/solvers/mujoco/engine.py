"""The engine as the tests drive it: batches of states go in, arrays come out."""

import numpy as np

from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.model import put_model
from newtonlite.solvers.mujoco.schedule import Schedule
from tests.oracle import States

INPUTS = ("qpos", "qvel", "qacc_warmstart", "ctrl")


class Engine:
    """A compiled model, its data for as many worlds as there are states, and a schedule."""

    def __init__(self, mj, states: States, device="cpu", mode="auto", threads=1, scratch="auto", nlane=None, **capacity):
        self.mj, self.nworld = mj, len(states)
        self.m = put_model(mj, self.nworld, device)
        self.d = make_data(self.m, self.nworld, scratch="per_world" if mode == "staged" else scratch, **capacity)
        self.schedule = Schedule(self.m, self.d, mode=mode, threads=threads, nlane=nlane)
        self.load(states)

    def load(self, states: States):
        """Write the states, one per world."""
        for name in INPUTS:
            self.write(name, getattr(states, name))

    def write(self, name: str, values):
        """Write rows of an input, padding them to the width the engine keeps."""
        array = getattr(self.d, name)
        rows = np.zeros(array.shape, np.float32)
        rows[:, : values.shape[1]] = values
        array.assign(rows)

    def step(self, count: int = 1):
        for _ in range(count):
            self.schedule.step()
        return self

    def forward(self):
        self.schedule.forward()
        return self

    def read(self, name: str) -> np.ndarray:
        """An array of the data, rows over nv without their pad."""
        values = getattr(self.d, name).numpy()
        if name.startswith(("qvel", "qacc", "qfrc")):
            values = values[:, : self.mj.nv]
        return values.copy()

    def trajectory(self, steps: int, names=("qpos", "qvel", "qacc_warmstart", "ncon", "nefc")) -> dict:
        """The last state after some steps, and what each step found on the way, as bytes to compare."""
        counts = []
        for _ in range(steps):
            self.step()
            counts.append(np.stack([self.read("ncon"), self.read("nefc"), self.read("solver_niter")], 1))
        return {**{name: self.read(name) for name in names}, "counts": np.stack(counts, 1)}
