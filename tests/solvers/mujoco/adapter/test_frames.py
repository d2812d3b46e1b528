"""Frames of turned roots: what goes in and comes out is what Newton documents, however the parent frame of a floating body
is turned and moved.

``joint_q`` and ``joint_qd`` are in the parent frame (speeds at the centre of mass), forces and everything of bodies in the
world.
"""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.enums import JointTargetMode
from tests import oracle
from tests.harness.contacts import contacts_of
from tests.harness.engine_scenes import Z, builder, pose, turned
from tests.harness.newton_scenes import solver, step
from tests.tolerance import assert_close

TURN = wp.quat_from_axis_angle(wp.normalize(wp.vec3(1.0, 2.0, 3.0)), 1.1)
FRAMES = {"plain": pose(), "moved": pose(1.0, -2.0, 0.5), "turned": pose(1.0, -2.0, 0.5, TURN)}
INERTIA, COM, MASS = (0.1, 0.2, 0.25), (0.1, -0.05, 0.2), 2.0
WRENCH = np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])
BOX = """<mujoco><option timestep=".001" gravity="0 0 0"/><worldbody><body><freejoint/>
<inertial pos=".1 -.05 .2" mass="2" diaginertia=".1 .2 .25"/></body></worldbody></mujoco>"""


def floating(frame, kind="free", gravity=(0.0, 0.0, 0.0)):
    """One lopsided body that floats in a parent frame."""
    b = builder(gravity=gravity)
    inertia = wp.mat33(np.diag(INERTIA).astype(np.float32))
    link = b.add_link(mass=MASS, com=wp.vec3(*COM), inertia=inertia, label="box")
    add = b.add_joint_free if kind == "free" else b.add_joint_distance
    ends = {"child": link} if kind == "free" else {"parent": -1, "child": link}
    b.add_articulation([add(**ends, parent_xform=frame)])
    return b.finalize(device="cpu")


@pytest.mark.parametrize("by", ["joint_f", "body_f"])
@pytest.mark.parametrize("kind", ["free", "distance"])
@pytest.mark.parametrize("frame", FRAMES)
def test_a_wrench_on_a_floating_body_acts_in_the_world_at_its_centre_of_mass(frame, kind, by):
    model = floating(FRAMES[frame], kind)
    s, state, control = solver(model), model.state(), model.control()
    newton.eval_ik(model, state, state.joint_q, state.joint_qd)
    for _ in range(100):
        if by == "joint_f":
            control.joint_f.assign(WRENCH.astype(np.float32))
        else:
            state.body_f.assign(WRENCH[None].astype(np.float32))
        s.step(state, state, control, None, 0.001)
    assert_close(
        state.body_qd.numpy(), oracle.pushed(oracle.compile_xml(BOX), WRENCH, 100)[None], "trajectory", floor=1.0
    )


@pytest.mark.parametrize("frame", FRAMES)
def test_velocities_of_floating_joints_are_in_the_parent_frame_those_of_bodies_in_the_world(frame):
    model = floating(FRAMES[frame], gravity=(0, 0, -10.0))
    s, state = solver(model), model.state()
    newton.eval_ik(model, state, state.joint_q, state.joint_qd)
    state = step(s, state, steps=100, dt=0.001)
    falling = np.array([0, 0, -1.0, 0, 0, 0])
    assert_close(state.body_qd.numpy(), falling[None], "trajectory", floor=1.0)
    back = np.linalg.inv(matrix(FRAMES[frame]))
    want = np.concatenate([back @ falling[:3], back @ falling[3:]])
    assert_close(state.joint_qd.numpy()[None], want[None], "trajectory", floor=1.0)
    other = model.state()
    newton.eval_fk(model, state.joint_q, state.joint_qd, other)
    assert_close(other.body_q.numpy(), state.body_q.numpy(), "kinematics", floor=1.0)
    assert_close(other.body_qd.numpy(), state.body_qd.numpy(), "kinematics", floor=1.0)
    q, qd = wp.zeros_like(state.joint_q), wp.zeros_like(state.joint_qd)
    newton.eval_ik(model, state, q, qd)
    assert_close(np.abs(q.numpy())[None], np.abs(state.joint_q.numpy())[None], "kinematics", floor=1.0)
    assert_close(qd.numpy()[None], state.joint_qd.numpy()[None], "kinematics", floor=1.0)


@pytest.mark.parametrize("frame", FRAMES)
def test_observed_forces_on_a_floating_body_are_in_the_world(frame):
    """What the engine says of gravity is the weight, upwards, whatever the frame; a force that balances it is the same."""
    model = floating(FRAMES[frame], gravity=(0, 0, -10.0))
    s, state, control = solver(model), model.state(), model.control()
    seen = s.observables(["qfrc_bias"])
    step(s, state, control, observables=seen)
    assert_close(seen.qfrc_bias.numpy()[None], [[0, 0, 10 * MASS, 0, 0, 0]], "force", floor=1.0)
    control.joint_f.assign(seen.qfrc_bias.numpy())
    state = step(s, model.state(), control, steps=50)
    assert_close(state.body_qd.numpy(), np.zeros((1, 6)), "trajectory", floor=1.0)


