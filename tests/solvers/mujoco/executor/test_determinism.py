"""The same numbers every time: whatever the run, the number of worlds, their order, their neighbours, or the threads."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_same

WORLDS, STEPS = 32, 40
MODELS = [
    "humanoid",
    "many_small_trees",
    "heap_of_convex_shapes",
    *(
        pytest.param(name, marks=pytest.mark.nightly)
        for name in ("elliptic_condim_1_3_4_6", "boxes_tumbling", "balls_and_pills_on_hills")
    ),
]


@pytest.fixture(scope="module", params=MODELS)
def case(request, device):
    """A model, its states, and the trajectory of all worlds that all others are held against."""
    mj = oracle.named_model(request.param)
    states = oracle.rollout_states(mj, WORLDS)
    return mj, states, Engine(mj, states, device).trajectory(STEPS)


def assert_trajectory(got: dict, want: dict, worlds=slice(None)):
    for name in want:
        assert_same(got[name], want[name][worlds], name)


def test_worlds_differ_from_each_other(case):
    """Without this the tests below would show nothing."""
    _, _, want = case
    assert len(np.unique(want["qvel"], axis=0)) == WORLDS
    assert want["ncon"].max() > 0


def test_a_second_run_gives_the_same_bits(case, device):
    mj, states, want = case
    assert_trajectory(Engine(mj, states, device).trajectory(STEPS), want)


def test_the_same_engine_loaded_again_gives_the_same_bits(case, device):
    mj, states, want = case
    engine = Engine(mj, states[::-1], device).step(7)
    engine.load(states)
    assert_trajectory(engine.trajectory(STEPS), want)


@pytest.mark.parametrize("world", [0, 17, 31])
def test_a_world_alone_gives_the_bits_it_gives_among_others(case, device, world):
    mj, states, want = case
    assert_trajectory(Engine(mj, states[world], device).trajectory(STEPS), want, slice(world, world + 1))


def test_permuted_worlds_give_permuted_results(case, device):
    mj, states, want = case
    order = np.random.default_rng(0).permutation(WORLDS)
    assert_trajectory(Engine(mj, states[order], device).trajectory(STEPS), want, order)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_do_not_change_a_bit(case, device, threads):
    if device != "cpu":
        pytest.skip("worlds are sharded over threads on the CPU only")
    mj, states, want = case
    assert_trajectory(Engine(mj, states, device, threads=threads).trajectory(STEPS), want)


def test_staged_and_fused_schedules_agree_to_the_bit(case, device):
    if device != "cpu":
        pytest.skip("a GPU compiler may contract differently in another kernel")
    mj, states, want = case
    assert_trajectory(Engine(mj, states, device, mode="staged").trajectory(STEPS), want)


@pytest.mark.parametrize("value", [np.nan, -1e30, 1e30])
def test_what_scratch_held_before_does_not_matter(value, case, device):
    """Scratch is shared by the worlds of a thread: whatever a stage reads, it or an earlier one has written."""
    mj, states, _ = case
    for world in range(0, WORLDS, 4):
        engine = Engine(mj, states[world], device)
        want = engine.trajectory(2)
        engine.poison_scratch(value)
        engine.load(states[world])
        assert_trajectory(engine.trajectory(2), want)


def test_more_threads_than_worlds_are_harmless(case, device):
    mj, states, want = case
    got = Engine(mj, states[:2], device, threads=8).trajectory(STEPS)
    assert_trajectory(got, want, slice(0, 2))
