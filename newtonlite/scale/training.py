"""Training over workers: they collect, one learner learns. The weights do not depend on how many there are, on the
backend, or on what was lost.
"""

from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch

from newtonlite.core.errors import ModelError, StateError
from newtonlite.envs.environment import Environment
from newtonlite.learn.ppo import PPO
from newtonlite.learn.runner import Runner, seed_of
from newtonlite.scale.rollout import identified, make_pool
from newtonlite.scale.scheduler import Scheduler
from newtonlite.scale.shards import Order, cut
from newtonlite.scale.wire import pack, unpack

COLLECT, OBSERVE, NOTHING = ({"do": what} for what in ("collect", "observe", "nothing"))


class ScaledPPO(PPO):
    """PPO whose steps are collected by the workers of a scheduler. Batches are put together in the order of worlds."""

    def __init__(self, env, settings, workers: "Workers"):
        super().__init__(env, settings)
        self.workers = workers

    @torch.no_grad()
    def collect(self) -> tuple:
        """Batch and episodes as ``PPO.collect`` has them, of all shards."""
        s, policy, n = self.settings, self.policy, self.env.num_worlds
        if s.normalise_observations and self.iteration == 0:
            seen = self.workers.carry_out(OBSERVE)
            for norm, name in ((policy.actor_norm, "actor_obs"), (policy.critic_norm, "critic_obs")):
                norm.update(self._joined([part[name] for part in seen], 0))

        # weights and the state of the noise, of which every shard draws that of all worlds
        sent = {f"policy/{name}": value.cpu().numpy() for name, value in policy.state_dict().items()}
        parts = self.workers.carry_out(COLLECT, {**sent, "generator": self.generator.get_state().numpy()})
        for _ in range(s.steps):
            torch.randn((n, self.env.actions.count), generator=self.generator, device=self.device)

        b = {k: self._joined([p[k] for p in parts], 1) for k in parts[0] if not k.startswith("episode/")}
        episodes = self._episodes(parts)
        if s.normalise_rewards:
            for t in range(s.steps):
                self._scale_reward(b, t)
        self._check(b)
        if s.normalise_observations:
            self.seen = b["actor_obs"].flatten(0, 1), b["critic_obs"].flatten(0, 1)
        return b, episodes

    def _joined(self, arrays: list, axis: int) -> torch.Tensor:
        return torch.from_numpy(np.concatenate(arrays, axis=axis)).to(self.device)

    def _episodes(self, parts: list) -> list:
        """Episodes that ended, by step and world, as one process has them."""
        places, first = [], 0
        for part in parts:
            at = np.argwhere(part["done"])
            places.append(at + [0, first])
            first += part["done"].shape[1]
        order = np.lexsort(np.concatenate(places).T[::-1])
        keys = next((p for p in parts if any(k.startswith("episode/") for k in p)), None)
        if keys is None:
            return []
        names = [k for k in keys if k.startswith("episode/")]
        return [{k[8:]: np.concatenate([p[k] for p in parts if k in p])[order] for k in names}]


