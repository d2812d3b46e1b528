"""Whole steps of files that cut the solver short, as those tuned for MJX do: where MuJoCo's own go."""

import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

WORLDS = 24
ARM_AND_BALL = """<mujoco>
  <option iterations="{iterations}" ls_iterations="{evaluations}" cone="{cone}"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 0.3">
      <joint name="shoulder" axis="0 1 0" damping="{damping}" frictionloss="0.4"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.4 0 0"/>
      <body pos="0.4 0 0">
        <joint name="elbow" axis="0 1 0" damping="{damping}" range="-60 60"/>
        <geom type="capsule" size="0.04" fromto="0 0 0 0.3 0 0"/>
      </body>
    </body>
    <body pos="0.55 0 0.09"><freejoint/><geom size="0.1"/></body>
    <body pos="-0.3 0.2 0.09"><freejoint/><geom type="box" size="0.1 0.08 0.1"/></body>
  </worldbody>
  <actuator><motor joint="shoulder"/><motor joint="elbow"/></actuator>
</mujoco>"""


@pytest.mark.parametrize("damping", [0.0, 0.5])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize(("iterations", "evaluations"), [(1, 4), (2, 8), (4, 10), (5, 8), (10, 10)])
def test_a_step_goes_where_mujocos_does(iterations, evaluations, cone, damping, device):
    """Trees without damping too, though others have it: the forces of a solver that has not got to the end are not yet
    those of its acceleration, and Euler's step is made of forces.
    """
    mj = oracle.compile_xml(
        ARM_AND_BALL.format(iterations=iterations, evaluations=evaluations, cone=cone, damping=damping)
    )
    states = oracle.gentle_states(mj, WORLDS)
    want = oracle.step(mj, states)
    engine = Engine(mj, states, device, mode="staged").step()
    assert_close(engine.read("qvel"), want.qvel, "lockstep", 1.0, "qvel")
