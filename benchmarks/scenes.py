"""The scenes the benchmarks run on, with the room each needs per world."""

from pathlib import Path
from typing import NamedTuple

from newtonlite import models

ROOT = Path(__file__).parents[1]
ASSETS = ROOT.parent / "shared" / "assets"
RESULTS = ROOT / "benchmarks" / "results"


class Scene(NamedTuple):
    file: Path
    nconmax: int
    njmax: int


def scene(name: str) -> Scene:
    """A scene by name; where the real robots are absent, the packaged humanoid stands in for the humanoid."""
    folder = ASSETS / "mjcf" / "mjwarp_bench" / "humanoid"
    known = {
        "humanoid": Scene(folder / "humanoid.xml", 24, 64),
        "three_humanoids": Scene(folder / "three_humanoids.xml", 100, 192),
        "packaged": Scene(models.path("humanoid"), 24, 80),
    }
    found = known[name]
    if found.file.is_file():
        return found
    if name == "humanoid":
        return known["packaged"]
    raise FileNotFoundError(f"{name}: needs the folder of real robots beside the project: {found.file}")