class Workers:
    """The workers of a run and its shards: they carry out one order after the other, all shards each."""

    def __init__(self, spec: dict, workers: int, shards: int | None, backend: str, mixed: str, **options):
        self.spec = identified(spec)
        self.parts = cut(spec["worlds"], min(workers, spec["worlds"]) if shards is None else shards)
        self.pool = make_pool(backend, pack(self.spec), workers, **options)
        self.blobs: dict[int, bytes] = {}
        self.results: dict[int, dict] = {}
        self.scheduler = Scheduler(
            self.pool, self.parts, deliver=self._deliver, keep=self._keep, want_rows=True, mixed=mixed
        )
        self.scheduler.persistent = True

    def _deliver(self, shard, chunk: int, arrays: dict) -> None:
        self.results[shard.number] = arrays

    def _keep(self, shard, blob: bytes) -> None:
        self.blobs[shard.number] = blob

    def carry_out(self, head: dict, arrays: dict | None = None, *, checkpoint: bool = False) -> list[dict]:
        """Arrays of all shards after an order, in the order of worlds."""
        carried = None if arrays is None else self.pool.share(pack({}, arrays, checksum=False))
        self.results = {}
        self.scheduler.orders.append(Order({**head, "checkpoint": checkpoint}, carried))
        self.scheduler.run()
        return [self.results[s.number] for s in self.parts]

    def state(self) -> dict:
        """Checkpoint of all worlds, as that of one environment."""
        self.carry_out(NOTHING, checkpoint=True)
        states = [unpack(self.blobs[s.number], "checkpoint")[1] for s in self.parts]
        return join_states(states, [s.count for s in self.parts])

    def load(self, state: dict) -> None:
        """Let all shards begin from a checkpoint of all worlds, before any order."""
        for shard in self.parts:
            about = {"job": self.spec["job"], "shard": shard.number, "chunk": 0}
            rows = slice(shard.first, shard.first + shard.count)
            part = {k: v[rows] if v.ndim and len(v) == self.spec["worlds"] else v for k, v in state.items()}
            shard.basis = self.pool.share(pack(about, part, compress=True))


def join_states(states: list[dict], counts: list[int]) -> dict:
    """State of all worlds from those of parts. StateError where an array is neither by worlds nor the same in all."""
    whole = {}
    for name in states[0]:
        parts = [state[name] for state in states]
        if all(p.ndim and len(p) == count for p, count in zip(parts, counts)):
            whole[name] = np.concatenate(parts)
        elif all(np.array_equal(p, parts[0]) for p in parts):
            whole[name] = parts[0].copy()
        else:
            raise StateError(f"{name}: is neither by worlds nor the same in all shards")
    return whole


class ScaledRunner(Runner):
    """A training run as ``Runner``, whose steps are collected by ``workers`` workers on a ``backend``.

    ``task`` is a packaged one's name, or FILE.py, which every worker has to find there. A run may go on with another
    number of workers. See ``Rollout`` for ``shards``, ``address`` and ``mixed``.
    """

    def __init__(
        self,
        task: str,
        folder,
        *,
        workers: int = 1,
        shards: int | None = None,
        backend: str = "local",
        address: str | None = None,
        mixed: str = "refuse",
        **options,
    ):
        if not isinstance(task, str):
            raise ModelError("task: workers are given a packaged task's name, or FILE.py")
        self._scale = {"workers": workers, "shards": shards, "backend": backend, "address": address, "mixed": mixed}
        self._saved, self.workers = None, None
        try:
            super().__init__(task, folder, **options)
        except BaseException:
            self.close()
            raise

    def _make(self, device, threads: int | None) -> None:
        shape = Environment(self.task, 1, seed=0, device="cpu", threads=1)
        spec = {"kind": "collect", "worlds": self.worlds, "seed": seed_of(self.settings), "changes": list(self.changes)}
        spec |= {"task": str(Path(self.name).resolve()) if ".py" in self.name else self.name}
        spec["settings"] = asdict(self.settings)
        self.workers = Workers(spec, device=device, threads=threads, **self._scale)
        own = ("observations", "actions", "device", "observation_manager", "rewards")
        self.env = SimpleNamespace(num_worlds=self.worlds, **{name: getattr(shape, name) for name in own})
        self.ppo = ScaledPPO(self.env, self.settings, self.workers)

    def _env_state(self) -> dict:
        return self.workers.state()

    def _load_env(self, state: dict) -> None:
        self.workers.load(state)

    def train(self, until=None, show=None) -> dict:
        """Train as ``Runner.train`` does, and end the workers."""
        try:
            return super().train(until, show)
        finally:
            self.close()

    def save(self) -> None:
        """Save as ``Runner.save`` does, unless that iteration is saved already."""
        if self._saved != self.ppo.iteration:
            super().save()
            self._saved = self.ppo.iteration

    def close(self) -> None:
        """End the workers."""
        if self.workers:
            self.workers.pool.close()
