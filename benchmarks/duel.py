"""What a user calls, ``mjwarp.step``, of this checkout and of another (a worktree of an earlier commit), in turn from
the same states, on one thread of the CPU; with ``--call engine`` the engine below it.

    python -m benchmarks duel OTHER [--call step|engine] [--scenes humanoid,three_humanoids,FILE.xml] [--rounds N]

Both hold 512 worlds of a scene in states met along random control and take 10 steps in every round, in alternating
order. The median of the rounds' ratios of processor time counts: what else the machine does meets both alike. Adds to
results/duel.jsonl.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.scenes import RESULTS, scene
from conformance.collection.places import ROOT
from newtonlite.cli.bench.workload import make_workload
from newtonlite.cli.doctor import processor
from newtonlite.cli.simulation import compile_file

WORLDS, STEPS = 512, 10
ENGINE = """
import os, sys, time
import numpy as np
said = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)  # what Warp prints
os.cpu_count = lambda: 1  # threads of the call
from newtonlite import mjwarp
from newtonlite.cli import simulation
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.model import put_model
from newtonlite.solvers.mujoco.executor.schedule import Schedule
file, states, call, steps, nconmax, njmax = sys.argv[1], np.load(sys.argv[2]), sys.argv[3], *map(int, sys.argv[4:])
nworld = len(states["qpos"])
compile_file = getattr(simulation, "compile_file", None) or simulation.compiled  # its name in earlier commits
if call == "step":
    m = mjwarp.put_model(compile_file(file), device="cpu")
    shown = mjwarp.make_data(m, nworld, nconmax, njmax=njmax)
    d, step = shown.engine, lambda: mjwarp.step(m, shown)
else:
    m = put_model(compile_file(file), nworld, device="cpu")
    d = make_data(m, nworld, nconmax, njmax)
    step = Schedule(m, d).step
def run():
    for name, values in states.items():
        array = getattr(d, name)
        array.assign(np.pad(values, ((0, 0), (0, array.shape[1] - values.shape[1]))))
    began = time.process_time()
    for _ in range(steps):
        step()
    return time.process_time() - began
run()
print("ready", file=said)
for _ in sys.stdin:
    print(run(), file=said)
"""


class Engine:
    """A process with the engine of a checkout."""

    def __init__(self, checkout: Path, file: Path, states: Path, call: str, *numbers: int):
        command = [sys.executable, "-c", ENGINE, str(file), str(states), call, *map(str, numbers)]
        environment = {**os.environ, "PYTHONPATH": str(checkout)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, cwd=checkout, env=environment, text=True, bufsize=1, **pipes)
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError(f"{checkout}: its engine does not start; is it a checkout of this project?")

    def time(self) -> float:
        """Microseconds of processor time for one step of one world."""
        self.process.stdin.write("\n")
        return float(self.process.stdout.readline()) / (WORLDS * STEPS) * 1e6

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def duel(name: str, other: Path, rounds: int, call: str = "step") -> dict:
    """Medians of both, and of this checkout's time over the other's."""
    chosen = scene(name)
    work = make_workload(
        chosen.file,
        compile_file(chosen.file),
        "mixed",
        WORLDS,
        1,
        nconmax=chosen.nconmax,
        njmax=chosen.njmax,
        device="cpu",
    )
    with tempfile.TemporaryDirectory() as folder:
        states = Path(folder) / "states.npz"
        np.savez(states, qpos=work.qpos, qvel=work.qvel, qacc_warmstart=work.warmstart, ctrl=work.control[0])
        engines = [Engine(c, chosen.file, states, call, STEPS, chosen.nconmax, chosen.njmax) for c in (ROOT, other)]
    times = []
    for k in range(rounds):
        turn = [0, 1] if k % 2 else [1, 0]
        took = {i: engines[i].time() for i in turn}
        times.append((took[0], took[1]))
    for engine in engines:
        engine.end()
    ratios = [ours / theirs for ours, theirs in times]
    low, middle, high = statistics.quantiles(ratios, n=4)
    ours, theirs = (statistics.median(column) for column in zip(*times))
    return {
        "scene": name,
        "call": call,
        "us": round(ours, 3),
        "other_us": round(theirs, 3),
        "ratio": round(middle, 4),
        "quartiles": [round(low, 4), round(high, 4)],
    }


def commit(checkout: Path) -> str:
    return subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=checkout, capture_output=True, text=True
    ).stdout.strip()


def main() -> None:
    """Measure, print, and keep a line per scene."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("other", type=Path)
    arguments.add_argument("--scenes", default="humanoid,three_humanoids")
    arguments.add_argument("--call", choices=("step", "engine"), default="step")
    arguments.add_argument("--rounds", type=int, default=101)
    args = arguments.parse_args()
    other = args.other.resolve()
    head = {
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": processor(),
        "commit": commit(ROOT),
        "other": commit(other),
    }
    with (RESULTS / "duel.jsonl").open("a") as lines:
        for name in args.scenes.split(","):
            line = json.dumps(head | duel(name, other, args.rounds, args.call))
            print(line, flush=True)
            lines.write(line + "\n")


if __name__ == "__main__":
    main()
