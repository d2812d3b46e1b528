"""GPU playbook: what to measure on the first machine with a GPU, in parts of ten minutes at most that resume. See docs/gpu_playbook.md.

    python -m benchmarks gpu_parts smoke|races|profile|tests|tune [--minutes 9] [--again]
    python -m benchmarks gpu_parts all --rehearse        every part with tiny sizes under the emulator, without a GPU

A part does its jobs in order, keeps each as a line of ``out/gpu_playbook/PART.jsonl``, leaves out what is kept there, and begins no job
once its minutes are over: run it again to go on.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator

import numpy as np

from conformance.collection.places import ROOT

OUT = ROOT / "out" / "gpu_playbook"
SMOKE = (
    "humanoid",
    "every_pair_of_shapes",
    "equality_with_contacts",
    "heap_of_convex_shapes",
    "balls_and_pills_on_hills",
)
SCENES = ("humanoid", "three_humanoids", "g1", "g1_hfield", "aloha_pot", "panda", "box_stack")
RACES = [
    (name, worlds, mode)
    for batches in ((8192,), (1, 256, 32768))
    for name in SCENES
    for worlds in batches
    for mode in ("mjw", "spread")
]
"""All scenes at 8192 worlds first."""
TESTS = """
    solvers/mujoco/executor/test_determinism.py solvers/mujoco/executor/test_schedule.py solvers/mujoco/adapter/test_graph_capture.py
    solvers/mujoco/kernels/test_stages.py solvers/mujoco/test_parity.py solvers/mujoco/kernels/solve solvers/mujoco/kernels/collide
    solvers/mujoco/kernels/constraint solvers/mujoco/adapter solvers/mujoco/kernels solvers/mujoco mjwarp collide identities
