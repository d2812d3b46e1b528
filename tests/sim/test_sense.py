"""Sensors of the scene: frames, inertial units, contact forces."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.errors import ModelError, StateError
from newtonlite.sensors import SensorContact, SensorFrameTransform, SensorIMU
from tests.harness.engine_scenes import TILT, TURN, builder, pose, turned
from tests.harness.newton_scenes import solver, step, weight
from tests.tolerance import assert_close


def test_frames_are_relative_to_reference_sites(device):
    b = newton.ModelBuilder()
    first, second = b.add_body(xform=pose(1, 2, 3, TILT), mass=1.0), b.add_body(xform=pose(-1, 0, 2, TURN), mass=1.0)
    b.add_site(first, xform=pose(0.1, 0.2, 0.3, TURN), label="eye")
    b.add_site(-1, xform=pose(0, 0, 1), label="origin")
    b.add_shape_sphere(second, xform=pose(0.5, 0, 0, TILT), radius=0.1, label="ball")
    model = b.finalize(device=device)
    state = model.state()
    sensor = SensorFrameTransform(model, "ball", "eye")
    sensor.update(state)
    eye = pose(1, 2, 3, TILT) * pose(0.1, 0.2, 0.3, TURN)
    want = wp.transform_inverse(eye) * (pose(-1, 0, 2, TURN) * pose(0.5, 0, 0, TILT))
    assert_close(sensor.transforms.numpy(), [list(want)], "kinematics", floor=1.0)
    many = SensorFrameTransform(model, ["ball", "eye"], "origin")
    many.update(state)
    assert_close(many.transforms.numpy()[0, :3], np.array(list(eye))[:3] - [0, 0, 1], "kinematics")
    with pytest.raises(ModelError, match="shape 'ball' is no site"):
        SensorFrameTransform(model, "eye", "ball")


def test_a_resting_unit_feels_gravity_upwards_and_a_falling_one_nothing(device):
    b = builder()
    b.add_ground_plane()
    for x, z in ((0.0, 0.0999), (1.0, 5.0)):
        body = b.add_body(xform=pose(x, 0, z))
        b.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
        b.add_site(body, xform=pose(0.05, 0.02, 0.05, TILT), label=f"imu{int(x)}")
    model = b.finalize(device=device)
    sensor = SensorIMU(model, "imu*")
    state = step(solver(model), model.state(), steps=300)
    sensor.update(state)
    up = turned(np.array(TILT) * [-1, -1, -1, 1], [0, 0, 9.81])
    assert_close(sensor.accelerometer.numpy(), [up, np.zeros(3)], "contact_rest", floor=9.81)


def test_a_spinning_unit_feels_its_centripetal_acceleration(device):
    b = builder(gravity=(0, 0, 0))
    body = b.add_body()
    b.add_shape_sphere(body, radius=0.1)
    b.add_site(body, xform=pose(0.5, 0, 0), label="rim")
    model = b.finalize(device=device)
    sensor, state = SensorIMU(model, "rim"), model.state()
    state.joint_qd.assign([0, 0, 0, 0, 0, 3.0])
    sensor.update(step(solver(model), state, steps=1, dt=1e-6))
    assert_close(sensor.accelerometer.numpy(), [[-0.5 * 9.0, 0, 0]], "force", floor=9.0)
    assert_close(sensor.gyroscope.numpy(), [[0, 0, 3.0]], "force")
    with pytest.raises(StateError, match="the state has no body_qdd"):
        SensorIMU(model, "rim").update(newton.ModelBuilder().finalize(device=device).state())


def stack(worlds: int):
    """A ball on a box on the ground."""
    one = builder()
    box = one.add_body(xform=pose(0, 0, 0.0999), label="box")
    one.add_shape_box(box, hx=0.1, hy=0.1, hz=0.1)
    ball = one.add_body(xform=pose(0, 0, 0.2497), label="ball")
    one.add_shape_sphere(ball, radius=0.05)
    b = builder()
    b.add_ground_plane(label="ground")
    b.replicate(one, worlds)
    return b


def test_contact_forces_add_up_to_weights_by_counterpart(device):
    model = stack(2).finalize(device=device)
    sensor = SensorContact(model, sensing_bodies="box", counterpart_bodies="ball")
    ground = SensorContact(model, sensing_shapes="ground", measure_total=True)
    s, contacts = solver(model), model.contacts()
    step(s, model.state(), steps=600)
    s.update_contacts(contacts)
    for one in (sensor, ground):
        one.update(None, contacts)
    mass = model.body_mass.numpy()
    assert sensor.counterpart_lists == [[1], [3]]
    assert_close(sensor.total_force.numpy(), [[0, 0, mass[0] * 9.81]] * 2, "contact_rest")
    assert_close(sensor.force_matrix.numpy()[:, 0], [[0, 0, -mass[1] * 9.81]] * 2, "contact_rest")
    assert_close(ground.total_force.numpy(), [[0, 0, -weight(model)]], "contact_rest")


def test_mistakes_in_contact_sensors_are_named(device):
    model = stack(1).finalize(device=device)
    with pytest.raises(ModelError, match="give sensing_bodies or sensing_shapes"):
        SensorContact(model)
    with pytest.raises(ModelError, match="'cat' matches none of 2 labels"):
        SensorContact(model, sensing_bodies="cat")
    sensor = SensorContact(model, sensing_bodies="box", request_contact_attributes=False)
    with pytest.raises(StateError, match="contacts have no force"):
        sensor.update(None, model.contacts())
