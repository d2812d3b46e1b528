"""Order and energy of Runge and Kutta's integrator; inverse dynamics after forward dynamics."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.oracle import States
from tests.tolerance import assert_close

MODELS = [
    "humanoid",
    "elliptic_condim_1_3_4_6",
    "slide_friction_loss",
    "fluid_around_ellipsoids",
    "tendon_fixed_coupled",
    "equality_joint",
    "general_actuators_with_limits",
    "springs_of_balls_and_free_bodies",
]
WORLDS = 20
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


@pytest.mark.parametrize("name", MODELS)
def test_inverse_after_forward_gives_back_what_was_applied(name, device):
    """At the acceleration of the forward dynamics, the forces left over are those of actuators and callers."""
    mj = oracle.named_model(name)
    states = oracle.rollout_states(mj, WORLDS)
    engine = Engine(mj, states, device, mode="staged")
    applied = np.random.default_rng(2).standard_normal((WORLDS, mj.nv))
    engine.write("qfrc_applied", applied)
    engine.forward()
    want = np.float32(applied) + engine.read("qfrc_actuator")
    size = np.linalg.norm(engine.read("qfrc_constraint"), axis=1) + np.linalg.norm(engine.read("qfrc_smooth"), axis=1)
    engine.schedule.inverse()
    assert_close(engine.read("qfrc_inverse"), want, "forward_inverse", size)
