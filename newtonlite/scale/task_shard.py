"""Shard of a task's worlds: an environment with random, zero, or a policy's actions, and new episodes where one is over."""

from dataclasses import fields

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.envs import tasks
from newtonlite.envs.environment import Environment
from newtonlite.envs.overrides import override
from newtonlite.envs.streams import UNIFORM, fill_numbers
from newtonlite.scale.digest import extend, first_links
from newtonlite.scale.model_shard import check_arrays
from newtonlite.scale.wire import unpack

ACTIONS = ("random", "zero", "policy")


def task_of(spec: dict):
    """The task that a job names, with its changes."""
    made = tasks.load(spec["task"])
    override(made, spec["changes"])
    return made


def action_bounds(env) -> tuple[np.ndarray, np.ndarray]:
    """(low, high) of actions: the task's, -1 and 1 where it has none."""
    low, high = (np.array(b, np.float32) for b in (env.actions.low, env.actions.high))
    return np.where(np.isfinite(low), low, np.float32(-1)), np.where(np.isfinite(high), high, np.float32(1))


class TaskShard:
    """Worlds ``first`` to ``first + count`` of a job: ``spec`` has ``task``, ``changes``, ``seed`` and ``actions``;
    ``blob`` is a policy as ``policy_message`` makes it, where there is one.

    World i has the seed ``seed + i``; what it does follows from that alone.
    """

    def __init__(self, spec: dict, blob, first: int, count: int, device=None, threads: int | None = None):
        if spec["actions"] not in ACTIONS:
            raise ModelError(f"actions={spec['actions']!r}: expected one of {', '.join(ACTIONS)}")
        self.first, self.count, self.spec = first, count, spec
        self.env = Environment(task_of(spec), count, seed=spec["seed"] + first, device=device, threads=threads)
        self.low, self.high = action_bounds(self.env)
        self.drawn = wp.zeros((count, self.env.actions.count), dtype=float, device=self.env.device)
        self.policy = policy_of(blob) if spec["actions"] == "policy" else None
        self.links = first_links(count)

    def act(self) -> np.ndarray:
        """Actions ``[worlds, n]`` for what is observed now."""
        env = self.env
        if self.policy is not None:
            group = "policy" if "policy" in env.observations else next(iter(env.observations))
            return np.clip(self.policy(env.observations[group].numpy(), self.first), self.low, self.high)
        if self.spec["actions"] == "random":
            stream = env.stream("scale/action")
            wp.launch(fill_numbers, self.drawn.shape, [stream, UNIFORM, 0.0, 1.0], [self.drawn], device=env.device)
            return self.low + (self.high - self.low) * self.drawn.numpy()
        return np.zeros(self.drawn.shape, np.float32)

    def advance(self, order: dict, arrays: dict) -> tuple[dict, dict]:
        """(facts, arrays) of ``order["steps"]`` control steps; a row of ``rows`` is all groups of observations before any
        reset, the action, the reward, whether the episode was over, and whether it was cut off.
        """
        env, episodes, total, bad, out = self.env, 0, 0.0, 0, []
        for _ in range(order["steps"]):
            action = self.act()
            env.step(action)
            flags = [a.numpy().astype(np.float32)[:, None] for a in (env.terminated, env.truncated)]
            seen = [a.numpy() for a in env.observations.values()]
            out.append(np.concatenate([*seen, action, env.reward.numpy()[:, None], *flags], axis=1))
            done = env.terminations.done.numpy()
            if done.any():
                episodes += int(done.sum())
                bad += int(env.bad.numpy()[done].sum())
                total += float(env.rewards.sums.numpy()[done].sum(dtype=np.float64))
                env.reset(env.terminations.done)
        rows = np.array(out, np.float32)
        if len(rows):
            extend(self.links, rows)
        return {"episodes": episodes, "returns": total, "bad_worlds": bad}, {"rows": rows}

    def state(self) -> dict[str, np.ndarray]:
        """A checkpoint."""
        return self.env.state() | {"links": self.links}

    def load(self, state: dict) -> None:
        """Go on from a checkpoint. StateError, and nothing is changed, for one of another job."""
        links = {"links": state["links"]} if "links" in state else {}
        check_arrays(links, {"links": self.links})
        self.env.load({name: a for name, a in state.items() if name != "links"})
        self.links = state["links"].copy()


def policy_of(blob):
    """Function of observations ``[worlds, n]`` and the number of the first world that gives the policy's mean actions."""
    import torch

    from newtonlite.learn.ppo import ActorCritic, PPOSettings
    from newtonlite.scale.tiles import by_tiles

    torch.set_num_threads(1)
    head, arrays = unpack(blob, "policy")
    known = {f.name for f in fields(PPOSettings)}
    policy = ActorCritic(*head["sizes"], PPOSettings(**{k: v for k, v in head["settings"].items() if k in known}))
    policy.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in arrays.items()})
    policy.eval()

    @torch.no_grad()
    def act(rows: np.ndarray, first: int) -> np.ndarray:
        return by_tiles(lambda part: (policy.act(part),), first, torch.from_numpy(np.array(rows)))[0].numpy()

    return act
