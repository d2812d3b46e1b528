"""The scenes in which contacts are most of the work: stacks of boxes, a hundred free meshes falling and at rest, a
quadruped on hills.
"""

from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np

from newtonlite import models


def solid(seed: int, count: int = 16) -> str:
    """Vertices of a convex pebble of some 10 cm."""
    points = np.random.default_rng(seed).standard_normal((count, 3))
    points = points / np.linalg.norm(points, axis=1)[:, None] * [0.06, 0.07, 0.05]
    return " ".join(f"{x:.4f}" for x in points.ravel())


def free_meshes(count: int, kinds: int = 10) -> str:
    """Pebbles that fall into a box, in layers."""
    assets = "".join(f'<mesh name="m{k}" vertex="{solid(k)}"/>' for k in range(kinds))
    rng = np.random.default_rng(1)
    bodies = ""
    for i in range(count):
        x, y, z = 0.16 * (i % 5 - 2), 0.16 * (i // 5 % 5 - 2), 0.1 + 0.16 * (i // 25)
        turn = " ".join(f"{a:.0f}" for a in rng.uniform(-180, 180, 3))
        bodies += f'<body pos="{x:.2f} {y:.2f} {z:.2f}" euler="{turn}"><freejoint/><geom type="mesh" mesh="m{i % kinds}" density="500"/></body>'
    walls = "".join(
        f'<geom type="plane" size="0 0 1" pos="{-0.45 * x} {-0.45 * y} 0" zaxis="{x} {y} 0"/>'
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))
    )
    return f'<mujoco><option timestep="0.004"/><asset>{assets}</asset><worldbody><geom type="plane" size="0 0 1"/>{walls}{bodies}</worldbody></mujoco>'


def at_rest(text: str, steps: int = 1000) -> str:
    """A model with a keyframe of where its bodies are after so many of MuJoCo's steps."""
    mj = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(mj)
    mujoco.mj_step(mj, data, steps)
    pose = " ".join(f"{x:.9g}" for x in data.qpos)
    return text.replace("</mujoco>", f'<keyframe><key qpos="{pose}"/></keyframe></mujoco>')


def towers(count: int, height: int) -> str:
    """Stacks of equal boxes, some way apart."""
    bodies = "".join(
        f'<body pos="{i} 0 {0.2 * j + 0.1:.1f}"><freejoint/><geom type="box" size=".1 .1 .1" density="400"/></body>'
        for i in range(count)
        for j in range(height)
    )
    return (
        f'<mujoco><option timestep="0.004"/><worldbody><geom type="plane" size="0 0 1"/>{bodies}</worldbody></mujoco>'
    )


def on_hills(text: str, cells: int = 40) -> str:
    """A model with its floor replaced by a height field of waves of some centimetres."""
    x, y = np.meshgrid(np.linspace(0, 1, cells), np.linspace(0, 1, cells))
    heights = 0.5 + 0.25 * np.sin(23 * x) + 0.25 * np.sin(19 * y + 5 * x)
    rows = " ".join(f"{h:.4f}" for h in heights.ravel())
    asset = f'<asset><hfield name="hills" nrow="{cells}" ncol="{cells}" size="2 2 .05 .1" elevation="{rows}"/></asset>'
    floor = '<geom name="floor" type="plane" size="0 0 0.1"/>'
    if floor not in text:
        raise ValueError("on_hills: the model has no floor to replace")
    return text.replace(floor, '<geom name="floor" type="hfield" hfield="hills" pos="0 0 -.04"/>').replace(
        "<worldbody>", f"{asset}<worldbody>", 1
    )


def out_of_reach(file: Path, folder: Path) -> Path:
    """A model of ``file`` with an ellipsoid that moves nowhere, far above the rest; a file in ``folder``."""
    text = file.read_text().replace(
        "</worldbody>", '<geom type="ellipsoid" size=".1 .2 .3" pos="0 0 100"/></worldbody>', 1
    )
    path = folder / f"{file.stem}_and_ellipsoid.xml"
    path.write_text(text)
    return path


class Scene(NamedTuple):
    """A model, its capacities for contacts and rows, and how much of it is raced: ``few`` worlds beside slow opponents."""

    file: Path
    nconmax: int
    njmax: int
    worlds: int
    few: int
    steps: int


def write(folder: Path) -> dict[str, Scene]:
    """The scenes as files in a folder, by name."""
    texts = {
        "box_stack": (models.path("box_stack").read_text(), 96, 400, 64, 8, 20),
        "ten_boxes": (towers(1, 10), 100, 440, 64, 8, 20),
        "hundred_meshes": (free_meshes(100), 900, 3700, 8, 2, 5),
        "settled_meshes": (at_rest(free_meshes(100)), 900, 3700, 8, 2, 5),
        "quadruped_on_hills": (on_hills(models.path("quadruped").read_text()), 60, 300, 64, 8, 20),
    }
    found = {}
    for name, (text, *numbers) in texts.items():
        path = folder / f"{name}.xml"
        path.write_text(text)
        found[name] = Scene(path, *numbers)
    return found
