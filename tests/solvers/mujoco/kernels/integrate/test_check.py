"""A bad world harms only itself: it is flagged, counted and reset; all others keep every bit."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.oracle import States
from tests.tolerance import assert_same

WORLDS, BAD = 16, 5
OTHERS = np.arange(WORLDS) != BAD
BITS = {"qpos": 1, "qvel": 2, "ctrl": 4, "qfrc_applied": 4, "xfrc_applied": 4}
VALUES = {"nan": np.nan, "inf": np.inf, "minus inf": -np.inf, "huge": 1e12}
MODELS = ["humanoid", "many_small_trees", "elliptic_sliding_box"]


@pytest.fixture(scope="module", params=MODELS)
def case(request):
    mj = oracle.named_model(request.param)
    return mj, oracle.rollout_states(mj, WORLDS)


def inject(engine, name, value, world=BAD):
    """Write one bad number into the last entry of a world's row; returns the row as it was."""
    array = getattr(engine.d, name)
    values = array.numpy()
    before = values[world].copy()
    last = (world, *[n - 1 for n in engine.read(name).shape[1:]])
    values[last] = value
    array.assign(values)
    return before


def assert_others_unharmed(engine, clean):
    for name in ("qpos", "qvel", "qacc", "qacc_warmstart", "ncon", "nefc", "solver_niter"):
        assert_same(engine.read(name)[OTHERS], clean.read(name)[OTHERS], name)
    assert not engine.read("bad")[OTHERS].any() and not engine.read("bad_count")[OTHERS].any()


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("name", BITS)
def test_a_bad_number_is_flagged_counted_and_reset_alone(name, value, case, device):
    mj, states = case
    clean, engine = Engine(mj, states, device).step(3), Engine(mj, states, device).step(3)
    good = inject(engine, name, VALUES[value])
    engine.step()
    assert engine.read("bad")[BAD] & BITS[name]
    assert engine.read("bad_count")[BAD] == 1
    assert np.isfinite(engine.read("qpos")).all() and np.isfinite(engine.read("qvel")).all()
    assert_others_unharmed(engine, clean.step())
    row = getattr(engine.d, name).numpy()
    row[BAD] = good if BITS[name] == 4 else row[BAD]
    getattr(engine.d, name).assign(row)
    engine.step(5)
    assert engine.read("bad")[BAD] == 0 and engine.read("bad_count")[BAD] == 1
    assert_others_unharmed(engine, clean.step(5))


@pytest.mark.parametrize("name", ["qpos", "qvel"])
def test_the_bad_world_steps_on_from_qpos0_at_rest(name, case, device):
    mj, states = case
    engine = Engine(mj, states, device).step(3)
    inject(engine, name, np.nan)
    engine.step()
    rest = States(mj.qpos0[None], np.zeros((1, mj.nv)), np.zeros((1, mj.nv)), states.ctrl[BAD : BAD + 1])
    fresh = Engine(mj, rest, device).step()
    for field in ("qpos", "qvel", "time", "qacc_warmstart", "ncon", "nefc"):
        assert_same(engine.read(field)[BAD : BAD + 1], fresh.read(field), field)


def test_a_world_of_nothing_but_nan_recovers(case, device):
    mj, states = case
    clean, engine = Engine(mj, states, device), Engine(mj, states, device)
    for name in ("qpos", "qvel", "qacc_warmstart"):
        values = getattr(engine.d, name).numpy()
        values[BAD, : engine.read(name).shape[1]] = np.nan
        getattr(engine.d, name).assign(values)
    engine.step(3)
    assert engine.read("bad_count")[BAD] == 1
    assert np.isfinite(engine.read("qpos")).all()
    assert_others_unharmed(engine, clean.step(3))


def test_all_worlds_bad_at_once_all_recover(case, device):
    mj, states = case
    engine = Engine(mj, states, device)
    engine.write("qvel", np.full((WORLDS, mj.nv), np.inf))
    engine.step()
    assert (engine.read("bad") == BITS["qvel"]).all() and (engine.read("bad_count") == 1).all()
    assert np.isfinite(engine.read("qpos")).all()


def test_the_bad_world_may_share_a_thread_with_any_other(case, device):
    mj, states = case
    threads = 3 if device == "cpu" else 1
    clean, engine = Engine(mj, states, device, threads=threads), Engine(mj, states, device, threads=threads)
    inject(engine, "qvel", np.nan)
    assert_others_unharmed(engine.step(4), clean.step(4))


ABSURD = """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 0.5"><joint name="j" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.05"/></body>
<body pos="0 0 0.09"><freejoint/><geom size="0.1"/></body></worldbody>
<actuator><motor joint="j" gear="1e14"/></actuator></mujoco>"""


def test_an_absurd_acceleration_resets_its_world(device):
    mj = oracle.compile_xml(ABSURD)
    ctrl = np.zeros((WORLDS, 1))
    states = States(np.tile(mj.qpos0, (WORLDS, 1)), np.zeros((WORLDS, mj.nv)), np.zeros((WORLDS, mj.nv)), ctrl)
    clean, engine = Engine(mj, states, device), Engine(mj, states, device)
    ctrl = ctrl.copy()
    ctrl[BAD] = 1.0
    engine.write("ctrl", ctrl)
    assert_others_unharmed(engine.step(), clean.step())
    assert engine.read("bad")[BAD] == 8 and engine.read("bad_count")[BAD] == 1
    assert_same(engine.read("qpos")[BAD], mj.qpos0.astype(np.float32))
    assert not engine.read("qvel")[BAD].any()


def test_with_autoreset_off_a_bad_world_is_flagged_and_left_as_it_is(device):
    mj = oracle.compile_xml(
        ABSURD.replace("<option timestep", '<option><flag autoreset="disable"/></option><option timestep')
    )
    states = oracle.rollout_states(oracle.compile_xml(ABSURD.replace("1e14", "0")), WORLDS)
    states.ctrl[:] = 0.0
    clean, engine = Engine(mj, states, device), Engine(mj, states, device)
    inject(engine, "qvel", np.nan)
    assert_others_unharmed(engine.step(), clean.step())
    assert engine.read("bad")[BAD] != 0
    assert not np.isfinite(engine.read("qvel")[BAD]).all()


def test_counters_can_be_cleared(case, device):
    mj, states = case
    engine = Engine(mj, states, device)
    inject(engine, "qpos", np.nan)
    engine.step()
    engine.d.clear_counters()
    assert not engine.read("bad").any() and not engine.read("bad_count").any()
