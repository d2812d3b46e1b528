"""Shapes that are apart by less than the search tells: no contact, as in MuJoCo."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine

SHAPES = {
    "ellipsoid": 'type="ellipsoid" size=".05 .03 .04"',
    "cylinder": 'type="cylinder" size=".04 .03"',
    "mesh": 'type="mesh" mesh="m"',
    "box": 'type="box" size=".03 .04 .05"',
}
PAIRS = [("ellipsoid", "cylinder"), ("ellipsoid", "mesh"), ("mesh", "cylinder"), ("box", "ellipsoid"), ("mesh", "mesh")]
MESH = '<asset><mesh name="m" vertex="0 0 .06 .05 0 -.02 -.03 .045 -.02 -.03 -.045 -.02 .01 .02 .05"/></asset>'


@pytest.mark.parametrize("one, two", PAIRS)
def test_a_gap_below_the_tolerance_is_no_contact(one, two, device):
    mj = oracle.compile_xml(
        f'<mujoco>{MESH}<worldbody><geom {SHAPES[one]} euler="10 20 30"/><body pos=".013 .007 .1"><freejoint/>'
        f'<geom {SHAPES[two]} euler="-20 15 40"/></body></worldbody></mujoco>'
    )
    want = []
    for gap in (-2e-6, 1e-7, 3e-7, 6e-7, 9e-7, 2e-6):
        states = apart(mj, gap)
        want.append(oracle.forward(mj, states, 0).ncon)
        assert Engine(mj, states, device).forward().read("ncon")[0] == want[-1]
    assert want[0] == 1 and want[-2:] == [0, 0]


def apart(mj, gap: float) -> oracle.States:
    """A state in which the shapes are apart by ``gap`` [m], by bisection with exact distances."""
    margin, tolerance, iterations = mj.geom_margin.copy(), mj.opt.ccd_tolerance, mj.opt.ccd_iterations
    mj.geom_margin[:], mj.opt.ccd_tolerance, mj.opt.ccd_iterations = 0.05, 1e-13, 500
    low, high = 0.02, 0.2
    for _ in range(50):
        states = oracle.States(mj.qpos0[None].copy(), *(np.zeros((1, n)) for n in (mj.nv, mj.nv, mj.nu)))
        states.qpos[0, 2] = 0.5 * (low + high)
        least = min((contact.dist for contact in oracle.forward(mj, states, 0).contact), default=1.0)
        low, high = (low, states.qpos[0, 2]) if least > gap else (states.qpos[0, 2], high)
    mj.geom_margin[:], mj.opt.ccd_tolerance, mj.opt.ccd_iterations = margin, tolerance, iterations
    return states
