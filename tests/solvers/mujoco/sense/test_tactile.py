"""Tactile sensors beside MuJoCo's: taxels of meshes with and without frames, in shapes of every kind that has a formula."""

import numpy as np

from tests import oracle
from tests.solvers.mujoco.sense.sensing import assert_measured, forwards, measured

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
