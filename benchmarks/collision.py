"""Scenes in which contacts are most of the work, beside MuJoCo C and MuJoCo Warp: steps and collision alone, in turn, in one process.

    python -m benchmarks.collision [--scenes box_stack,ten_boxes,...] [--worlds 64] [--rounds 5] [--threads 1,all] [--against mujoco,mujoco-warp]

A step is raced as ``newtonlite bench`` does it, from states met along a rollout: on one core, and on all of them beside MuJoCo C.
What a world takes in memory is counted for those races: what is kept of each, and the scratch of those that are on their way. Collision alone is what finds contacts from the poses
of geoms: newtonlite's three stages, and ``mj_collision``; MuJoCo's time includes the call from Python, less than a microsecond.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import mujoco
import numpy as np

from benchmarks.contact_scenes import write
from benchmarks.scenes import RESULTS
from newtonlite.cli.bench import measure, page
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.data import FIELDS, make_data
from newtonlite.solvers.mujoco.memory import SCRATCH, memory_report, one, scratch_sizes
from newtonlite.solvers.mujoco.kernels.position.kinematics import kinematics
from newtonlite.solvers.mujoco.model import put_model
from newtonlite.solvers.mujoco.schedule import Schedule
from newtonlite.solvers.mujoco.views import fields_used

SETTLE = 150  # steps before the first state that is kept


class Ours:
    """newtonlite's collision stages over states, on one thread."""

    def __init__(self, mj, qpos, nconmax: int):
        self.m = put_model(mj, len(qpos), "cpu")
        self.d = make_data(self.m, len(qpos), nconmax, 8, scratch="per_world")
        self.d.qpos.assign(qpos.astype(np.float32))
        self.schedule = Schedule(self.m, self.d, mode="staged", threads=1)
        self.schedule.add("place", (kinematics,))
        self.schedule.add("collide", pipeline.COLLISION)
        self.schedule.run("place")

    def run(self) -> None:
        """Once over all states."""
        self.schedule.run("collide")

    def contacts(self) -> float:
        """Mean number."""
        return float(self.d.ncon.numpy().mean())


class Theirs:
    """MuJoCo's collision over the same states."""

    def __init__(self, mj, qpos):
        self.mj, self.data = mj, []
        for row in qpos:
            data = mujoco.MjData(mj)
            data.qpos[:] = row.astype(np.float32)
            mujoco.mj_kinematics(mj, data)
            mujoco.mj_comPos(mj, data)
            self.data.append(data)

    def run(self) -> None:
        """Once over all states."""
        for data in self.data:
            mujoco.mj_collision(self.mj, data)

    def contacts(self) -> float:
        """Mean number."""
        return float(np.mean([data.ncon for data in self.data]))


def states(mj, count: int) -> np.ndarray:
    """Positions met along MuJoCo's own rollout."""
    data, rows = mujoco.MjData(mj), []
    for k in range(SETTLE + 10 * count):
        mujoco.mj_step(mj, data)
        if k >= SETTLE and (k - SETTLE) % 10 == 0:
            rows.append(data.qpos.copy())
    return np.array(rows)


def collision_alone(file: Path, worlds: int, rounds: int, nconmax: int) -> dict:
    """Microseconds of CPU for one world, the least over the rounds."""
    mj = mujoco.MjModel.from_xml_path(str(file))
    qpos = states(mj, worlds)
    both, best = [Ours(mj, qpos, nconmax), Theirs(mj, qpos)], [np.inf, np.inf]
    for _ in range(rounds + 1):
        for k, contender in enumerate(both):
            start = time.process_time()
            contender.run()
            best[k] = min(best[k], time.process_time() - start)
    ours, theirs = (1e6 * t / worlds for t in best)
    scratch = scratch_bytes(both[0])
    return {"newtonlite_us": ours, "mujoco_us": theirs, "ncon": both[0].contacts(), "mujoco_ncon": both[1].contacts(), "bytes_per_world": scratch}


def scratch_bytes(ours: Ours) -> int:
    """What the collision stages need for one world at a time: pairs, hits, contacts, and the workspace of the convex collider."""
    used = {name for stage in pipeline.COLLISION for owner, name in fields_used(stage) if owner == "d"}
    sizes = scratch_sizes(ours.m, ours.d.sizes, 1)
    return sum(one(FIELDS[name], sizes) for name in used if FIELDS[name].role in SCRATCH)


def races(file: Path, args, against: list, nconmax: int, njmax: int) -> dict:
    """The race of steps for each number of threads, "all" without MuJoCo Warp, whose CPU kernels run on one; and the memory of a world."""
    found = {}
    for threads in args.threads.split(","):
        many = threads == "all"
        peers = [name for name in against if not (many and name == "mujoco-warp")]
        key = "step_all_cores" if many else "step"
        found[key] = measure(
            file, "mixed", args.worlds, args.steps, peers, args.rounds, threads=None if many else int(threads), nconmax=nconmax, njmax=njmax, device="cpu"
        )
        print(page(found[key]), end="\n\n", flush=True)
    m = put_model(mujoco.MjModel.from_xml_path(str(file)), args.worlds, "cpu")
    report = memory_report(m, args.worlds, nconmax, njmax)
    kept, scratch = sum(report.data.values()), sum(report.scratch.values())
    found["memory"] = {"worlds": args.worlds, "kept_per_world": kept / args.worlds, "scratch": scratch, "per_world": report.per_world}
    print(f"memory: {kept / args.worlds / 1000:.1f} kB kept of a world; {scratch / 1000:.1f} kB of scratch for those on their way on all cores\n", flush=True)
    return found


def main() -> int:
    """Every scene; adds lines to results/collision.jsonl."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--scenes", default="box_stack,ten_boxes,hundred_meshes,quadruped_on_hills")
    arguments.add_argument("--worlds", type=int, default=64)
    arguments.add_argument("--steps", type=int, default=20)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--threads", default="1,all")
    arguments.add_argument("--against", default="mujoco,mujoco-warp")
    arguments.add_argument("--only", choices=("collision", "step"), default=None)
    args = arguments.parse_args()
    against = [name for name in args.against.split(",") if name]
    with tempfile.TemporaryDirectory() as folder:
        files = write(Path(folder))
        for name in args.scenes.split(","):
            file, nconmax, njmax = files[name]
            record = {"scene": name}
            if args.only != "step":
                alone = collision_alone(file, args.worlds, args.rounds, nconmax)
                record["collision"] = alone
                print(f"{name}: collision alone {alone['newtonlite_us']:.1f} us, MuJoCo {alone['mujoco_us']:.1f} us a world of "
                      f"{alone['ncon']:.1f} contacts (MuJoCo {alone['mujoco_ncon']:.1f}); {alone['bytes_per_world'] / 1000:.1f} kB a world", flush=True)  # fmt: skip
            if args.only != "collision":
                record |= races(file, args, against, nconmax, njmax)
            with (RESULTS / "collision.jsonl").open("a") as lines:
                lines.write(json.dumps(record) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
