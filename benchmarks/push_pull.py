"""What a scene's words cost: push and pull as a share of a solver's step.

    python -m benchmarks push_pull [--worlds N] [--rounds N] [--processes N] [--device D]

Humanoids in states met along random control. Every round runs, one after the other and from the same states: steps of
SolverMuJoCo, steps of the engine alone, and push with pull alone; medians of processor time (GPU: of wall time) over
the rounds. Where scratch and code lie can cost as much as the bound: step and engine share their scratch, which lies
elsewhere every few rounds, and medians are taken over processes, in each of which the code lies elsewhere. Adds to
results/push_pull.jsonl.
"""

import argparse
import json
import multiprocessing
import statistics
import time

import warp as wp

from benchmarks.scenes import RESULTS
from newtonlite import models
from newtonlite.cli.doctor import processor
from newtonlite.cli.simulation import SolverRun
from newtonlite.solvers.mujoco.adapter.programs import PULL, PUSH
from newtonlite.solvers.mujoco.executor.schedule import Schedule

WARM, STEPS, KINEMATICS = 240, 20, 3


class Case:
    """A solver whose worlds have moved for a while, and its engine by itself."""

    def __init__(self, file, worlds: int, device):
        self.sim = SolverRun(file, worlds, "random", device=device, threads=1)
        for _ in range(WARM):
            self.sim.step()
        solver = self.sim.solver
        solver.schedule.programs["engine"] = Schedule(solver.mjw_model, solver.mjw_data, threads=1).programs["step"]
        solver.schedule.add("push_pull", (), prologue=PUSH, epilogue=PULL)
        arrays = [*solver.mjw_data.arrays.values(), self.sim.state.joint_q, self.sim.state.joint_qd]
        self.kept = [(a, wp.clone(a)) for a in arrays if a.size]
        self.places: list = []
        self.bound = solver.only.binding.bind(self.sim.state, self.sim.state, self.sim.control, None, None)

    def ways(self) -> dict:
        """What is timed, by name."""
        solver = self.sim.solver.schedule
        return {
            "step": lambda: solver.run("step", STEPS, self.bound),
            "engine": lambda: solver.run("engine", STEPS),
            "push_pull": lambda: solver.run("push_pull", STEPS, self.bound),
        }

    def move(self) -> None:
        """Scratch somewhere else; what lay there before stays taken."""
        schedule = self.sim.solver.schedule
        self.places.append(schedule.shards)
        schedule._shard()

    def time(self, run) -> float:
        """Microseconds for one step of one world, from the kept states."""
        for target, source in self.kept:
            wp.copy(target, source)
        clock = time.process_time if self.sim.device.is_cpu else time.perf_counter
        wp.synchronize_device(self.sim.device)
        began = clock()
        run()
        wp.synchronize_device(self.sim.device)
        return (clock() - began) / (STEPS * self.sim.worlds) * 1e6


def once(worlds: int, rounds: int, device: str | None) -> dict:
    """Medians over rounds in this process: microseconds by way, and the shares."""
    case, times = Case(models.path("humanoid"), worlds, device), []
    ways = case.ways()
    for k in range(rounds):
        if k % KINEMATICS == 0:
            case.move()
            for run in ways.values():  # records the launches of the new place
                run()
        times.append({name: case.time(run) for name, run in ways.items()})
    found = {name: statistics.median(t[name] for t in times) for name in ways}
    found["share"] = statistics.median(t["push_pull"] / t["step"] for t in times)
    found["share_by_difference"] = statistics.median(1 - t["engine"] / t["step"] for t in times)
    return found | {"machine": case.sim.device.name if case.sim.device.is_cuda else processor()}


def main() -> None:
    """Measure, print, and keep a line."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--worlds", type=int, default=512)
    arguments.add_argument("--rounds", type=int, default=21)
    arguments.add_argument("--processes", type=int, default=11)
    arguments.add_argument("--device")
    args = arguments.parse_args()
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        found = pool.starmap(once, [(args.worlds, args.rounds, args.device)] * args.processes, chunksize=1)
    line = {
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": found[0]["machine"],
        "worlds": args.worlds,
    }
    line |= {name: round(statistics.median(f[name] for f in found), 4) for name in found[0] if name != "machine"}
    line["each_by_difference"] = sorted(round(f["share_by_difference"], 4) for f in found)
    line = json.dumps(line)
    with (RESULTS / "push_pull.jsonl").open("a") as lines:
        lines.write(line + "\n")
    print(line)


if __name__ == "__main__":
    main()
