"""Interleaved race in one process: each round every contender does the whole workload, in turn; medians count."""

import gc
import time
from statistics import median

import numpy as np

from newtonlite.cli.bench.workload import Workload


def race(work: Workload, contenders: list, rounds: int, progress=lambda share: None) -> list[dict]:
    """One record per contender; the first is the one the others are compared with.

    ``steps_per_second`` is by the clock on the wall. ``steps_per_cpu_second`` counts the processor time of all threads,
    which other processes on the machine disturb less. A contender whose worlds overflowed or went bad is marked failed.
    """
    accuracy = first_step(work, contenders)
    walls, cpus = [[] for _ in contenders], [[] for _ in contenders]
    gc.collect()
    gc.disable()
    try:
        for turn in range(rounds):
            for k, contender in enumerate(contenders):
                contender.reset()
                wall, cpu = time.perf_counter(), time.process_time()
                contender.run()
                walls[k].append(time.perf_counter() - wall)
                cpus[k].append(time.process_time() - cpu)
                progress((turn * len(contenders) + k + 1) / (rounds * len(contenders)))
    finally:
        gc.enable()
    records = [record(work, c, walls[k], cpus[k], accuracy[k]) for k, c in enumerate(contenders)]
    for other in records[1:]:
        other["ratio"] = ratios(records[0], other)
    return records


def record(work: Workload, contender, walls: list, cpus: list, accuracy: dict) -> dict:
    """Result record of one contender."""
    steps = work.nworld * work.nstep
    report = contender.report()
    finite = bool(np.isfinite(contender.acceleration()).all())
    return {
        "name": contender.name,
        "threads": contender.threads,
        "failed": bool(report.get("overflows") or report.get("bad") or not finite),
        "steps_per_second": steps / median(walls),
        "steps_per_cpu_second": steps / median(cpus),
        "us_per_step": 1e6 * median(walls) / steps,
        "rounds": [round(steps / wall) for wall in walls],
        "rounds_cpu": [round(steps / cpu) for cpu in cpus],
        **report,
        **accuracy,
    }


def ratios(ours: dict, other: dict) -> dict:
    """Speed ratios of the first to the second, by both clocks."""
    return {
        key: ours[f"steps_per_{name}"] / other[f"steps_per_{name}"]
        for key, name in (("wall", "second"), ("cpu", "cpu_second"))
    }


def first_step(work: Workload, contenders: list) -> list[dict]:
    """Compile everything by one step from the start, and compare its accelerations with MuJoCo's where that takes part."""
    accelerations = []
    for contender in contenders:
        began = time.perf_counter()
        contender.warm()
        accelerations.append((contender.acceleration().astype(float), time.perf_counter() - began))
    truth = next((a for c, (a, _) in zip(contenders, accelerations) if c.name == "mujoco"), None)
    return [
        {"first_step_s": seconds, **against(a, truth, c.name)} for c, (a, seconds) in zip(contenders, accelerations)
    ]


def against(acceleration, truth, name: str) -> dict:
    """Relative error of the acceleration in each world: median and worst."""
    if truth is None or name == "mujoco":
        return {}
    error = np.linalg.norm(acceleration - truth, axis=1) / np.linalg.norm(truth, axis=1)
    return {"qacc_error_median": float(np.median(error)), "qacc_error_max": float(error.max())}
