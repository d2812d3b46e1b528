"""Flexes of compiled models: the arrays of cases of all kinds, and of models that lie beside the project, are MuJoCo's."""

import json

import pytest

from conformance.collection.places import ROOT
from newtonlite.core.errors import ModelError
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests import oracle
from tests.harness import import_fields
from tests.tolerance import tolerance

SHARED = ROOT.parent / "shared"
CASES = SHARED / "reference" / "soft_bodies_cases.json"
ASSETS = SHARED / "assets" / "mjcf"
ELSEWHERE = ("fcm_sphere",)
"""A case of a built-in mesh, which single precision has rounded otherwise."""
REAL = (
    "mujoco_model/flex/gripper_trilinear.xml",
    "mujoco_model/flex/gripper_2d.xml",
    "mujoco_model/flex/sphere_radial.xml",
    "mujoco_model/flex/hollow_vs_solid.xml",
    "mujoco_test/user/textured_torus_flex.xml",
    "mujoco_test/user/cube_41_binary_vol_gmshApp.xml",
    "mjwarp_test/flex/rope.xml",
)
"""Some of the models, one of each kind."""


def cases() -> dict[str, str]:
    """The cases by name."""
    if not CASES.is_file():
        return {}
    found = json.loads(CASES.read_text())["cases"]
    return {c["name"]: c["xml"] for c in found if "flex" in c["xml"] and not c["name"].startswith(ELSEWHERE)}


def differing(source: str) -> dict[str, float]:
    """Fields of a model that are not MuJoCo's."""
    builder = ModelBuilder()
    builder.add_mjcf(source)
    ours = compile_model(builder.finalize(device="cpu", skip_all_validations=True))
    return import_fields.differences(oracle.compile_xml(source), ours, tolerance("compiled"))[0]


@pytest.mark.skipif(not cases(), reason="needs the cases beside the project")
@pytest.mark.parametrize("name", cases())
def test_cases_are_compiled_as_mujoco_does(name):
    assert differing(cases()[name]) == {}


@pytest.mark.parametrize("path", REAL)
def test_real_models_are_compiled_as_mujoco_does(path):
    if not (ASSETS / path).is_file():
        pytest.skip("this model is not there")
    assert differing(str(ASSETS / path)) == {}


def flexcomp(inside: str, more: str = "", shape: str = "dim='2' count='3 3 1'") -> str:
    """A model with a flexcomp on a body."""
    made = f"<flexcomp name='f' type='grid' spacing='.1 .1 .1' {shape}>{inside}</flexcomp>"
    return f"<mujoco><worldbody><body name='p'>{more}{made}</body></worldbody></mujoco>"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (flexcomp("", "<freejoint/><geom size='.1'/>"), "has joints but no flex vertices/nodes are pinned"),
        (flexcomp("<edge equality='true'/><elasticity young='1' elastic2d='both' thickness='.1'/>"), "cannot both be present"),
        (flexcomp("<edge equality='true' stiffness='1'/>", shape="dim='1' count='3 1 1'"), "cannot both be present"),
        (flexcomp("")[:-9] + "<equality><flexstrain flex='f' cell='0 0 0'/></equality></mujoco>", "requires an interpolated flex 'f'"),
    ],
)  # fmt: skip
def test_combinations_that_mujoco_refuses_are_refused_in_its_words(text, words):
    with pytest.raises(ValueError, match=words):
        oracle.compile_xml(text)
    with pytest.raises(ModelError, match=words):
        compiled(text)


def compiled(text: str) -> None:
    """Compile a model with ours alone."""
    builder = ModelBuilder()
    builder.add_mjcf(text)
    compile_model(builder.finalize(device="cpu", skip_all_validations=True))
