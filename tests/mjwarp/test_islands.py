"""Islands as MuJoCo numbers them: of trees, dofs and rows, with all its lists."""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from newtonlite.core.errors import StateError
from newtonlite.mjwarp import island_lists as island_module
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


def test_lists_of_islands_are_data_of_every_world():
    """Each as MuJoCo has it, in arrays as wide as MuJoCo Warp makes them."""
    model = oracle.compile_xml(TWO_HEAPS)
    want, _, d = filled(model, "cpu")
    assert d.nidof.numpy().tolist() == [want.nidof]
    for name in island_module.LISTS:
        if name in ("nidof", "dof_islandid", "efc_islandid"):
            continue
        host, got = getattr(want, name), getattr(d, name).numpy()[0]
        np.testing.assert_array_equal(got[: len(host)], host, err_msg=name)
        assert len(got) == {"m": d.engine.njmax if "efc" in name else model.nv}.get(name[0], model.ntree)
    found = d.dof_islandid.numpy()[0]
    assert found.tolist() == want.dof_island[want.map_idof2dof].tolist()
    with pytest.raises(StateError, match="nidof"):
        d.nidof = [1]


def test_indices_of_what_is_awake():
    """Static and awake bodies in order, then -1; all where nothing sleeps."""
    text = TWO_HEAPS.replace("<worldbody>", '<option><flag sleep="enable"/></option><worldbody>', 1)
    for xml in (TWO_HEAPS, text):
        model = oracle.compile_xml(xml)
        m, d = mjw.put_model(model, device="cpu"), mjw.make_data(model, nworld=2, device="cpu")
        assert d.body_awake_ind.numpy().tolist() == [list(range(model.nbody))] * 2
    asleep = d.tree_asleep.numpy()
    asleep[1, 1] = 1  # the heap's first ball
    d.tree_asleep = asleep
    bodies, dofs = d.body_awake_ind.numpy()[1].tolist(), d.dof_awake_ind.numpy()[1].tolist()
    assert bodies == [0, 1, 3, 4, 5, 6, 7, -1]
    assert dofs == [*range(6), *range(12, model.nv), *[-1] * 6]
    assert d.nbody_awake.numpy().tolist() == [8, 7] and m.nv == model.nv


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


def test_rows_sorted_by_island_name_their_island(device):
    model = oracle.compile_xml(TWO_HEAPS)
    want, _, d = filled(model, device)
    assert d.efc_islandid.numpy()[0, : want.nefc].tolist() == want.efc_island[want.map_iefc2efc[: want.nefc]].tolist()


def test_without_sleep_everything_is_awake(device):
    model = oracle.compile_xml(TWO_HEAPS)
    want, _, d = filled(model, device)
    for name in ("tree_asleep", "tree_awake", "body_awake"):
        assert getattr(d, name).numpy()[0].tolist() == getattr(want, name).tolist()
