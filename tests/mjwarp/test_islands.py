"""Islands as MuJoCo numbers them: of trees, dofs and rows, with all its lists."""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from newtonlite.core.errors import StateError
from newtonlite.mjwarp.islands import island_lists
from tests import oracle

LISTS = tuple(island_lists(*[np.zeros(1, int)] * 4, 1))
TWO_HEAPS = """<mujoco><worldbody><geom type="plane" size="9 9 .1"/>
  <body pos="0 0 .3"><freejoint/><geom size=".1"/></body>
  <body pos="2 0 .09"><freejoint/><geom size=".1"/></body>
  <body pos="4 0 1"><joint name="a" frictionloss="1"/><geom size=".1"/></body>
  <body pos="2.1 0 .25"><freejoint/><geom size=".1"/></body>
  <body pos="6 0 1"><joint name="b" range="1 2" limited="true"/><geom size=".1"/></body>
  <body pos="8 0 1"><joint name="c"/><geom size=".1"/></body>
  <body pos="8 2 1"><joint name="d"/><geom size=".1"/><site name="s" pos="0 0 .2"/></body>
</worldbody>
<tendon><fixed name="t" range="1 2" limited="true"><joint joint="b" coef="1"/><joint joint="d" coef="1"/></fixed></tendon>
<equality><joint joint1="a" joint2="c"/><joint joint1="d" active="false"/></equality></mujoco>"""


def filled(model, device: str):
    """MuJoCo's data after a forward computation at the reference pose, the engine's in another, and the engine's."""
    want = oracle.empty_data(model)
    oracle.forward_into(model, want)
    return want, *engine_data(model, want, device)


def engine_data(model, data, device: str):
    """What the engine makes of the state in ``data``, as host data and as its own."""
    m, d, got = mjw.put_model(model, device=device), mjw.put_data(model, data, device=device), oracle.empty_data(model)
    mjw.forward(m, d)
    mjw.get_data_into(got, model, d)
    return got, d


def assert_same_islands(want, got):
    assert (got.nisland, got.nidof) == (want.nisland, want.nidof)
    for name in LISTS:
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), err_msg=name)


def test_trees_that_nothing_ties_are_in_none(device):
    want, got, d = filled(oracle.compile_xml(TWO_HEAPS), device)
    assert want.nisland == 3
    assert_same_islands(want, got)
    assert d.tree_island.numpy()[0].tolist() == want.tree_island.tolist() == [-1, 0, 1, 0, 2, 1, 2]
    assert d.efc.island.numpy()[0, : want.nefc].tolist() == want.efc_island.tolist()


@pytest.mark.parametrize(
    "name",
    ["many_small_trees", "equality_connect", "equality_joint", "tendon_limits_and_friction", "sensors_of_limits"],
)
def test_islands_of_models(device, name):
    model = oracle.small_model(name)
    want = oracle.forward(model, oracle.rollout_states(model, 1))
    assert_same_islands(want, engine_data(model, want, device)[0])


@pytest.mark.parametrize("name", ["abacus", "island_efc", "tendon_wrap"])
def test_islands_of_files(assets, device, name):
    want, got, _ = filled(oracle.compile_xml(assets / "mjcf/mujoco_test/engine/island" / f"{name}.xml"), device)
    assert_same_islands(want, got)


def test_without_the_flag_there_are_none(device):
    model = oracle.compile_xml(TWO_HEAPS)
    model.opt.disableflags = oracle.DISABLE_ISLAND
    want, got, d = filled(model, device)
    assert want.nisland == got.nisland == 0 and (d.tree_island.numpy() == -1).all()


def test_islands_need_the_rows(device):
    model = oracle.compile_xml(TWO_HEAPS)
    d = mjw.make_data(model, scratch="shared", device="cpu")
    with pytest.raises(StateError, match="nisland"):
        _ = d.nisland
