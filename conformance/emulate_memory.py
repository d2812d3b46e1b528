"""Memory of many worlds on an emulated GPU: what the arrays of the benchmark humanoid really take there, beside the report that
says so beforehand. Writes conformance/results/emulate_memory.json.

    python -m conformance emulate_memory [--worlds 32768,131072]

Arrays are allocated, launches recorded, and nothing is run.
"""

import argparse
import gc
import json
import sys

import warp as wp

from benchmarks.scenes import scene
from conformance.collection.places import ROOT
from conformance.emulate import available, emulator

RESULTS = ROOT / "conformance" / "results" / "emulate_memory.json"
MODEL = scene("humanoid").file
NCONMAX, NJMAX = 24, 64
H100_BYTES = 80 * 10**9


def measure(mj, nworld: int) -> dict:
    """Bytes that are allocated for ``nworld`` worlds once a step is ready to run, and those of the report."""
    from newtonlite.solvers.mujoco.data import make_data
    from newtonlite.solvers.mujoco.executor.memory import memory_report
    from newtonlite.solvers.mujoco.executor.schedule import Schedule
    from newtonlite.solvers.mujoco.model import put_model

    with emulator().emulated(poison=False) as e:
        gc.collect()
        before = allocated(e)
        m = put_model(mj, nworld, "cuda:0")
        said = memory_report(m, nworld, NCONMAX, NJMAX)
        d = make_data(m, nworld, NCONMAX, NJMAX)
        schedule = Schedule(m, d)
        waves = [shard for shards in schedule.shards for shard in shards]
        for shard in waves:
            shard.launches(schedule.programs["step"], {})
        gc.collect()
        taken = allocated(e) - before
    return {
        "worlds": nworld,
        "waves": len(waves),
        "allocated": taken,
        "reported": said.total,
        "kept_per_world": sum(said.data.values()) / nworld,
        "scratch": sum(said.scratch.values()),
    }


def allocated(e) -> int:
    """Bytes that are allocated on the emulated device."""
    return sum(size for _, size in list(e.memory.values()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", default="8192,32768,131072")
    chosen = parser.parse_args()
    if not available():
        print("emulate_memory: needs a C++ compiler", file=sys.stderr)
        return 2
    from tests import oracle

    wp.config.log_level = wp.LOG_WARNING
    mj = oracle.compile_xml(MODEL)
    rows = [measure(mj, int(n)) for n in chosen.worlds.split(",")]
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n")
    for row in rows:
        print(
            f"{row['worlds']} worlds: {row['allocated'] / 2**20:,.0f} MiB allocated, {row['reported'] / 2**20:,.0f} MiB reported,"
            f" {row['kept_per_world'] / 1000:.1f} kB kept per world, {row['scratch'] / 2**20:,.0f} MiB scratch, {row['waves']} waves"
        )
    off = [r for r in rows if not 0.99 < r["allocated"] / r["reported"] < 1.01 or r["allocated"] > H100_BYTES]
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
