"""Soft bodies that MuJoCo has compiled, written with the elastic constants that their stiffness has."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError
from newtonlite.exporters.mjcf import write_mjcf
from newtonlite.solvers.mujoco.compile.flexes.elastic_constants import recover_elasticity
from tests.harness.same_model import differences
from tests.harness.soft_bodies_compiled import KINDS, soft_body
from tests.oracle import compile_xml


@pytest.mark.parametrize("name", [*KINDS, "folded"])
def test_constants_are_recovered(name):
    model = compile_xml(soft_body(name))
    assert not differences(model, compile_xml(*write_mjcf(model)))


def test_constants_are_those_that_were_given():
    model = compile_xml(soft_body("sheet that bends and stretches"))
    found = recover_elasticity(model, 0, np.asarray(model.flex_vertbodyid))
    assert found == {"young": 1e4, "poisson": 0.3, "thickness": 0.03, "elastic2d": 3}
    written, _ = write_mjcf(model)
    assert 'young="10000"' in written and 'poisson="0.3"' in written and 'thickness="0.03"' in written


def test_a_stiffness_of_no_material_is_refused():
    model = compile_xml(soft_body("solid"))
    model.flex_stiffness[: len(model.flex_stiffness) // 2] *= 2.0
    assert np.any(model.flex_stiffness)
    with pytest.raises(ModelError, match="flex 'r': its stiffness is that of no isotropic material"):
        write_mjcf(model)
