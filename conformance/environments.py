"""Environments at full size: the same transitions in all modes of autoreset, and worlds that depend on their seed alone.

    python -m conformance environments --steps 1000

``modes`` compares 64 worlds of a cart-pole over ten times as many steps. For every packaged task, with noise, pushes and
masses drawn at every reset, one world is run alone, among ``worlds`` others on two threads, among 4,096 for some steps,
and in another process.
"""

import hashlib
import subprocess
import sys

import numpy as np

from conformance.collection.places import ROOT
from conformance.sweep import Sweep
from newtonlite.envs import Environment, EventTerm, mdp, tasks
from tests.envs import test_vector

SEED, LARGE, FEW, EPISODE = 9, 4096, 10, 100
MODES = "modes of autoreset"


def modes(steps: int) -> dict:
    """Transitions of 64 worlds in the three modes, bit by bit."""
    test_vector.WORLDS = 64
    first, *rest = (test_vector.transitions(mode, steps) for mode in test_vector.AutoresetMode)
    count = same = ends = 0
    for other in rest:
        for a, b in zip(sum(first, []), sum(other, []), strict=True):
            same += all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
            count += 1
            ends += bool(a[3] or a[4])
    return {"verdict": "equal" if same == count else "different", "note": f"{count:,} transitions, {ends:,} ends"}


def trajectory(name: str, worlds: int, place: int, steps: int, threads: int) -> str:
    """SHA-256 of all that the world of ``SEED`` shows at a place among others."""
    task = tasks.load(name)
    task.episode_length = EPISODE
    task.events["mass"] = EventTerm(mdp.dr.body_mass, "reset", {"ranges": (0.9, 1.1)})
    env = Environment(task, worlds, seed=0, threads=threads)
    seeds = np.arange(worlds) + 1000
    seeds[place] = SEED
    env.reset(seed=seeds.tolist())
    rng, others = np.random.default_rng(SEED), np.random.default_rng(worlds)
    low, high = (np.nan_to_num(np.array(b), posinf=1.0, neginf=-1.0) for b in (env.actions.low, env.actions.high))
    sums, ends = hashlib.sha256(), 0
    for _ in range(steps):
        action = others.uniform(low, high, (worlds, len(low))).astype(np.float32)
        action[place] = rng.uniform(low, high)
        env.step(action)
        done = env.terminations.done.numpy()
        for array in (env.reward, env.terminations.done, env.truncated, *env.observations.values()):
            sums.update(array.numpy()[place].tobytes())
        ends += bool(done[place])
        if done.any():
            env.reset(env.terminations.done)
        for array in env.observations.values() if done[place] else ():
            sums.update(array.numpy()[place].tobytes())
    return f"{sums.hexdigest()} {ends}"


def elsewhere(name: str, steps: int) -> str:
    """The trajectory alone, in another process."""
    code = f"from conformance.environments import trajectory; print(trajectory({name!r}, 1, 0, {steps}, 1))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip().splitlines()[-1]


def judge(name: str, steps: int, worlds: int) -> dict:
    """The row of the modes or of a task."""
    if name == MODES:
        return modes(10 * steps)
    alone = trajectory(name, 1, 0, steps, 1)
    found = {
        f"among {worlds}, two threads": trajectory(name, worlds, worlds * 2 // 3, steps, 2) == alone,
        "in another process": elsewhere(name, steps) == alone,
        f"among {LARGE}, {FEW} steps": trajectory(name, LARGE, LARGE - 7, FEW, 2) == trajectory(name, 1, 0, FEW, 1),
    }
    wrong = [where for where, equal in found.items() if not equal]
    note = f"{steps} steps, {alone.split()[1]} episodes" + (f"; differs {', '.join(wrong)}" if wrong else "")
    return {"verdict": "different" if wrong else "equal", "note": note}


def page(rows: list[dict], steps: int, worlds: int) -> str:
    """The page's text."""
    head = f"""# Environments, bit by bit

`python -m conformance environments` wrote this page. Modes of autoreset: all transitions of 64 worlds of a cart-pole. Tasks: everything that a world
with one seed shows (observations, rewards, ends), run alone, among {worlds} worlds on two threads, in another process, and among {LARGE:,} worlds for {FEW}
steps; with the task's noise and pushes, and masses drawn at every reset. Controls are random, episodes {EPISODE} steps at most.

| case | verdict | |
|---|---|---|
"""
    return head + "".join(f"| {row['model']} | {row['verdict']} | {row.get('note', '')} |\n" for row in rows)


SWEEP = Sweep(
    module=__name__,
    page_file=ROOT / "docs" / "conformance" / "environments.md",
    cases=lambda steps, worlds: {name: name for name in [MODES, *tasks.names()]},
    judge=judge,
    page=page,
    options={"steps": 1000, "worlds": 64},
    needs=ROOT,
)
