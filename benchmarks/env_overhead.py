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
from newtonlite.envs import Environment, EventTerm, mdp, tasks


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


def parts(rounds: int) -> dict:
    """Share of a control step that height scans take of 1024 quadrupeds on rough ground, and that masses and friction add
    which change in about 1 % of 8192 worlds in every step.
    """
    env = Environment(tasks.load("quadruped_rough"), 1024, seed=0, threads=1)
    still = np.zeros((env.num_worlds, env.actions.count), np.float32)
    term = env.task.observations["policy"].terms["height_scan"]
    scan = lambda: env.terms.call("observation/policy/height_scan", term.func, term.params)
    scan(), env.step(still)
    scans = [cpu(scan, 5) / cpu(lambda: env.step(still), 3) for _ in range(rounds)]
    plain, changed = tasks.load("quadruped_velocity"), tasks.load("quadruped_velocity")
    for change, ranges in ((mdp.dr.body_mass, (0.8, 1.2)), (mdp.dr.geom_friction, (0.5, 1.2))):
        params = {"names": ".*", "ranges": ranges}
        changed.events[change.__name__] = EventTerm(change, "interval", params, interval_range_s=(1.0, 3.0))
    pair = [Environment(task, 8192, seed=0, threads=1) for task in (plain, changed)]
    still = np.zeros((8192, pair[0].actions.count), np.float32)
    for one in pair:
        one.step(still), one.step(still)
    times = [[cpu(lambda one=one: one.step(still), 2) for one in pair] for _ in range(rounds)]
    added = statistics.median(b / a - 1.0 for a, b in times)
    return {"height_scan": statistics.median(scans), "masses_and_friction": added}


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
    parser.add_argument("--parts", action="store_true", help="height scans and changes of the model instead")
    given = parser.parse_args()
    if given.parts:
        print(json.dumps(parts(given.rounds)))
        return
    for name in given.names:
        row = measure(name, given.worlds, given.rounds, given.count, given.threads)
        if given.against_gymnasium and name in TASKS:
            row["gymnasium_steps_per_cpu_s"] = gymnasium_speed(name, 500)
        print(json.dumps({k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()}), flush=True)


if __name__ == "__main__":
    main()
