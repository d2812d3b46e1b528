"""Soft bodies in USD: what is written comes back, and lists that do not belong together are refused with a place."""

import numpy as np
import pytest

from conformance.usd_mjcf import compiled
from newtonlite.core.errors import ParseError
from newtonlite.exporters.mjcf import write_mjcf
from newtonlite.exporters.usd import save_usd
from tests import oracle
from tests.tolerance import tolerance

COMP = '<flexcomp name="soft" {} mass="1" radius=".01" rgba=".2 .4 .6 1" pos=".1 .2 1">{}</flexcomp>'
ELASTIC = '<elasticity young="1e4" poisson=".3" damping=".01" {}/>'
CONTACT = '<contact condim="4" friction=".7 .01 .001" solref=".01 .9" solmix="2" margin=".002" selfcollide="none"/>'
GRID2 = 'type="grid" dim="2" count="4 3 1" spacing=".1 .1 .1"'
GRID3 = 'type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1"'
SCENES = {
    "cloth whose edges keep their lengths": COMP.format(GRID2, '<edge equality="true" solref=".03 1"/>' + CONTACT),
    "cloth that stretches and bends": COMP.format(GRID2, ELASTIC.format('thickness=".02" elastic2d="both"') + CONTACT),
    "pinned": COMP.format(GRID2, ELASTIC.format('thickness=".02" elastic2d="both"') + '<pin id="0 3"/>'),
    "block that yields": COMP.format(GRID3 + ' flatskin="true"', ELASTIC.format('yield=".1"')),
    "cells": COMP.format(GRID3 + ' dof="trilinear" cellcount="2 1 1"', ELASTIC.format("") + CONTACT),
    "quadratic cells": COMP.format(GRID3 + ' dof="quadratic"', ELASTIC.format("")),
    "strain": COMP.format(GRID3 + ' dof="trilinear" cellcount="1 2 1"', '<edge equality="strain"/>'),
    "rod": COMP.format('type="grid" dim="1" count="5 1 1" spacing=".1 .1 .1"', ELASTIC.format('shear="3e3"')),
    "springs": COMP.format(
        'type="grid" dim="1" count="4 1 1" spacing=".1 .1 .1"', '<edge stiffness="50" damping=".1"/>'
    ),
    "rigid": COMP.format(GRID2 + ' rigid="true"', CONTACT),
    "two": COMP.format(GRID2, "") + COMP.format(GRID3, CONTACT).replace("soft", "other"),
}
MODES = {"strain": "flex_stiffness"}
"""Modes of cells: those of equal stiffness turn among each other with the rounding of places."""
BACK = {"joint_ordering": "authored", "only_load_enabled_joints": False}


def scene(inner: str) -> str:
    """A model of a soft body."""
    return f'<mujoco><worldbody><geom type="plane" size="2 2 .1"/>{inner}</worldbody></mujoco>'


def same(model, back, left_out: str = "") -> None:
    """Fields of flexes, of their constraints, bodies and joints agree."""
    names = [
        n
        for n in vars(model)
        if n.startswith("flex") or n in ("eq_type", "eq_solref", "eq_data", "body_mass", "dof_bodyid")
    ]
    assert len(names) > 50
    names = [n for n in names if n != left_out]
    for name in names:
        got, want = np.asarray(getattr(back, name), float), np.asarray(getattr(model, name), float)
        assert got.shape == want.shape, name
        assert not want.size or np.abs(got - want).max() <= 20 * tolerance("authored") * max(1.0, np.abs(want).max()), (
            name
        )


@pytest.mark.parametrize("name", SCENES)
def test_every_soft_body_comes_back(name, tmp_path):
    model = compiled(lambda b: b.add_mjcf(scene(SCENES[name])))
    file = save_usd(model, tmp_path / "soft.usda")
    same(model, compiled(lambda b: b.add_usd(str(file), **BACK)), MODES.get(name, ""))


def test_points_on_turned_bodies_are_as_free_as_they_were(tmp_path):
    """Their slides come back as straight as rounding leaves them."""
    slides = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    body = '<body name="{0}" pos="0 0 .{0}" euler="{1}">' + slides + "<geom size='.01' contype='0'/></body>"
    flex = '<deformable><flex name="f" dim="1" body="1 2 3 4" element="0 1 1 2 2 3"><edge damping=".1"/></flex></deformable>'
    text = f"<mujoco><worldbody>{''.join(map(body.format, range(1, 5), ('38 24 -6', '-32 30 -3', '1 -1 -28', '0 0 0')))}</worldbody>{flex}</mujoco>"
    model = compiled(lambda b: b.add_mjcf(text))
    back = compiled(lambda b: b.add_usd(str(save_usd(model, tmp_path / "soft.usda")), **BACK))
    assert model.body_slider.tolist() == back.body_slider.tolist() == [0, 1, 1, 1, 1]
    same(model, back)


@pytest.mark.parametrize("name", SCENES)
def test_every_soft_body_comes_back_from_mjcf(name):
    model = compiled(lambda b: b.add_mjcf(scene(SCENES[name])))
    text, files = write_mjcf(model)
    same(model, compiled(lambda b: b.add_mjcf(text)), MODES.get(name, ""))
    truth = oracle.compile_xml(text, files)
    assert truth.nflex == model.nflex and truth.nv == model.nv
    assert np.abs(truth.flexedge_length0 - model.flexedge_length0).max() <= tolerance("authored")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("int[] newton:flex:element = [", "int[] newton:flex:element = [99, ", "newton:flex:element"),
        ("newton:flex:body:indices = [", "newton:flex:body:indices = [77, ", "names body 77"),
        ("rel newton:flex:body = ", "rel newton:flex:nobody = ", "newton:flex:body"),
        ("rel newton:flex = ", "rel newton:other = ", "name a soft body"),
    ],
)
def test_lists_that_do_not_belong_together_are_refused(old, new, words, tmp_path):
    model = compiled(lambda b: b.add_mjcf(scene(SCENES["cloth whose edges keep their lengths"])))
    file = save_usd(model, tmp_path / "soft.usda")
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(ParseError, match=words):
        compiled(lambda b: b.add_usd(str(file)))
