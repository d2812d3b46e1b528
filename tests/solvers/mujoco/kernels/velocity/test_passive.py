"""Springs, dampers, gravity compensation and fluid, each by itself, against MuJoCo's."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.kernels.velocity.passive import passive
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.harness.engine import Engine
from tests.harness.expected import expected
from tests.tolerance import assert_close

PARTS = ("qfrc_spring", "qfrc_damper", "qfrc_gravcomp", "qfrc_fluid", "qfrc_passive")
MODELS = (
    "springs_of_balls_and_free_bodies",
    "springs_and_dampers_of_third_order",
    "springs_that_yield",
    "fluid_around_inertia_boxes",
    "fluid_around_ellipsoids",
    "gravity_compensated_links",
    "spring_damper_joints",
)
WORLDS = 24
FLAGS = (
    0,
    MjtDisableBit.SPRING,
    MjtDisableBit.DAMPER,
    MjtDisableBit.GRAVITY,
    MjtDisableBit.SPRING | MjtDisableBit.DAMPER,
)


def check_parts(mj, states, device):
    """Every part of the passive forces, from MuJoCo's kinematics."""
    want = expected(mj, states)
    engine = Engine(mj, states, device, mode="staged")
    for name, values in want.items():
        engine.fill(name, np.full_like(values, 7.0) if name in PARTS else values)
    engine.run((passive,))
    size = np.linalg.norm(want["qfrc_passive"], axis=1)
    for name in PARTS:
        if name == "qfrc_fluid" and not engine.m.nfluid or name == "qfrc_gravcomp" and not engine.m.ngravcomp:
            assert not want[name].any()
        else:
            assert_close(engine.read(name), want[name], "force", size, name)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("flags", FLAGS)
def test_each_part_is_mujocos(name, flags, device):
    mj = oracle.small_model(name)
    states = oracle.rollout_states(mj, WORLDS, speed=1.0)
    mj.opt.disableflags = flags
    check_parts(mj, states, device)


def test_every_world_may_have_its_own_fluid(device):
    """Density, viscosity and wind per world against a model for each."""
    mj = oracle.small_model("fluid_around_ellipsoids")
    states = oracle.rollout_states(mj, 8, speed=1.0)
    engine = Engine(mj, states, device)
    rng = np.random.default_rng(5)
    fluid = {"density": rng.uniform(0, 80, 8), "viscosity": rng.uniform(0, 2, 8), "wind": rng.standard_normal((8, 3))}
    for name, values in fluid.items():
        engine.m.set(f"opt_{name}", values)
    got = engine.step().read("qvel")
    for world in range(8):
        for name, values in fluid.items():
            setattr(mj.opt, name, values[world])
        assert_close(got[[world]], oracle.step(mj, states[world]).qvel, "next")


def test_a_fluid_does_not_appear_later(device):
    """A model put without fluid refuses to get one, and says why."""
    m = put_model(oracle.small_model("spring_damper_joints"), device=device)
    with pytest.raises(ModelError, match="opt_density: the model was put with 0"):
        m.set("opt_density", 1.2)


@pytest.mark.parametrize("name", ["springs_that_yield", "tendon_springs_that_yield"])
def test_springs_yield_as_mujocos_do(name, device):
    """Rests move with coordinates and lengths, over many steps, from where a reset puts them."""
    mj = oracle.small_model(name)
    states = oracle.rollout_states(mj, 20, speed=3.0)
    engine = Engine(mj, states, device)
    rest = engine.read("plastic")
    assert_close(rest, np.tile(oracle.at_reset(mj, "plastic"), (20, 1)), "parameter")
    engine.step(10)
    want = oracle.rolled(mj, states, 10, "plastic")
    assert np.abs(want - rest).max() > 0.01
    assert_close(engine.read("plastic"), want, "trajectory")
