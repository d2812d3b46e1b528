"""Shard of a model's worlds: simulated under a control signal, as ``newtonlite rollout`` does."""

import tempfile
from pathlib import Path

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.replacing import replace_file
from newtonlite.envs.control_signal import Drive, ranges
from newtonlite.mjwarp import make_data, put_model, step
from newtonlite.scale.digest import extend, first_links
from newtonlite.solvers.mujoco.compile.binary import load_model
from newtonlite.solvers.mujoco.data import FIELDS, KEPT

SHOWN = ("qpos", "qvel", "ctrl")
"""Arrays that are the row of a world after a time step."""
COUNTED = ("overflow", "bad_count")
LARGEST = ("ncon_max", "nefc_max")


class ModelShard:
    """Worlds ``first`` to ``first + count`` of a job: ``spec`` has ``seed``, ``control``, ``nconmax`` and ``njmax``,
    ``blob`` is the compiled model.

    What worlds do follows from the job's seed and their numbers alone.
    """

    def __init__(self, spec: dict, blob, first: int, count: int, device=None, threads: int | None = None):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.bin"
            replace_file(file, bytes(blob))
            compiled = load_model(file)
        self.count, self.spec = count, spec
        self.model = put_model(compiled, device=device)
        room = {name: spec[name] for name in ("nconmax", "njmax")}
        self.data = make_data(self.model, count, scratch="shared", threads=threads, **room)
        timestep = float(compiled.opt.timestep)
        self.drive = Drive(
            spec["control"], *ranges(compiled), timestep, seed=spec["seed"], device=self.data.engine.device, first=first
        )
        self.links = first_links(count)

    def advance(self, order: dict, arrays: dict) -> tuple[dict, dict]:
        """(facts, arrays) of ``order["steps"]`` time steps; ``rows`` ``[steps, worlds, n]`` are positions, velocities
        and controls.
        """
        d, before = self.data, self._totals()
        shown = [getattr(d, name) for name in SHOWN]
        widths = [a.shape[1] for a in shown]
        rows = np.zeros((order["steps"], self.count, sum(widths)), np.float32)
        edges = np.cumsum([0, *widths])
        for t in range(order["steps"]):
            if widths[-1]:
                self.drive.write(d.ctrl)
            else:
                self.drive.count += 1
            step(self.model, d)
            for a, start, end in zip(shown, edges, edges[1:]):
                rows[t, :, start:end] = a.numpy()
        extend(self.links, rows)
        facts = {name: total - before[name] for name, total in self._totals().items()}
        facts |= {name: int(getattr(d, name).numpy().max()) for name in LARGEST}
        return facts, {"rows": rows}

    def _totals(self) -> dict:
        """Overflows so far, and worlds that went bad at least once."""
        d = self.data
        return {"overflows": int(d.overflow.numpy().sum()), "bad_worlds": int((d.bad_count.numpy() > 0).sum())}

    def arrays(self) -> dict[str, wp.array]:
        """Every array of the engine that the next step depends on, and the counters."""
        held = self.data.engine.arrays
        return {name: a for name, a in held.items() if a.size and FIELDS[name].role in KEPT}

    def state(self) -> dict[str, np.ndarray]:
        """A checkpoint."""
        found = {f"data/{name}": a.numpy() for name, a in self.arrays().items()}
        return found | {"links": self.links, "steps": np.array(self.drive.count)}

    def load(self, state: dict) -> None:
        """Go on from a checkpoint. StateError, and nothing is changed, for one of another job."""
        own = {f"data/{name}": a for name, a in self.arrays().items()}
        expected = {name: a.numpy() for name, a in own.items()} | {"links": self.links, "steps": np.array(0)}
        check_arrays(state, expected)
        for name, a in own.items():
            wp.copy(a, wp.array(np.ascontiguousarray(state[name]), dtype=a.dtype, device=a.device).reshape(a.shape))
        self.links, self.drive.count = state["links"].copy(), int(state["steps"])


def check_arrays(given: dict, expected: dict) -> None:
    """StateError unless arrays have the names, shapes and types of those expected."""
    for name in {**expected, **given}:
        if name not in given or name not in expected:
            raise StateError(f"{str(name)[:80]!r} is only in one of checkpoint and job")
        a, b = given[name], expected[name]
        if a.shape != b.shape or a.dtype != b.dtype:
            raise StateError(f"{name} is {list(a.shape)} {a.dtype}, expected {list(b.shape)} {b.dtype}")
