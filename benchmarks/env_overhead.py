"""What managers cost: control steps of a task beside bare steps of its engine, in turn, in CPU seconds.

    python -m benchmarks env_overhead quadruped_velocity --worlds 1024

Bare steps run the same program on the same worlds, as many physics steps as a control step has. ``--against-gymnasium``
times gymnasium's own environment of the same task too (one world, one process), where there is one.
"""

import argparse
import gc
import json
import statistics
import time
import tracemalloc

import numpy as np

from benchmarks.gymnasium_parity import TASKS
from newtonlite.envs import Environment, tasks


def cpu(work, count: int) -> float:
    """CPU seconds of one call, from some."""
    start = time.process_time()
    for _ in range(count):
        work()
    return (time.process_time() - start) / count


def measure(name: str, worlds: int, rounds: int, count: int, threads: int) -> dict:
    """Control steps per CPU second with and without managers, and what a step allocates in Python."""
    env = Environment(tasks.load(name), worlds, seed=0, threads=threads)
    low, high = (np.nan_to_num(np.array(b), posinf=0.3, neginf=-0.3) for b in (env.actions.low, env.actions.high))
    actions = (
        np.random.default_rng(0).uniform(0.3 * low, 0.3 * high, (16, worlds, env.actions.count)).astype(np.float32)
    )
    turn = iter(range(10**9))

    def step() -> None:
        env.step(actions[next(turn) % 16])
        if env.terminations.done.numpy().any():
            env.reset(env.terminations.done)

    for _ in range(20):
        step()
    pairs = []
    for _ in range(rounds):
        whole = cpu(step, count)
        saved = env.state()
        bare = cpu(lambda: env.sim.step(env.task.decimation, env.every), count)
        env.load(saved)
        pairs.append((whole, bare))
    tracemalloc.start()
    for _ in range(5):
        step()
    gc.collect()
    first = tracemalloc.get_traced_memory()[0]
    for _ in range(count):
        step()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    whole, bare = (statistics.median(p[i] for p in pairs) for i in (0, 1))
    shares = sorted(b / w for w, b in pairs)
    return {
        "task": name,
        "worlds": worlds,
        "env_steps_per_cpu_s": worlds / whole,
        "bare_steps_per_cpu_s": worlds / bare,
        "share_of_bare": statistics.median(shares),
        "least": shares[0],
        "most": shares[-1],
        "python_bytes_grown_per_step": grown / count,
    }


def gymnasium_speed(name: str, count: int) -> float:
    """Control steps per CPU second of gymnasium's environment."""
    import gymnasium

    env = gymnasium.make(TASKS[name])
    env.reset(seed=0)
    action = env.action_space.sample()

    def step() -> None:
        *_, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()

    return 1.0 / cpu(step, count)


def main() -> None:
    """Measure the tasks asked for; one line of JSON each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=["quadruped_velocity"])
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--against-gymnasium", action="store_true")
    given = parser.parse_args()
    for name in given.names:
        row = measure(name, given.worlds, given.rounds, given.count, given.threads)
        if given.against_gymnasium and name in TASKS:
            row["gymnasium_steps_per_cpu_s"] = gymnasium_speed(name, 500)
        print(json.dumps({k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()}), flush=True)


if __name__ == "__main__":
    main()