def matrix(frame) -> np.ndarray:
    """Rotation of a transform."""
    return np.array(wp.quat_to_matrix(wp.transform_get_rotation(frame))).reshape(3, 3)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("kind", ["ball", "d6", "revolute"])
def test_forces_and_speeds_of_other_joints_are_about_the_axes_of_their_parent_frame(kind, frame):
    """A torque about the frame's own z turns the body about that axis, at ``1 / I`` of it."""
    b, X = builder(gravity=(0, 0, 0)), FRAMES[frame]
    link = b.add_link(mass=1.0, inertia=wp.mat33(np.diag([0.5, 0.5, 0.5]).astype(np.float32)))
    axes = [newton.ModelBuilder.JointDofConfig(axis=a, actuator_mode=JointTargetMode.NONE) for a in np.eye(3).tolist()]
    joint = {
        "ball": lambda: b.add_joint_ball(-1, link, parent_xform=X),
        "d6": lambda: b.add_joint_d6(-1, link, angular_axes=axes, parent_xform=X),
        "revolute": lambda: b.add_joint_revolute(-1, link, axis=Z, parent_xform=X),
    }[kind]()
    b.add_articulation([joint])
    model = b.finalize(device="cpu")
    s, state, control = solver(model), model.state(), model.control()
    force = np.zeros(model.joint_dof_count, np.float32)
    force[-1] = 1.0
    control.joint_f.assign(force)
    for _ in range(100):
        s.step(state, state, control, None, 0.001)
    assert_close(state.joint_qd.numpy()[None], 0.2 * force[None], "trajectory", floor=1.0)
    want = turned(np.array(wp.transform_get_rotation(X)), np.array([0, 0, 0.2]))
    assert_close(state.body_qd.numpy()[:, 3:], want[None], "trajectory", floor=1.0)


def test_a_floating_body_below_a_moved_base_is_seen_in_the_world(device):
    """An arm on a base whose frame is turned: views, sensors and states agree on where it is."""
    b, X = builder(gravity=(0, 0, 0)), FRAMES["turned"]
    base, arm = (b.add_link(mass=1.0, inertia=wp.mat33(np.diag([0.1] * 3).astype(np.float32))) for _ in range(2))
    b.add_articulation(
        [b.add_joint_fixed(-1, base, parent_xform=X), b.add_joint_revolute(base, arm, axis=Z, parent_xform=pose(0.5))],
        label="robot",
    )
    model = b.finalize(device=device)
    s, state, control = solver(model), model.state(), model.control()
    control.joint_f.assign([0.1])
    for _ in range(50):
        s.step(state, state, control, None, 0.001)
    view = newton.selection.ArticulationView(model, "robot")
    roots = np.asarray(view.get_root_transforms(state).numpy()).reshape(-1, 7)
    assert_close(roots, np.array(X)[None], "kinematics", floor=1.0)
    other = model.state()
    newton.eval_fk(model, state.joint_q, state.joint_qd, other)
    assert_close(other.body_q.numpy(), state.body_q.numpy(), "kinematics", floor=1.0)
    assert_close(state.body_qd.numpy()[1:, 3:], (matrix(X) @ [0, 0, 0.05])[None], "trajectory", floor=1.0)


@pytest.mark.parametrize("frame", FRAMES)
def test_an_inertial_unit_on_a_floating_body_feels_what_turns_it_in_the_frame_of_its_site(frame):
    """Free fall with equal moments: only ``w x (w x r)`` from the centre of mass is left, seen from the site."""
    b, site = builder(gravity=(0, 0, -10.0)), np.array([0.4, 0.1, -0.2])
    link = b.add_link(mass=MASS, com=wp.vec3(*COM), inertia=wp.mat33(np.diag([0.2] * 3).astype(np.float32)))
    b.add_site(link, xform=pose(*site, TURN), label="unit")
    b.add_articulation([b.add_joint_free(link, parent_xform=FRAMES[frame])])
    model = b.finalize(device="cpu")
    sensor = newton.sensors.SensorIMU(model, "unit", request_state_attributes=False)
    s, state, spin = solver(model), model.state(), np.array([1.0, -2.0, 0.5])
    newton.eval_ik(model, state, state.joint_q, state.joint_qd)
    speeds = state.joint_qd.numpy()
    speeds[3:] = (
        np.linalg.inv(matrix(FRAMES[frame])) @ spin
    )  # about the axes of the parent frame; the body starts upright
    state.joint_qd.assign(speeds)
    seen = s.observables(["body_qdd"])
    state = step(s, state, steps=20, dt=1e-4, observables=seen)
    sensor.update(state, observables=seen)
    back = np.array(wp.transform_get_rotation(pose(0, 0, 0, TURN))) * [-1, -1, -1, 1]
    felt = np.cross(spin, np.cross(spin, site - COM))
    assert_close(sensor.gyroscope.numpy(), turned(back, spin)[None], "trajectory", floor=1.0)
    assert_close(sensor.accelerometer.numpy(), turned(back, felt)[None], "trajectory", floor=10.0)


