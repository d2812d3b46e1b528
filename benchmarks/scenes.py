"""The scenes the benchmarks run on, with the capacity each needs per world."""

from pathlib import Path
from typing import NamedTuple

from newtonlite import models

ROOT = Path(__file__).parents[1]
ASSETS = ROOT.parent / "shared" / "assets"
RESULTS = ROOT / "benchmarks" / "results"


class Scene(NamedTuple):
    """A model file and its capacities for contacts and constraint rows."""

    file: Path
    nconmax: int
    njmax: int


def scene(name: str) -> Scene:
    """A scene by name, or a model file by its path, with capacity for 64 contacts and 256 rows. Where the real robots are
    absent, the packaged humanoid stands in for the humanoid.

    Raises FileNotFoundError for other scenes.
    """
    if name.endswith(".xml"):
        return Scene(Path(name).resolve(), 64, 256)
    folder = ASSETS / "mjcf" / "mjwarp_bench"
    known = {
        "humanoid": Scene(folder / "humanoid" / "humanoid.xml", 24, 64),
        "three_humanoids": Scene(folder / "humanoid" / "three_humanoids.xml", 100, 192),
        "g1": Scene(folder / "unitree_g1" / "scene_flat.xml", 64, 256),
        "g1_hfield": Scene(folder / "unitree_g1" / "scene_hfield.xml", 96, 384),
        "aloha_pot": Scene(folder / "aloha" / "scene_pot.xml", 128, 512),
        "panda": Scene(folder / "franka_emika_panda" / "scene.xml", 32, 128),
        "box_stack": Scene(ROOT / "tests" / "models" / "box_stack_three.xml", 32, 128),
    }
    if known[name].file.is_file():
        return known[name]
    if name == "humanoid":
        return Scene(models.path("humanoid"), 32, 128)
    raise FileNotFoundError(f"{name}: needs the folder of real robots, shared/assets beside the project")
