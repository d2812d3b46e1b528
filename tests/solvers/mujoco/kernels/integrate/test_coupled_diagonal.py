"""Exact diagonal of rows under the integrator discrete (flag diagexact): of couplings it has the diagonal alone."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.solvers.mujoco.kernels.integrate.test_coupled_noslip import TIED
from tests.tolerance import assert_close

FLAG = '><flag diagexact="enable"/></option>'
EXACT = {
    "tendons and servos": TIED.replace("/>", FLAG, 1),
    "one servo alone": """<mujoco><option integrator="discrete" timestep=".005" cone="{cone}" solver="{solver}" iterations="300"
  tolerance="1e-12"><flag diagexact="enable"/></option><worldbody><body><joint name="a" axis="0 1 0" frictionloss=".4"/><geom size=".05"
  pos=".3 0 0"/></body></worldbody><actuator><position joint="a" kp="80" kv="2"/></actuator></mujoco>""",
    "cloth": """<mujoco><option integrator="discrete" timestep=".004" cone="{cone}" solver="{solver}" iterations="300" tolerance="1e-12">
  <flag diagexact="enable"/></option><worldbody><geom type="plane" size="1 1 .1" euler="3 2 0"/>
  <flexcomp name="c" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" mass=".3" radius=".01" pos="0 0 .01">
  <elasticity young="1e4" poisson=".2" thickness=".01" elastic2d="both" damping=".01"/><contact selfcollide="none"/></flexcomp>
  </worldbody></mujoco>""",
}


@pytest.mark.parametrize("solver", ["Newton", "CG"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("name", EXACT)
def test_rows_are_as_soft_as_mujocos(name, cone, solver, device):
    mj = oracle.compile_xml(EXACT[name].format(cone=cone, solver=solver, sweeps=0))
    states = oracle.rollout_states(mj, 8)
    want = oracle.step(mj, states)
    engine = Engine(mj, states, device, mode="staged").step()
    np.testing.assert_array_equal(engine.read("nefc"), want.nefc)
    assert want.nefc.max() > 0
    assert_close(engine.read("qacc"), want.qacc, "qacc", want.pull)
