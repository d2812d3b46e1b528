"""Paths of tendons are as long as the engine says."""

import numpy as np

from newtonlite.viewer.strings import Tendons
from tests.harness.viewer_scenes import EVERYTHING, session
from tests.tolerance import tolerance


def test_a_string_around_a_cylinder_is_as_long_as_the_engine_says():
    one = session(EVERYTHING, 2)
    one.step()
    one.solver.step(one.state, one.state, one.control, None, 1e-6)  # sensors speak of the start of a step
    found = Tendons(one.model).at(one.state.body_q.numpy())
    for world in (0, 1):
        length = np.linalg.norm(found.end - found.start, axis=1)[found.tendon == world].sum()
        measured = dict(zip((n.split("/")[-1] for n in one.sensor_names(world)), one.sensors_of(world), strict=True))[
            "length"
        ]
        assert np.isclose(length, measured, rtol=tolerance("drawn_string"))
    assert len(found.tendon) > 2  # it bends around the pulley


def test_worlds_can_be_left_out():
    one = session(EVERYTHING, 2)
    found = Tendons(one.model).at(one.state.body_q.numpy(), np.array([False, True, True]))
    assert set(found.tendon.tolist()) == {1}
