"""Cost of a call: the step functions that users call, with a pendulum as physics, beside MuJoCo's Batch.

    python -m benchmarks calls [--rounds 15] [--count 500]

Microseconds of a step of 1 world on 1 thread and of 2 worlds on 2, by the clock and by the processor time of all
threads: the least over rounds in turn, which what else the machine does disturbs least. ``inside`` is the program that
the call runs, physics (with push and pull) and nothing else; ``beside`` the difference by the clock, and ``functions``
the number of Python and C functions that a call enters. Of an environment, ``Simulation.step`` is what ``VectorEnv.step``
calls for its physics; the rest are the terms of the task, each of which is a kernel launched from Python, and the arrays
that gymnasium hands out.
"""

import argparse
import json
import sys
import time

import numpy as np

from benchmarks.scenes import RESULTS
from newtonlite.cli.doctor import processor

PENDULUM = """<mujoco><worldbody><body><joint name="hinge" axis="0 1 0"/><geom type="capsule" size=".1" fromto="0 0 0 0 0 1"/>
  </body></worldbody><actuator><motor joint="hinge"/></actuator></mujoco>"""


def calls(worlds: int, threads: int) -> dict:
    """Pairs of functions by name: a call, and what it is there for (None where that is all)."""
    from newtonlite import ModelBuilder, mjwarp
    from newtonlite.envs import VectorEnv, tasks
    from newtonlite.solvers import SolverMuJoCo

    m = mjwarp.put_model(mjwarp.load(PENDULUM), device="cpu")
    d = mjwarp.make_data(m, worlds, threads=threads)
    mjwarp.step(m, d)
    robot, builder = ModelBuilder(), ModelBuilder()
    SolverMuJoCo.register_custom_attributes(robot)
    robot.add_mjcf(PENDULUM)
    builder.replicate(robot, worlds)
    model = builder.finalize(device="cpu")
    solver = SolverMuJoCo(model, threads=threads)
    states, control = (model.state(), model.state()), model.control()
    solver.step(*states, control)
    engine = solver.groups[0]
    bound = engine.binding.bind(*states, control)
    env = VectorEnv(tasks.load("cartpole"), worlds, threads=threads)
    env.reset(seed=0)
    sim, action = env.env.sim, np.zeros((worlds, 1), np.float32)
    env.step(action)
    found = {
        "mjwarp.step": (lambda: mjwarp.step(m, d), d.schedule(m).step),
        "SolverMuJoCo.step": (lambda: solver.step(*states, control), lambda: engine.schedule.run("step", 1, bound)),
        "Simulation.step": (lambda: sim.step(1, env.env.every), lambda: sim.schedule.run("env_step", 1)),
        "VectorEnv.step": (lambda: env.step(action), lambda: sim.step(env.task.decimation, env.env.every)),
    }
    try:
        import mujoco
        from mujoco.batch import Batch

        batch = Batch(mujoco.MjModel.from_xml_string(PENDULUM), nsim=worlds, nthread=threads)
        found["mujoco.batch"] = (batch.step, None)
    except ImportError:
        pass
    return found


def functions(call) -> int:
    """Functions that a call enters, of Python and of C."""
    count = [0]

    def look(frame, event, argument) -> None:
        count[0] += event in ("call", "c_call")

    call()
    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
    return count[0] - 1  # the last one is setprofile


def least(call, count: int) -> tuple[float, float]:
    """Microseconds of a call, by the clock and of processor time."""
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(count):
        call()
    return (time.perf_counter() - wall) / count * 1e6, (time.process_time() - cpu) / count * 1e6


def measure(worlds: int, threads: int, rounds: int, count: int) -> list[dict]:
    """A row for each call."""
    found = calls(worlds, threads)
    pairs = {(name, k): call for name, pair in found.items() for k, call in enumerate(pair) if call}
    times = {key: [] for key in pairs}
    for _ in range(rounds):
        for key, call in pairs.items():
            times[key].append(least(call, count))
    best = {key: np.min(values, axis=0) for key, values in times.items()}
    rows = []
    for name, (call, inside) in found.items():
        row = {"call": name, "worlds": worlds, "threads": threads, "us": best[name, 0][0], "cpu_us": best[name, 0][1]}
        if inside:
            row |= {"inside_us": best[name, 1][0], "beside_us": best[name, 0][0] - best[name, 1][0]}
        rows.append(row | {"functions": functions(call)})
    return rows


def main() -> None:
    """Measure, print a table, and keep a line."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=15)
    arguments.add_argument("--count", type=int, default=500)
    args = arguments.parse_args()
    rows = [row for n in (1, 2) for row in measure(n, n, args.rounds, args.count)]
    print(f"{'':<20}{'worlds':>7}{'threads':>8}{'us':>9}{'CPU us':>9}{'inside':>9}{'beside':>9}{'functions':>11}")
    for row in rows:
        numbers = [f"{row[k]:9.2f}" if k in row else " " * 9 for k in ("us", "cpu_us", "inside_us", "beside_us")]
        print(f"{row['call']:<20}{row['worlds']:>7}{row['threads']:>8}{''.join(numbers)}{row['functions']:>11}")
    head = {"when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "machine": processor()}
    with (RESULTS / "calls.jsonl").open("a") as lines:
        lines.write(
            json.dumps(
                head
                | {"rows": [{k: round(v, 2) if isinstance(v, float) else v for k, v in row.items()} for row in rows]}
            )
            + "\n"
        )


if __name__ == "__main__":
    main()
