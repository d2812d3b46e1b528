"""Adhesion of a body that flexes touch too: MuJoCo's, which shares it among the contacts of geoms alone."""

import numpy as np

from tests.harness.flex_scenes import flex, world
from tests.harness.soft_bodies import Softened
from tests.tolerance import tolerance

PLATE = '<body name="b"><freejoint/><geom type="box" size=".3 .3 .045"/></body>'
PULL = '<actuator><adhesion body="b" gain="10" ctrlrange="0 1"/></actuator>'
GROUND = '<geom type="plane" size="1 1 .1" pos="0 0 -.044"/>'


def test_flexes_do_not_stick(device):
    s = Softened(world(GROUND, PLATE, flex(pos="0 0 .05"), extra=PULL), device, bend=0.001)
    for data in s.datas:
        data.ctrl[:] = 0.7
    s.d.ctrl.fill_(0.7)
    s.forward()
    for w, data in enumerate(s.datas):
        assert (data.contact.geom[:, 1] < 0).any() and (data.contact.geom[:, 1] >= 0).any()
        own = s.d.qfrc_actuator.numpy()[w]
        assert np.abs(data.qfrc_actuator).max() > 1
        np.testing.assert_allclose(own, data.qfrc_actuator, atol=10 * tolerance("contact_rows"))
