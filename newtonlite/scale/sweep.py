"""Sweeps and populations: many training runs of one task as one job, a trial in a shard.

A sweep has a trial for each combination of values. A population changes settings while it learns (population based
training, Jaderberg et al. 2017): after each generation the worst quarter goes on from the best, with settings that
differ by a fifth. Who goes on from whom follows from the seed and the returns alone, so that results do not depend on
workers or on what was lost.
"""

import csv
import itertools
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np

from newtonlite.core.errors import ModelError, StateError
from newtonlite.core.replacing import replacing_file
from newtonlite.scale.journal import Journal
from newtonlite.scale.rollout import identified, make_pool
from newtonlite.scale.scheduler import Scheduler
from newtonlite.scale.shards import Order, cut
from newtonlite.scale.wire import pack, unpack

MOST_TRIALS = 100_000
REPLACED = 0.25
"""Part of a population that goes on from its best."""
FACTORS = (0.8, 1.25)
CURVES = "curves.csv"


def combinations(vary: dict, seeds: int = 1, first_seed: int = 1) -> list[dict]:
    """Trials for each combination of values and each seed. Names are settings of the learner, or paths of fields of the
    task, ``rewards.upright.weight``. ModelError for a name without values, or too many trials; ModuleNotFoundError where
    the extra is missing.
    """
    try:
        from newtonlite.learn.ppo import RENAMED, PPOSettings
    except ModuleNotFoundError as problem:
        text = f"training needs {problem.name}: pip install 'newtonlite[learn]'"
        raise ModuleNotFoundError(text, name=problem.name) from problem

    known = {f.name for f in fields(PPOSettings)} | {"worlds"}
    vary = {RENAMED.get(name, name): values for name, values in vary.items()}
    for name, values in vary.items():
        if not isinstance(values, (list, tuple)) or not values:
            raise ModelError(f"vary: {name!r}: expected a list of values")
        if name not in known and "." not in name:
            raise ModelError(f"vary: {name!r} is no setting ({', '.join(sorted(known))}) and no path of the task")
    trials = []
    for values in itertools.product(*vary.values(), range(first_seed, first_seed + seeds)):
        chosen, seed = dict(zip(vary, values)), values[-1]
        label = ", ".join([f"{n}={v}" for n, v in chosen.items()] + ([f"seed={seed}"] if seeds > 1 else []))
        changes = [f"{n}={v!r}" for n, v in chosen.items() if n not in known]
        settings = {"seed": seed, **{n: v for n, v in chosen.items() if n in known}}
        trials.append({"label": label or f"seed={seed}", "changes": changes, "settings": settings})
        if len(trials) > MOST_TRIALS:
            raise ModelError(f"vary: more than {MOST_TRIALS} trials")
    return trials


