"""What the viewer costs: CPU time of a frame, and how much a simulation at full speed is slowed.

``python -m benchmarks viewer [--worlds 1024] [--browser chromium]``: with and without a page in a headless browser, in
turn. A browser without a GPU draws on the CPU, so speeds are steps per second of CPU time of this process.
``share_of_cpu`` is the part of that time which went into the viewer: frames, the server's thread, and asking whether a
frame is due.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from newtonlite import models
from newtonlite.cli.main import quiet
from newtonlite.cli.simulation import Simulation
from newtonlite.viewer import Viewer

RESULTS = Path(__file__).parent / "results" / "viewer.jsonl"
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--ignore-gpu-blocklist",
    "--use-gl=angle",
    "--use-angle=gl-egl",
    "--window-size=1280,800",
)


def browser(name: str, url: str, folder: str) -> subprocess.Popen:
    """A headless browser on a page."""
    return subprocess.Popen(
        [name, *FLAGS, f"--user-data-dir={folder}", "--remote-debugging-port=0", url],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def rate(simulation: Simulation, viewer: Viewer | None, seconds: float) -> dict:
    """Steps of all worlds per second of CPU time of this process, over ``seconds`` of it, and per second of the clock on
    the wall.
    """
    frames, steps, asked = viewer.frames if viewer else 0, 0, 0.0
    spent = viewer.budget.total if viewer else 0.0
    cpu, wall = time.process_time(), time.perf_counter()
    while time.process_time() - cpu < seconds:
        simulation.step()
        steps += 1
        if viewer is not None:
            before = time.thread_time()
            viewer.poll()
            if not viewer.show(simulation.state, steps * simulation.timestep):
                asked += time.thread_time() - before
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    found = {"per_cpu_s": steps / cpu, "per_wall_s": steps / wall}
    if viewer is not None:
        count = viewer.frames - frames
        found |= {
            "frames_per_cpu_s": count / cpu,
            "fps": count / wall,
            "share_of_cpu": (asked + viewer.budget.total - spent) / cpu,
        }
    return found


def main() -> None:
    """Print a line for each part of the measurement."""
    options = argparse.ArgumentParser()
    options.add_argument("--worlds", type=int, default=1024)
    options.add_argument("--seconds", type=float, default=5.0, help="of CPU time, for each part of a round")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--model", default="humanoid")
    options.add_argument("--browser", default=shutil.which("chromium"))
    args = options.parse_args()
    quiet()
    simulation = Simulation(models.path(args.model), args.worlds, "random")
    simulation.step()
    began = time.process_time()
    viewer = Viewer(simulation.model)
    print(
        json.dumps(
            {
                "worlds": args.worlds,
                "batches": len(viewer.look.batches),
                "open_cpu_s": round(time.process_time() - began, 2),
            }
        )
    )
    found: dict[str, list] = {"without": [], "closed": [], "open": []}
    for _ in range(args.rounds):
        found["without"].append(rate(simulation, None, args.seconds))
        found["closed"].append(rate(simulation, viewer, args.seconds))
    if args.browser:
        with tempfile.TemporaryDirectory() as folder:
            page = browser(args.browser, viewer.url, folder)
            try:
                limit = time.perf_counter() + 60
                while not viewer.looked_at and time.perf_counter() < limit:
                    time.sleep(0.1)
                time.sleep(5)
                for _ in range(args.rounds):
                    found["without"].append(rate(simulation, None, args.seconds))
                    found["open"].append(rate(simulation, viewer, args.seconds))
            finally:
                page.terminate()
                page.wait()
    for name, rows in found.items():
        for row in rows:
            print(json.dumps({"viewer": name, **{key: round(value, 4) for key, value in row.items()}}))
    result = {"model": args.model, "worlds": args.worlds, "rounds": args.rounds, "seconds": args.seconds}
    result |= summary(found) | {"frame_cpu_ms": round(1e3 * viewer.budget.cost, 2)}
    print(json.dumps(result))
    with RESULTS.open("a") as lines:
        lines.write(json.dumps(result) + "\n")
    viewer.close()


def summary(found: dict[str, list]) -> dict:
    """Medians over the rounds; ``speed_closed`` and ``speed_open`` are relative to the round without a viewer beside
    each.
    """
    alone = [row["per_cpu_s"] for row in found["without"]]
    result = {}
    for name, before in (("closed", alone), ("open", alone[len(found["closed"]) :])):
        rows = found[name]
        if rows:
            result[f"speed_{name}"] = median(row["per_cpu_s"] / one for row, one in zip(rows, before, strict=False))
            result[f"share_{name}"] = sum(row["share_of_cpu"] for row in rows) / len(rows)
    if found["open"]:
        result["frames_per_cpu_s"] = median(row["frames_per_cpu_s"] for row in found["open"])
        result["fps"] = median(row["fps"] for row in found["open"])
    return {key: round(value, 4) for key, value in result.items()}


if __name__ == "__main__":
    main()
