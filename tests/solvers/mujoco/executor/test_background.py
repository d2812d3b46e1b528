"""A model whose kernels are not compiled begins with those of all features, and goes on with its own at the same bits."""

import subprocess
import time

import numpy as np
import pytest
import warp as wp

from newtonlite.core.errors import NewtonWarning, StateError
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor import background, kernel_cache, kernel_chain, specialize
from tests import oracle
from tests.harness.engine import Engine

STAGES = pipeline.KINEMATICS[:3]
FIELDS = ("xpos", "xquat", "xipos", "geom_xpos", "cdof")
WAIT = 120.0  # [s] until the test gives up
SOON = 4.0  # [s] in which a process that may compile has begun to


@pytest.fixture
def empty_cache(device, monkeypatch, tmp_path):
    if device != "cpu":
        pytest.skip("the kernel cache is for the CPU")
    monkeypatch.setattr(specialize, "enabled", True)
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path))
    monkeypatch.setattr(kernel_chain, "_kernels", {})
    kernel_chain._folded_kernel.cache_clear()


@pytest.fixture
def schedule(empty_cache):
    mj = oracle.named_model("humanoid")
    return Engine(mj, oracle.rollout_states(mj, 3), scratch="per_world").schedule


def placed(schedule) -> dict:
    """Poses that the program computes anew."""
    d = schedule.data
    for name in FIELDS:
        d.arrays[name].zero_()
    schedule.run("place")
    return {name: d.arrays[name].numpy() for name in FIELDS}


def test_kernels_of_all_features_stand_in_and_give_the_same_bits(schedule, monkeypatch):
    monkeypatch.setenv("NEWTONLITE_KERNELS", "background")
    monkeypatch.setattr(background, "NICENESS", 0)
    kernel_chain.compile_parts([("position", STAGES, ())])
    schedule.add("place", STAGES)
    assert schedule.awaited and schedule.programs["place"][0].awaited
    first = placed(schedule)
    began = time.monotonic()
    while schedule.awaited and time.monotonic() - began < WAIT:
        time.sleep(background.PAUSE)
        schedule.run("place")
    assert not schedule.awaited and not schedule.programs["place"][0].awaited
    own = placed(schedule)
    for name in FIELDS:
        assert first[name].any()
        np.testing.assert_array_equal(first[name], own[name], name)


@pytest.mark.parametrize(("policy", "stand_in"), [("wait", False), ("general", True)])
def test_a_model_may_wait_for_its_kernels_or_do_without(policy, stand_in, schedule, monkeypatch):
    monkeypatch.setenv("NEWTONLITE_KERNELS", policy)
    kernel_chain.compile_parts([("position", STAGES, ())])
    schedule.add("place", STAGES)
    assert bool(schedule.programs["place"][0].awaited) == stand_in
    assert schedule.awaited is None
    assert placed(schedule)["xpos"].any()


def test_without_general_kernels_a_first_step_waits(schedule):
    schedule.add("place", STAGES)
    assert not schedule.awaited and not schedule.programs["place"][0].awaited


def test_another_word_in_the_environment_is_an_error(monkeypatch):
    monkeypatch.setenv("NEWTONLITE_KERNELS", "later")
    with pytest.raises(StateError, match="NEWTONLITE_KERNELS: expected one of background, wait, general, got 'later'"):
        background.policy()


def test_a_compilation_that_fails_is_told(empty_cache, monkeypatch):
    part = "position", STAGES, (("nball", 0),)
    monkeypatch.setattr(background, "_as_names", lambda part: ["position", [["newtonlite.absent", "stage"]], []])
    compilation = background.Compilation((part,))
    compilation.process.wait(WAIT)
    time.sleep(background.PAUSE)
    with pytest.warns(
        NewtonWarning, match="ended with exit code 1 .*No module named .newtonlite.absent.*NEWTONLITE_KERNELS=wait"
    ):
        assert compilation.is_done()


def test_one_process_at_a_time_compiles(empty_cache):
    part = "position", STAGES, (("nball", 0),)
    with kernel_cache.lock(lambda: True) as held:
        compilation = background.Compilation((part,))
        with pytest.raises(subprocess.TimeoutExpired):
            compilation.process.wait(SOON)
        assert held and not compilation.is_done()
    compilation.process.wait(WAIT)
    assert compilation.is_done() and kernel_cache.find(kernel_cache.key(*part))


def test_a_lock_that_is_no_longer_wanted_is_given_up(empty_cache):
    with kernel_cache.lock(lambda: True), kernel_cache.lock(lambda: False) as held:
        assert not held
    with kernel_cache.lock(lambda: False) as held:
        assert held


def test_forces_of_gangs_go_world_by_world_until_their_kernel_is_there(empty_cache, monkeypatch):
    general = {kernel_cache.key(*part) for part in kernel_chain.all_parts(pipeline.STEP)}
    entry = {"stages": [stage.key for stage in pipeline.STEP], "m": (), "d": (), "code": 0}
    monkeypatch.setattr(kernel_cache, "find", lambda name: entry if name in general else None)
    lacking = tuple((name, 0) for name in (*kernel_chain.GANG_FORCES_LACK, "nsleep"))
    chain = kernel_chain.KernelChain([(pipeline.STEP, False)], 2, folded=lacking, early=True, nv=10)
    assert all(isinstance(kernel, kernel_chain.CachedKernel) for kernel in chain.kernels)
    awaited = {name: set(stages) for name, stages, _ in chain.awaited}
    assert awaited["gang"] == {*pipeline.GANG, *pipeline.GANG_MATRIX, *pipeline.GANG_FORCES}
