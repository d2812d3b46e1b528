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


def test_sizes_of_flexes_have_the_names_of_mujoco_warp():
    rod = '<flexcomp name="r" type="grid" dim="1" count="6 1 1" spacing=".1 .1 .1" radius=".01" mass=".1"><elasticity young="1e5"/></flexcomp>'
    shell = '<flexcomp name="s" type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1" radius=".01" mass=".1" dof="trilinear" cellcount="2 1 1"><elasticity young="1e5" elastic2d="both" thickness=".01"/></flexcomp>'
    m = mjw.put_model(oracle.compile_xml(f"<mujoco><worldbody>{rod}{shell}</worldbody></mujoco>"))
    assert (m.nflexrodhinge, m.nflexintcell, m.max_flex_dim) == (4, 10, 3)
    assert not m.has_flex_passive and not m.has_flex_edge_stiff_damp
    first = m.source.flex_bendingadr[0] + 1
    assert m.flex_rodhinge_map.numpy().tolist() == [[0, first + types.ROD_HINGE_SIZE * k] for k in range(4)]
    assert m.source.flex_bending[0] * types.ROD_HINGE_SIZE + 1 == m.source.flex_bendingadr[1]


def test_ends_of_rods_that_are_clamped_have_the_names_of_mujoco_warp():
    rod = """<flexcomp name="{0}" type="grid" dim="1" count="5 1 1" spacing=".1 .1 .1" radius=".01" mass=".1">
      <pin id="{1}"/><elasticity young="1e5"/></flexcomp>"""
    cloth = '<flexcomp name="c" type="grid" count="3 3 1" spacing=".1 .1 .1" radius=".01" mass=".1"/>'
    rods = rod.format("r", "0 1") + cloth + rod.format("s", "3 4") + rod.format("t", "2")
    m = mjw.put_model(oracle.compile_xml(f"<mujoco><worldbody>{rods}</worldbody></mujoco>"))
    assert m.flex_rod_is_chain.numpy().tolist() == [True, False, True, True]
    assert m.flex_rod_root_clamped.numpy().tolist() == [True, False, False, False]
    assert m.flex_rod_tail_clamped.numpy().tolist() == [False, False, True, False]
