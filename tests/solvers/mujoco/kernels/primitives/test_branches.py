"""Matrices of trees with stems against MuJoCo's: hands with fingers whose pads are soft."""

import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

WORLDS = 5
EDGES = '<edge equality="true"/>'
SPRINGS = '<elasticity young="2e2" poisson=".2" damping="1e-3" thickness=".004" elastic2d="stretch"/>'
PAD = """<flexcomp name="{0}" type="grid" dim="2" count="7 7 1" spacing=".02 .02 .02" radius=".004" mass=".05" pos="0 0 -.03">
    <pin range="0 2"/>{1}<contact selfcollide="none"/></flexcomp>"""


def hand(options: str, soft: str = EDGES, damping: float = 0.0) -> str:
    """A hand on a slide, two fingers, a motor and a tendon between these, and a pendulum beside it."""
    return f"""<mujoco><option timestep=".001" {options}/><default><geom density="20000"/></default><worldbody>
      <body pos="0 0 .5"><joint name="lift" type="slide" axis="0 0 1" damping="{damping}"/><geom size=".04"/>
        <body name="left" pos="-.1 0 0"><joint name="left" type="slide" axis="1 0 0"/><joint name="turn" axis="0 1 0" damping="{damping}"/>
          <geom size=".04" contype="0" conaffinity="0"/>{PAD.format("l", soft)}</body>
        <body name="right" pos=".1 0 0"><joint name="right" axis="0 1 0"/><geom size=".04" contype="0" conaffinity="0"/>{PAD.format("r", soft)}</body></body>
      <body pos="1 0 1"><joint axis="0 1 0" damping="{damping}"/><geom size=".05" pos="0 0 -.2"/>
        <body pos="0 0 -.3"><joint axis="1 0 0"/><geom size=".05" pos="0 0 -.2"/></body></body>
    </worldbody>
    <tendon><fixed name="t" damping="{damping}"><joint joint="left" coef="1"/><joint joint="lift" coef="-.5"/></fixed></tendon>
    <actuator><velocity joint="lift" kv="{10 * damping}"/><motor tendon="t"/></actuator></mujoco>"""


CASES = [(name, EDGES, damping) for name in ("Euler", "implicitfast", "implicit") for damping in (0.0, 0.3)]


@pytest.mark.parametrize(
    "integrator, soft, damping", [*CASES, ("Euler", SPRINGS, 0.0), ("Euler", SPRINGS, 0.3), ("RK4", EDGES, 0.0)]
)
def test_a_step_is_mujocos(integrator, soft, damping, device):
    """Inertia, smooth acceleration and the implicit step, with and without rows, in each integrator."""
    text = hand(f'integrator="{integrator}"', soft, damping)
    if integrator == "RK4":  # whose tendons are dense
        text = text[: text.index("<tendon>")] + "</mujoco>"
    mj = oracle.compile_xml(text)
    states = oracle.rollout_states(mj, WORLDS, length=60, speed=0.02)
    got = Engine(mj, states, device, mode="staged").step()
    want = oracle.step(mj, states)
    assert got.m.nstem == 3
    # speeds have what each of them does to accelerations
    assert_close(got.read("qvel"), want.qvel, "next")
