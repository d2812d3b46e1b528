"""Runge and Kutta's integrator: MuJoCo's step, and nothing that depends on how its passes are launched."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close, assert_same, tolerance

ACTIVE = "rk4_chain_with_activations"


@pytest.mark.parametrize("name", [ACTIVE, "tendon_springs_that_yield"])
def test_activations_rests_and_the_warm_start_are_mujocos(name, device):
    mj = oracle.small_model(name)
    mj.opt.integrator = oracle.RK4
    states = oracle.rollout_states(mj, 24, speed=1.0)
    engine = Engine(mj, states, device, mode="staged").step()
    for field in ("act", "plastic"):
        assert_close(engine.read(field), oracle.rolled(mj, states, 1, field), "next", what=field)
    assert_close(
        engine.read("qacc_warmstart"),
        oracle.rolled(mj, states, 1, "qacc_warmstart"),
        "qacc",
        oracle.step(mj, states).pull,
    )
    assert_close(engine.read("time"), np.full(24, mj.opt.timestep), "parameter")


def test_worlds_do_not_depend_on_threads_or_schedule(device):
    """Four launches of one kernel over shards of worlds, or a kernel per stage."""
    mj = oracle.small_model(ACTIVE)
    states = oracle.rollout_states(mj, 12)
    runs = [
        Engine(mj, states, device, mode=mode, threads=threads).step(5)
        for mode, threads in (("fused", 1), ("fused", 3), ("staged", 1))
    ]
    for field in ("qpos", "qvel", "act", "qacc_warmstart", "time"):
        for other in runs[1:]:
            assert_same(other.read(field), runs[0].read(field), field)


def test_a_bad_world_restarts_alone(device):
    """Not a number in one world's speed: that world is at rest at the reference pose, the others go on."""
    mj = oracle.small_model(ACTIVE)
    states = oracle.rollout_states(mj, 4)
    good = Engine(mj, states, device, mode="staged").step(3)
    states.qvel[2, 0] = np.nan
    hurt = Engine(mj, states, device, mode="staged").step(3)
    assert hurt.read("bad_count").tolist() == [0, 0, 1, 0]
    for world in (0, 1, 3):
        assert_same(hurt.read("qpos")[world], good.read("qpos")[world])
    assert np.isfinite(hurt.read("qpos")).all() and np.isfinite(hurt.read("act")).all()
    assert np.abs(hurt.read("qvel")[2]).max() > tolerance("same")
