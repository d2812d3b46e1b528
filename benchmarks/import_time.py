"""How long an import takes: the packaged humanoid, a robot of 60 meshes, thousands of sites, actuators and sensors, a
scene of 50,000 geoms. Writes docs/import_time.md.

    python -m benchmarks import_time [--geoms 50000] [--only sites]

Each line is the least processor time of a few runs, of ``add_mjcf`` and with ``finalize`` and ``compile_model``, beside
what MuJoCo takes from the same file, in turn. With ``--only`` models whose names have that word are measured and printed, and no
page is written. The meshes are made here: bumpy balls of 2,562 vertices in OBJ files.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import mujoco
import numpy as np

from conformance.collection.places import ROOT
from newtonlite import models
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model

PAGE = ROOT / "docs" / "import_time.md"
LINKS = 60


def scene(geoms: int) -> str:
    """A plain of boxes and balls, and a ball that falls on it."""
    shapes = ('<geom size=".1" pos="{} {} 1"/>', '<geom type="box" size=".1 .2 .1" pos="{} {} .1"/>')
    rows = [shapes[k % 2].format(k % 200, k // 200) for k in range(geoms - 1)]
    return (
        "<mujoco><worldbody>"
        + "\n".join(rows)
        + '<body pos="0 0 3"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
    )


def instrumented(sites: int) -> str:
    """A link with many sites, a sensor on each, and a motor on every other one."""
    rows = "".join(f"<site name='s{k}'/>" for k in range(sites))
    motors = "".join(f"<motor site='s{k}'/>" for k in range(sites // 2))
    sensors = "".join(f"<framepos objtype='site' objname='s{k}'/>" for k in range(sites))
    return (
        f"<mujoco><worldbody><body><joint axis='0 1 0'/><geom size='.1'/>{rows}</body></worldbody>"
        f"<actuator>{motors}</actuator><sensor>{sensors}</sensor></mujoco>"
    )


def ball(seed: int, level: int = 4) -> bytes:
    """A bumpy ball as an OBJ file: an icosahedron whose faces are cut in four ``level`` times."""
    import trimesh

    mesh = trimesh.creation.icosphere(subdivisions=level)
    radius = 0.1 * (1.0 + 0.2 * np.sin(3.0 * mesh.vertices + seed).prod(axis=1, keepdims=True))
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in mesh.vertices * radius]
    return "\n".join(lines + [f"f {a} {b} {c}" for a, b, c in mesh.faces + 1]).encode()


def robot(folder: Path) -> Path:
    """Six arms of ten links, each link with a mesh of its own."""
    for k in range(LINKS):
        (folder / f"link{k}.obj").write_bytes(ball(k))
    assets = "".join(f'<mesh file="link{k}.obj"/>' for k in range(LINKS))
    arms = ""
    for arm in range(6):
        links = "".join(
            f'<body pos="0 0 .25"><joint axis="{k % 2} 1 0"/><geom type="mesh" mesh="link{10 * arm + k}"/>'
            for k in range(10)
        )
        arms += f'<body pos="{arm} 0 0">{links}{"</body>" * 10}</body>'
    path = folder / "robot.xml"
    path.write_text(f"<mujoco><asset>{assets}</asset><worldbody>{arms}</worldbody></mujoco>")
    return path


def measure(source, runs: int) -> tuple[float, float, float]:
    """Least processor time [s] of add_mjcf, of all up to the compiled model, and of MuJoCo."""
    found = []
    for _ in range(runs):
        start = time.process_time()
        builder = ModelBuilder()
        builder.add_mjcf(str(source))
        read = time.process_time() - start
        compile_model(builder.finalize(device="cpu"))
        whole = time.process_time() - start
        start = time.process_time()
        text = str(source).lstrip().startswith("<")
        (mujoco.MjModel.from_xml_string if text else mujoco.MjModel.from_xml_path)(str(source))
        found.append((read, whole, time.process_time() - start))
    return tuple(min(column) for column in zip(*found))


def main() -> int:
    """Measure, print, write the page."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--geoms", type=int, default=50_000)
    arguments.add_argument("--only", default="", help="measure models whose names have this word; write no page")
    args = arguments.parse_args()
    lines = [
        "# Time of imports",
        "",
        "Written by `make import-time`: least processor seconds of some runs on one core of a shared machine, warm.",
        "",
        "| model | add_mjcf | and finalize, compile | MuJoCo |",
        "|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        cases = [
            ("humanoid", models.path("humanoid"), 5),
            (f"robot of {LINKS} meshes, 2,562 vertices each", robot(Path(folder)), 2),
            ("3,000 sites and sensors, 1,500 actuators", instrumented(3000), 5),
            (f"scene of {args.geoms:,} geoms", scene(args.geoms), 1),
        ]
        for name, source, runs in cases:
            if args.only in name:
                lines.append(f"| {name} | " + " | ".join(f"{spent:.3g}" for spent in measure(source, runs)) + " |")
                print(lines[-1], flush=True)
    if args.only:
        return 0
    PAGE.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
