"""Flexes of compiled models: the arrays of cases of all kinds, and of models that lie beside the project, are MuJoCo's."""

import json

import numpy as np
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
    "mujoco_model/flex/bunny_multicell.xml",
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
    return import_fields.differences(oracle.compile_xml(source), compiled(source), tolerance("compiled"))[0]


@pytest.mark.skipif(not cases(), reason="needs the cases beside the project")
@pytest.mark.parametrize("name", cases())
def test_cases_are_compiled_as_mujoco_does(name):
    assert differing(cases()[name]) == {}


@pytest.mark.parametrize("path", REAL)
def test_real_models_are_compiled_as_mujoco_does(path):
    if not (ASSETS / path).is_file():
        pytest.skip("this model is not there")
    assert differing(str(ASSETS / path)) == {}


CELLS = """
<mujoco><worldbody>
  <flexcomp name="s" dim="{dim}" type="{kind}" dof="{dof}" cellcount="{cells}" count="4 4 4" spacing="{spacing}" radius=".001">
    <pin id="0"/>{inside}<contact selfcollide="none"/>
  </flexcomp>
</worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("dof", "cells", "spacing"),
    [
        ("trilinear", "1 1 1", ".05 .05 .05"),
        ("trilinear", "1 1 1", ".03 .01 .01"),
        ("trilinear", "3 2 1", ".07 .05 .05"),
        ("quadratic", "1 1 1", ".05 .05 .05"),
        ("quadratic", "1 2 1", ".05 .05 .05"),
    ],
)
def test_modes_of_equal_eigenvalues_are_the_ones_that_mujocos_roundings_make(dof, cells, spacing):
    inside = "<edge equality='strain'/>"
    text = CELLS.format(dim=3, kind="grid", dof=dof, cells=cells, spacing=spacing, inside=inside)
    theirs = oracle.compile_xml(text).flex_stiffness
    np.testing.assert_allclose(compiled(text).flex_stiffness, theirs, atol=tolerance("compiled") * np.abs(theirs).max())


@pytest.mark.parametrize(("dof", "cells"), [("trilinear", "1 1 1"), ("trilinear", "2 3 2"), ("quadratic", "1 1 1")])
@pytest.mark.parametrize("kind", ["box", "cylinder", "ellipsoid"])
def test_bodies_within_open_surfaces_are_told_at_mujocos_points(kind, dof, cells):
    inside = "<elasticity young='1e3' poisson='.2'/>"
    text = CELLS.format(dim=2, kind=kind, dof=dof, cells=cells, spacing=".05 .06 .07", inside=inside)
    assert differing(text) == {}


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


def compiled(source: str):
    """A model compiled with ours alone."""
    builder = ModelBuilder()
    builder.add_mjcf(source)
    return compile_model(builder.finalize(device="cpu", skip_all_validations=True))
