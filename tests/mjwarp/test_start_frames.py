"""Frames of data on which nothing has run yet."""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from tests import oracle
from tests.tolerance import assert_close

SCENE = """<mujoco><worldbody><geom type="plane" size="1 1 1" pos="0 0 -1"/><site name="w" pos="1 2 3" euler="10 20 30"/>
  <body name="held" mocap="true" pos="0 2 1" euler="0 40 0"><geom size=".1" pos=".1 0 0"/></body>
  <body pos="0 0 1" euler="10 0 20"><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 0 0" euler="0 10 0"/>
    <body pos="0 0 .5"><joint axis="0 1 1" ref=".3" pos=".1 0 0"/><geom type="capsule" size=".1 .2"/><site pos="0 .1 0"/></body>
    <body pos=".5 0 0"><joint type="ball"/><geom type="ellipsoid" size=".1 .2 .3"/></body>
    <body pos="0 .5 0"><joint type="slide" axis="1 1 0" ref="-.2"/><geom size=".1"/></body></body>
  </worldbody></mujoco>"""
FRAMES = "xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat".split()


@pytest.mark.parametrize("moved", [False, True])
def test_frames_are_those_of_the_coordinates(moved):
    mj = oracle.compile_xml(SCENE)
    want = oracle.empty_data(mj)
    if moved:
        want.qpos[7:] += np.linspace(0.1, 0.4, mj.nq - 7)
    given = oracle.empty_data(mj)
    given.qpos[:] = want.qpos
    d = mjw.put_data(mj, given, nworld=2, device="cpu")
    oracle.mujoco.mj_kinematics(mj, want)
    for name in FRAMES:
        truth = np.tile(getattr(want, name).reshape(-1, getattr(want, name).shape[-1]), (2, 1, 1))
        assert_close(getattr(d, name).numpy().reshape(truth.shape), truth, "kinematics", floor=1.0, what=name)


def test_the_factor_of_no_inertia_is_zero():
    d = mjw.make_data(oracle.compile_xml(SCENE), 2, device="cpu")
    assert not d.qLD.numpy().any() and not d.qLDiagInv.numpy().any()


def test_rows_that_are_not_there_are_of_no_island():
    text = '<mujoco><worldbody><body><joint frictionloss="1"/><geom size=".1"/></body></worldbody></mujoco>'
    mj = oracle.compile_xml(text)
    m, d = mjw.put_model(mj, device="cpu"), mjw.make_data(mj, 2, njmax=3, device="cpu")
    mjw.fwd_position(m, d)
    assert d.efc_islandid.numpy().tolist() == [[0, -1, -1]] * 2
