"""Frames of cameras per CPU second, beside MuJoCo Warp's and MuJoCo's own renderer, in turn. Writes docs/cameras_speed.md.

python -m benchmarks cameras [--worlds 8] [--rounds 7] [--only humanoid] [--page]
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import mujoco
import mujoco_warp as peer
import warp as wp

import newtonlite.mjwarp as mjw
from conformance.cameras import cases, filmed
from newtonlite.cli.doctor import processor

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "benchmarks" / "results" / "cameras.json", ROOT / "docs" / "cameras_speed.md"
SIZE = 64
SCENES = (
    "headlight",
    "directional",
    "textures",
    "humanoid",
    "unitree_g1",
    "unitree_go1",
    "shadow_hand",
    "aloha",
    "panda",
)
"""Parts of the names of the scenes."""
ON_PAGE = ("headlight", "textures", "humanoid", "unitree_g1", "shadow_hand", "aloha")
"""Those of ``--page``, of which there are so few because each kind of picture of MuJoCo Warp's is compiled anew."""
MINUTES = 7.0
"""Time after which ``--page`` begins no further scene."""
KINDS = {
    "depth": {"render_rgb": False, "render_depth": True},
    "colour": {"render_rgb": True, "render_depth": False, "render_skybox": True},
    "colour, shadows": {"render_rgb": True, "render_depth": False, "render_skybox": True, "use_shadows": True},
}
HEAD = """# Frames of cameras per CPU second

`python -m benchmarks cameras` writes this page: pictures of {size} x {size}, frames per CPU second of one process, {worlds} worlds a call, medians of
{rounds} rounds in turn with MuJoCo Warp {version} on the CPU (`refit_bvh` and `render`). MuJoCo's own renderer (OpenGL by Mesa's llvmpipe) is timed once a
scene, with its shadows. {cpu}.

| scene | geoms | picture | newtonlite | MuJoCo Warp | ratio | MuJoCo, OpenGL |
|---|--:|---|--:|--:|--:|--:|
"""


def frames(work, worlds: int) -> float:
    """Frames per CPU second of a call."""
    start = time.process_time()
    work()
    return worlds / (time.process_time() - start)


def opengl(mj, data, camera: int) -> float | None:
    """Frames per CPU second of MuJoCo's renderer; None without OpenGL."""
    try:
        from tests import oracle

        oracle.picture(mj, data, camera, SIZE, SIZE)
        return frames(lambda: oracle.picture(mj, data, camera, SIZE, SIZE), 1)
    except (ImportError, RuntimeError, AttributeError):
        return None


def measure(name: str, case: str, worlds: int, rounds: int) -> list[dict]:
    """Rows of a scene, one for each kind of picture."""
    mj, data = filmed(case)
    camera, rows = [mj.ncam - 1], []
    with wp.ScopedDevice("cpu"):
        m, d = mjw.put_model(mj), mjw.put_data(mj, data, nworld=worlds)
        mjw.forward(m, d)
        pm, pd = peer.put_model(mj), peer.put_data(mj, data, nworld=worlds)
        for kind, options in KINDS.items():
            ours = mjw.create_render_context(mj, worlds, (SIZE, SIZE), cam_active=camera, **options)
            theirs = peer.create_render_context(mj, worlds, (SIZE, SIZE), cam_active=camera, **options)

            def step(package=peer, rc=theirs) -> None:
                package.refit_bvh(pm, pd, rc)
                package.render(pm, pd, rc)

            mjw.render(m, d, ours)
            step()
            pairs = [
                (frames(lambda rc=ours: mjw.render(m, d, rc), worlds), frames(step, worlds)) for _ in range(rounds)
            ]
            a, b = (statistics.median(pair[i] for pair in pairs) for i in (0, 1))
            row = {"scene": name, "geoms": int(mj.ngeom), "picture": kind, "ours": a, "theirs": b}
            rows.append(row | {"ratio": statistics.median(x / y for x, y in pairs)})
            print(json.dumps(rows[-1]), flush=True)
    rows[-1]["opengl"] = opengl(mj, data, camera[0])
    return rows


def page(found: dict) -> str:
    """The page."""
    head = HEAD.format(size=SIZE, cpu=found["cpu"], version=found["version"], **found["options"])
    lines = []
    for row in found["rows"]:
        gl = f"{row['opengl']:.1f}" if row.get("opengl") else ""
        figures = f"{row['ours']:,.0f} | {row['theirs']:,.0f} | {row['ratio']:.2f} | {gl}"
        lines.append(f"| {row['scene']} | {row['geoms']} | {row['picture']} | {figures} |")
    return head + "\n".join(lines) + "\n"


def main() -> None:
    """Measure, keep the rows, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="")
    parser.add_argument(
        "--page", action="store_true", help="few scenes, within eight minutes, and the page of these alone"
    )
    given = parser.parse_args()
    wanted, begun = ON_PAGE if given.page else SCENES, time.monotonic()
    rows = json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() and given.only else []
    for name, case in cases().items():
        if given.page and time.monotonic() - begun > 60.0 * MINUTES:
            print(f"{name}: left out, there is no time for it")
        elif any(part in name for part in wanted) and given.only in name and "bright" not in name:
            rows = [row for row in rows if row["scene"] != name] + measure(name, case, given.worlds, given.rounds)
            options = {"worlds": given.worlds, "rounds": given.rounds}
            found = {"cpu": processor(), "version": mujoco.__version__, "options": options, "rows": rows}
            RESULTS.write_text(json.dumps(found, indent=1) + "\n")
            PAGE.write_text(page(found))
