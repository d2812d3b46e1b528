"""Sensors of the scene: frames, inertial units, contact forces."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.errors import ModelError, StateError
from newtonlite.sensors import SensorContact, SensorFrameTransform, SensorIMU
from tests.harness.contacts import contacts_of
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


@pytest.mark.filterwarnings("ignore:.*is deprecated .by Newton")
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


@pytest.mark.filterwarnings("ignore:.*is deprecated .by Newton")
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


def quiet_sensor(model, **chosen):
    return SensorContact(model, request_contact_attributes=False, **chosen)


def test_contact_forces_add_up_to_weights_by_counterpart(device):
    model = stack(2).finalize(device=device)
    with pytest.warns(newton.NewtonDeprecationWarning, match="request_contact_attributes=True"):
        sensor = SensorContact(model, sensing_bodies="box", counterpart_bodies="ball")
    total = quiet_sensor(model, sensing_bodies=[3, 1])
    shares = quiet_sensor(model, sensing_shapes=[1, 3], counterpart_shapes="*", measure_total=False)
    s, contacts, state = solver(model), contacts_of(model), model.state()
    step(s, state, steps=600)
    s.update_contacts(contacts)
    for one in (sensor, total, shares):
        one.update(state, contacts)
    mass, height = model.body_mass.numpy(), state.body_q.numpy()[:, 2]
    assert sensor.counterpart_indices == [[1], [3]] and total.counterpart_indices == [[], []]
    assert shares.counterpart_indices == [[0, 1, 2], [0, 3, 4]] and total.sensing_indices == [3, 1]
    assert_close(sensor.total_force.numpy(), [[0, 0, mass[0] * 9.81]] * 2, "contact_rest")
    assert_close(sensor.force_matrix.numpy()[:, 0], [[0, 0, -mass[1] * 9.81]] * 2, "contact_rest")
    assert_close(total.total_force.numpy(), [[0, 0, mass[1] * 9.81]] * 2, "contact_rest")
    assert total.force_matrix is None and shares.total_force is None
    assert_close(shares.force_matrix.numpy()[:, :, 2], [[weight(model) / 2, 0, -mass[1] * 9.81]] * 2, "contact_rest")
    assert_close(shares.force_matrix_friction.numpy()[..., 2], np.zeros((2, 3)), "contact_rest", floor=1.0)
    places = shares.position_matrix.numpy()
    assert (places[:, 1] == 0).all()
    assert_close(places[:, [0, 2], 2], [[0.0, height[1] - 0.05]] * 2, "contact_rest", floor=0.1)
    np.testing.assert_allclose(total.sensing_transforms.numpy()[:, 2], height[[3, 1]])
    np.testing.assert_allclose(shares.sensing_transforms.numpy()[:, 2], height[[0, 2]])


def test_friction_is_the_part_of_a_force_across_its_normal(device):
    model = stack(1).finalize(device=device)
    sensor = quiet_sensor(model, sensing_bodies="*", counterpart_bodies="*")
    contacts, s = newton.Contacts(8, device=device), solver(model)
    observables = s.observables({"contact_f"}, contacts=contacts)
    rows = {
        "count": [2],
        "shape0": [1, 2, 0, 0],
        "shape1": [2, 1, 0, 0],
        "normal": [[0, 0, 1], [0, 0.6, 0.8], [0] * 3, [0] * 3],
    }
    for name, values in rows.items():
        getattr(contacts, f"rigid_contact_{name}").assign(np.array(values))
    observables.contact_f.assign(np.array([[3, 4, 5, 0, 0, 0], [1, 0, 10, 0, 0, 0], *[[9] * 6] * 6], np.float32))
    sensor.update(None, contacts, observables=observables)
    force, friction = sensor.force_matrix.numpy(), sensor.force_matrix_friction.numpy()
    assert_close(force[0, 1], [2, 4, -5], "force")
    assert_close(force[1, 0], [-2, -4, 5], "force")
    assert_close(friction[0, 1], [3 - 1, 4 + 8 * 0.6, -10 + 8 * 0.8], "force")
    assert_close(sensor.total_force_friction.numpy()[1], -friction[0, 1], "force")
    assert (sensor.position_matrix.numpy() == 0).all() and sensor.sensing_type == sensor.counterpart_type == "body"
    with pytest.raises(StateError, match="a different Contacts"):
        sensor.update(None, newton.Contacts(4, device=device), observables=observables)


def test_mistakes_in_contact_sensors_are_named(device):
    model = stack(1).finalize(device=device)
    with pytest.raises(ModelError, match="give sensing_bodies or sensing_shapes"):
        SensorContact(model)
    with pytest.raises(ModelError, match="'cat' matches none of 2 labels"):
        SensorContact(model, sensing_bodies="cat")
    with pytest.raises(ModelError, match="'ground' .0. belongs to all worlds"):
        quiet_sensor(model, sensing_shapes="*")
    with pytest.raises(ModelError, match="no counterparts; ask for one"):
        quiet_sensor(model, sensing_bodies="*", measure_total=False)
    sensor = quiet_sensor(model, sensing_bodies="box")
    with pytest.raises(StateError, match="no contact-force observables"):
        sensor.update(None, contacts_of(model))
