"""Training runs: a folder with curves as CSV and PNG, checkpoints that resume bit by bit, and the policy at the end."""

import csv
import json
import math
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np
import torch

from newtonlite.core.errors import ModelError, StateError
from newtonlite.core.replacing import replace_file, replacing, replacing_file
from newtonlite.envs import tasks
from newtonlite.envs.environment import Environment
from newtonlite.envs.overrides import override
from newtonlite.envs.task import Task
from newtonlite.learn.checkpoint import as_arrays, check_weights, load, save
from newtonlite.learn.ppo import ACTIVATIONS, PPO, RENAMED, ActorCritic, PPOSettings

RECENT = 100


def settings_of(task: Task, given: dict) -> tuple:
    """(settings, number of worlds) of a task's own ``learning``, with what was given in their place. ModelError for an
    unknown name.
    """
    own, others = (
        {RENAMED.get(name, name): value for name, value in table.items()} for table in (task.learning, given)
    )
    chosen = own | {name: value for name, value in others.items() if value is not None}
    worlds = int(chosen.pop("worlds", 64))
    known = {f.name for f in fields(PPOSettings)}
    unknown = sorted(set(map(str, chosen)) - known)
    if unknown:
        raise ModelError(f"learning: there is no setting {unknown[0]!r}; there are: {', '.join(sorted(known))}, worlds")
    return replace(PPOSettings(), **chosen), worlds


