"""Real robots: what Newton's importer makes of them, by number, and what MuJoCo compiles."""

import json
from collections import Counter

import pytest

from newtonlite.core.enums import GeoType, JointType
from newtonlite.core.errors import ParseError
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness.same_model import differences
from tests.oracle import ROOT, compile_xml
from tests.tolerance import tolerance

ASSETS = ROOT.parent / "shared" / "assets"
ROBOTS = """unitree_g1/g1_29dof.urdf bullet/r2d2.urdf bullet/quadruped/minitaur.urdf bullet/kuka_iiwa/model.urdf newton/quadruped.urdf
    bullet/cartpole.urdf franka_description/urdfs/fr3.urdf isaacgymenvs/robot_properties_fingers/urdf/trifinger.urdf""".split()
COMPILED = "bullet/cartpole.urdf bullet/quadruped/quadruped.urdf bullet/pendulum5.urdf newton/quadruped.urdf bullet/quadruped/vision60.urdf".split()
KINDS = {
    "box": GeoType.BOX,
    "sphere": GeoType.SPHERE,
    "cylinder": GeoType.CYLINDER,
    "capsule": GeoType.CAPSULE,
    "mesh": GeoType.MESH,
}

pytestmark = pytest.mark.skipif(not ASSETS.is_dir(), reason="needs the folder of real robots beside the project")


def facts(path: str) -> dict:
    """What Newton made of a robot."""
    models = json.loads((ASSETS / "MANIFEST.json").read_text())["models"]
    return next(m["newton_import"] for m in models if m["path"] == f"urdf/{path}")


@pytest.mark.parametrize("path", ROBOTS)
def test_as_newton(path):
    want, builder = facts(path), ModelBuilder()
    builder.add_urdf(str(ASSETS / "urdf" / path))
    assert (builder.body_count, builder.joint_dof_count, builder.articulation_count) == (
        want["bodies"],
        want["dofs"],
        want["articulations"],
    )
    assert Counter(JointType(t).name.lower() for t in builder.joint_type) == want["joints"]
    assert Counter(GeoType(t) for t in builder.shape_type) == {
        KINDS[kind]: number for kind, number in want["shapes"].items()
    }
    assert abs(sum(builder.body_mass) - want["mass"]) <= tolerance("compiled") * max(want["mass"], 1.0)


@pytest.mark.parametrize("path", COMPILED)
def test_as_mujoco(path):
    builder = ModelBuilder()
    builder.add_urdf(str(ASSETS / "urdf" / path), convention="mujoco")
    found = differences(compile_xml(ASSETS / "urdf" / path), compile_model(builder.finalize(device="cpu")))
    assert not {
        name: error
        for name, error in found.items()
        if name.startswith(("body_", "jnt_", "dof_", "geom_", "n")) and name != "jnt_range"
    }


@pytest.mark.parametrize("path", sorted((ASSETS / "urdf" / "invalid").rglob("*.urdf")), ids=lambda path: path.stem)
def test_files_that_mujoco_rejects_are_refused_with_a_place(path):
    builder = ModelBuilder()
    with pytest.raises(ParseError, match=rf"{path.name}:\d+:\d+: \S"):
        builder.add_urdf(str(path))
    assert not builder.body_count and not builder.joint_count
