"""How long USD takes: import of a large stage, and recording beside simulation. Writes docs/usd_times.md.

    python -m benchmarks usd_times [--worlds 256] [--frames 300]

The stage is a plain of arms: bodies, joints, colliders and materials, 10,000 prims in all. The recording is of packaged
humanoids that fall, at 60 frames a second; its share is the wall time within the viewer over that within the solver.
"""

import argparse
import sys
import tempfile
import time
import warnings
from pathlib import Path

from conformance.collection.places import ROOT
from newtonlite import models
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.solver import SolverMuJoCo
from newtonlite.viewer import ViewerUSD

PAGE = ROOT / "docs" / "usd_times.md"
PRIMS, MOST = 10_000, 5.0
"""Prims of the stage, and the most seconds of its import."""
SHARE, SIZE = 0.1, 60.0
"""Largest share of recording in simulation, and size of the recording [MB]."""
FPS, DT = 60, 0.005

ARM = """
    def Xform "arm_{k}" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {{
        double3 xformOp:translate = ({x}, {y}, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Xform "upper" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {{
            def Capsule "rod" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {{
                double radius = 0.05
            }}
            def Cube "plate" {{
                double size = 0.2
            }}
        }}
        def PhysicsFixedJoint "base" {{
                rel physics:body1 = </plain/arm_{k}/upper>
            }}
        def Xform "lower" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {{
            def Sphere "hand" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {{
                double radius = 0.1
            }}
        }}
        def PhysicsRevoluteJoint "elbow" (prepend apiSchemas = ["PhysicsDriveAPI:angular"]) {{
            rel physics:body0 = </plain/arm_{k}/upper>
            rel physics:body1 = </plain/arm_{k}/lower>
            float physics:lowerLimit = -60
            float physics:upperLimit = 60
            float drive:angular:physics:stiffness = 1
        }}
    }}"""
EACH = 8
"""Prims of an arm."""


def stage() -> str:
    """The plain of arms."""
    arms = "".join(ARM.format(k=k, x=k % 40, y=k // 40) for k in range(PRIMS // EACH))
    return f'#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef Xform "plain" {{{arms}\n}}\n'


def import_time(runs: int = 3) -> tuple[float, int]:
    """Least processor time [s] of an import of the plain, and its bodies."""
    text, spent = stage(), []
    for _ in range(runs):
        builder, start = ModelBuilder(), time.process_time()
        builder.add_usd(text)
        spent.append(time.process_time() - start)
    return min(spent), builder.body_count


def recording(worlds: int, frames: int, folder: Path) -> dict[str, float]:
    """Wall time [s] of simulation and of recording, and the size [MB] of what was written."""
    robot, builder = ModelBuilder(), ModelBuilder()
    robot.add_mjcf(str(models.path("humanoid")))
    builder.replicate(robot, worlds, spacing=(2.0, 2.0, 0.0))
    model = builder.finalize(device="cpu")
    solver = SolverMuJoCo(model)
    one, two, control = model.state(), model.state(), model.control()
    solver.step(one, two, control, None, DT)  # compiles
    viewer = ViewerUSD(folder / "run.usdc", fps=FPS, num_frames=None)
    spent = {"simulation": 0.0, "recording": 0.0}
    start = time.perf_counter()
    viewer.set_model(model)
    spent["recording"] += time.perf_counter() - start
    now = 0.0
    for frame in range(frames):
        start = time.perf_counter()
        while now < (frame + 1) / FPS:
            solver.step(one, two, control, None, DT)
            one, two, now = two, one, now + DT
        middle = time.perf_counter()
        viewer.begin_frame(frame / FPS)
        viewer.log_state(one)
        viewer.end_frame()
        spent["simulation"] += middle - start
        spent["recording"] += time.perf_counter() - middle
    start = time.perf_counter()
    viewer.close()
    spent["recording"] += time.perf_counter() - start
    return spent | {"size": sum(file.stat().st_size for file in folder.iterdir()) / 1e6}


def main() -> int:
    """Measure, print, write the page; fail where a bound is passed."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--worlds", type=int, default=256)
    arguments.add_argument("--frames", type=int, default=300)
    args = arguments.parse_args()
    warnings.simplefilter("ignore")
    seconds, bodies = import_time()
    with tempfile.TemporaryDirectory() as folder:
        found = recording(args.worlds, args.frames, Path(folder))
    share = found["recording"] / found["simulation"]
    lines = [
        "# How long USD takes",
        "",
        "Written by `python -m benchmarks usd_times`: on one machine of two cores, warm; processor time of imports, wall time of the rest.",
        "",
        "| measure | found | bound |",
        "|---|---|---|",
        f"| import of a stage of {PRIMS:,} prims ({bodies:,} bodies) [s], least of three | {seconds:.2f} | {MOST:g} |",
        f"| simulation of {args.worlds} humanoids for {args.frames} frames at {FPS} a second, steps of {DT} s [s] | {found['simulation']:.2f} | |",
        f"| recording them with `ViewerUSD` [s] | {found['recording']:.2f} | |",
        f"| its share of the simulation | {100 * share:.1f} % | {100 * SHARE:.0f} % |",
        f"| size of the recording [MB] | {found['size']:.1f} | {SIZE:g} |",
    ]
    print("\n".join(lines[4:]))
    PAGE.write_text("\n".join(lines) + "\n")
    return int(seconds > MOST or share > SHARE or found["size"] > SIZE)


if __name__ == "__main__":
    sys.exit(main())
