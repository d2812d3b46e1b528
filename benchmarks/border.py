"""What a scene's words cost: push and pull as a share of a solver's step.

    python -m benchmarks.border [--worlds N] [--rounds N] [--device D]

Humanoids in states met along random control. Every round runs, one after the other and from the same states: steps of SolverMuJoCo, steps of
the engine alone, and push with pull alone; medians of processor time (GPU: of wall time) over the rounds. Step and engine share their scratch,
which lies elsewhere in memory every few rounds: where it lies can cost as much as the border. Adds to results/border.jsonl.
"""

import argparse
import json
import statistics
import time

import warp as wp

from benchmarks.scenes import RESULTS
from newtonlite import models
from newtonlite.cli.doctor import processor
from newtonlite.cli.simulation import Simulation
from newtonlite.solvers.mujoco.adapter.programs import PULL, PUSH
from newtonlite.solvers.mujoco.schedule import Schedule

WARM, STEPS, PLACE = 240, 20, 3


class Case:
    """A solver whose worlds have moved for a while, and its engine by itself."""

    def __init__(self, file, worlds: int, device):
        self.sim = Simulation(file, worlds, "random", device=device, threads=1)
        for _ in range(WARM):
            self.sim.step()
        solver = self.sim.solver
        solver.schedule.programs["engine"] = Schedule(solver.mjw_model, solver.mjw_data, threads=1).programs["step"]
        solver.schedule.add("border", (), before=PUSH, after=PULL)
        arrays = [*solver.mjw_data.arrays.values(), self.sim.state.joint_q, self.sim.state.joint_qd]
        self.kept = [(a, wp.clone(a)) for a in arrays if a.size]
        self.places: list = []
        self.border = solver.only.border.bind(self.sim.state, self.sim.state, self.sim.control, None, None)

    def ways(self) -> dict:
        """What is timed, by name."""
        solver = self.sim.solver.schedule
        return {
            "step": lambda: solver.run("step", STEPS, self.border),
            "engine": lambda: solver.run("engine", STEPS),
            "border": lambda: solver.run("border", STEPS, self.border),
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


def main() -> None:
    """Measure, print, and keep a line."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--worlds", type=int, default=512)
    arguments.add_argument("--rounds", type=int, default=30)
    arguments.add_argument("--device")
    args = arguments.parse_args()
    case, rounds = Case(models.path("humanoid"), args.worlds, args.device), []
    ways = case.ways()
    for k in range(args.rounds):
        if k % PLACE == 0:
            case.move()
            for run in ways.values():
                run()
        rounds.append({name: case.time(run) for name, run in ways.items()})
    found = {name: statistics.median(r[name] for r in rounds) for name in ways}
    found["share"] = statistics.median(r["border"] / r["step"] for r in rounds)
    found["share_by_difference"] = statistics.median(1 - r["engine"] / r["step"] for r in rounds)
    device = case.sim.device
    line = {"when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "machine": device.name if device.is_cuda else processor(), "worlds": args.worlds}
    line = json.dumps(line | {name: round(value, 4) for name, value in found.items()})
    with (RESULTS / "border.jsonl").open("a") as lines:
        lines.write(line + "\n")
    print(line)


if __name__ == "__main__":
    main()
