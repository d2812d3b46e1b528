"""Damping of joint targets by the ratio of a servo."""

import numpy as np

from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo
from tests.tolerance import assert_close


def test_the_damping_that_a_ratio_comes_to_is_the_joints():
    """Two worlds, one with more armature: twice the square root of gain times inertia, where no damping was given."""
    robot = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(robot)
    robot.add_mjcf("""<mujoco><worldbody><body><joint name="j"/><inertial mass="1" pos="0 0 0" diaginertia=".5 .5 .5"/>
        </body></worldbody><actuator><position joint="j" kp="10" dampratio="1"/></actuator></mujoco>""")
    scene = ModelBuilder()
    scene.replicate(robot, 3)
    scene.joint_armature[1] = 0.3
    scene.joint_target_kd[2] = 4.0
    model = scene.finalize("cpu")
    SolverMuJoCo(model)
    assert_close(model.joint_target_kd.numpy()[:2], 2.0 * np.sqrt(10.0 * np.array([0.5, 0.8])), "compiled")
    assert model.joint_target_kd.numpy()[2] == 4.0
