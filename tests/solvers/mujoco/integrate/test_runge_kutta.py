"""Runge and Kutta's integrator: MuJoCo's step, order four, energy kept, and nothing that depends on how passes are launched."""

import numpy as np
import pytest

from tests import oracle
from tests.oracle import States
from tests.solvers.mujoco.engine import Engine
from tests.tolerance import assert_close, assert_same, tolerance

ACTIVE = "rk4_chain_with_activations"
FREE_CHAIN = """<mujoco><option integrator="RK4" timestep="{dt}"><flag contact="disable"/></option><worldbody>
<body pos="0 0 1"><joint type="ball"/><geom type="box" size="0.1 0.05 0.2" pos="0.05 0 -0.2"/>
<body pos="0 0 -0.4"><joint axis="0 1 0.3"/><geom type="capsule" size="0.05 0.15" pos="0.02 0 -0.2"/></body></body>
<body><freejoint/><geom type="box" size="0.1 0.2 0.3"/></body></worldbody></mujoco>"""
SPEED = 1.0
SPAN = 0.6  # [s]


def thrown(mj, n=6) -> States:
    """States at the reference pose with random velocities."""
    qvel = SPEED * np.random.default_rng(8).standard_normal((n, mj.nv))
    return oracle.rounded(States(np.tile(mj.qpos0, (n, 1)), qvel, np.zeros_like(qvel), np.zeros((n, 0))))


@pytest.mark.parametrize("name", [ACTIVE, "tendon_springs_that_yield"])
def test_activations_rests_and_the_warm_start_are_mujocos(name, device):
    mj = oracle.small_model(name)
    mj.opt.integrator = oracle.RK4
    states = oracle.rollout_states(mj, 24, speed=1.0)
    engine = Engine(mj, states, device, mode="staged").step()
    for field in ("act", "plastic"):
        assert_close(engine.read(field), oracle.rolled(mj, states, 1, field), "next", what=field)
    assert_close(engine.read("qacc_warmstart"), oracle.rolled(mj, states, 1, "qacc_warmstart"), "qacc", oracle.step(mj, states).pull)
    assert_close(engine.read("time"), np.full(24, mj.opt.timestep), "parameter")


def test_the_error_falls_with_the_fourth_power_of_the_time_step(device):
    """Against MuJoCo at a hundredth of the step; as long as the error is above what float32 rounds away."""
    errors = []
    for dt in (0.06, 0.03, 0.015):
        mj = oracle.compile_xml(FREE_CHAIN.format(dt=dt))
        states = thrown(mj)
        exact = oracle.roll(oracle.compile_xml(FREE_CHAIN.format(dt=0.001)), states, round(SPAN / 0.001))
        got = Engine(mj, states, device, mode="staged").step(round(SPAN / dt)).read("qvel")
        errors.append(np.linalg.norm(got - exact.qvel))
    order = np.log2(errors[0] / errors[1]), np.log2(errors[1] / errors[2])
    assert_close(order, [4.0, 4.0], "order")


def test_a_swinging_chain_keeps_its_energy(device):
    mj = oracle.compile_xml(FREE_CHAIN.format(dt=0.002))
    mj.opt.enableflags |= oracle.ENABLE_ENERGY
    states = thrown(mj)
    engine = Engine(mj, states, device, mode="staged")
    before = engine.forward().read("energy").sum(1)
    after = engine.step(500).forward().read("energy").sum(1)
    assert_close(after, before, "energy", np.abs(engine.read("energy")).sum(1))


def test_worlds_do_not_depend_on_threads_or_schedule(device):
    """Four launches of one kernel over shards of worlds, or a kernel per stage."""
    mj = oracle.small_model(ACTIVE)
    states = oracle.rollout_states(mj, 12)
    runs = [Engine(mj, states, device, mode=mode, threads=threads).step(5) for mode, threads in (("fused", 1), ("fused", 3), ("staged", 1))]
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
