"""Rows N-040 to N-046: drives and actuators."""

import numpy as np
import pytest

from newtonlite.core.enums import JointTargetMode as Mode
from newtonlite.core.errors import NewtonWarning
from newtonlite.solvers.mujoco import ActuatorTarget, add_actuator_motor, add_actuator_position, add_tendon_fixed
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness.engine_scenes import X, builder
from tests.harness.newton_scenes import arm, solver, step
from tests.tolerance import assert_close

Kind = ActuatorTarget.Kind


def driven(mode, device, **joint):
    return compile_model(arm(target_ke=30.0, target_kd=4.0, actuator_mode=mode, **joint).finalize(device=device))


def test_n_040_position_is_one_servo(device):
    m = driven(Mode.POSITION, device)
    assert (m.actuator_gainprm[:, 0].tolist(), m.actuator_biasprm[:, :3].tolist()) == ([30.0], [[0.0, -30.0, -4.0]])


def test_n_041_velocity_is_one_damper(device):
    m = driven(Mode.VELOCITY, device)
    assert (m.actuator_gainprm[:, 0].tolist(), m.actuator_biasprm[:, :3].tolist()) == ([4.0], [[0.0, 0.0, -4.0]])


def test_n_042_position_and_velocity_are_two_actuators(device):
    m = driven(Mode.POSITION_VELOCITY, device)
    assert m.actuator_gainprm[:, 0].tolist() == [30.0, 4.0]
    assert m.actuator_biasprm[:, :3].tolist() == [[0.0, -30.0, 0.0], [0.0, 0.0, -4.0]]


def test_n_043_none_and_effort_make_no_actuator_and_joint_f_acts(device):
    for mode in (Mode.NONE, Mode.EFFORT):
        b = arm(target_ke=30.0, target_kd=4.0, actuator_mode=mode)
        model = b.finalize(device=device)
        s, control = solver(model), model.control()
        assert s.mj_model.nu == 0
        control.joint_target_q.assign([1.0])
        control.joint_f.assign([2.0])
        after = step(s, model.state(), control, dt=0.001)
        assert_close(after.joint_qd.numpy(), [0.001 * 2.0 / s.mj_model.dof_M0[0]], "force")


def test_n_044_effort_limits_clamp_joints_and_a_balls_actuators(device):
    m = driven(Mode.POSITION, device, effort_limit=7.0)
    assert (m.jnt_actfrclimited.tolist(), m.jnt_actfrcrange.tolist(), m.actuator_forcelimited.tolist()) == (
        [1],
        [[-7.0, 7.0]],
        [0],
    )
    b = builder()
    link = b.add_link()
    b.add_shape_box(link, hx=0.1, hy=0.1, hz=0.1)
    b.add_articulation([b.add_joint_ball(-1, link, actuator_mode=Mode.POSITION)])
    model = b.finalize(device=device)
    model.joint_target_ke.fill_(5.0)
    model.joint_effort_limit.assign([1.0, 2.0, 3.0])
    m = compile_model(model)
    assert m.jnt_actfrclimited.tolist() == [0]
    assert m.actuator_forcerange.tolist() == [[-1.0, 1.0], [-2.0, 2.0], [-3.0, 3.0]]


def test_n_045_actuators_of_the_namespace_come_after_the_drives(device):
    """A motor with gear 3 on the second of two driven links turns it by ctrl alone."""
    b = arm(target_ke=30.0, actuator_mode=Mode.POSITION)
    second = b.add_link(label="second")
    b.add_shape_box(second, hx=0.1, hy=0.1, hz=0.1)
    b.add_articulation([b.add_joint_revolute(-1, second, axis=X, label="free")])
    row = add_actuator_motor(b, ActuatorTarget(Kind.JOINT, 1), gear=(3.0,), ctrlrange=(-1.0, 1.0))
    model = b.finalize(device=device)
    s, control = solver(model, disable_contacts=True), model.control()
    assert (row, s.mj_model.nu) == (0, 2)
    assert s.mj_model.actuator_trnid[:, 0].tolist() == [0, 1]
    control.mujoco.ctrl.assign([5.0])
    after = step(s, model.state(), control, dt=0.001)
    assert_close(after.joint_qd.numpy(), [0.0, 0.001 * 3.0 / s.mj_model.dof_M0[1]], "force")


def test_n_046_joints_tendons_sites_and_bodies_are_driven(device):
    b = arm()
    site = b.add_site(0, label="tip")
    tendon = add_tendon_fixed(b, [(0, 2.0)], label="string")
    for target in ((Kind.JOINT, 0), (Kind.TENDON, tendon), (Kind.SITE, site), (Kind.BODY, 0)):
        add_actuator_motor(b, ActuatorTarget(*target))
    m = compile_model(b.finalize(device=device))
    assert m.actuator_trntype.tolist() == [0, 3, 4, 5]
    assert m.actuator_trnid[:, 0].tolist() == [0, 0, 0, 1]


def test_n_046_an_actuator_without_its_target_is_skipped_with_a_warning(device):
    b = arm()
    add_actuator_position(b, ActuatorTarget(Kind.JOINT, 0), kp=5.0)
    model = b.finalize(device=device)
    model.mujoco.actuator_trnid.assign([[-1, -1]])
    with pytest.warns(NewtonWarning, match="its target does not exist"):
        assert compile_model(model).nu == 0


def test_n_045_a_servo_of_the_namespace_with_a_damping_ratio(device):
    b = arm()
    add_actuator_position(b, ActuatorTarget(Kind.JOINT, 0), kp=50.0, dampratio=1.0)
    m = compile_model(b.finalize(device=device))
    assert_close(m.actuator_biasprm[0, 2:3], [-2.0 * np.sqrt(50.0 * m.dof_M0[0])], "authored")
