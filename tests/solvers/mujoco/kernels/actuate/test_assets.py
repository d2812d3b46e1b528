"""Steps of published models of actuators, against MuJoCo's."""

import pytest

from tests import oracle
from tests.solvers.mujoco.test_parity import assert_parity

STATES = 32
MODELS = [
    "mjwarp_test/actuation/actuation.xml",
    "mjwarp_test/actuation/adhesion.xml",
    "mjwarp_test/actuation/muscle.xml",
    "mjwarp_test/actuation/position.xml",
    "mjwarp_test/actuation/site.xml",
    "mjwarp_test/actuation/slidercrank.xml",
    "mjwarp_test/actuation/tendon_force_limit.xml",
    "mujoco_mjx/actuator/arm21.xml",
    "mujoco_mjx/actuator/arm26.xml",
    "mujoco_mjx/actuator/tendon_force_clamp.xml",
    "mujoco_test/engine/actuation/dampratio.xml",
    "mujoco_test/engine/actuation/joint_force_clamp.xml",
    "mujoco_test/engine/actuation/orientation.xml",
    "mujoco_test/engine/actuation/sites.xml",
    "mujoco_test/engine/actuation/tendon_dampratio.xml",
    "mujoco_test/engine/actuation/tendon_force_clamp.xml",
    "mujoco_test/engine/derivative/dcmotor.xml",
    "mujoco_model/slider_crank/slider_crank.xml",
]
STIFF = ("mjwarp_test/actuation/position.xml", "mujoco_test/engine/derivative/dcmotor.xml")
IMPLICITFAST = 3


@pytest.mark.parametrize("path", MODELS)
def test_a_step_of_a_published_model_is_mujocos(path, device, assets):
    mj = oracle.compile_xml(assets / "mjcf" / path)
    mj.opt.iterations, mj.opt.ls_iterations = max(mj.opt.iterations, 50), max(mj.opt.ls_iterations, 50)
    if path in STIFF:  # unstable with Euler's method
        mj.opt.integrator = IMPLICITFAST
    assert_parity(mj, oracle.rollout_states(mj, STATES, length=60), device)
