"""Tactile sensors beside MuJoCo's: taxels of meshes with and without frames, in shapes of every kind that has a
formula.
"""

import numpy as np
import pytest

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import ModelError
from newtonlite.exporters.mjcf import write_mjcf
from newtonlite.solvers.mujoco.derive import tactile
from tests import oracle
from tests.harness.sensing import assert_measured, forwards, measured
from tests.tolerance import assert_close

SCENE = """<mujoco>
<asset>
  <mesh name="ball" builtin="wedge" params="9 9 45 45 0" scale=".3 .3 .3"/> <mesh name="plate" builtin="plate" params="5 5" scale=".3 .5 .2"/>
  <mesh name="tetrahedron" vertex="0 0 0 .3 0 0 0 .3 0 0 0 -.3"/>
</asset>
<worldbody>
  <geom type="plane" size="3 3 .01"/> <geom type="sphere" size=".3" pos=".4 .2 .1"/>
  <geom type="capsule" size=".2 .3" pos="-.4 .2 .1" euler="0 80 10"/> <geom type="ellipsoid" size=".3 .4 .2" pos="0 -.6 .1"/>
  <geom type="cylinder" size=".3 .2" pos="-1 .1 .1"/> <geom type="box" size=".3 .2 .1" pos="-1 -1 .1" euler="0 5 10"/>
  <body pos="-1 .5 .4">
    <joint type="slide" axis="1 0 0"/> <joint type="slide" axis="0 1 0"/> <joint type="slide" axis="0 0 1"/> <joint axis="1 0 0"/> <joint axis="0 1 0"/>
    <geom type="sphere" size=".3" mass=".1"/> <geom name="ball" type="mesh" mesh="ball" mass="0" contype="0" conaffinity="0"/>
  </body>
  <body pos="0 0 .5">
    <freejoint/> <geom type="box" size=".3 .5 .2" mass=".1"/> <geom name="plate" type="mesh" mesh="plate" mass="0" contype="0" conaffinity="0"/>
    <geom name="tetrahedron" type="mesh" mesh="tetrahedron" mass="0" contype="0" conaffinity="0" pos="0 0 -.25"/>
  </body>
  <body pos="0 .5 1"><freejoint/><geom type="box" size=".2 .2 .2"/></body>
</worldbody>
<sensor><tactile geom="ball" mesh="ball"/> <tactile geom="plate" mesh="plate" cutoff=".03"/> <tactile geom="tetrahedron" mesh="tetrahedron"/></sensor>
</mujoco>"""


def test_taxels_feel_what_mujocos_do(device):
    mj = oracle.compile_xml(SCENE)
    states = oracle.rollout_states(mj, 48, speed=1.0)
    datas = forwards(mj, states)
    felt = np.array([data.sensordata != 0 for data in datas])
    for s in range(mj.nsensor):
        assert felt[:, mj.sensor_adr[s] : mj.sensor_adr[s] + mj.sensor_dim[s]].any()
    assert_measured(mj, measured(mj, states, device), datas)


def test_files_have_them(device):
    text = SCENE.replace('<mesh name="plate"', '<mesh name="plate" inertia="shell" refquat="1 .3 .2 .1"').replace(
        'mesh="tetrahedron"/></sensor>', 'mesh="unused"/></sensor>'
    )
    text = text.replace(
        "</asset>",
        '<mesh name="unused" builtin="wedge" params="3 3 40 30 .5" scale=".2 .3 .4" refpos=".1 0 0" inertia="shell"/></asset>',
    )
    mj, ours = oracle.compile_xml(text), mjw.load(text)
    for name in (
        "sensor_type",
        "sensor_objtype",
        "sensor_objid",
        "sensor_reftype",
        "sensor_refid",
        "sensor_dim",
        "sensor_adr",
        "sensor_datatype",
        "sensor_needstage",
    ):
        assert (np.asarray(getattr(ours, name)) == getattr(mj, name)).all(), name
    got, want = tactile.derive(ours), tactile.derive(mj)
    assert (got["taxel"] == want["taxel"]).all() and np.abs(want["taxel_tangent"]).sum(axis=(1, 2)).all()
    assert_close(got["taxel_pos"], want["taxel_pos"], "compiled", floor=1.0)
    assert_close(got["taxel_tangent"].reshape(-1, 6), want["taxel_tangent"].reshape(-1, 6), "compiled", floor=1.0)
    states = oracle.rollout_states(mj, 12, speed=1.0)
    assert_measured(mj, measured(ours, states, device), forwards(mj, states))


def test_a_file_cannot_say_along_what_a_mesh_is_felt():
    with pytest.raises(ModelError, match="cannot be written"):
        write_mjcf(mjw.load(SCENE))


FIELDS = """<mujoco><extension><plugin plugin="mujoco.sdf.torus"><instance name="ring"><config key="radius1" value=".3"/></instance></plugin></extension>
<asset><mesh name="plate" builtin="plate" params="9 9" scale=".3 .3 .1"/> <mesh name="ring"><plugin instance="ring"/></mesh>
  <mesh name="block" vertex="-.2 -.2 -.1 .2 -.2 -.1 -.2 .2 -.1 .2 .2 -.1 -.2 -.2 .1 .2 -.2 .1 -.2 .2 .1 .2 .2 .12"/>
  <mesh name="other" vertex="-.2 -.2 -.1 .2 -.2 -.1 -.2 .2 -.1 .2 .2 -.1 -.2 -.2 .1 .2 -.2 .1 -.2 .2 .1 .2 .2 .1"/></asset>
<worldbody>
  <geom type="mesh" mesh="block" pos="-.25 0 -.03"/> <geom type="mesh" mesh="other" pos=".25 0 -.03"/> <geom type="sdf" mesh="block" pos="5 5 5"/>
  <geom type="sdf" mesh="ring" pos="0 1 0"><plugin instance="ring"/></geom>
  <body pos="0 0 .15"><freejoint/><geom type="box" size=".3 .3 .1"/><geom name="pad" type="mesh" mesh="plate" contype="0" conaffinity="0" mass="0"/></body>
  <body pos="0 1 .2"><freejoint/><geom type="box" size=".3 .3 .1"/><geom name="top" type="mesh" mesh="plate" contype="0" conaffinity="0" mass="0"/></body>
</worldbody><sensor><tactile geom="pad" mesh="plate"/><tactile geom="top" mesh="plate"/></sensor></mujoco>"""


def test_meshes_that_have_an_octree_are_felt(device):
    """One whose octree another geom asks for is, one without is not; and a plugin's field is."""
    mj, ours = oracle.compile_xml(FIELDS), mjw.load(FIELDS)
    states = oracle.rollout_states(mj, 6, length=12)
    datas = forwards(mj, states)
    felt = np.array([data.sensordata != 0 for data in datas]).reshape(len(states), 2, -1).any(axis=(0, 2))
    assert felt.all() and (mj.mesh_octadr >= 0).tolist() == [False, False, True, False]
    assert_measured(mj, measured(ours, states, device), datas)