""".split()
"""The most telling tests first."""
TUNING = (
    [{}]
    + [{"lanes": n} for n in (64, 128)]
    + [{"blocks": n} for n in (8, 12, 20, 24)]
    + [{"folded": n} for n in (12, 20, 24)]
    + [{"rounds": n} for n in (1, 2, 8)]
)
"""Chosen beforehand: lanes of a team, teams of 32 on a multiprocessor (which caps registers) of kernels that have no number of
their own and of kernels folded to a model, rounds of a wave.
"""


class Size:
    """How much a part does; tiny sizes are for the rehearsal."""

    def __init__(self, tiny: bool):
        self.tiny = tiny
        self.worlds, self.steps, self.batch = (3, 1, 4) if tiny else (24, 20, 8192)
        self.smoke = SMOKE[:1] if tiny else SMOKE
        self.tuning = [{}, {"rounds": 1}, {"folded": 20}] if tiny else TUNING


# parts: each yields (key, job)


def smoke(size: Size) -> Iterator[tuple[str, Callable]]:
    """Parity with MuJoCo, and equal bits over batch, order and runs."""
    for name in size.smoke:
        yield name, lambda name=name: smoke_of(name, size)


def smoke_of(name: str, size: Size) -> dict:
    from tests import oracle
    from tests.harness.engine import Engine
    from tests.tolerance import relative_error

    mj = oracle.named_model(name)
    states = oracle.rollout_states(mj, size.worlds, seed=11)
    turned = type(states)(**{k: v[::-1].copy() for k, v in vars(states).items()})
    one, other, again = (Engine(mj, s, "cuda:0").step() for s in (states, turned, states))
    truth = oracle.step(mj, states)
    errors = relative_error(one.read("qacc"), truth.qacc, 0.0)
    return {
        "worlds": size.worlds,
        "qacc_median": float(np.median(errors)),
        "qacc_worst": float(errors.max()),
        "bits_over_order": bool(np.array_equal(one.read("qpos"), other.read("qpos")[::-1])),
        "bits_over_runs": bool(np.array_equal(one.read("qpos"), again.read("qpos"))),
    }


def races(size: Size) -> Iterator[tuple[str, Callable]]:
    """Beside MuJoCo Warp with its recommended settings, every scene, mode and batch."""
    for name, worlds, mode in RACES[:1] if size.tiny else RACES:
        yield f"{name} {worlds} {mode}", lambda name=name, worlds=worlds, mode=mode: race(name, worlds, mode, size)


def race(name: str, worlds: int, mode: str, size: Size) -> dict:
    from benchmarks.record import run

    if size.tiny:
        return timed_steps({}, size) | {"note": "the emulator cannot record graphs: steps alone"}
    against = ("mujoco-warp",)
    return run(name, mode, worlds, 100, against, 3, "cuda:0", None, OUT / "races_raw.jsonl")


def profile(size: Size) -> Iterator[tuple[str, Callable]]:
    """Time of every kernel of a step with events, and counters of the two largest where ``ncu`` is on the path."""
    yield f"events {size.batch}", lambda: events(size)
    if shutil.which("ncu") and not size.tiny:
        yield "ncu", counters


def events(size: Size) -> dict:
    import warp as wp

    engine = humanoids(size)
    engine.schedule.step(3)
    launches = [
        launch for wave in engine.schedule.shards[0] for launch in wave.launches(engine.schedule.programs["step"], {})
    ]
    marks = [wp.Event(device="cuda:0", enable_timing=True) for _ in range(len(launches) + 1)]
    wp.record_event(marks[0])
    for launch, mark in zip(launches, marks[1:]):
        launch.launch()
        wp.record_event(mark)
    wp.synchronize_device("cuda:0")
    found: dict = {}
    for launch, a, b in zip(launches, marks, marks[1:]):
        key = launch.kernel.key
        found[key] = round(found.get(key, 0.0) + 1000.0 * wp.get_event_elapsed_time(a, b), 2)
    return {"batch": size.batch, "us": found}


def counters() -> dict:
    """Raw output of ncu for the two largest kernels of the last profile."""
    kept = {row["job"]: row for row in rows("profile")}
    times = next((row["us"] for job, row in kept.items() if job.startswith("events") and "us" in row), {})
    largest = sorted(times, key=times.get)[-2:]
    command = [
        "ncu",
        "--set",
        "full",
        "--launch-count",
        "2",
        "-k",
        f"regex:{'|'.join(largest)}",
        sys.executable,
        "-m",
        "benchmarks.gpu_parts",
        "steps",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500)
    (OUT / "ncu.txt").write_text(done.stdout + done.stderr)
    return {"kernels": largest, "rc": done.returncode, "output": "ncu.txt"}


def tests(size: Size) -> Iterator[tuple[str, Callable]]:
    """The suite's GPU sample, file by file."""
    for name in TESTS[:1] if size.tiny else TESTS:
        yield name, lambda name=name: test(name, size)


def test(name: str, size: Size) -> dict:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "", f"tests/{name}"] + ["--collect-only"] * size.tiny
    device = {} if size.tiny else {"NEWTONLITE_TEST_DEVICE": "cuda:0"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=540, env=os.environ | device)
    return {
        "rc": done.returncode,
        "last": done.stdout.strip().splitlines()[-1:],
        "failed": [x for x in done.stdout.splitlines() if x.startswith("FAILED")],
    }


def tune(size: Size) -> Iterator[tuple[str, Callable]]:
    """Time of a step of humanoids with other lanes, registers and waves."""
    for change in size.tuning:
        yield json.dumps(change), lambda change=change: timed_steps(change, size)


