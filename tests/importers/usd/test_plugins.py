"""MuJoCo's plugins in USD: what is written comes back, and texts that are none are refused with a place."""

import numpy as np
import pytest

from conformance.usd_mjcf import compiled
from conformance.usd_round_trip import differences
from newtonlite.core.errors import ParseError
from newtonlite.core.plugins import attributes_of
from newtonlite.exporters.usd import save_usd
from tests.tolerance import tolerance

MODEL = """<mujoco><extension>
  <plugin plugin="mujoco.pid"><instance name="servo"><config key="kp" value="4"/><config key="ki" value="2"/></instance></plugin>
  <plugin plugin="mujoco.sensor.touch_grid"/>
  <plugin plugin="mujoco.sdf.nut"><instance name="unused"/></plugin>
  <plugin plugin="mujoco.sdf.torus"><instance name="ring"><config key="radius1" value=".3"/></instance></plugin>
</extension><asset><mesh name="ring"><plugin instance="ring"/></mesh></asset>
<worldbody><geom type="plane" size="2 2 .1"/>
  <body name="a" pos="0 0 .5"><freejoint/><geom type="sdf" mesh="ring"><plugin instance="ring"/></geom><site name="s"/></body>
  <body name="b" pos="1 0 .5"><joint name="j" damping=".1"/><geom type="mesh" mesh="ring"/></body>
  <body name="c" pos="2 0 .5"><joint name="k" damping=".1"/><geom size=".1" pos=".2 0 0"/></body>
</worldbody>
<actuator><plugin joint="j" plugin="mujoco.pid" instance="servo" actdim="1"/><motor joint="k"/><plugin joint="k" plugin="mujoco.pid" instance="servo" actdim="1"/>
  <plugin joint="k" plugin="mujoco.pid" dyntype="filter" dynprm=".1" actdim="2" actearly="true" ctrlrange="-1 1"><config key="kd" value=".3"/><config key="slewmax" value="5"/></plugin></actuator>
<sensor><plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="s" cutoff="9"><config key="size" value="3 2"/><config key="fov" value="40 30"/></plugin></sensor>
</mujoco>"""


def test_every_plugin_comes_back(tmp_path):
    model = compiled(lambda b: b.add_mjcf(MODEL))
    file = save_usd(model, tmp_path / "a.usda")
    back = compiled(lambda b: b.add_usd(str(file), joint_ordering="authored", only_load_enabled_joints=False))
    assert model.nplugin == 5 and model.names_plugin == back.names_plugin
    for name in (
        "plugin",
        "plugin_attr",
        "geom_plugin",
        "actuator_plugin",
        "sensor_plugin",
        "sensor_dim",
        "actuator_actnum",
    ):
        assert np.array_equal(getattr(model, name), getattr(back, name)), name
    assert np.array_equal(model.mesh_pos, back.mesh_pos) and not back.mesh_pos.any()
    assert max(differences(back, model))[0] <= tolerance("authored")
    assert [attributes_of(back, i)[1] for i in range(3)] == [{"kp": "4", "ki": "2"}, {}, {"radius1": ".3"}]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("mujoco.pid", "mujoco.elasticity", "is no plugin for this"),
        ("mujoco.sensor.touch_grid", "mujoco.pid", "is no plugin for this; give mujoco.sensor.touch_grid"),
        ("slewmax", "slew", "has no attribute 'slew'"),
        ('"kd": ".3"', '"kd": "much"', "'much' of 'kd' is no text of numbers"),
        ('"kd": ".3"', '"kd": 7', "'7' of 'kd' is no text of numbers"),
        ('{"kd": ".3", "slewmax": "5"}', "[" * 100_000, "is no JSON"),
        ('{"plugin": "mujoco.pid"', '{"law": "mujoco.pid"', "is no JSON with plugin, name and config"),
    ],
)  # fmt: skip
def test_texts_that_are_no_plugin_are_refused(old, new, words, tmp_path):
    file = save_usd(compiled(lambda b: b.add_mjcf(MODEL)), tmp_path / "a.usda")
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(ParseError, match=words) as problem:
        compiled(lambda b: b.add_usd(str(file)))
    assert "newton:plugin" in str(problem.value)
