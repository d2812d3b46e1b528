"""The driver of the engine: one model's worlds run, put back, carried over to other data, and seen as numbers."""

import numpy as np
import pytest
import warp as wp

from newtonlite import ModelBuilder
from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.attributes import register
from newtonlite.solvers.mujoco.batch import Batch
from newtonlite.solvers.mujoco.compile import compile_model
from newtonlite.solvers.mujoco.data_view import DataView
from newtonlite.solvers.mujoco.live_model import LiveModel
from newtonlite.solvers.mujoco.model import put_model
from newtonlite.solvers.mujoco.start import WHOLE, Start, keyframes

ARM = """<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size=".1"/>
  <body pos="0 0 .3"><joint name="j" axis="0 1 0" damping=".1"/><geom size=".1" pos=".2 0 0"/></body></body></worldbody>
  <actuator><general joint="j" dyntype="integrator"/></actuator><sensor><jointpos joint="j"/></sensor>
  <keyframe><key name="a" qpos="0 0 2 1 0 0 0 .5" act=".3"/><key name="b" qpos="1 0 2 1 0 0 0 .7"/></keyframe></mujoco>"""
WORLDS = 4


def compiled():
    builder = ModelBuilder()
    register(builder)
    builder.add_mjcf(ARM)
    return compile_model(builder.finalize(device="cpu"))


@pytest.fixture
def batch():
    batch = Batch(put_model(compiled(), WORLDS), WORLDS, kept_fields=("xpos",))
    batch.write("qvel", np.arange(WORLDS * batch.model.nv).reshape(WORLDS, -1) % 3 * 0.1)
    batch.data.ctrl.assign(np.linspace(0, 1, WORLDS)[:, None])
    batch.run("step", 3)
    return batch


def mask(*worlds):
    return wp.array([w in worlds for w in range(WORLDS)], dtype=wp.bool, device="cpu")


def test_a_masked_program_runs_for_its_worlds_alone(batch):
    before = batch.data.qpos.numpy().copy()
    batch.add("masked", pipeline.step_groups, masked=True)
    batch.run("masked", 2, None, mask(1, 3))
    moved = (batch.data.qpos.numpy() != before).any(axis=1)
    assert moved.tolist() == [False, True, False, True]


def test_a_reset_puts_the_chosen_worlds_to_the_models_start(batch):
    before = {name: batch.data.arrays[name].numpy().copy() for name in WHOLE}
    batch.reset(batch.choose(mask(0, 2)))
    fresh = Batch(batch.model, WORLDS).data
    for name in WHOLE:
        now = batch.data.arrays[name].numpy()
        np.testing.assert_array_equal(now[[1, 3]], before[name][[1, 3]], name)
        np.testing.assert_array_equal(now[[0, 2]], fresh.arrays[name].numpy()[[0, 2]], name)


def test_worlds_choose_the_keyframes_that_they_go_back_to(batch):
    before = batch.data.qpos.numpy().copy()
    choice = wp.array([1, -1, 0, 2], dtype=int, device="cpu")  # there are two
    batch.reset(choice, Start(batch.model, batch.data, WHOLE, keyframes(batch.model.source), keyed=True))
    qpos, act = batch.data.qpos.numpy(), batch.data.act.numpy()
    assert qpos[0, -1] == np.float32(0.7) and qpos[2, -1] == np.float32(0.5) and act[2, 0] == np.float32(0.3)
    np.testing.assert_array_equal(qpos[[1, 3]], before[[1, 3]])


def test_a_start_follows_the_model_unless_it_is_fixed(batch):
    follows, fixed = (Start(batch.model, batch.data, ("qpos",), fixed=fixed) for fixed in (False, True))
    own = batch.model.qpos0.numpy().copy()
    batch.model.set("qpos0", own[0] + 1.0)
    batch.reset(batch.choose(None), follows)
    np.testing.assert_array_equal(batch.data.qpos.numpy(), np.repeat(own + 1.0, WORLDS, axis=0))
    batch.reset(batch.choose(None), fixed)
    np.testing.assert_array_equal(batch.data.qpos.numpy(), np.repeat(own, WORLDS, axis=0))


def test_what_worlds_carry_goes_to_other_data_in_whatever_order(batch):
    other = Batch(batch.model, WORLDS, nconmax=7)
    order = np.array([3, 0, 2, 1])
    other.carry([(batch.data, np.arange(WORLDS))], order)
    for name in ("qpos", "qvel", "act", "time", "ctrl", "qacc_warmstart"):
        np.testing.assert_array_equal(
            other.data.arrays[name].numpy(), batch.data.arrays[name].numpy()[order], err_msg=name
        )


def test_worlds_that_nobody_has_stay_at_their_start(batch):
    other = Batch(batch.model, WORLDS)
    other.carry([(batch.data, np.arange(WORLDS))], np.array([0, 1, 2, 9]))
    np.testing.assert_array_equal(other.data.qpos.numpy(), np.repeat(batch.model.qpos0.numpy(), WORLDS, axis=0))


def test_other_data_steps_on_with_the_same_bits(batch):
    old = batch.data
    other = Batch.around(batch.model, old)
    batch.renew(nconmax=5)
    batch.carry([(old, np.arange(WORLDS))], np.arange(WORLDS))
    for each in (batch, other):
        each.run("step", 5)
    assert batch.data is not old and batch.data.nconmax == 5
    np.testing.assert_array_equal(batch.data.qpos.numpy(), old.qpos.numpy())


def test_fields_are_seen_as_numbers_without_pads_or_copies(batch):
    nv, nbody = batch.model.nv, batch.model.nbody
    assert batch.data.qvel.shape[1] > nv
    assert batch.as_numbers("qvel").shape == (WORLDS, nv) and batch.as_numbers("time").shape == (WORLDS, 1)
    assert batch.as_numbers("xpos").shape == (WORLDS, 3 * nbody) and batch.as_numbers("bad").dtype is wp.int32
    batch.as_numbers("qvel").fill_(2.5)
    assert (batch.data.qvel.numpy()[:, :nv] == 2.5).all() and not batch.data.qvel.numpy()[:, nv:].any()


def test_assigning_to_a_view_copies_or_is_refused(batch):
    d = DataView(batch)
    place = d.qpos.ptr
    d.qpos = np.zeros((WORLDS, batch.model.nq))
    assert d.qpos.ptr == place and not d.qpos.numpy().any()
    with pytest.raises(StateError, match="expected shape"):
        d.qpos = np.zeros((WORLDS, batch.model.nq - 1))
    with pytest.raises(StateError, match="not kept per world"):
        d.cvel = 1.0


def test_a_model_of_something_else_is_refused(batch):
    builder = ModelBuilder()
    builder.add_mjcf("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
    other = put_model(compile_model(builder.finalize(device="cpu")))
    with pytest.raises(StateError, match="other nq"):
        batch.schedule_of(other)


def test_an_option_and_a_friction_that_was_zero_are_followed():
    made = put_model(compiled(), WORLDS)
    m = LiveModel(made.sizes, made.arrays, made.device, made.source)
    batch = Batch(m, WORLDS)
    batch.run("step")
    m.opt.integrator = 1
    m.dof_frictionloss.fill_(0.3)
    batch.run("step")
    assert batch.data.nefc.numpy().tolist() == [m.nv] * WORLDS and m.opt.integrator == 1
