"""Elements of flexes within their margin of something: MuJoCo's search of shapes that are thicker by half of it ends up to a
millionth of a metre beside the nearest points, and ours in the same place.
"""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import tolerance

POINTS = {2: "0 0 0 .05 0 0 .01 .04 .003", 3: "0 0 0 .05 0 0 .01 .04 .003 .02 .01 .04"}
TALL = {2: 0.0, 3: 0.0145}
"""How much taller an element is than a triangle."""
FIELD = '<asset><hfield name="h" nrow="4" ncol="4" size=".1 .1 .03 .02" elevation="0 3 1 2 1 2 0 1 4 0 1 2 3 1 0 1"/></asset>'
BESIDE = {
    "element": "",  # another flex
    "ellipsoid": '<geom type="ellipsoid" size=".03 .02 .025" pos=".01 .01 {}" euler="10 20 30"/>',
    "cylinder": '<geom type="cylinder" size=".03 .02" pos=".01 .01 {}" euler="20 -30 5"/>',
    "height field": '<geom type="hfield" hfield="h" pos="0 0 {}"/>',
}
HEIGHTS = {
    "element": (-0.0175, -0.0105),
    "ellipsoid": (-0.09, -0.02),
    "cylinder": (-0.09, -0.02),
    "height field": (-0.06, -0.008),
}


def element(name: str, dim: int, pos: str, euler: str) -> str:
    """A flex of one element."""
    corners = " ".join(str(i) for i in range(dim + 1))
    return (
        f'<flexcomp name="{name}" type="direct" dim="{dim}" point="{POINTS[dim]}" element="{corners}" radius=".005" mass=".1" '
        f'pos="{pos}" euler="{euler}"><contact selfcollide="none" margin=".004"/></flexcomp>'
    )


@pytest.mark.parametrize("dim", POINTS)
@pytest.mark.parametrize("name", BESIDE)
def test_the_search_ends_where_mujocos_does(name, dim, device):
    within = 0
    for height in np.linspace(*HEIGHTS[name], 36):
        other = BESIDE[name].format(height) or element("g", dim, f"0 0 {height - TALL[dim]}", "-15 25 35")
        mj = oracle.compile_xml(
            f"<mujoco>{FIELD}<worldbody>{other}{element('f', dim, '0 0 0', '12 -8 20')}</worldbody></mujoco>"
        )
        states = rest(mj)
        data, engine = oracle.forward(mj, states, 0), Engine(mj, states, device, mode="staged").forward()
        assert engine.read("ncon")[0] == data.ncon
        for k, contact in enumerate(data.contact):
            within += contact.dist > 0.0
            np.testing.assert_allclose(engine.read("contact_dist")[0, k], contact.dist, atol=tolerance("search_end"))
            np.testing.assert_allclose(
                engine.read("contact_frame")[0, k, 0], contact.frame[:3], atol=tolerance("hit_normal")
            )
    assert within > 0


def rest(mj) -> oracle.States:
    """One world at qpos0."""
    return oracle.States(mj.qpos0[None], np.zeros((1, mj.nv)), np.zeros((1, mj.nv)), np.zeros((1, mj.nu)))
