"""Rows of tendons that no dof lengthens at qpos0, where their inverse weight vanishes."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

SLIDER = """<body pos="0 {y} .1"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>
  <geom type="capsule" size=".1" fromto="-.2 0 0 .2 0 0"/><site name="{name}"/></body>"""
TIED = f"""<mujoco><worldbody><geom type="plane" size="9 9 .1"/>{SLIDER.format(y=0, name="a")}{SLIDER.format(y=2, name="b")}
  </worldbody><tendon><spatial {{row}}><site site="a"/><site site="b"/></spatial></tendon></mujoco>"""
"""Two bodies side by side in planes of their own, on the ground."""


@pytest.mark.parametrize("row", ['limited="true" range="0 2.05"', 'frictionloss="3"'])
def test_a_tendon_without_weight_holds_as_mujocos(row, device):
    """MuJoCo has R = 1e-15; next to a contact no float32 solver moves a row as stiff as 1e9."""
    mj = oracle.compile_xml(TIED.format(row=row))
    assert mj.tendon_invweight0[0] == 0
    states = oracle.gentle_states(mj, 8)
    states.qpos[:, 0], states.qpos[:, 3] = np.linspace(0.3, 0.6, 8), -0.4
    states.qpos[:, [1, 4]], states.qpos[:, [2, 5]] = -1e-3, 0.0
    want = oracle.step(mj, states)
    engine = Engine(mj, states, device).forward()
    assert_close(engine.read("qacc"), want.qacc, "qacc", want.pull)
