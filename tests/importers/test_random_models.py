"""MJCF that random models found to be read otherwise than by MuJoCo: compiled by both, field by field."""

import numpy as np
import pytest

from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests import oracle
from tests.tolerance import assert_close

PART = """<mujoco><default><default class="x"><joint armature=".02" damping=".3"/></default></default><worldbody>
  <body name="a" childclass="x"><joint/><geom size=".1"/><body name="b"><joint/><geom size=".1"/></body></body></worldbody></mujoco>"""
MESH = '<asset><mesh name="m" vertex="0 0 0 .2 0 0 0 .3 0 0 0 .4"/></asset>'
FITTED = f"""{MESH}<worldbody><body><freejoint/>
  <geom type="box" mesh="m" surfacevel=".3 -.2 .1 .5 .2 -.7"/><geom type="mesh" mesh="m" surfacevel=".3 -.2 .1 .5 .2 -.7"/></body></worldbody>"""
ARM = '<worldbody><body name="m"{}><joint name="j"/><geom size=".1"/><body name="a" gravcomp=".5"><geom size=".1"/></body></body></worldbody>'
MODELS = {
    "keys of actuators with several controls": (
        ARM.format("")
        + '<actuator><pid joint="j" kp="5" ki="1" input="pos vel"/></actuator><keyframe><key ctrl=".1 .2"/></keyframe>',
        "key_ctrl",
    ),
    "class around a body that is attached": (
        '<asset><model name="p" file="part.xml"/></asset><worldbody><attach model="p" body="b" prefix="_"/></worldbody>',
        "dof_armature dof_damping",
    ),
    "surfaces of meshes and of what is fitted": (FITTED, "geom_surfacevel"),
    "surfaces of what is fitted to boxes": ('<compiler fitaabb="true"/>' + FITTED, "geom_surfacevel"),
    "fusion with another pull of gravity": ('<compiler fusestatic="true"/>' + ARM.format(""), "body_gravcomp"),
    "fusion with the same": ('<compiler fusestatic="true"/>' + ARM.format(' gravcomp=".5"'), "body_gravcomp"),
    "interpolation without samples": (
        ARM.format("") + '<sensor><jointpos joint="j" interp="linear"/></sensor>',
        "sensor_history",
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_what_mujoco_compiles(name, tmp_path):
    text, fields = MODELS[name]
    (tmp_path / "part.xml").write_text(PART)
    path = tmp_path / "model.xml"
    path.write_text(f"<mujoco>{text}</mujoco>")
    builder = ModelBuilder()
    builder.add_mjcf(str(path))
    ours, theirs = compile_model(builder.finalize(device="cpu")), oracle.compile_xml(path)
    for field in fields.split():
        want = np.asarray(getattr(theirs, field), float)
        assert np.any(want) or "fusion" in name
        assert_close(np.asarray(getattr(ours, field), float), want, "compiled")
