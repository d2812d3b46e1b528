"""Passive contacts of flexes push as MuJoCo's do, and a step takes their stiffness in."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

OPTION = '<option integrator="discrete" timestep=".002" tolerance="1e-12" iterations="300"/>'
PLANE = '<geom type="plane" size="1 1 .1"/>'
SCENES = {
    "cells on a sphere and a plane": """<geom type="sphere" size=".05" pos=".03 .02 -.036"/><geom type="plane" size="1 1 .1"/>
      <flexcomp name="a" type="grid" dim="3" count="4 3 3" spacing=".05 .05 .05" mass=".8" radius=".01" pos="0 0 .058" dof="trilinear">
      <elasticity young="1e4"/><pin grid="0 0 0"/><contact passive="true" selfcollide="none"/></flexcomp>""",
    "folded on itself": """<flexcomp name="a" type="direct" dim="2" mass=".6" radius=".01" point="0 0 0 .1 0 0 0 .1 0 .02 .02 .015
      .12 .02 .016 .02 .12 .017" element="0 1 2 3 4 5"><contact passive="true" selfcollide="narrow"/></flexcomp>""",
    "pinned to an arm": PLANE
    + """<body name="arm" pos="0 0 .008"><joint axis="0 1 0" pos="-.1 0 0"/><geom size=".01" mass=".1" contype="0" conaffinity="0"/>
      <flexcomp name="a" type="grid" dim="2" count="3 3 1" spacing=".05 .05 .05" mass=".9" radius=".01"><edge equality="true"/>
      <pin id="0 1"/><contact passive="true" selfcollide="none"/></flexcomp></body>""",
    "rigid and a rope have rows": PLANE
    + """<flexcomp name="a" type="grid" dim="2" count="3 3 1" spacing=".05 .05 .05" radius=".01" rigid="true" pos="0 0 .008">
      <contact passive="true"/></flexcomp><flexcomp name="b" type="grid" dim="1" count="4 1 1" spacing=".04 .04 .04" mass=".2"
      radius=".01" pos=".1 0 .008" euler="0 0 20"><edge equality="true"/><contact passive="true" selfcollide="none"/></flexcomp>
      <flexcomp name="c" type="grid" dim="2" count="3 3 1" spacing=".04 .04 .04" mass=".2" radius=".01" pos=".02 0 .025">
      <edge equality="true"/><contact selfcollide="none"/></flexcomp>""",
}


IPC = OPTION.replace("/>", '><flag ipc="enable"/></option>')


@pytest.mark.parametrize("name", SCENES)
def test_forces_and_step_are_mujocos(name, device):
    check(OPTION, SCENES[name], device)


def test_under_ipc_solids_that_ask_for_it_have_rows(device):
    check(IPC, SCENES["cells on a sphere and a plane"], device)


def check(option: str, scene: str, device) -> None:
    """One step from some states of a model."""
    mj = oracle.compile_xml(f"<mujoco>{option}<worldbody>{scene}</worldbody></mujoco>")
    states = oracle.rollout_states(mj, 4)
    want = oracle.step(mj, states)
    engine = Engine(mj, states, device).step()
    np.testing.assert_array_equal(engine.read("ncon"), want.ncon)
    np.testing.assert_array_equal(engine.read("nefc"), want.nefc)
    assert want.ncon.max() > 0
    assert_close(engine.read("qvel"), want.qvel, "next", what="qvel")
