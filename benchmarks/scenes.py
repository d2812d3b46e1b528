"""The scenes the benchmarks run on, with the capacity each needs per world."""

from pathlib import Path
from typing import NamedTuple

from conformance.collection.models import files, named
from conformance.collection.places import OWN, ROOT
from newtonlite import models

RESULTS = ROOT / "benchmarks" / "results"


class Scene(NamedTuple):
    """A model file and its capacities for contacts and constraint rows."""

    file: Path
    nconmax: int
    njmax: int


KNOWN = {
    "humanoid": (24, 64, "mjwarp_bench/humanoid/humanoid.xml"),
    "three_humanoids": (100, 192, "mjwarp_bench/humanoid/three_humanoids.xml"),
    "g1": (64, 256, "mjwarp_bench/unitree_g1/scene_flat.xml"),
    "g1_hfield": (96, 384, "mjwarp_bench/unitree_g1/scene_hfield.xml"),
    "aloha_pot": (128, 512, "mjwarp_bench/aloha/scene_pot.xml"),
    "panda": (32, 128, "mjwarp_bench/franka_emika_panda/scene.xml"),
}
"""Capacities of named scenes, and the model of the folder beside the project."""
STAND_INS = {
    "three_humanoids": "mujoco-warp/test_data/humanoid/n_humanoid.xml",
    "aloha_pot": "mujoco-warp/test_data/aloha_pot/scene.xml",
    "g1": "mjlab/asset_zoo/robots/unitree_g1/xmls/g1.xml",
    "panda": "genesis-world/assets/xml/franka_emika_panda/scene.xml",
}
"""Models of the collection that stand in where the folder is absent."""


def scene(name: str) -> Scene:
    """A scene by name, or a model file by its path, with capacity for 64 contacts and 256 rows. Where the folder beside
    the project is absent, models of the collection stand in, and the packaged humanoid for the humanoid.

    Raises FileNotFoundError for other scenes.
    """
    if name.endswith(".xml"):
        return Scene(Path(name).resolve(), 64, 256)
    if name == "box_stack":
        return Scene(OWN / "box_stack_three.xml", 32, 128)
    contacts, rows, model = KNOWN[name]
    if found := named([model]):
        return Scene(Path(found[model]), contacts, rows)
    if name == "humanoid":
        return Scene(models.path("humanoid"), 32, 128)
    if other := files().get(STAND_INS.get(name, "")):
        return Scene(Path(other), contacts, rows)
    raise FileNotFoundError(f"{name}: fetch the collection first (make collection)")
