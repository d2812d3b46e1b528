"""Skins in USD: what is written comes back, and lists that do not belong together are refused with a place."""

import numpy as np
import pytest

from conformance.usd_mjcf import compiled
from newtonlite.core.errors import ModelError, ParseError
from newtonlite.exporters.usd import save_usd
from tests.tolerance import tolerance

MODEL = """<mujoco><worldbody>
  <body name="a" pos="0 0 .5" euler="10 20 30"><freejoint/><geom size=".1"/><body name="b" pos="0 0 .3"><joint axis="0 1 0"/><geom size=".1"/></body></body>
</worldbody><deformable>
  <skin name="plain" vertex="0 0 0 .1 0 0 0 .1 0" face="0 1 2"><bone body="a" bindpos="0 0 .5" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin>
  <skin name="whole" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1" texcoord="0 0 1 0 0 1 .5 .5" face="0 1 2 0 1 3" inflate=".01" rgba=".1 .2 .3 .4" group="2">
    <bone body="b" bindpos=".1 .2 .3" bindquat=".5 .5 -.5 .5" vertid="0 1" vertweight="1 2"/>
    <bone body="world" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 2 3" vertweight="3 1 .5"/>
    <bone body="b" bindpos="0 0 .3" bindquat="0 1 0 0" vertid="1" vertweight=".25"/></skin>
</deformable></mujoco>"""


def written(tmp_path):
    model = compiled(lambda b: b.add_mjcf(MODEL))
    return model, save_usd(model, tmp_path / "a.usda")


def test_every_skin_comes_back(tmp_path):
    model, file = written(tmp_path)
    back = compiled(lambda b: b.add_usd(str(file)))
    names = [name for name in vars(model) if name.startswith(("skin_", "nskin"))]
    assert model.nskin == 2 and len(names) > 20
    for name in names:
        got, want = np.asarray(getattr(back, name), float), np.asarray(getattr(model, name), float)
        assert got.shape == want.shape and np.abs(got - want).max(initial=0.0) <= tolerance("compiled"), name


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("int[] newton:skin:face = [0, 1, 2, ", "int[] newton:skin:face = [0, 1, 9, ", "has faces of vertices"),
        ("int[] newton:skin:vertid = [0, 1, 0", "int[] newton:skin:vertid = [0, 8, 0", "has bones of vertices"),
        ("int[] newton:skin:count = [2, 3, 1]", "int[] newton:skin:count = [2, 3, 2]", "are not as many"),
        ("newton:skin:body:indices = [0, 1, 0]", "newton:skin:body:indices = [0, 1, 5]", "names body 5"),
        ("newton:skin:bindquat = [0.5, 0.5, -0.5, 0.5", "newton:skin:bindquat = [0, 0, 0, 0", "length zero"),
        ("newton:skin:bindquat = [0.5, 0.5, -0.5, 0.5", "newton:skin:bindquat = [1e-200, 0, 0, 0", "length zero"),
        ("newton:skin:vertweight = [1, 1, 1]", "newton:skin:vertweight = [1, 0, 1]", "vertex 1 has no positive weight"),
        ("newton:skin:bindpos = [", "newton:skin:bindpos = [7, ", "3 each are needed"),
    ],
)
def test_lists_that_do_not_belong_together_are_refused(old, new, words, tmp_path):
    _, file = written(tmp_path)
    text = file.read_text()
    assert old in text, text[text.index("newton:skin") :][:2000]
    file.write_text(text.replace(old, new))
    with pytest.raises((ParseError, ModelError), match=words) as problem:
        compiled(lambda b: b.add_usd(str(file)))
    assert "skin" in str(problem.value)