def timed_steps(change: dict, size: Size) -> dict:
    import warp as wp

    from newtonlite.solvers.mujoco.executor import fused_kernel, partition, plan

    with (
        replaced(partition, ROUNDS=change.get("rounds")),
        replaced(plan, BLOCKS_PER_SM=change.get("blocks")),
        replaced(fused_kernel, _kernels={} if change else None),
        replaced(plan, FOLDED_BLOCKS=dict.fromkeys(plan.FOLDED_BLOCKS, n) if (n := change.get("folded")) else None),
    ):
        engine = humanoids(size, change.get("lanes"))
        engine.schedule.step(2)
        wp.synchronize_device("cuda:0")
        began = time.perf_counter()
        engine.schedule.step(size.steps)
        wp.synchronize_device("cuda:0")
    seconds = (time.perf_counter() - began) / size.steps
    return {
        **change,
        "batch": size.batch,
        "step_us": round(1e6 * seconds, 1),
        "steps_per_s": round(size.batch / seconds),
    }


def humanoids(size: Size, nlane: int | None = None):
    """Humanoids in states met along rollouts."""
    from tests import oracle
    from tests.harness.engine import Engine

    mj = oracle.named_model("humanoid")
    few = oracle.rollout_states(mj, min(size.batch, 256), seed=3)
    many = type(few)(**{k: np.resize(v, (size.batch, *v.shape[1:])) for k, v in vars(few).items()})
    return Engine(mj, many, "cuda:0", nlane=nlane)


@contextlib.contextmanager
def replaced(module, **values) -> Iterator[None]:
    """Constants of a module with other values, where given."""
    old = {name: getattr(module, name) for name, value in values.items() if value is not None}
    for name in old:
        setattr(module, name, values[name])
    try:
        yield
    finally:
        for name, value in old.items():
            setattr(module, name, value)


PARTS = {"smoke": smoke, "races": races, "profile": profile, "tests": tests, "tune": tune}


def rows(part: str) -> list[dict]:
    """What is kept of a part."""
    file = OUT / f"{part}.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.is_file() else []


def run_part(part: str, size: Size, minutes: float, again: bool) -> int:
    """Do the jobs that are not kept; returns how many failed."""
    began, failed = time.perf_counter(), 0
    done = set() if again else {row["job"] for row in rows(part) if "error" not in row}
    for key, job in PARTS[part](size):
        if key in done:
            continue
        if time.perf_counter() - began > 60 * minutes:
            print(f"{part}: time is over before {key}; run it again to go on")
            break
        start = time.perf_counter()
        try:
            row = {"job": key, **job()}
        except Exception as problem:  # a job that fails is reported, and the others go on
            row, failed = {"job": key, "error": repr(problem), "trace": traceback.format_exc()[-2000:]}, failed + 1
        row["seconds"] = round(time.perf_counter() - start, 1)
        with (OUT / f"{part}.jsonl").open("a") as lines:
            lines.write(json.dumps(row) + "\n")
        print(f"{part}: {json.dumps({k: v for k, v in row.items() if k != 'trace'})[:300]}", flush=True)
    return failed


def main() -> int:
    global OUT
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=(*PARTS, "all", "steps"))
    parser.add_argument(
        "--minutes", type=float, default=9.0, help="begin no job after so many; for each part (%(default)s)"
    )
    parser.add_argument("--again", action="store_true", help="also what is kept")
    parser.add_argument("--rehearse", action="store_true", help="tiny sizes under the emulator")
    args = parser.parse_args()
    import warp as wp

    wp.config.log_level = wp.LOG_WARNING
    if args.rehearse:
        OUT = OUT / "rehearsal"
    elif not wp.is_cuda_available():
        print("no GPU that Warp can use; --rehearse goes through the parts without one", file=sys.stderr)
        return 2
    OUT.mkdir(parents=True, exist_ok=True)
    size = Size(args.rehearse)
    chosen = PARTS if args.part == "all" else {args.part: None}
    with contextlib.ExitStack() as stack:
        if args.rehearse:
            from conformance.emulate import emulator

            stack.enter_context(emulator().emulated(count=False, on_fault="raise"))
        if args.part == "steps":
            humanoids(size).schedule.step(2)
            return 0
        failed = sum(run_part(part, size, args.minutes, args.again) for part in chosen)
    print(f"kept under {OUT.relative_to(ROOT)}; {failed} jobs failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
