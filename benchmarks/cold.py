"""How long a user waits: import, from the start of Python to the end of the first step (empty cache, filled cache), and
a big scene.

python -m benchmarks cold
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.scenes import RESULTS
from conformance.collection.places import ROOT
from newtonlite.cli.doctor import processor

IMPORT = "import newtonlite"
STEP = """
import warp as wp
wp.config.log_level = wp.LOG_WARNING
from newtonlite import models
from newtonlite.cli.simulation import SolverRun
SolverRun(models.path("humanoid"), 1, "zero", device="cpu").step()
"""
WARMUP = "from newtonlite.cli.main import main; main(['warmup'])"
NEW = """
import warp as wp
wp.config.log_level = wp.LOG_WARNING
from newtonlite import models
from newtonlite.cli.simulation import SolverRun
simulation = SolverRun(models.path("quadruped"), 1, "zero", device="cpu")
simulation.step()
"""
"""A model whose own kernels were never compiled, where those of all features were."""
BUILD = """
import time, resource
from newtonlite import models
from newtonlite.cli.simulation import scene
began = time.perf_counter()
builder = scene(models.path("humanoid"), 8192)
model = builder.finalize(device="cpu")
print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def run(code: str, cache: Path, kernels: str = "wait") -> dict:
    """Seconds a new Python needs for a piece of code, by the clock and of the processor; ``kernels``: what it does
    about those that are not compiled.
    """
    before, began = os.times(), time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "WARP_CACHE_PATH": str(cache), "NEWTONLITE_KERNELS": kernels},
        check=True,
        stderr=subprocess.DEVNULL,
    )
    wall, after = time.perf_counter() - began, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"wall_s": round(wall, 2), "cpu_s": round(cpu, 2)}


def build() -> dict:
    """Seconds to read, replicate and finalize 8192 humanoids, and the most memory the process held [MiB]."""
    done = subprocess.run([sys.executable, "-c", BUILD], cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, memory = done.stdout.split()[-2:]
    return {"wall_s": round(float(seconds), 2), "memory_MiB": int(memory)}


def main() -> None:
    """Measure, print, and add a line to results/cold.jsonl."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        found = {
            "import": run(IMPORT, cache),
            "first_step_cold": run(STEP, cache),
            "first_step_warm": run(STEP, cache),
            "build_8192": build(),
            "warmup": run(WARMUP, cache),
            "first_step_of_a_new_model": run(NEW, cache, "general"),
        }
    line = json.dumps({"when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "machine": processor(), **found})
    with (RESULTS / "cold.jsonl").open("a") as lines:
        lines.write(line + "\n")
    print(line)


if __name__ == "__main__":
    main()
