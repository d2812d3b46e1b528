"""Sensors in files that others wrote."""

import pytest

from tests import oracle
from tests.harness.sensing import assert_measured, forwards, measured

STATES = 20
FILES = """
mujoco_mjx/sensor/sensor.xml newton/nv_humanoid.xml
mujoco_test/engine/sensor/contact.xml mujoco_test/engine/sensor/contact_net.xml mujoco_test/engine/sensor/contact_sorted.xml
mujoco_test/engine/sensor/contact_subtree.xml mujoco_test/engine/sensor/contact_subtree_partial.xml
mujoco_test/engine/sensor/camprojection.xml mujoco_test/engine/sensor/insidesite.xml mujoco_test/engine/sensor/fromto_capsule_ellipsoid.xml
mujoco_test/engine/core_smooth/rne_post/weld/force_torque_free_rotated_tendon.xml
mujoco_test/engine/core_smooth/rne_post/weld/force_torque_free_rotated.xml
mujoco_test/engine/core_smooth/rne_post/connect/torque_free.xml mujoco_test/engine/core_smooth/rne_post/connect/force_slide.xml
mujoco_test/engine/ray/ray_swing.xml mujoco_test/engine/ray/stanford_bunny.xml mujoco_test/common/delay.xml mujoco_test/user/robot_arm.xml
""".split()


@pytest.mark.parametrize("file", FILES)
def test_sensors_of_real_models(file, assets, device):
    mj = oracle.compile_xml(assets / "mjcf" / file)
    states = oracle.rollout_states(mj, STATES, length=80, every=2)
    assert_measured(mj, measured(mj, states, device), forwards(mj, states))
