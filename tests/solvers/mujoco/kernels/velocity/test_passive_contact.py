"""Passive contacts of flexes push as MuJoCo's do, and a step takes their stiffness in."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.discrete_scenes import PASSIVE
from tests.harness.engine import Engine
from tests.tolerance import assert_close

OPTION = '<option integrator="discrete" timestep=".002" tolerance="1e-12" iterations="300"/>'
IPC = OPTION.replace("/>", '><flag ipc="enable"/></option>')


@pytest.mark.parametrize("name", PASSIVE)
def test_forces_and_step_are_mujocos(name, device):
    check(OPTION, PASSIVE[name], device)


def test_under_ipc_solids_that_ask_for_it_have_rows(device):
    check(IPC, PASSIVE["cells on a sphere and a plane"], device)


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
