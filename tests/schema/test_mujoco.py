"""The schema is MuJoCo's: its elements, its attributes, its defaults; and the page about it is current."""

import pytest

from conformance import support
from newtonlite.schema import MUJOCO
from tests.importers.test_compiled_fields import differences
from tests.oracle import schema

OURS = dict(MUJOCO.walk())
THEIRS = {path.replace("(world)body", "worldbody/body"): attrs for path, attrs in schema().items()}
TABLE_ONLY = {  # taken by MuJoCo's parser, but not in the table it prints, or common to a family of ours
    "mujoco/actuator/plugin": {"refsite"}
}


@pytest.mark.parametrize("path", sorted(THEIRS))
def test_every_element_and_attribute_of_mujoco_has_a_row(path):
    ours = {attr.name for attr in OURS[path].attrs}
    assert THEIRS[path] <= ours
    assert ours - THEIRS[path] <= TABLE_ONLY.get(path, set())


def test_the_pages_about_support_and_rows_are_current():
    assert support.PAGE.read_text() == support.page(), "run make support"
    assert support.ROWS.read_text() == support.rows_page(), "run make support"


BODIES = """
<worldbody>
  <geom size="1"/> <geom type="plane" size="1 1 1"/> <site/> <camera/> <light/> <site name="s"/> <site name="t" pos="0 0 1"/>
  <body><freejoint/><geom name="g" size=".1"/></body>
  <body name="a"><joint name="h"/><geom name="i" type="box" size=".1 .1 .1"/></body>
  <body name="b"><joint name="l" type="slide"/><joint name="q" type="ball"/><geom type="capsule" size=".1 .1"/></body>
  <body><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint/></body>
</worldbody>
"""
BARE = {
    "bodies": BODIES,
    "assets": '<asset><material name="m"/><texture name="t" builtin="flat" width="2" height="2"/><mesh name="e" vertex="0 0 0 1 0 0 0 2 0 0 0 3"/>'
    '<hfield name="h" size="1 1 1 1" nrow="2" ncol="2"/></asset><worldbody><geom type="mesh" mesh="e"/><geom type="hfield" hfield="h"/></worldbody>',
    "contacts": BODIES + '<contact><pair geom1="g" geom2="i"/><exclude body1="a" body2="b"/></contact>',
    "tendons": BODIES
    + '<tendon><fixed><joint joint="h" coef="1"/></fixed><spatial><site site="s"/><site site="t"/></spatial></tendon>',
    "equalities": BODIES
    + '<equality><connect body1="a" anchor="0 0 0"/><weld body1="a"/><joint joint1="h"/></equality><keyframe><key/></keyframe><custom><numeric name="n" data="1"/></custom>',
    "actuators": BODIES
    + """<actuator><general joint="h"/><motor joint="h"/><position joint="h"/><velocity joint="h"/><intvelocity joint="h" actrange="0 1"/>
      <damper joint="h" ctrlrange="0 1"/><cylinder joint="h"/><muscle joint="h" lengthrange="0 1"/><adhesion body="a" ctrlrange="0 1"/></actuator>""",
    "options": "<option/><compiler/><size/><statistic/><visual/>",
    "sensors": BODIES
    + '<sensor><jointpos joint="h"/><touch site="s"/><framepos objtype="body" objname="a"/><clock/></sensor>',
}


@pytest.mark.parametrize("name", BARE)
def test_elements_that_say_nothing_mean_what_they_mean_to_mujoco(name):
    assert differences(f"<mujoco>{BARE[name]}</mujoco>") == {}
