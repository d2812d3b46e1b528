"""Gains in force space become MuJoCo's reference parameters."""

import numpy as np

from newtonlite.solvers.mujoco.bindings.gains import DEFAULT_SOLREF, solref_from_gains


def test_gains_give_the_time_constant_and_damping_ratio_of_that_spring():
    """A unit mass on a spring ke with damper kd: kd = 2 ratio sqrt(ke), timeconst = 1 / (ratio sqrt(ke))."""
    timeconst, dampratio = solref_from_gains(100.0, 14.0)
    assert np.isclose(dampratio, 0.7)
    assert np.isclose(timeconst, 1 / (0.7 * 10.0))


def test_the_factor_scales_both_gains():
    np.testing.assert_allclose(solref_from_gains(200.0, 30.0, 0.05), solref_from_gains(10.0, 1.5))


def test_a_gain_that_is_not_positive_gives_the_default_limit():
    got = solref_from_gains(np.array([0.0, 10.0, -1.0]), np.array([1.0, 0.0, -1.0]))
    np.testing.assert_array_equal(got, np.tile(DEFAULT_SOLREF, (3, 1)))