class Sweep:
    """Training runs of a task, ``trials`` as ``combinations`` makes them, over workers; each for ``iterations``, of which
    ``chunk`` are done at a time. See ``Rollout`` for the other options. ``folder`` gets ``curves.csv`` and a journal,
    from which ``resume`` goes on.
    """

    kind = "sweep"

    def __init__(
        self,
        task: str,
        trials: list[dict],
        *,
        iterations: int,
        chunk: int = 5,
        settings: dict | None = None,
        changes: tuple = (),
        folder=None,
        resume: bool = False,
        workers: int = 1,
        backend: str = "local",
        mixed: str = "refuse",
        **options,
    ):
        if not isinstance(task, str):
            raise ModelError("task: workers are given a packaged task's name, or FILE.py")
        if not trials or iterations < 1 or chunk < 1:
            raise StateError(
                f"a sweep of {len(trials)} trials, iterations={iterations}, chunk={chunk}: expected 1 or more"
            )
        name = str(Path(task).resolve()) if ".py" in task else task
        spec = {"kind": "trial", "task": name, "worlds": len(trials), "trials": trials, "changes": list(changes)}
        spec |= {
            "settings": {**(settings or {}), "iterations": iterations},
            "iterations": iterations,
            "chunk": chunk,
            "as": self.kind,
        }
        self.spec, self.trials = identified(spec), trials
        self.parts = cut(len(trials), len(trials))
        self.journal = Journal(folder, self.spec, self.parts, resume) if folder is not None else None
        self.parts = self.journal.shards if self.journal else self.parts
        self.pool = make_pool(backend, pack(self.spec), workers, **options)
        self.scheduler = Scheduler(
            self.pool,
            self.parts,
            deliver=self._deliver,
            keep=self._keep,
            want_rows=True,
            mixed=mixed,
            prints=self.journal.prints if self.journal else None,
        )
        self.chunks = [min(chunk, iterations - at) for at in range(0, iterations, chunk)]
        self.curves: dict[int, dict] = {s.number: self._curves_so_far(s) for s in self.parts}

    def _curves_so_far(self, shard) -> dict:
        """Curves of the chunks that a journal has, by chunk."""
        if not self.journal:
            return {}
        files = {k: self.journal.rows_file(shard.number, k) for k in range(shard.delivered)}
        return {k: np.load(file, allow_pickle=False) for k, file in files.items()}

    def _deliver(self, shard, chunk: int, arrays: dict) -> None:
        self.curves[shard.number][chunk] = arrays["curve"].copy()
        if self.journal:
            self.journal.keep_rows(shard, chunk, self.curves[shard.number][chunk])

    def _keep(self, shard, blob: bytes) -> None:
        if self.journal:
            self.journal.note_fingerprints(self.scheduler.prints)
            self.journal.keep(shard, blob)

    def run(self, progress: Callable = lambda scheduler: None) -> list[dict]:
        """Carry out all trials; their last figures, the best first."""
        try:
            self._carry_out(progress)
        finally:
            self.pool.close()
        results = self.results()
        if self.journal:
            self._write_curves()
        return results

    def _carry_out(self, progress: Callable) -> None:
        self.scheduler.orders = [Order({"iterations": n, "checkpoint": True}) for n in self.chunks]
        self.scheduler.run(progress)

    def results(self) -> list[dict]:
        """Last figures of all trials, the highest return first."""
        from newtonlite.scale.trial_shard import COLUMNS

        rows = []
        for number, chunks in self.curves.items():
            last = dict(zip(COLUMNS, chunks[max(chunks)][-1].tolist()))
            rows.append({"trial": number, "label": self.trials[number]["label"], **last})
        return sorted(rows, key=lambda row: -np.nan_to_num(row["return"], nan=-np.inf))

    def _write_curves(self) -> None:
        """``curves.csv``: a row for each trial and iteration."""
        from newtonlite.scale.trial_shard import COLUMNS

        with replacing_file(self.journal.folder / CURVES, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["trial", "label", *COLUMNS])
            for number, chunks in self.curves.items():
                for k in sorted(chunks):
                    writer.writerows([number, self.trials[number]["label"], *row] for row in chunks[k].tolist())


class Population(Sweep):
    """A sweep whose trials learn from each other after every ``chunk`` iterations, a generation. ``mutable`` settings
    are changed; ``seed`` decides how. ``lineage`` has, by generation, the trial that each went on from.
    """

    kind = "population"

    def __init__(self, task: str, trials: list[dict], *, mutable: tuple = ("learning_rate",), seed: int = 0, **options):
        from newtonlite.learn.ppo import RENAMED
        from newtonlite.scale.trial_shard import MUTABLE

        mutable = tuple(RENAMED.get(name, name) for name in mutable)
        unknown = [name for name in mutable if name not in MUTABLE]
        if unknown or not mutable:
            raise ModelError(f"mutable: {unknown or 'nothing'}: expected some of {', '.join(MUTABLE)}")
        if options.get("resume"):
            raise ModelError("a population does not go on from a journal; its generations are one piece")
        self.columns, self.seed = [MUTABLE.index(name) for name in mutable], seed
        self.blobs: dict[int, bytes] = {}
        self.lineage: list[list[int]] = []
        super().__init__(task, trials, **options)
        self.scheduler.persistent = True

    def _keep(self, shard, blob: bytes) -> None:
        self.blobs[shard.number] = blob
        super()._keep(shard, blob)

    def _carry_out(self, progress: Callable) -> None:
        for generation, count in enumerate(self.chunks):
            self.scheduler.orders.append(Order({"iterations": count, "checkpoint": True}))
            self.scheduler.run(progress)
            if generation + 1 < len(self.chunks):
                self._select(generation)

    def _select(self, generation: int) -> None:
        """Let the worst trials go on from the best, with settings changed."""
        ranked = [row["trial"] for row in self.results()]
        count = max(1, int(REPLACED * len(ranked))) if len(ranked) > 1 else 0
        chance = np.random.default_rng([self.seed, generation])
        parents = list(range(len(ranked)))
        for best, worst in zip(ranked[:count], ranked[::-1][:count]):
            parents[worst] = best
            about, state = unpack(self.blobs[best], f"checkpoint of trial {best}")
            state["settings"] = state["settings"].copy()
            for column in self.columns:
                state["settings"][column] *= chance.choice(FACTORS)
            state["learning_rate"] = (
                state["learning_rate"] * chance.choice(FACTORS) if 0 in self.columns else state["learning_rate"]
            )
            blob = pack({**about, "shard": worst}, state, compress=True)
            self.scheduler.replace(self.parts[worst], blob)
        self.lineage.append(parents)
