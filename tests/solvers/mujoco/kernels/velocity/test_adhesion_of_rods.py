"""Geoms that stick pull rods, whose edges turn, as MuJoCo's do."""

import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

SCENE = """<mujoco><worldbody><geom type="plane" size="1 1 .1" adhesion="3"/><geom size=".03" pos=".05 .004 .01" adhesion="2"/>
  <flexcomp name="f" type="grid" dim="1" count="5 1 1" spacing=".04 .04 .04" mass=".1" radius=".005" pos="0 0 .0045" euler="2 3 1">
  <edge equality="true"/><elasticity young="1e5" shear="1e5"/><contact selfcollide="none"/></flexcomp></worldbody></mujoco>"""


HELD = SCENE.replace(
    "<flexcomp",
    '<body name="b"><joint type="ball" pos="0 .1 .1" damping="1"/><geom size=".1" pos="0 .1 .3" mass="3" contype="0" conaffinity="0"/><flexcomp',
).replace("</flexcomp>", '<pin id="1 2"/></flexcomp></body>')


@pytest.mark.parametrize("scene", [SCENE, HELD], ids=["free", "held"])
def test_adhesion_turns_the_edges_of_rods(scene, device):
    mj = oracle.compile_xml(scene)
    states = oracle.rollout_states(mj, 3, length=20)
    engine = Engine(mj, states, device, mode="staged").forward()
    for w in range(3):
        want = oracle.forward(mj, states, w)
        assert abs(want.qfrc_adhesion).max() > 1.0
        assert_close(engine.read("qfrc_adhesion")[w], want.qfrc_adhesion, "force", 1.0, what="qfrc_adhesion")
