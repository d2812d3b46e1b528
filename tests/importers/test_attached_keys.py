"""Keyframes of attached models: all their numbers are in the model's own places, as MuJoCo puts them."""

import pytest

from newtonlite import mjwarp as mjw
from tests import oracle
from tests.tolerance import assert_close

CHILD = """<mujoco model="c"><worldbody><body name="b" pos="0 0 1"><freejoint/><geom size=".1"/></body><body name="h">
<joint name="j" axis="0 1 0"/><geom size=".1"/></body><body name="m" mocap="true" pos="0 1 0"><geom size=".1"/></body></worldbody>
<actuator><general joint="j" dyntype="integrator"/><motor joint="j"/><pid joint="j" kp="2" ki="1"/></actuator>
<keyframe><key name="k" time=".5" qpos="1 2 3 1 0 0 0 .4" qvel="1 2 3 4 5 6 .7" act=".3 .4" ctrl=".1 .2 .5" mpos="5 6 7"
mquat=".6 .8 0 0"/></keyframe></mujoco>"""
OWN = """<body name="x" mocap="true" pos="1 1 1" quat="0 1 0 0"><geom size=".1"/></body><body name="y"><joint name="yj"
axis="1 0 0" ref="10"/><geom size=".1"/></body>"""
MOTOR = '<actuator><motor joint="yj"/></actuator>'


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("frame", ["", 'pos="1 -2 .5" quat=".8 0 .6 0"'])
def test_keyframes_of_an_attached_model_say_all_that_they_say_alone(own, frame):
    world = f'{OWN * own}<frame {frame}><attach model="c" prefix="p_"/></frame>'
    text = f'<mujoco><asset><model name="c" file="c.xml"/></asset><worldbody>{world}</worldbody>{MOTOR * own}</mujoco>'
    got, want = (load(text, {"c.xml": CHILD.encode()}) for load in (mjw.load, oracle.compile_xml))
    assert got.nkey == want.nkey == 1 and want.key_ctrl.any() and want.key_act.any()
    for name in ("time", "qpos", "qvel", "act", "ctrl", "mpos", "mquat"):
        assert_close(getattr(got, f"key_{name}"), getattr(want, f"key_{name}"), "compiled", floor=1.0, what=name)
