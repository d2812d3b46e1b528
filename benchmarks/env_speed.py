"""Environment steps per CPU second beside gymnasium, EnvPool and mjlab, in turn.

    python -m benchmarks env_speed --peer gymnasium=PYTHON --peer envpool=PYTHON --peer mjlab=PYTHON

``PYTHON`` is the interpreter of an environment that has the peer. Every peer runs by itself in a process of its own
(``benchmarks/env_speed_peers.py``), ours through ``VectorEnv`` with one thread. Writes benchmarks/results/env_speed.json
and docs/env_speed.md.
"""

import argparse
import json
import statistics
import subprocess
import time
from pathlib import Path

import numpy as np

from benchmarks.gymnasium_parity import TASKS
from newtonlite.envs import make

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "benchmarks" / "results" / "env_speed.json", ROOT / "docs" / "env_speed.md"
PEERS = ("gymnasium", "envpool", "mjlab")
VELOCITY = "quadruped_velocity"
MJLAB = {VELOCITY: "Mjlab-Velocity-Flat-Unitree-Go1"}
WORLDS, SECONDS = 256, 3.0


def ours(name: str, worlds: int = WORLDS) -> float:
    """Steps of random control per CPU second, resets included."""
    env = make(name, worlds, autoreset_mode="SameStep", threads=1)
    env.reset(seed=0)
    low, high = (np.nan_to_num(b, posinf=1.0, neginf=-1.0) for b in (env.action_space.low, env.action_space.high))
    rng = np.random.default_rng(0)
    env.step(rng.uniform(low, high))
    start, count = time.process_time(), 0
    while time.process_time() - start < SECONDS:
        env.step(rng.uniform(low, high))
        count += 1
    return worlds * count / (time.process_time() - start)


def theirs(peer: str, python: str, name: str) -> float | None:
    """The same of a peer; None where it has no such task or fails."""
    known = MJLAB if peer == "mjlab" else TASKS
    if name not in known:
        return None
    script = ROOT / "benchmarks" / "env_speed_peers.py"
    done = subprocess.run([python, str(script), peer, known[name]], capture_output=True, text=True)
    if done.returncode:
        print(f"{peer} {name}: {done.stderr.strip().splitlines()[-1]}", flush=True)
        return None
    return json.loads(done.stdout.strip().splitlines()[-1])["steps_per_cpu_s"]


HEAD = f"""# Speed of environments

`python -m benchmarks env_speed` wrote this page: environment steps per CPU second on one core, medians of rounds in turn on a machine that others used
too. Ours are {WORLDS} worlds on one thread through `VectorEnv` with NumPy arrays, resets included; gymnasium is one environment, EnvPool a pool of 64 on one
thread, under random control.
"""
OTHER = """mjlab's task is its own velocity task of a Go1 with 64 worlds on the CPU, which it supports for evaluation: a robot of as many joints as our quadruped, not
the same task.
"""


def page(rows: dict) -> str:
    """The page's text, with the peers that were measured."""
    peers = [p for p in PEERS if any(row.get(p) for row in rows.values())]
    head = HEAD + (OTHER if "mjlab" in peers else "")
    head += f"\n| task | newtonlite | {' | '.join(peers)} |\n|---|---|{'---|' * len(peers)}\n"
    lines = []
    for name, row in rows.items():
        shown = [f"{row[p]:,.0f} ({row['newtonlite'] / row[p]:.1f}x)" if row.get(p) else "" for p in peers]
        lines.append(f"| {name} | {row['newtonlite']:,.0f} | {' | '.join(shown)} |\n")
    return head + "".join(lines) + "\nIn brackets: how many times the peer's ours is.\n"


def main() -> None:
    """Measure in turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="tasks; gymnasium's and the velocity task when none is named")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON", help=", ".join(PEERS))
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    peers = dict(p.split("=", 1) for p in given.peer)
    rows = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in given.names or [*TASKS, VELOCITY]:
        found: dict = {"newtonlite": [], **{p: [] for p in peers}}
        for _ in range(given.rounds):
            found["newtonlite"].append(ours(name))
            for peer, python in peers.items():
                found[peer].append(theirs(peer, python, name))
        rows[name] = rows.get(name, {}) | {k: statistics.median(v) for k, v in found.items() if v and None not in v}
        print(name, rows[name], flush=True)
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n")
        PAGE.write_text(page(rows))


if __name__ == "__main__":
    main()
