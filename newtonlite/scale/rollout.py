"""Rollout of many worlds over workers: a model under a control signal, or a task with actions.

The digest of all trajectories depends on the job alone: not on the number of shards and workers, the backend, or on what
was lost and done again.
"""

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from newtonlite.core.errors import ModelError, StateError
from newtonlite.scale.digest import LEAF, of_links
from newtonlite.scale.journal import Journal
from newtonlite.scale.local import LocalPool, in_process
from newtonlite.scale.scheduler import PATIENCE, Scheduler
from newtonlite.scale.shards import Order, add_facts, cut
from newtonlite.scale.wire import pack, unpack

BACKENDS = ("local", "ray")
CHUNK = 32
"""Steps of a chunk, at least."""
MOST_STEPS, MOST_ROWS = 256, 32 << 20
"""Most steps of a chunk of a model's worlds, and bytes of the rows of all worlds in it."""


def make_pool(backend: str, job: bytes, workers: int, **options):
    """Workers of a backend. ModelError for one that there is not."""
    if backend not in BACKENDS:
        raise ModelError(f"backend={backend!r}: expected one of {', '.join(BACKENDS)}")
    if workers < 1:
        raise StateError(f"workers={workers}: expected at least 1")
    if backend == "ray":
        from newtonlite.scale.ray_backend import RayPool

        return RayPool(job, workers, **options)
    if options.pop("address", None):
        raise ModelError("address: belongs to the backend 'ray'")
    return LocalPool(job, workers, **options)


