"""The mass of fluid that ellipsoids drag along is MuJoCo's."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco.compile.fluid import fluid_coefficients
from tests.oracle import compile_xml
from tests.tolerance import assert_close

SHAPES = ("sphere", "box", "capsule", "cylinder", "ellipsoid")


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("size", ["1 2 3", "0.1 3 0.2", "2 2 2"])
def test_added_mass(kind, size):
    oracle = compile_xml(
        f'<mujoco><worldbody><geom type="{kind}" size="{size}" fluidshape="ellipsoid" fluidcoef="1 2 3 4 5"/></worldbody></mujoco>'
    )
    got = fluid_coefficients(oracle.geom_type, oracle.geom_size, np.ones(1, int), oracle.geom_fluid[:, 1:6])
    assert_close(got, oracle.geom_fluid, "compiled")
