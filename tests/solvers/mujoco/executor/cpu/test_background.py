"""A model whose kernels are not compiled begins with those of all features, and goes on with its own at the same bits."""

import time

import numpy as np
import pytest
import warp as wp

from newtonlite.core.errors import NewtonWarning, StateError
from newtonlite.core.replacing import replace_file
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor import plan, specialize
from newtonlite.solvers.mujoco.executor.cpu import background, compile_worker, kernel_cache, kernel_chain
from tests import oracle
from tests.harness.engine import Engine

STAGES = pipeline.KINEMATICS[:3]
FIELDS = ("xpos", "xquat", "xipos", "geom_xpos", "cdof")
WAIT = 120.0  # [s] until the test gives up


@pytest.fixture
def empty_cache(device, monkeypatch, tmp_path):
    if device != "cpu":
        pytest.skip("the kernel cache is for the CPU")
    monkeypatch.setattr(specialize, "enabled", True)
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path))
    monkeypatch.setattr(kernel_cache, "packaged_kind", lambda: None)
    monkeypatch.setenv("NEWTONLITE_KERNELS", "background")
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
    assert schedule.backend.awaited and schedule.programs["place"][0].awaited
    first = placed(schedule)
    began = time.monotonic()
    while schedule.backend.awaited and time.monotonic() - began < WAIT:
        time.sleep(background.PAUSE)
        schedule.run("place")
    assert not schedule.backend.awaited and not schedule.programs["place"][0].awaited
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
    assert schedule.backend.awaited is None
    assert placed(schedule)["xpos"].any()


def test_without_general_kernels_a_first_step_waits(schedule):
    schedule.add("place", STAGES)
    assert not schedule.backend.awaited and not schedule.programs["place"][0].awaited


def test_another_word_in_the_environment_is_an_error(monkeypatch):
    monkeypatch.setenv("NEWTONLITE_KERNELS", "later")
    with pytest.raises(StateError, match="NEWTONLITE_KERNELS: expected one of background, wait, general, got 'later'"):
        background.policy()


def done(compilation, most: float = WAIT) -> bool:
    """Whether a compilation is done, or given up, within so many seconds."""
    began = time.monotonic()
    while not compilation.is_done():
        if time.monotonic() - began > most:
            return False
        time.sleep(background.PAUSE)
    return True


def test_a_compilation_that_fails_is_told_and_the_model_goes_on(schedule, monkeypatch):
    monkeypatch.setenv("NEWTONLITE_KERNELS", "background")
    monkeypatch.setattr(background, "_warned", set())
    absent = {"stages": [["newtonlite.absent", "stage"]]}
    request = compile_worker.request
    monkeypatch.setattr(compile_worker, "request", lambda part: request(part) | absent)
    kernel_chain.compile_parts([("position", STAGES, ())])
    schedule.add("place", STAGES)
    with pytest.warns(NewtonWarning, match="No module named .newtonlite.absent.*all features.*NEWTONLITE_KERNELS=wait"):
        assert done(schedule.backend.awaited)
    assert placed(schedule)["xpos"].any() and not schedule.backend.awaited
    assert schedule.programs["place"][0].awaited


def test_stages_of_others_are_not_compiled_for_a_queue():
    with pytest.raises(ValueError, match="os.getpid: expected a stage of newtonlite"):
        compile_worker.part_of({"part": "position", "stages": [["os", "getpid"]], "folded": []})


def test_a_cache_that_cannot_be_written_to_is_told_and_the_model_goes_on(schedule, monkeypatch):
    monkeypatch.setenv("NEWTONLITE_KERNELS", "background")
    monkeypatch.setattr(background, "_warned", set())
    kernel_chain.compile_parts([("position", STAGES, ())])
    (kernel_cache.places()[0] / "queue").write_text("")
    with pytest.warns(NewtonWarning, match="cannot be written to.*WARP_CACHE_PATH.*all features"):
        schedule.add("place", STAGES)
    assert placed(schedule)["xpos"].any() and not schedule.backend.awaited


def test_many_models_have_one_worker_and_requests_of_each_kernel_once(empty_cache):
    parts = [("position", STAGES, ((name, 0),)) for name in ("nball", "nsite", "nball", "nsite")]
    compilations = [background.Compilation((part,)) for part in parts]
    (program,) = {background._program(kernel_cache.places()[0]) for _ in compilations}
    assert len(program.asked) == 2 and len(program.queue.wanted()[0]) == 2 and program.starts == 1
    assert all(done(compilation) for compilation in compilations)
    assert all(kernel_cache.find(kernel_cache.key(*part)) for part in parts)


def test_a_damaged_kernel_is_compiled_anew(empty_cache):
    part = "position", STAGES, (("nball", 0),)
    entry = kernel_cache.places()[0] / f"{kernel_cache.key(*part)}.json"
    replace_file(entry, b"{")
    assert done(background.Compilation((part,))) and kernel_cache.find(kernel_cache.key(*part))


def test_forces_of_gangs_go_world_by_world_until_their_kernel_is_there(empty_cache, monkeypatch):
    general = {kernel_cache.key(*part) for part in kernel_chain.all_parts(pipeline.STEP)}
    entry = {"stages": [stage.key for stage in pipeline.STEP], "m": (), "d": (), "code": 0}
    monkeypatch.setattr(kernel_cache, "find", lambda name: entry if name in general else None)
    lacking = tuple((name, 0) for name in (*kernel_chain.GANG_FORCES_LACK, "nsleep"))
    chain = kernel_chain.KernelChain([(pipeline.STEP, False)], 2, folded=lacking, early=True, nv=10)
    assert all(isinstance(kernel, kernel_chain.CachedKernel) for kernel in chain.kernels)
    awaited = {name: set(stages) for name, stages, _ in chain.awaited}
    assert awaited["gang"] == {*plan.GANG, *plan.GANG_MATRIX, *plan.GANG_FORCES}
