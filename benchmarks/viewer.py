"""What the viewer costs: CPU time of a frame, and how much a simulation at full speed is slowed.

``python -m benchmarks viewer [--worlds 1024] [--drawing Mesa|SwiftShader|none]``: with and without a page in a headless
Chromium, in turn. A browser without a GPU draws on the CPU, so speeds are steps per second of CPU time of this process.
With ``none`` the page does all but draw, so that its share of the cores is nearer to that of a page with a GPU.
``fps`` counts frames that were sent, ``drawn_fps`` those that the browser drew (with the extra ``test``, for playwright).
``share_of_cpu`` is the part of that time which went into the viewer: frames, the server's thread, and asking whether a
frame is due.
"""

import argparse
import json
import shutil
import time
from pathlib import Path
from statistics import median

from newtonlite import models
from newtonlite.cli.simulation import Simulation
from newtonlite.core.warp_log import quiet
from newtonlite.viewer import Viewer

RESULTS = Path(__file__).parent / "results" / "viewer.jsonl"
FLAGS = ("--headless=new", "--no-sandbox", "--ignore-gpu-blocklist")
DRAWING = {
    "Mesa": ("--use-gl=angle", "--use-angle=gl-egl"),
    "none": ("--use-gl=angle", "--use-angle=gl-egl"),
    "SwiftShader": ("--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
}
SIZE = {"width": 1280, "height": 800}
COUNT = """
window.drawn = 0; window.__THREE_DEVTOOLS__ = new EventTarget();
window.__THREE_DEVTOOLS__.addEventListener('observe', event => {
  const renderer = event.detail;
  if (!renderer || !renderer.isWebGLRenderer) return;
  const render = renderer.render.bind(renderer);
  renderer.render = (...what) => { if (DRAWS) render(...what); window.drawn += 1 };
});
"""
"""three.js announces its renderer; every picture it draws, or would draw, is counted."""


class Browser:
    """A headless Chromium on a page."""

    def __init__(self, program: str, drawing: str, url: str):
        from playwright.sync_api import sync_playwright

        self.tool = sync_playwright().start()
        self.chromium = self.tool.chromium.launch(executable_path=program, args=[*FLAGS, *DRAWING[drawing]])
        self.tab = self.chromium.new_page(viewport=SIZE)
        self.tab.add_init_script(COUNT.replace("DRAWS", str(drawing != "none").lower()))
        self.tab.goto(url)

    @property
    def drawn(self) -> int:
        """Pictures drawn so far; waits until the browser answers."""
        return self.tab.evaluate("() => window.drawn")

    def close(self) -> None:
        """End it."""
        self.chromium.close()
        self.tool.stop()


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
    options.add_argument("--drawing", default="Mesa", choices=DRAWING, help="what draws in the browser, on the CPU")
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
        page = Browser(args.browser, args.drawing, viewer.url)
        try:
            limit = time.perf_counter() + 60
            while not viewer.looked_at and time.perf_counter() < limit:
                time.sleep(0.1)
            time.sleep(5)
            for _ in range(args.rounds):
                found["without"].append(rate(simulation, None, args.seconds))
                drawn, began = page.drawn, time.perf_counter()
                row = rate(simulation, viewer, args.seconds)
                row["drawn_fps"] = (page.drawn - drawn) / (time.perf_counter() - began)
                found["open"].append(row)
        finally:
            page.close()
    for name, rows in found.items():
        for row in rows:
            print(json.dumps({"viewer": name, **{key: round(value, 4) for key, value in row.items()}}))
    result = {
        "model": args.model,
        "worlds": args.worlds,
        "drawing": args.drawing,
        "rounds": args.rounds,
        "seconds": args.seconds,
    }
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
        result["drawn_fps"] = median(row["drawn_fps"] for row in found["open"])
    return {key: round(value, 4) for key, value in result.items()}


if __name__ == "__main__":
    main()
