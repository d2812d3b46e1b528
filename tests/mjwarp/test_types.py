"""The ``types`` module: numbers of enumerations are MuJoCo's, sizes of vectors those of their names."""

import pytest

from newtonlite import mjwarp as mjw
from newtonlite.mjwarp import types
from tests import oracle

ENUMS = {
    "ConstraintState": "mjtConstraintState",
    "ConstraintType": "mjtConstraint",
    "EqType": "mjtEq",
    "SleepPolicy": "mjtSleepPolicy",
    "SleepState": "mjtSleepState",
    "WrapType": "mjtWrap",
}


@pytest.mark.parametrize("name", ENUMS)
def test_numbers_are_mujocos(name):
    kind = getattr(types, name)
    members = list(kind)
    found = oracle.enum_names(ENUMS[name], members)
    assert found == [member.name.lower() for member in members]


def test_vectors_have_their_length():
    for name, length in (("vec5", 5), ("vec6", 6), ("vec8", 8), ("vec10", 10), ("vec11", 11)):
        assert getattr(types, name)._shape_ == (length,)


def test_parameters_that_are_the_same_in_all_worlds_have_no_axis_of_worlds():
    """As MuJoCo Warp's; ``SolverMuJoCo`` shows them per world."""
    text = "<mujoco><worldbody><body><joint/><geom size='.1'/><site size='.1'/><site/></body></worldbody></mujoco>"
    m = mjw.put_model(oracle.compile_xml(text))
    assert m.site_size.shape == (2,) and m.dof_length.shape == (1,) and m.site_pos.shape == (1, 2)
