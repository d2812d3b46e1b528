"""Rods of box section: contacts with geoms are those of boxes, and their rows, as MuJoCo's."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.harness.flex_scenes import SHAPES, contact_errors, own_contacts, same_ids, world
from tests.harness.soft_bodies import Softened
from tests.tolerance import assert_close, tolerance

ROD = """<flexcomp name="f" type="grid" dim="1" count="6 1 1" spacing=".05 .05 .05" mass=".2" pos="0 0 {}"><edge equality="true"/>
  <elasticity young="1e5" shear="4e4" damping=".01" section="box" sectionsize="{}"/>
  <contact selfcollide="none" margin="{}"/>{}</flexcomp>"""
SECTIONS = {"lying": ".03 .012", "upright": ".012 .03"}
HEIGHTS = {"plane": 0.005, "sphere": 0.055, "capsule": 0.03, "box": 0.015}


def scene(shape: str, section: str, margin: str = "0", inside: str = "", option: str = "") -> str:
    geom = f"<geom {SHAPES[shape]}/>"
    if shape != "plane":
        geom = f'<body name="o"><freejoint/>{geom}</body>'
    return world(geom, ROD.format(HEIGHTS[shape], SECTIONS[section], margin, inside), option=option)


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("shape", HEIGHTS)
def test_contacts_are_mujocos(shape, section, device):
    s = Softened(scene(shape, section, margin=".004"), device, worlds=5, bend=0.006, seed=4).forward()
    count = 0
    for w, data in list(enumerate(s.datas))[1:]:
        own = own_contacts(s, w)
        assert same_ids(own, data), (w, len(own["dist"]), data.ncon)
        count += data.ncon
        for name, limit in {"dist": "hit_distance", "pos": "hit_position", "frame": "hit_normal"}.items():
            assert (contact_errors(own, data, name) <= tolerance(limit)).all(), name
    assert count > 8


CLAMPED = '<pin id="0 1"/>'


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize(
    "shape, inside", [("plane", ""), ("sphere", ""), ("box", ""), ("sphere", CLAMPED), ("box", CLAMPED)]
)
def test_a_step_on_it_is_mujocos(shape, inside, section, device):
    """With lever arms to corners, twist joints, and an end that is clamped to the world; a vertex of that on a plane has rows
    without any give.
    """
    option = '<option integrator="discrete" timestep=".002" tolerance="1e-12" iterations="300" cone="elliptic"/>'
    mj = oracle.compile_xml(scene(shape, section, inside=inside, option=option))
    states = oracle.rollout_states(mj, 4, length=30)
    want = oracle.step(mj, states)
    assert want.ncon.max() > 0
    engine = Engine(mj, states, device).step()
    np.testing.assert_array_equal(engine.read("ncon"), want.ncon)
    assert_close(engine.read("qvel"), want.qvel, "next", what="qvel")
