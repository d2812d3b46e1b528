"""Inverse dynamics and energies: MuJoCo's forces for an acceleration, of a moment or of a time step."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
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
DISCRETE = [
    "implicit_damping_euler",
    "implicitfast_damped_arm",
    "implicit_coriolis",
    "fluid_taken_implicitly",
    "pendulum_double_hinge",
]
WORLDS = 20


def check(mj, device, qacc=None):
    """Inverse dynamics of the accelerations of a step, or of given ones."""
    states = oracle.rollout_states(mj, WORLDS)
    if qacc is None:
        after = oracle.step(mj, states)
        qacc = np.float32((after.qvel - states.qvel) / mj.opt.timestep)
    want = oracle.inverse(mj, states, qacc)
    engine = Engine(mj, states, device, mode="staged")
    engine.fill("qacc", qacc)
    engine.schedule.inverse()
    size = sum(np.linalg.norm(values, axis=1) for values in want.values())
    for name in ("qfrc_constraint", "qfrc_inverse"):
        assert_close(engine.read(name), want[name], "inverse", size, name)


@pytest.mark.parametrize("name", MODELS)
def test_the_forces_of_an_acceleration_are_mujocos(name, device):
    check(oracle.named_model(name), device)


@pytest.mark.parametrize("name", DISCRETE)
def test_accelerations_of_a_time_step_are_understood(name, device):
    mj = oracle.small_model(name)
    mj.opt.enableflags |= oracle.ENABLE_INVDISCRETE
    check(mj, device)


def test_the_flag_fwdinv_measures_how_well_the_solver_did(device):
    mj = oracle.small_model("elliptic_condim_1_3_4_6")
    states = oracle.rollout_states(mj, WORLDS)
    mj.opt.enableflags |= oracle.ENABLE_FWDINV
    states.qacc_warmstart[:] = 0.0
    mj.opt.iterations = 0
    engine = Engine(mj, states, device, mode="staged").step()
    rough = engine.read("solver_fwdinv")
    mj.opt.iterations = 100
    engine = Engine(mj, states, device, mode="staged").step()
    fine = engine.read("solver_fwdinv")
    size = np.linalg.norm(engine.read("qfrc_constraint"), axis=1) + np.linalg.norm(engine.read("qfrc_smooth"), axis=1)
    assert_close(fine, np.zeros_like(fine), "forward_inverse", size)
    assert rough.max() > 100 * fine.max()


@pytest.mark.parametrize(
    "name",
    ["springs_and_dampers_of_third_order", "springs_of_balls_and_free_bodies", "tendon_springs_that_yield", "humanoid"],
)
def test_energies_are_mujocos(name, device):
    mj = oracle.named_model(name)
    mj.opt.enableflags |= oracle.ENABLE_ENERGY
    states = oracle.rollout_states(mj, WORLDS, speed=1.0)
    want = np.array([oracle.forward(mj, states, k).energy for k in range(WORLDS)])
    got = Engine(mj, states, device, mode="staged").forward().read("energy")
    assert_close(got, want, "force", np.abs(want).max())
