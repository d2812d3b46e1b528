"""The one command for a machine with a GPU: compile, test, time against MuJoCo Warp, keep the figures.

    make gpu        or        python -m benchmarks gpu [--quick] [--no-tests]

Writes results/gpu-NAME.jsonl, one line per race, with the GPU's name, and what push and pull cost to
results/push_pull.jsonl. MuJoCo's Batch runs beside it on all CPU cores: its accelerations are the reference for both.
"""

import argparse
import os
import re
import subprocess
import sys
import time

import warp as wp

from benchmarks.record import failures, run
from benchmarks.scenes import RESULTS, scene
from conformance.collection.places import ROOT

RACES = [
    ("humanoid", 1),
    ("humanoid", 256),
    ("humanoid", 4096),
    ("humanoid", 8192),
    ("humanoid", 32768),
    ("three_humanoids", 8192),
]
QUICK = [("humanoid", 256), ("humanoid", 8192)]
STEPS = 100
BORDER = ["--worlds", "8192", "--processes", "3", "--device", "cuda:0"]


def tests(device: str) -> int:
    """The test suite on the GPU; its exit code."""
    print(f"testing on {device}", flush=True)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", ""], cwd=ROOT, env={**os.environ, "NEWTONLITE_TEST_DEVICE": device}
    ).returncode


def there(name: str) -> bool:
    """Whether a scene is at hand; says so where it is not."""
    try:
        return bool(scene(name))
    except FileNotFoundError as problem:
        print(f"left out: {problem}")
        return False


def main() -> int:
    """Everything; exit code 1 where a test failed or newtonlite overflowed or went bad, 2 without a GPU."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true", help="two races of three rounds")
    arguments.add_argument("--no-tests", action="store_true", help="time only")
    arguments.add_argument("--modes", default="mjw,spread")
    args = arguments.parse_args()
    if not wp.is_cuda_available():
        print("no GPU that Warp can use; newtonlite doctor says more", file=sys.stderr)
        return 2
    device = wp.get_device("cuda:0")
    print(f"{device.name}, sm_{device.arch}", flush=True)
    tested = 0 if args.no_tests else tests("cuda:0")
    file = RESULTS / f"gpu-{re.sub('[^A-Za-z0-9]+', '-', device.name)}.jsonl"
    results, began = [], time.perf_counter()
    for name, worlds in QUICK if args.quick else RACES:
        if not there(name):
            continue
        for mode in args.modes.split(","):
            results.append(
                run(name, mode, worlds, STEPS, ("mujoco", "mujoco-warp"), 3 if args.quick else 5, device, None, file)
            )
            print(f"{time.perf_counter() - began:.0f} s so far", flush=True)
    subprocess.run([sys.executable, "-m", "benchmarks.push_pull", *BORDER], cwd=ROOT, check=True)
    print(
        f"tests {'skipped' if args.no_tests else 'failed' if tested else 'passed'}; races failed: {', '.join(failures(results)) or 'none'}; wrote {file.name}"
    )
    return 1 if tested or failures(results) else 0


if __name__ == "__main__":
    sys.exit(main())
