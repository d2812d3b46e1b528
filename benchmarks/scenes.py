"""The scenes the benchmarks run on, with the room each needs per world."""

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
ASSETS = ROOT.parent / "shared" / "assets"
RESULTS = ROOT / "benchmarks" / "results"


class Scene(NamedTuple):
    file: Path
    nconmax: int
    njmax: int


def scene(name: str) -> Scene:
    """A scene by name; FileNotFoundError where the real robots are absent."""
    folder = ASSETS / "mjcf" / "mjwarp_bench" / "humanoid"
    known = {
        "humanoid": Scene(folder / "humanoid.xml", 24, 64),
        "three_humanoids": Scene(folder / "three_humanoids.xml", 100, 192),
    }
    if not known[name].file.is_file():
        raise FileNotFoundError(f"{name}: needs the folder of real robots beside the project: {ASSETS.name}")
    return known[name]
