"""What it costs to put a random 1 % of all worlds back to their start, beside a step.

    python -m benchmarks reset [--worlds 8192] [--share 0.01] [--rounds 9] [--device D]

Humanoids that have moved for a while under random control. Every round times one ``SolverMuJoCo.reset`` with a new
random mask and one step, in turn; medians of processor time (GPU: of wall time). Adds to results/reset.jsonl.
"""

import argparse
import json
import statistics
import time

import numpy as np
import warp as wp

from benchmarks.scenes import RESULTS
from newtonlite import models
from newtonlite.cli.doctor import processor
from newtonlite.cli.simulation import SolverRun

WARM = 20


def main() -> None:
    """Measure, print, and keep a line."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--worlds", type=int, default=8192)
    arguments.add_argument("--share", type=float, default=0.01)
    arguments.add_argument("--rounds", type=int, default=9)
    arguments.add_argument("--device")
    args = arguments.parse_args()
    sim = SolverRun(models.path("humanoid"), args.worlds, "random", device=args.device, threads=1)
    for _ in range(WARM):
        sim.step()
    rng, device = np.random.default_rng(0), sim.device
    sim.solver.reset(sim.state, wp.zeros(args.worlds, dtype=wp.bool, device=device))
    rounds = []
    for _ in range(args.rounds):
        mask = wp.array(rng.random(args.worlds) < args.share, dtype=wp.bool, device=device)
        rounds.append((timed(device, lambda: sim.solver.reset(sim.state, mask)), timed(device, sim.step)))  # noqa: B023
    reset, step = (statistics.median(column) for column in zip(*rounds, strict=True))
    found = {
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": device.name if device.is_cuda else processor(),
        "worlds": args.worlds,
        "share": args.share,
        "reset_ms": round(1e3 * reset, 3),
        "step_ms": round(1e3 * step, 3),
        "reset_per_step": round(reset / step, 4),
    }
    with (RESULTS / "reset.jsonl").open("a") as lines:
        lines.write(json.dumps(found) + "\n")
    print(json.dumps(found))


def timed(device, run) -> float:
    """Seconds that a call takes."""
    clock = time.process_time if device.is_cpu else time.perf_counter
    wp.synchronize_device(device)
    began = clock()
    run()
    wp.synchronize_device(device)
    return clock() - began


if __name__ == "__main__":
    main()
