"""Scenes in which contacts are most of the work, beside MuJoCo C and MuJoCo Warp: steps, collision alone, and memory.
Writes its part of docs/benchmarks.md.

    python -m benchmarks collision [--quick] [--scenes box_stack,ten_boxes,...] [--rounds 11]

A step is raced as ``newtonlite bench`` does it, in turn in one process, from states met along a rollout: on one core
beside MuJoCo C, on one core beside MuJoCo Warp over fewer worlds (its CPU kernels have one thread and are for
debugging), and on all cores beside MuJoCo C. Collision alone is what finds contacts from the poses of geoms:
newtonlite's stages, and ``mj_collision``; MuJoCo's time includes the call from Python, less than a microsecond. Memory
is what ``memory_report`` says.

What convex shapes cost those that have none: a humanoid is raced with itself and an ellipsoid that it cannot reach. The
first has neither the stages nor the scratch of convex pairs.

Each scene is kept in benchmarks/results/collision.json as soon as it is done, and the page is written from there.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import mujoco
import numpy as np

from benchmarks.collision_page import RECORDS, write_page
from benchmarks.scenes import scene as robot
from conformance.contact_scenes import Scene, out_of_reach, write
from newtonlite.cli.bench import measure, page
from newtonlite.cli.bench.contender import NewtonLite
from newtonlite.cli.bench.race import race
from newtonlite.cli.bench.workload import make_workload
from newtonlite.cli.simulation import compile_file
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.executor.memory import memory_report
from newtonlite.solvers.mujoco.executor.partition import partition
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.kernels.position.kinematics import kinematics
from newtonlite.solvers.mujoco.model import put_model

SETTLE = 150  # steps before the first state that is kept
HUMANOIDS = 256


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
    """Positions met along MuJoCo's own rollout, from the keyframe where there is one."""
    data, rows = mujoco.MjData(mj), []
    if mj.nkey:
        mujoco.mj_resetDataKeyframe(mj, data, 0)
    for k in range(SETTLE + 10 * count):
        mujoco.mj_step(mj, data)
        if k >= SETTLE and (k - SETTLE) % 10 == 0:
            rows.append(data.qpos.copy())
    return np.array(rows)


def collision_alone(scene: Scene, worlds: int, rounds: int) -> dict:
    """Microseconds of CPU for one world, the median over the rounds."""
    mj = mujoco.MjModel.from_xml_path(str(scene.file))
    qpos = states(mj, worlds)
    both, taken = [Ours(mj, qpos, scene.nconmax), Theirs(mj, qpos)], [[], []]
    for contender in both:
        contender.run()
    for _ in range(rounds):
        for contender, times in zip(both, taken):
            start = time.process_time()
            contender.run()
            times.append(time.process_time() - start)
    ours, theirs = (1e6 * median(times) / worlds for times in taken)
    return {"newtonlite_us": ours, "mujoco_us": theirs, "ncon": both[0].contacts(), "mujoco_ncon": both[1].contacts()}


def races(scene: Scene, rounds: int, all_worlds: int) -> dict:
    """Steps beside MuJoCo C on one core and on all, beside MuJoCo Warp on one."""

    def one(against: str, worlds: int, steps: int, threads: int | None, turns: int) -> dict:
        found = measure(
            scene.file,
            "mixed",
            worlds,
            steps,
            [against],
            turns,
            threads=threads,
            nconmax=scene.nconmax,
            njmax=scene.njmax,
            device="cpu",
        )
        print(page(found), end="\n\n", flush=True)
        return found

    return {
        "one_core": one("mujoco", all_worlds, scene.steps, 1, rounds),
        "mujoco_warp": one("mujoco-warp", scene.few, 4, 1, min(rounds, 3)),
        "all_cores": one("mujoco", all_worlds, scene.steps, None, rounds),
    }


def memory(scene: Scene, worlds: int) -> dict:
    """Bytes kept of one world, and of scratch for each of those on their way (one on every core)."""
    m = put_model(mujoco.MjModel.from_xml_path(str(scene.file)), worlds, "cpu")
    report = memory_report(m, worlds, scene.nconmax, scene.njmax, over=partition(m, threads=1))
    return {
        "kept": sum(report.data.values()) / worlds,
        "scratch": sum(report.scratch.values()),
        "fields": report.scratch,
    }


def convex_cost(folder: Path, rounds: int, worlds: int) -> dict:
    """A humanoid, and one with an ellipsoid that it cannot reach: CPU time of a step in turn, stages, and scratch."""
    known = robot("humanoid")
    file = out_of_reach(known.file, folder)
    contenders = []
    for name, path in (("without", known.file), ("with", file)):
        work = make_workload(path, compile_file(path), "mixed", worlds, 10, 0, known.nconmax, known.njmax, "cpu")
        contenders.append(NewtonLite(work, "cpu", 1))
        contenders[-1].name = name
    results = race(contenders[0].work, contenders, rounds)
    for record, contender in zip(results, contenders):
        m = contender.model
        report = memory_report(m, worlds, known.nconmax, known.njmax, over=partition(m, threads=1))
        record["scratch"] = sum(report.scratch.values())
        record["stages"] = [s.key.split(".")[-1] for s in contender.schedule.stages("step")]
    return {"worlds": worlds, "rounds": rounds, "results": results}


def keep(name: str, record: dict) -> None:
    """Put one scene's record among those there are, and write the page."""
    known = json.loads(RECORDS.read_text()) if RECORDS.is_file() else {}
    known[name] = record
    RECORDS.write_text(json.dumps(known, indent=1) + "\n")
    write_page(known)


def main() -> int:
    """Every scene, in some minutes."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument(
        "--scenes", default="box_stack,ten_boxes,hundred_meshes,settled_meshes,quadruped_on_hills,convex_cost"
    )
    arguments.add_argument("--rounds", type=int, default=11)
    arguments.add_argument(
        "--quick", action="store_true", help="three rounds of few worlds, and nothing is kept: whether it runs"
    )
    args = arguments.parse_args()
    rounds = 3 if args.quick else args.rounds
    with tempfile.TemporaryDirectory() as folder:
        scenes = write(Path(folder))
        for name in args.scenes.split(","):
            began = time.perf_counter()
            if name == "convex_cost":
                record = convex_cost(Path(folder), rounds, 16 if args.quick else HUMANOIDS)
            else:
                worlds = scenes[name].few if args.quick else scenes[name].worlds
                record = {
                    "collision": collision_alone(scenes[name], worlds, rounds),
                    **races(scenes[name], rounds, worlds),
                    "memory": memory(scenes[name], worlds),
                }
                print({key: round(value, 1) for key, value in record["collision"].items()})
            print(f"{name}: {time.perf_counter() - began:.0f} s\n", flush=True)
            if not args.quick:
                keep(name, record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