def steps_of_chunk(worlds: int, steps: int, width: int) -> int:
    """Steps of a chunk, which follow from the job and not from the workers: as many as the memory of rows of ``width``
    numbers allows, since each chunk costs messages; but eight chunks for a job, if it has as many.
    """
    most = min(MOST_STEPS, MOST_ROWS // (4 * worlds * max(width, 1)), steps // 8)
    return max(CHUNK, most // LEAF * LEAF)


def identified(spec: dict, blob: bytes = b"") -> dict:
    """A job's description with ``job``, the digest of all that decides on its results."""
    whole = json.loads(json.dumps({**spec, "blob": hashlib.sha256(blob).hexdigest()}))
    return {**whole, "job": hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()}


class Rollout:
    """A rollout of ``worlds`` worlds for ``steps`` steps: ``of_model`` and ``of_task`` make one.

    ``shards`` (as many as workers when None) and ``workers`` decide on speed alone. ``folder`` keeps a journal, from
    which ``resume`` goes on; with ``keep_rows`` also the trajectories. ``address`` is that of a Ray cluster; one of this
    machine is started where it is None. ``mixed``: whether workers that may round otherwise are refused, or marked.
    """

    def __init__(
        self,
        spec: dict,
        blob: bytes,
        *,
        workers: int = 1,
        shards: int | None = None,
        backend: str = "local",
        address: str | None = None,
        device: str | None = None,
        threads: int | None = None,
        folder=None,
        resume: bool = False,
        keep_rows: bool = False,
        mixed: str = "refuse",
        patience: float = PATIENCE,
    ):
        for name in ("worlds", "steps", "chunk"):
            if type(spec[name]) is not int or spec[name] < 1:
                raise StateError(f"{name}={spec[name]!r}: expected a whole number of at least 1")
        if spec["chunk"] % LEAF and spec["chunk"] < spec["steps"]:
            raise StateError(f"chunk={spec['chunk']}: expected a multiple of {LEAF} steps")
        if keep_rows and folder is None:
            raise StateError("keep_rows: trajectories need a folder")
        self.spec = identified(spec, blob)
        self.parts = cut(spec["worlds"], min(workers, spec["worlds"]) if shards is None else shards)
        self.journal = Journal(folder, self.spec, self.parts, resume) if folder is not None else None
        if self.journal:
            self.parts = self.journal.shards
        job = pack(self.spec, {"blob": np.frombuffer(blob, np.uint8)})
        self.pool = make_pool(backend, job, workers, device=device, threads=threads, address=address)
        self.backend, self.keep_rows = backend, keep_rows
        self.first_chunk_s, self.took, self.timed = 0.0, 0.0, 0
        self.scheduler = Scheduler(
            self.pool,
            self.parts,
            deliver=self._deliver,
            keep=self._keep,
            want_rows=keep_rows,
            mixed=mixed,
            prints=self.journal.prints if self.journal else None,
            patience=patience,
        )
        steps, chunk = spec["steps"], spec["chunk"]
        self.scheduler.orders = [Order({"steps": min(chunk, steps - at)}) for at in range(0, steps, chunk)]
        self.rows_of: Callable | None = None

    @classmethod
    def of_model(
        cls,
        file,
        worlds: int = 1024,
        steps: int = 1000,
        *,
        seed: int = 0,
        control: str = "random",
        nconmax: int | None = None,
        njmax: int | None = None,
        chunk: int | None = None,
        **options,
    ) -> "Rollout":
        """Rollout of a model's file under a control signal; a row of a trajectory is positions, velocities, controls."""
        head, arrays = unpack(in_process("newtonlite.scale.compile_model", {"file": str(Path(file).resolve())}))
        if chunk is None and type(worlds) is type(steps) is int and worlds > 0:
            chunk = steps_of_chunk(worlds, steps, head["nq"] + head["nv"] + head["nu"])
        spec = {"kind": "model", "name": Path(file).stem, "worlds": worlds, "steps": steps, "chunk": chunk}
        spec |= {"seed": seed, "control": control, "nconmax": nconmax, "njmax": njmax, **head}
        return cls(spec, arrays["blob"].tobytes(), **options)

    @classmethod
    def of_task(
        cls,
        task: str,
        worlds: int = 64,
        steps: int = 1000,
        *,
        seed: int = 0,
        actions: str = "random",
        policy=None,
        changes: tuple = (),
        chunk: int = CHUNK,
        **options,
    ) -> "Rollout":
        """Rollout of a packaged task, or of FILE.py, which every worker has to find there. ``policy``: a folder of
        ``newtonlite train`` whose mean actions are taken.
        """
        blob = b"" if policy is None else policy_message(policy)
        name = str(Path(task).resolve()) if ".py" in str(task) else str(task)
        spec = {"kind": "task", "name": Path(str(task)).stem, "task": name, "worlds": worlds, "steps": steps}
        spec |= {"chunk": chunk, "seed": seed, "changes": list(changes), "actions": "policy" if policy else actions}
        return cls(spec, blob, **options)

    def run(self, progress: Callable = lambda scheduler: None) -> dict:
        """Carry out the rest of the rollout; its figures, ``sha256`` of all trajectories among them."""
        began = time.perf_counter()
        try:
            self.scheduler.run(progress)
            end = time.perf_counter()
        finally:
            self.close()
        first, left = self.scheduler.first or (end, 0)
        self.first_chunk_s, self.took, self.timed = first - began, end - first, left
        return self.figures()

    def close(self) -> None:
        """End the workers."""
        self.pool.close()

    def _deliver(self, shard, chunk: int, arrays: dict) -> None:
        if self.keep_rows:
            self.journal.keep_rows(shard, chunk, arrays["rows"])

    def _keep(self, shard, blob: bytes) -> None:
        if self.journal:
            self.journal.note_fingerprints(self.scheduler.prints)
            self.journal.keep(shard, blob)

    @property
    def sha256(self) -> str:
        """The digest of all trajectories, once they are done."""
        return of_links(np.concatenate([s.links for s in self.parts]))

    def figures(self) -> dict:
        """Figures of the rollout. The time in which workers start and compile, until each gave a result, is not part of the
        speed.
        """
        spec, facts = self.spec, {}
        for shard in self.parts:
            add_facts(facts, shard.facts)
        chunks = len(self.parts) * len(self.scheduler.orders)
        steps = spec["worlds"] * spec["steps"] * self.timed / chunks
        return {
            "model": spec["name"],
            "backend": self.backend,
            "workers": self.pool.workers,
            "shards": len(self.parts),
            "threads": self.pool.threads,
            "worlds": spec["worlds"],
            "steps": spec["steps"],
            "first_chunk_s": self.first_chunk_s,  # until each worker had given a result
            "run_s": self.took,  # until the last result
            "cpu_s": sum(self.scheduler.cpu.values()),
            "steps_per_second": steps / self.took if self.took else 0.0,
            **facts,
            **self.scheduler.summary(),
            "device": self.scheduler.prints[0]["device"] if self.scheduler.prints else None,
            "dashboard": self.pool.dashboard,
            "sha256": self.sha256,
        }


def policy_message(folder) -> bytes:
    """A trained policy as workers take it."""
    from dataclasses import asdict

    from newtonlite.learn.runner import load_policy

    policy, _, settings = load_policy(folder)
    sizes = [len(policy.actor_norm.mean), len(policy.critic_norm.mean), len(policy.log_std)]
    weights = {name: value.numpy() for name, value in policy.state_dict().items()}
    return pack({"sizes": sizes, "settings": asdict(settings)}, weights)
