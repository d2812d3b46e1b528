"""Equality constraints in the engine: which hold, in which world, and where their rows do not fit."""

import numpy as np
import pytest

from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.data import reset_data
from tests import oracle
from tests.harness.engine import Engine
from tests.solvers.mujoco.test_parity import assert_parity
from tests.tolerance import assert_close

ROBOTS = [
    "mjwarp_test/constraints.xml",
    "mujoco_mjx/constraints.xml",
    "newton/constraints.xml",
    "mjwarp_test/jdotv/connect_2d.xml",
    "mjwarp_test/jdotv/connect_3d.xml",
    "mjwarp_test/jdotv/weld_3d.xml",
    "mujoco_test/engine/connect.xml",
    "mujoco_test/engine/weld.xml",
    "mujoco_test/engine/equality_site.xml",
    "mujoco_test/engine/armature_equivalence.xml",
    "mujoco_test/engine/island/island_efc.xml",
    "mujoco_usd_converter/equality_connect_attributes.xml",
    "mujoco_usd_converter/equality_weld_attributes.xml",
    "mujoco_usd_converter/equality_weld_with_sites.xml",
    "mujoco_usd_converter/equality_joint_attributes.xml",
    "mjwarp_bench/franka_emika_panda/panda.xml",
]
STATES = 24


@pytest.mark.parametrize("path", ROBOTS)
def test_a_step_of_a_real_model_is_mujocos(path, device, assets):
    mj = oracle.compile_xml(assets / "mjcf" / path)
    mj.opt.iterations, mj.opt.ls_iterations = 100, 50  # where a solver is stopped before its end is its own affair
    assert_parity(mj, oracle.rollout_states(mj, STATES, length=60), device)


def test_each_world_says_which_constraints_hold(device):
    mj = oracle.small_model("equality_connect")
    states = oracle.rollout_states(mj, 8)
    active = np.random.default_rng(1).integers(0, 2, (8, mj.neq))
    want = oracle.step(mj, states, eq_active=active)
    engine = Engine(mj, states, device)
    engine.d.eq_active.assign(active.astype(np.int32))
    engine.step()
    np.testing.assert_array_equal(engine.read("nefc"), want.nefc)
    assert_close(engine.read("qacc"), want.qacc, "qacc", want.pull)
    np.testing.assert_array_equal(engine.read("eq_active"), active)


def test_a_reset_brings_back_what_was_authored(device):
    mj = oracle.small_model("equality_with_contacts")
    engine = Engine(mj, oracle.rollout_states(mj, 2), device)
    engine.d.eq_active.fill_(0)
    reset_data(engine.m, engine.d)
    np.testing.assert_array_equal(engine.read("eq_active"), np.tile(mj.eq_active0, (2, 1)))


@pytest.mark.parametrize("flag", [MjtDisableBit.EQUALITY, MjtDisableBit.CONSTRAINT])
def test_flags_switch_them_off(flag, device):
    mj = oracle.small_model("equality_with_contacts")
    states = oracle.rollout_states(mj, 8)
    mj.opt.disableflags |= flag
    assert_parity(mj, states, device)


def test_worlds_may_differ_in_their_numbers(device):
    mj = oracle.small_model("equality_weld")
    states = oracle.rollout_states(mj, 3)
    engine = Engine(mj, states, device)
    data, wanted = np.tile(mj.eq_data, (3, 1, 1)), []
    data[:, :, :3] += np.array([0.0, 0.01, -0.02])[:, None, None]
    data[:, :, 10] *= np.array([1.0, 2.0, 0.5])[:, None]
    engine.m.set("eq_data", data)
    engine.step()
    for world in range(3):
        mj.eq_data[:] = data[world]
        wanted.append(oracle.step(mj, states[world]))
    pull = np.concatenate([w.pull for w in wanted])
    assert_close(engine.read("qacc"), np.concatenate([w.qacc for w in wanted]), "qacc", pull)


@pytest.mark.parametrize("njmax, kept", [(12, 12), (11, 9), (4, 3), (2, 0)])
def test_constraints_without_room_are_left_out_whole_and_counted(njmax, kept, device):
    mj = oracle.small_model("equality_connect")
    engine = Engine(mj, oracle.rollout_states(mj, 4), device, njmax=njmax).step()
    assert (engine.read("nefc") == kept).all() and (engine.read("nefc_needed") == 12).all()
    assert (engine.read("overflow") == int(kept < 12)).all()
    assert np.isfinite(engine.read("qacc")).all()


def test_what_cannot_move_has_no_rows(device):
    mj = oracle.compile_xml("""<mujoco><worldbody>
      <body name="a"><geom size="0.1"/></body> <body name="m" mocap="true"><geom size="0.1"/></body>
      <body name="b"><joint name="j"/><geom size="0.1" pos="1 0 0"/></body> <site name="s"/><site name="t" pos="1 0 0"/>
    </worldbody>
    <tendon><spatial name="dead"><site site="s"/><site site="t"/></spatial></tendon>
    <equality><connect body1="a" body2="m" anchor="0 0 0"/><tendon tendon1="dead"/><weld body1="b"/></equality></mujoco>""")
    assert_parity(mj, oracle.rollout_states(mj, 3), device)


def test_rows_come_in_mujocos_order_and_say_whose_they_are(device):
    mj = oracle.small_model("tendon_limits_and_friction")
    states = oracle.rollout_states(mj, 12)
    engine = Engine(mj, states, device, mode="staged").forward()
    for world in range(len(states)):
        data = oracle.forward(mj, states, world)
        n = data.nefc
        np.testing.assert_array_equal(engine.read("efc_id")[world, :n], data.efc_id)
        kinds = np.bincount(data.efc_type, minlength=5)
        counts = [engine.read(name)[world] for name in ("ne", "nf_dof", "nf", "nl_jnt", "nl")]
        assert counts == [kinds[0], kinds[1], kinds[1] + kinds[2], kinds[3], kinds[3] + kinds[4]]
