"""Race newtonlite on the CPU against MuJoCo's Batch and MuJoCo Warp: same states, equal threads, one process.

    python -m benchmarks cpu [--worlds 512] [--rounds 7] [--modes mixed,spread,mjw] [--threads 1,2]

MuJoCo Warp has one thread on the CPU, so it takes part where one thread races. Each race adds a line to
results/cpu.jsonl.
"""

import argparse
import sys

from benchmarks.record import failures, run
from benchmarks.scenes import RESULTS


def main() -> int:
    """All races; exit code 1 where newtonlite failed in one."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--scenes", default="humanoid,three_humanoids")
    arguments.add_argument("--modes", default="mixed,spread,mjw")
    arguments.add_argument("--threads", default="1,2")
    arguments.add_argument("--worlds", type=int, default=512)
    arguments.add_argument("--steps", type=int, default=20)
    arguments.add_argument("--rounds", type=int, default=7)
    args = arguments.parse_args()
    results = []
    for name in args.scenes.split(","):
        for mode in args.modes.split(","):
            for threads in map(int, args.threads.split(",")):
                against = ("mujoco", "mujoco-warp") if threads == 1 else ("mujoco",)
                results.append(
                    run(
                        name, mode, args.worlds, args.steps, against, args.rounds, "cpu", threads, RESULTS / "cpu.jsonl"
                    )
                )
    print("failed: " + (", ".join(failures(results)) or "none"))
    return 1 if failures(results) else 0


if __name__ == "__main__":
    sys.exit(main())
