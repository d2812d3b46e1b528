"""The engine as the tests drive it: batches of states go in, arrays come out."""

import numpy as np

from newtonlite.solvers.mujoco.data import FIELDS, make_data
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.model import put_model
from tests.harness.sparse_rows import SPARSE
from tests.oracle import States

INPUTS = ("qpos", "qvel", "qacc_warmstart", "ctrl", "act", "history", "time")


class Engine:
    """A compiled model, its data for as many worlds as there are states, and a schedule."""

    def __init__(
        self,
        mj,
        states: States,
        device="cpu",
        mode="auto",
        threads=1,
        scratch="auto",
        nlane=None,
        wave=None,
        broadphase="auto",
        **capacity,
    ):
        self.mj, self.nworld = mj, len(states)
        self.m = put_model(mj, self.nworld, device, broadphase=broadphase)
        self.d = make_data(self.m, self.nworld, scratch="per_world" if mode == "staged" else scratch, **capacity)
        self.schedule = Schedule(self.m, self.d, mode=mode, threads=threads, nlane=nlane, wave=wave)
        self.fresh = self.d.plastic.numpy().copy()
        self.load(states)

    def load(self, states: States):
        """Write the states, one per world, of springs and soft bodies that have not yielded."""
        self.d.plastic.assign(self.fresh)
        for name in INPUTS:
            self.write(name, getattr(states, name))

    def write(self, name: str, values):
        """Write rows of an input, padding them to the width the engine keeps; rows without columns leave it as it is."""
        array = getattr(self.d, name)
        if values.ndim > 1 and not values.shape[1]:
            return
        if array.ndim == 1:
            array.assign(values[:, 0].astype(np.float32))
            return
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

    def run(self, stages: tuple):
        """Run some stages of the pipeline by themselves, one kernel each."""
        self.schedule.programs.pop("these", None)
        self.schedule.add("these", stages)
        self.schedule.run("these")

    def arrays(self) -> dict:
        """Copies of all arrays of the data."""
        return {name: array.numpy().copy() for name, array in self.d.arrays.items()}

    def is_padded(self, name: str) -> bool:
        """Whether the last dimension of an array is nv rounded up."""
        field = FIELDS.get(name.removeprefix("island."))
        padded = ("nvp",) if self.m.nsparse else ("nvp", "nMcol", "nJcol", "ntenJcol")
        return field is not None and (field.dims or "").endswith(padded)

    def fill(self, name: str, values: np.ndarray):
        """Overwrite the leading part of an array of the data; what is stored sparse stays as it is."""
        if not values.size or self.m.nsparse and name in SPARSE:
            return
        array = getattr(self.d, name)
        whole = array.numpy()
        whole[tuple(slice(0, n) for n in values.shape)] = values
        array.assign(whole)

    def poison_scratch(self, value: float):
        """Fill all scratch of a schedule that has run, but for the zero pads of rows over nv."""
        for waves in self.schedule.shards:
            for name, base in waves[0].scratch.arrays.items():
                if not base.size:
                    continue
                values = base.numpy()
                body = values[..., : self.mj.nv] if self.is_padded(name) else values
                body[...] = value if values.dtype == np.float32 else 1
                base.assign(values)

    def read(self, name: str) -> np.ndarray:
        """An array of the data, without the pad of rows over nv; inertia and rows of constraints that are sparse as dense
        matrices.
        """
        if self.m.nsparse and name in SPARSE:
            return SPARSE[name](self)
        values = getattr(self.d, name).numpy()
        return (values[..., : self.mj.nv] if self.is_padded(name) else values).copy()

    def trajectory(self, steps: int, names=("qpos", "qvel", "qacc_warmstart", "ncon", "nefc")) -> dict:
        """The last state after some steps, and what each step found on the way, as bytes to compare."""
        counts = []
        for _ in range(steps):
            self.step()
            counts.append(np.stack([self.read("ncon"), self.read("nefc"), self.read("solver_niter")], 1))
        return {**{name: self.read(name) for name in names}, "counts": np.stack(counts, 1)}