class Runner:
    """One training run of a task (a Task, or the name of a packaged one) in ``folder``.

    ``threads`` step the worlds (all cores when None), ``torch_threads`` learn. ``changes`` set fields of the task,
    ``rewards.upright.weight=2``; with ``tensorboard`` curves go to event files too.
    With ``resume`` the run goes on from its last checkpoint; the policy it then reaches is bit-identical to that of a
    run that never stopped, where torch has the same number of threads.
    """

    def __init__(
        self,
        task: Task | str,
        folder,
        *,
        resume: bool = False,
        save_every: int = 50,
        threads: int | None = None,
        torch_threads: int = 1,
        device=None,
        changes: tuple = (),
        tensorboard: bool = False,
        **given,
    ):
        self.name = task if isinstance(task, str) else "task"
        self.folder, self.save_every = Path(folder), save_every
        torch.set_num_threads(torch_threads)
        checkpoint = _checkpoint(self.folder) if resume else None
        if checkpoint and checkpoint["task"] != self.name:
            raise StateError(f"{self.folder}: the checkpoint is of task {checkpoint['task']!r}, not {self.name!r}")
        made = tasks.load(task) if isinstance(task, str) else deepcopy(task)
        self.task = changed(_as_trained(made, checkpoint, self.folder) if checkpoint else made, changes)
        self.changes = [*(checkpoint or {}).get("changes", ()), *changes]
        self.writer = _writer(self.folder) if tensorboard else None
        if checkpoint:
            _check_settings(checkpoint["settings"], file_of(self.folder))
            _check_worlds(checkpoint, self.folder)
            given = {**checkpoint["settings"], **{k: v for k, v in given.items() if v is not None}}
        self.settings, self.worlds = settings_of(self.task, given)
        self._make(device, threads)
        self.rows: list = []
        self.recent: list = []
        self.steps, self.seconds = 0, 0.0
        self.folder.mkdir(parents=True, exist_ok=True)
        if checkpoint:
            self._go_on(checkpoint)
        else:
            settings = {"task": self.name, "changes": self.changes, "worlds": self.worlds, **asdict(self.settings)}
            replace_file(self.folder / "settings.json", json.dumps(settings, indent=2) + "\n")

    def _make(self, device, threads: int | None) -> None:
        """Make the worlds and the learner."""
        self.env = Environment(self.task, self.worlds, seed=seed_of(self.settings), device=device, threads=threads)
        self.ppo = PPO(self.env, self.settings)

    def _env_state(self) -> dict:
        """Checkpoint of the worlds."""
        return self.env.state()

    def _load_env(self, state: dict) -> None:
        self.env.load(state)

    def _go_on(self, checkpoint: dict) -> None:
        try:
            self._load_env(as_arrays(checkpoint["env"]))
            self.ppo.load(checkpoint["ppo"])
        except StateError as problem:
            raise StateError(f"{file_of(self.folder)}: {problem}") from None
        self.rows, self.recent, self.steps, self.seconds = (
            checkpoint[k] for k in ("rows", "recent", "steps", "seconds")
        )

    def train(self, until: float | Callable | None = None, show=None) -> dict:
        """Iterate until the end, or until the mean return of recent episodes reaches ``until``, or ``until(runner)`` is
        true; returns the last row of the curves.
        """
        while self.ppo.iteration < self.settings.iterations:
            start = time.perf_counter()
            batch, episodes = self.ppo.collect()
            losses = self.ppo.learn(batch)
            self.seconds += time.perf_counter() - start
            self.steps += self.settings.steps * self.worlds
            self._note(episodes, losses, time.perf_counter() - start)
            if show:
                show(self.rows[-1], self.settings.iterations)
            if callable(until):
                reached = until(self)
            else:
                reached = until is not None and len(self.recent) >= RECENT and self.rows[-1]["return"] >= until
            if reached or self.ppo.iteration % self.save_every == 0 or self.ppo.iteration == self.settings.iterations:
                self.save()
            if reached:
                break
        return self.rows[-1]

    def _note(self, episodes: list, losses: dict, took: float) -> None:
        """Add a row to the curves."""
        for e in episodes:
            self.recent += [{k: float(v[i]) for k, v in e.items()} for i in range(len(e["return"]))]
        self.recent = self.recent[-RECENT:]
        keys = self.recent[0].keys() if self.recent else ()
        means = {k: float(np.mean([e[k] for e in self.recent])) for k in keys}
        row = {
            "iteration": self.ppo.iteration,
            "steps": self.steps,
            "seconds": round(self.seconds, 3),
            "steps_per_second": self.settings.steps * self.worlds / took,
        }
        self.rows.append({**row, "return": float("nan"), "length": float("nan"), **means, **losses})
        if self.writer:
            for name, value in self.rows[-1].items():
                self.writer.add_scalar(name, value, self.steps)

    def save(self) -> None:
        """Write the checkpoint, whole or not at all, and the curves."""
        given = {**asdict(self.settings), "worlds": self.worlds}
        state = {
            "task": self.name,
            "changes": self.changes,
            "settings": given,
            "env": self._env_state(),
            "ppo": self.ppo.state(),
            "rows": self.rows,
            "recent": self.recent,
            "steps": self.steps,
            "seconds": self.seconds,
        }
        save(state, file_of(self.folder))
        names = list(dict.fromkeys(k for row in self.rows for k in row))
        with replacing_file(self.folder / "curves.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, names, restval="")
            writer.writeheader()
            writer.writerows(self.rows)
        draw_curves(self.rows, self.folder / "curves.png")
        if self.writer:
            self.writer.flush()


def seed_of(settings: PPOSettings) -> int:
    """Seed of the first world of a run."""
    return settings.seed * 1_000_003


def changed(task: Task, changes) -> Task:
    """The task, with fields set as ``newtonlite.envs.overrides`` takes them."""
    override(task, changes)
    return task


def file_of(folder) -> Path:
    """The checkpoint of a run's folder."""
    return Path(folder) / "checkpoint.pt"


def _checkpoint(folder) -> dict:
    """A run's last checkpoint. StateError where there is none, or none of ours."""
    file = file_of(folder)
    if not file.exists():
        raise StateError(f"{file}: there is no checkpoint; newtonlite train --out {folder} makes one")
    return load(file)


def _as_trained(task: Task, checkpoint: dict, folder) -> Task:
    """The task with the changes that a checkpoint names. StateError where they do not fit it."""
    try:
        return changed(task, checkpoint["changes"])
    except ModelError as problem:
        raise StateError(f"{file_of(folder)}: {problem}") from None


def _check_settings(table: dict, file: Path) -> None:
    """StateError unless a checkpoint's settings are those there are, of their types."""
    kinds = {f.name: type(f.default) for f in fields(PPOSettings)} | {"worlds": int, "target_kl": float}
    for name, value in table.items():
        kind = kinds.get(name)
        if kind is None:
            raise StateError(f"{file}: settings: there is no setting {name!r}")
        fits = isinstance(value, (int, float) if kind is float else kind) and isinstance(value, bool) is (kind is bool)
        if kind in (int, float) and fits:
            fits = math.isfinite(value) and (name == "seed" or value >= 0)
        if kind is tuple and fits:
            fits = all(type(n) is int and n > 0 for n in value)
        if not fits and not (value is None and name == "target_kl"):
            raise StateError(f"{file}: settings.{name}: expected a {kind.__name__}, got {str(value)[:80]!r}")
    missing = sorted(set(kinds) - set(table))
    if missing or table["activation"] not in ACTIVATIONS or table["worlds"] < 1:
        raise StateError(f"{file}: settings: {', '.join(missing) or 'activation or worlds'} is not there, or unknown")


def _check_worlds(checkpoint: dict, folder) -> None:
    """StateError unless the arrays of a checkpoint are of as many worlds as its settings say."""
    seed, worlds = checkpoint["env"].get("seed"), checkpoint["settings"]["worlds"]
    if seed is None or tuple(seed.shape) != (worlds,):
        raise StateError(f"{file_of(folder)}: its arrays are not of settings.worlds={worlds} worlds")


def _writer(folder: Path):
    """A writer of tensorboard's event files."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ModuleNotFoundError as problem:
        raise ModuleNotFoundError(
            f"event files need {problem.name}: pip install tensorboard", name=problem.name
        ) from None
    return SummaryWriter(str(folder))


def draw_curves(rows: list, file: Path) -> bool:
    """Returns, lengths, divergence and throughput over steps as a picture; False where matplotlib is not installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    figure = Figure(figsize=(9, 6), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (key, label) in zip(
        figure.subplots(2, 2).flat,
        (("return", "return"), ("length", "length [steps]"), ("kl", "divergence"), ("steps_per_second", "steps/s")),
    ):
        axes.plot([r["steps"] for r in rows], [r.get(key, np.nan) for r in rows])
        axes.set(xlabel="steps", ylabel=label)
        axes.grid(True)
    with replacing(file) as part:
        figure.savefig(part, dpi=100)
    return True


def load_task(folder, task: str | None = None) -> Task:
    """The task of a run, with the changes it was trained with, or the ``task`` given: a packaged one or FILE.py, which
    gets the changes where it is the run's own.

    A checkpoint may come from anybody, so a Python file is executed only where it is the caller who names it.
    StateError for a checkpoint that names one.
    """
    state = _checkpoint(folder)
    own = state["task"]
    if task is not None:
        made = tasks.load(task)
        same = task == own or ".py" in own and Path(task).name == Path(own).name  # from another folder
        return _as_trained(made, state, folder) if same else made
    try:
        return _as_trained(tasks.packaged(own), state, folder)
    except ModelError:
        raise StateError(
            f"{file_of(folder)}: its task is {own!r}, which is no packaged one; a file is executed only if you name it: "
            f"--task FILE.py, or load_task(folder, 'FILE.py')"
        ) from None


def load_policy(folder):
    """(policy, task name, settings) of a run's last checkpoint. StateError where there is none, or none of ours."""
    state, file = _checkpoint(folder), file_of(folder)
    _check_settings(state["settings"], file)
    chosen = dict(state["settings"])
    chosen.pop("worlds")
    settings, weights = replace(PPOSettings(), **chosen), state["ppo"]["policy"]
    try:
        sizes = [_width(weights, name) for name in ("actor_norm.mean", "critic_norm.mean", "log_std")]
        with torch.device("meta"):  # no memory before the sizes are known to be those of the file
            expected = ActorCritic(*sizes, settings).state_dict()
        check_weights(weights, expected, "ppo.policy")
    except StateError as problem:
        raise StateError(f"{file}: {problem}") from None
    policy = ActorCritic(*sizes, settings)
    policy.load_state_dict(weights)
    return policy.eval(), state["task"], settings


def _width(weights: dict, name: str) -> int:
    """Length of a vector of a policy."""
    vector = weights.get(name)
    shape = getattr(vector, "shape", ())
    if not isinstance(vector, torch.Tensor) or len(shape) != 1 or not shape[0]:
        raise StateError(f"ppo.policy.{name}: expected numbers in a row")
    return shape[0]
