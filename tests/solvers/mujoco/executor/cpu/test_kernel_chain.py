"""A program in parts does what it does as one kernel, bit for bit; what is in which part; parts that cannot be
compiled.
"""

from typing import Any

import numpy as np
import pytest
import warp as wp

from newtonlite import models
from newtonlite.cli.simulation import SolverRun
from newtonlite.core import warp_internals
from newtonlite.core.mujoco import MjtIntegrator
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor import specialize
from newtonlite.solvers.mujoco.executor.cpu import kernel_chain as chains
from newtonlite.solvers.mujoco.executor.cpu.kernel_chain import KernelChain, cpu_kernel, parts
from newtonlite.solvers.mujoco.executor.fused_kernel import FusedKernel, fused_kernel
from newtonlite.solvers.mujoco.kernels.integrate.check import check_state
from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_same


@wp.func_native("this is not C++;")
def broken(): ...


@wp.func
def unbuildable(m: Any, d: Any, world: int, lane: int, nlane: int):
    broken()


def as_one_kernel(chain: KernelChain, schedule) -> FusedKernel:
    """The stages of a chain, without the features that the model lacks, in one kernel; unoptimised, compiled soon."""
    return fused_kernel("step", specialize.constant_fold(chain.stages, specialize.features(schedule.model)), level=0)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", ["slide_friction_loss", pytest.param("humanoid", marks=pytest.mark.nightly)])
def test_a_chain_has_the_bits_of_one_kernel(name, threads, device, monkeypatch):
    if device != "cpu":
        pytest.skip("chains are for the CPU")
    monkeypatch.setattr(specialize, "enabled", True)
    monkeypatch.setenv("NEWTONLITE_KERNELS", "wait")
    mj = oracle.named_model(name)
    states = oracle.rollout_states(mj, 8)
    parts, whole = Engine(mj, states, threads=threads), Engine(mj, states, threads=threads)
    (made,) = parts.schedule.programs["step"]
    assert isinstance(made, KernelChain)
    whole.schedule.programs["step"] = (as_one_kernel(made, whole.schedule),)
    parts, whole = parts.step(20).arrays(), whole.step(20).arrays()
    assert parts["nefc"].any()
    for name in parts:
        assert_same(parts[name], whole[name], name)


@pytest.mark.nightly
@pytest.mark.parametrize("threads", [1, 3])
def test_push_and_pull_of_a_row_of_worlds_at_a_time_have_the_bits_of_one_kernel(threads, device, monkeypatch):
    if device != "cpu":
        pytest.skip("chains are for the CPU")
    monkeypatch.setattr(specialize, "enabled", True)
    monkeypatch.setenv("NEWTONLITE_KERNELS", "wait")
    sides = []
    for whole in (False, True):
        sim = SolverRun(models.path("humanoid"), 2 * chains.WORLD_BLOCK + 5, "random", device=device, threads=threads)
        schedule = sim.solver.schedule
        (made,) = schedule.programs["step"]
        assert [(len(kernels) > 2, together) for kernels, together in made.rounds] == [
            (False, True),
            (False, True),
            (False, True),
            (True, False),
            (False, True),
        ]
        if whole:
            schedule.programs["step"] = (as_one_kernel(made, schedule),)
        for _ in range(20):
            sim.step()
        sides.append([getattr(sim.state, n).numpy() for n in ("joint_q", "joint_qd", "body_q", "body_qd")])
    for ours, one in zip(*sides):
        assert (
            len(np.unique(ours.reshape(2 * chains.WORLD_BLOCK + 5, -1), axis=0)) > chains.WORLD_BLOCK
        )  # worlds differ
        assert_same(ours, one, "states")


def test_kernels_are_all_stages_in_their_order():
    for level in (0, 2):
        assert tuple(s for _, stages in parts(pipeline.STEP, level) for s in stages) == pipeline.STEP
    assert all(len(stages) == 1 for _, stages in parts(pipeline.STEP, 0))


def test_programs_share_their_kernels():
    step, forward = parts(pipeline.STEP, 2), parts(pipeline.FORWARD, 2)
    assert {name for name, _ in set(forward) - set(step)} <= {"position", "sleep"}
    later = parts(pipeline.step_groups(MjtIntegrator.RK4)[2], 2)
    assert {name for name, _ in set(later) - set(step)} == {"integrate"}
    assert cpu_kernel(step[0]) == cpu_kernel(parts(pipeline.STEP, 2)[0])


def test_kernels_that_are_kept_go_before_unoptimised_ones(monkeypatch):
    """For tests, which find those of a wheel; one that is not there, or a caller's own stage, and nothing is taken."""
    stages = pipeline.POSITION
    kept = {chains.kernel_cache.key(*part) for part in parts(stages, 2)}
    monkeypatch.setattr(chains, "_cached", lambda key, part: key in kept)
    assert chains.are_kept(stages)
    assert not chains.are_kept((*stages, unbuildable))
    kept.pop()
    assert not chains.are_kept(stages)


def test_with_the_fence_down_a_program_is_one_kernel(monkeypatch):
    mj = oracle.named_model("humanoid")
    states = oracle.rollout_states(mj, 2)
    monkeypatch.setattr(warp_internals, "used", lambda: False)
    engine = Engine(mj, states)
    (made,) = engine.schedule.programs["step"]
    assert isinstance(made, FusedKernel)


def test_a_part_that_cannot_be_compiled_raises_the_error_of_warp_every_time(capfd):
    made = KernelChain([((check_state, unbuildable), False)], 0)
    for _ in range(2):
        with pytest.raises(Exception, match="CPU kernel build failed"):
            made.record(None, 1, "cpu")
    assert "this is not C++" in capfd.readouterr().err
