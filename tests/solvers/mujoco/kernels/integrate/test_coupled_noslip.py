"""Less slip beside couplings: sweeps over friction under the integrator discrete, where tendons and actuators tie dofs."""

import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

TIED = """<mujoco><option integrator="discrete" timestep=".005" gravity="2 0 -9.81" cone="{cone}" solver="{solver}" iterations="300"
  tolerance="1e-12" noslip_iterations="{sweeps}"/>
  <worldbody><geom type="plane" size="3 3 .1"/>
    <body pos="0 0 .05"><freejoint/><geom type="box" size=".1 .1 .05" mass="1"/><site name="one" pos=".1 0 0"/></body>
    <body pos=".4 0 .05"><freejoint/><geom type="box" size=".1 .1 .05" mass="2"/><site name="two" pos="-.1 0 0"/></body>
    <body pos="0 .5 .05"><freejoint/><geom type="box" size=".1 .1 .05" mass="1.5"/></body>
    <body pos="0 -1 .5"><joint name="swing" axis="0 1 0" frictionloss=".4" damping=".1" stiffness="4"/><geom size=".05" pos=".3 0 0"/>
      <body pos=".3 0 0"><joint name="bend" axis="0 1 0" frictionloss=".3"/><geom size=".05" pos=".3 0 0"/></body></body>
    <body pos="0 -1 1"><joint name="slide" type="slide" axis="1 0 0" frictionloss="2"/><geom size=".05" mass="2"/></body>
  </worldbody>
  <tendon><spatial name="rope" stiffness="300" damping="5" springlength=".1"><site site="one"/><site site="two"/></spatial>
    <fixed name="belt" stiffness="3000" damping="5"><joint joint="swing" coef=".6"/><joint joint="bend" coef=".8"/>
      <joint joint="slide" coef="-1"/></fixed></tendon>
  <actuator><position joint="bend" kp="40" kv="1"/><position tendon="belt" kp="100"/></actuator></mujoco>"""


@pytest.mark.parametrize("solver", ["Newton", "CG"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("sweeps", [1, 3, 60])
def test_sweeps_beside_couplings_are_mujocos(cone, sweeps, solver, device):
    mj = oracle.compile_xml(TIED.format(cone=cone, solver=solver, sweeps=sweeps))
    states = oracle.rollout_states(mj, 12)
    want = oracle.step(mj, states)
    engine = Engine(mj, states, device, mode="staged").step()
    assert_close(engine.read("qacc"), want.qacc, "qacc", want.pull)
