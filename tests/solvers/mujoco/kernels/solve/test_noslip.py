"""Hard friction after a solver, of contacts that few dofs move: the block of their friction rows is singular."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

FEW = """<mujoco><option cone="{cone}" noslip_iterations="3" tolerance="1e-12" iterations="100" solver="{solver}"/><worldbody>
  <geom type="plane" size="2 2 .1" condim="{condim}"/>
  <body pos=".1 0 .052" euler="20 30 10"><joint axis=".3 .8 .2" pos="-.2 .1 .2"/>{second}<geom size=".06" condim="{condim}" mass="3"/></body>
</worldbody></mujoco>"""
SECOND = '<joint type="slide" axis=".9 .1 .3"/>'


@pytest.mark.parametrize("second", ["", SECOND], ids=["one dof", "two dofs"])
@pytest.mark.parametrize("solver", ["Newton", "PGS"])
@pytest.mark.parametrize("cone, condim", [("elliptic", 3), ("elliptic", 4), ("elliptic", 6), ("pyramidal", 3)])
def test_friction_that_few_dofs_feel_is_mujocos(cone, condim, solver, second, device):
    mj = oracle.compile_xml(FEW.format(cone=cone, condim=condim, solver=solver, second=second))
    rng = np.random.default_rng(5)
    states = oracle.rollout_states(mj, 10, length=2, every=1)
    states.qpos[:] = rng.uniform(-0.05, 0.05, states.qpos.shape)
    states.qvel[:] = rng.uniform(-0.5, 0.5, states.qvel.shape)
    engine = Engine(mj, states, device, scratch="per_world").forward()
    touched = 0
    for i in range(10):
        data = oracle.forward(mj, states, i)
        touched += data.ncon > 0
        got = engine.d.efc_force.numpy()[i, : data.nefc]
        assert_close(got[None], data.efc_force[None], "qacc", 1.0, f"state {i}")
    assert touched > 3