@pytest.mark.parametrize("frame", FRAMES)
def test_contact_forces_on_a_floating_body_are_in_the_world(frame):
    """A ball at rest on the ground, wherever the frame is: its weight, upwards."""
    b = builder()
    b.add_ground_plane()
    link = b.add_link(label="ball")
    b.add_shape_sphere(link, radius=0.1)
    b.add_articulation([b.add_joint_free(link, parent_xform=FRAMES[frame])])
    model = b.finalize(device="cpu")
    s, state, contacts = solver(model), model.state(), contacts_of(model)
    state.body_q.assign(np.array([[0.3, -0.2, 0.0999, 0, 0, 0, 1]], np.float32))
    newton.eval_ik(model, state, state.joint_q, state.joint_qd)
    sensor = newton.sensors.SensorContact(model, sensing_bodies="ball", request_contact_attributes=False)
    seen = s.observables(sensor.solver_observable_kinds, contacts=contacts)
    state = step(s, state, steps=400, observables=seen)
    sensor.update(state, contacts, observables=seen)
    assert_close(sensor.total_force.numpy(), [[0, 0, 9.81 * model.body_mass.numpy()[0]]], "contact_rest")
    assert_close(state.body_q.numpy()[:, :3], [[0.3, -0.2, 0.0999]], "contact_rest", floor=0.1)


@pytest.mark.parametrize("frame", FRAMES)
def test_targets_of_a_jointed_root_are_coordinates_in_its_parent_frame(frame):
    """Drives along and about the axes of a turned frame come to rest where ``joint_q`` is the target."""
    b, axis, X = builder(gravity=(0, 0, 0)), newton.ModelBuilder.JointDofConfig, FRAMES[frame]
    link = b.add_link(mass=1.0, inertia=wp.mat33(np.diag([0.5] * 3).astype(np.float32)))
    drive = {"target_ke": 400.0, "target_kd": 40.0, "actuator_mode": JointTargetMode.POSITION}
    linear = [axis(axis=a, **drive) for a in np.eye(3).tolist()]
    angular = [axis(axis=Z, **(drive | {"target_ke": 200.0, "target_kd": 20.0}))]
    b.add_articulation([b.add_joint_d6(-1, link, linear_axes=linear, angular_axes=angular, parent_xform=X)])
    model = b.finalize(device="cpu")
    s, state, control, target = solver(model), model.state(), model.control(), np.array([0.3, -0.2, 0.1, 0.7])
    control.joint_target_q.assign(target.astype(np.float32))
    state = step(s, state, control, steps=1500)
    assert_close(state.joint_q.numpy()[None], target[None], "trajectory", floor=1.0)
    local = wp.transform(wp.vec3(*target[:3]), wp.quat_from_axis_angle(wp.vec3(*Z), 0.7))
    assert_close(state.body_q.numpy(), np.array(X * local)[None], "trajectory", floor=1.0)


@pytest.mark.parametrize("by", ["frame", "xform"])
def test_motors_on_a_free_joint_push_along_the_world_and_turn_about_the_body_wherever_it_is_placed(by):
    frame = np.array(FRAMES["turned"])
    where = f'pos="{frame[0]} {frame[1]} {frame[2]}" quat="{frame[6]} {frame[3]} {frame[4]} {frame[5]}"'
    body = BOX.partition("<worldbody>")[2].partition("</worldbody>")[0].replace("<freejoint/>", '<freejoint name="f"/>')
    motors = '<motor joint="f" gear="1 2 3 0 0 0"/><motor joint="f" gear="0 0 0 1 .5 -1"/>'
    made = lambda inside: (
        f'<mujoco><option timestep=".001" gravity="0 0 0"/><worldbody>{inside}</worldbody><actuator>{motors}</actuator></mujoco>'
    )
    placed, ctrl = made(f"<frame {where}>{body}</frame>"), np.array([[1.0, 0.5]])
    m = oracle.compile_xml(placed)
    start = oracle.States(m.qpos0[None], np.zeros((1, 6)), np.zeros((1, 6)), ctrl)
    want = oracle.rolled(m, start, 100, "qpos")
    b = builder(gravity=(0, 0, 0))
    b.add_mjcf(placed) if by == "frame" else b.add_mjcf(made(body), xform=FRAMES["turned"])
    model = b.finalize(device="cpu")
    s, state, control = solver(model), model.state(), model.control()
    control.mujoco.ctrl.assign(ctrl.ravel().astype(np.float32))
    got = step(s, state, control, steps=100, dt=0.001).body_q.numpy()[:, [0, 1, 2, 6, 3, 4, 5]]
    assert_close(got, want.reshape(1, -1)[:, :7], "trajectory", floor=1.0)
