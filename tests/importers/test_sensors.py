"""Sensors and cameras that MuJoCo refuses are refused, with the place and what to do."""

import pytest

from newtonlite import mjwarp
from newtonlite.core.errors import ModelError, ParseError
from tests import oracle
from tests.harness.engine_scenes import builder

MODEL = """<mujoco>
  <worldbody>
    <camera name="dark" resolution="0 3"/>
    <body name="b">
      <joint name="hinge" axis="0 1 0" pos="0 0 1"/>
      <geom name="g" size=".1"/>
      <site name="s"/>
      <body name="c" pos="0 0 1">
        <joint name="ball" type="ball"/>
        <geom name="h" size=".1"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="t">
      <joint joint="hinge" coef="1"/>
    </fixed>
  </tendon>
  <sensor>
    %s
  </sensor>
</mujoco>"""
REFUSED = {
    '<jointpos joint="ball"/>': "neither slide nor hinge",
    '<ballquat joint="hinge"/>': "no ball joint",
    '<jointlimitpos joint="hinge"/>': "no limits",
    '<tendonlimitfrc tendon="t"/>': "no limits",
    '<contact body1="b" geom1="g"/>': "takes one of",
    '<contact data="force found"/>': "in this order",
    '<contact data="found found"/>': "each once",
    '<contact data="weight"/>': "unknown keyword 'weight'",
    '<contact num="0"/>': "positive number",
    '<contact data="linvel" reduce="netforce"/>': "netforce has no velocities",
    "<rangefinder/>": "needs one of site, camera",
    '<rangefinder site="s" camera="dark"/>': "takes one of",
    '<rangefinder camera="dark"/>': "has no pixels",
    '<camprojection site="s" camera="dark"/>': "has no pixels",
    '<distance geom1="g"/>': "needs one of",
    '<distance body1="b" body2="b"/>': "are the same",
    '<framepos objtype="site" objname="s" reftype="body"/>': "together",
    '<clock delay="1"/>': "give nsample",
    '<clock nsample="2" interval="-1"/>': "negative",
    '<clock nsample="2" interval="0.1 0.1"/>': "phase",
    '<clock nsample="2" interval="0.1 -0.1"/>': "phase",
    '<clock cutoff="-1"/>': "negative",
    '<clock noise="-1"/>': "negative",
    '<user dim="-1"/>': "not negative",
    '<user dim="2" datatype="axis"/>': "give 3",
    '<user dim="2" objtype="body"/>': "together",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_mujoco_refuses_is_refused_at_its_place(line):
    text = MODEL % line
    with pytest.raises(ValueError):
        oracle.compile_xml(text)
    with pytest.raises(ParseError, match=rf"(?s):20:\d+: <.*{REFUSED[line]}"):
        builder().add_mjcf(text)


CAMERAS = {
    '<camera focal="1 1"/>': "sensorsize",
    '<camera sensorsize="1 1" fovy="30"/>': "one or the other",
    '<camera fovy="190"/>': "below 180",
}


@pytest.mark.parametrize("line", CAMERAS)
def test_lenses_that_contradict_themselves_are_refused(line):
    text = f"<mujoco><worldbody>{line}</worldbody></mujoco>"
    with pytest.raises(ValueError):
        oracle.compile_xml(text)
    with pytest.raises(ParseError, match=CAMERAS[line]):
        builder().add_mjcf(text)


@pytest.mark.parametrize("side", [30_000, 2_000_000_000])
def test_pictures_of_rays_that_fill_the_memory_are_refused(side):
    text = f'<camera name="c" resolution="{side} {side}"/><geom size=".1"/>'
    sensors = '<clock/><rangefinder name="rays" camera="c" data="dist normal"/>'
    with pytest.raises(ModelError, match="'rays'.* in all.*at most 10000000"):
        mjwarp.load(f"<mujoco><worldbody>{text}</worldbody><sensor>{sensors}</sensor></mujoco>")
