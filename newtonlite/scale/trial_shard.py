"""Shard of one trial of a sweep: a whole training run, some iterations at a time."""

from dataclasses import asdict, replace

import numpy as np
import torch

from newtonlite.core.errors import StateError
from newtonlite.envs.environment import Environment
from newtonlite.learn.ppo import PPO
from newtonlite.learn.runner import RECENT, seed_of, settings_of
from newtonlite.scale.task_shard import task_of

COLUMNS = ("iteration", "return", "length", "episodes", "loss", "value_loss", "kl", "std", "learning_rate")
"""Columns of a curve."""
MUTABLE = ("learning_rate", "entropy", "clip", "gamma", "lam", "target_kl", "value", "max_grad_norm", "reward_scale")
"""Settings that a population changes while it learns."""


class TrialShard:
    """Trial ``first`` of a sweep: ``spec`` has ``task``, ``settings`` for all, and ``trials``, each with ``changes`` of
    the task, ``settings`` and a ``label``.
    """

    def __init__(self, spec: dict, blob, first: int, count: int, device=None, threads: int | None = None):
        if count != 1:
            raise StateError("a sweep has one trial in a shard")
        torch.set_num_threads(1)
        trial = spec["trials"][first]
        task = task_of({**spec, "changes": [*spec["changes"], *trial["changes"]]})
        settings, worlds = settings_of(task, {**spec["settings"], **trial["settings"]})
        settings = replace(settings, hidden=tuple(settings.hidden))
        self.env = Environment(task, worlds, seed=seed_of(settings), device=device, threads=threads)
        self.ppo = PPO(self.env, settings)
        self.recent = np.zeros((0, 2))

    def advance(self, order: dict, arrays: dict) -> tuple[dict, dict]:
        """(facts, arrays) of ``order["iterations"]`` iterations; ``curve`` has a row of ``COLUMNS`` for each."""
        rows = []
        for _ in range(order["iterations"]):
            batch, episodes = self.ppo.collect()
            losses = self.ppo.learn(batch)
            ended = [np.stack([e["return"], e["length"]], 1).astype(float) for e in episodes]
            self.recent = np.concatenate([self.recent, *ended])[-RECENT:]
            mean = self.recent.mean(0) if len(self.recent) else np.full(2, np.nan)
            row = {"iteration": self.ppo.iteration, "return": mean[0], "length": mean[1], **losses}
            rows.append([float(row.get(name, sum(map(len, ended)))) for name in COLUMNS])
        return {}, {"curve": np.array(rows).reshape(-1, len(COLUMNS))}

    def state(self) -> dict[str, np.ndarray]:
        """A checkpoint: worlds, networks, moments, noise, and the settings that may change."""
        own = self.ppo.state()
        found = {f"env/{name}": value for name, value in self.env.state().items()}
        for table in ("policy", "reward_norm"):
            found |= {f"{table}/{name}": value.cpu().numpy() for name, value in own[table].items()}
        for k, moments in own["optimiser"]["state"].items():
            found |= {f"optimiser/{k}/{name}": value.cpu().numpy() for name, value in moments.items()}
        found |= {name: own[name].cpu().numpy() for name in ("generator", "discounted")}
        settings = asdict(self.ppo.settings)
        numbers = [np.nan if settings[name] is None else settings[name] for name in MUTABLE]
        return found | {
            "iteration": np.array(own["iteration"]),
            "learning_rate": np.array(float(own["learning_rate"])),
            "recent": self.recent,
            "settings": np.array(numbers, float),
        }

    def load(self, state: dict) -> None:
        """Go on from a checkpoint of this trial, or of another one of its sweep. StateError for any other."""
        missing = [
            n for n in ("iteration", "learning_rate", "recent", "settings", "generator", "discounted") if n not in state
        ]
        if missing or state["settings"].shape != (len(MUTABLE),):
            raise StateError(f"there is no {missing[0] if missing else 'table of settings'}")
        tensors = {name: torch.from_numpy(value.copy()) for name, value in state.items() if not name.startswith("env/")}
        part = lambda table: {k[len(table) + 1 :]: v for k, v in tensors.items() if k.startswith(f"{table}/")}
        moments: dict = {}
        for name, value in part("optimiser").items():
            k, _, name = name.partition("/")
            moments.setdefault(int(k), {})[name] = value
        own = {"policy": part("policy"), "reward_norm": part("reward_norm"), "optimiser": {"state": moments}}
        own |= {"generator": tensors["generator"], "discounted": tensors["discounted"]}
        own |= {"iteration": int(state["iteration"]), "learning_rate": float(state["learning_rate"])}
        self.env.load({name[4:]: value for name, value in state.items() if name.startswith("env/")})
        self.ppo.load(own)
        numbers = {n: None if np.isnan(v) else float(v) for n, v in zip(MUTABLE, state["settings"])}
        self.ppo.settings = replace(self.ppo.settings, **numbers)
        self.recent = state["recent"].copy()
