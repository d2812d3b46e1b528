"""The model, its states, controls and contacts."""

import numpy as np
import pytest
import warp as wp

from newtonlite import (
    Axis,
    Contacts,
    DeviceError,
    Model,
    ModelBuilder,
    ModelError,
    NewtonDeprecationWarning,
    StateError,
)
from newtonlite.sim.model_table import TABLE
from tests.harness.contacts import contacts_of
from tests.harness.sim_scenes import arm, every_joint
from tests.tolerance import assert_close


@pytest.fixture
def model(device) -> Model:
    """Two different robots in two worlds, and the ground."""
    builder = ModelBuilder()
    builder.add_ground_plane()
    builder.add_world(arm(1.0))
    builder.add_world(every_joint())
    return builder.finalize(device)


@pytest.mark.parametrize("row", [row for row in TABLE if row.kept], ids=lambda row: row.name)
def test_every_array_has_its_type_and_length(model, row):
    counts = {
        "BODY": 11,
        "SHAPE": 3,
        "JOINT": 11,
        "JOINT_DOF": 33,
        "JOINT_COORD": 37,
        "ARTICULATION": 2,
        "CONSTRAINT_MIMIC": 0,
    }
    extra = row.name in ("joint_q_start", "joint_qd_start", "articulation_start")
    value = getattr(model, row.name)
    assert len(value) == counts[row.frequency.name] + extra
    if row.dtype not in (str, object):
        assert value.device == model.device
        assert value.dtype == (wp.int32 if row.name == "joint_dof_dim" else row.dtype)
    assert model.get_attribute_frequency(row.name) == row.frequency


def test_counts_are_those_of_the_builder(model):
    assert (model.body_count, model.shape_count, model.joint_count, model.articulation_count) == (11, 3, 11, 2)
    assert (model.joint_dof_count, model.joint_coord_count, model.joint_constraint_count) == (33, 37, 33)
    assert (model.max_joints_per_articulation, model.max_dofs_per_articulation) == (9, 26)
    assert model.particle_count == model.tri_count == model.muscle_count == 0
    assert model.up_axis == Axis.Z and model.world_count == 2


def test_starts_end_with_the_count(model):
    assert model.joint_q_start.numpy()[-1] == 37 and model.joint_qd_start.numpy()[-1] == 33
    assert model.articulation_start.numpy().tolist() == [0, 2, 11] and model.articulation_end.numpy().tolist() == [
        2,
        11,
    ]


def test_inverse_masses_are_inverse(model):
    mass, inverse = model.body_mass.numpy(), model.body_inv_mass.numpy()
    assert_close(mass * inverse, np.ones(11), "parameter")
    inertia, inverse = model.body_inertia.numpy()[:2].astype(float), model.body_inv_inertia.numpy()[:2]
    assert_close(inertia @ inverse, np.broadcast_to(np.eye(3), (2, 3, 3)), "inertia")


def test_bodies_list_their_shapes(model):
    assert (
        model.body_shapes[-1] == [0]
        and model.body_shapes[0] == [1]
        and model.body_shapes[1] == [2]
        and model.body_shapes[5] == []
    )


def test_a_state_starts_as_the_model_and_is_its_own(model):
    state = model.state()
    assert (state.body_count, state.joint_coord_count, state.joint_dof_count, state.particle_count) == (11, 37, 33, 0)
    assert state.joint_q.numpy().tolist() == model.joint_q.numpy().tolist()
    state.joint_q.fill_(5.0)
    state.body_f.fill_(wp.spatial_vector(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    assert model.joint_q.numpy().max() < 5.0
    other = model.state()
    other.assign(state)
    assert (other.joint_q.numpy() == 5.0).all() and (other.body_f.numpy()[:, 5] == 6.0).all()
    other.clear_forces()
    assert not other.body_f.numpy().any() and state.body_f.numpy().any()


def test_states_of_different_models_do_not_mix(model):
    other = arm().finalize(model.device).state()
    before = other.joint_q.numpy().tolist()
    with pytest.raises(StateError, match="same model"):
        other.assign(model.state())
    bare = ModelBuilder().finalize(model.device).state()
    with pytest.raises(StateError, match="only one of the two"):
        bare.assign(other)
    assert other.joint_q.numpy().tolist() == before


@pytest.mark.filterwarnings("ignore:.*is deprecated .by Newton")
def test_extra_arrays_are_there_when_requested():
    builder = arm()
    builder.request_state_attributes("body_qdd")
    builder.request_contact_attributes("force")
    model = builder.finalize("cpu")
    model.request_state_attributes("body_parent_f")
    state = model.state()
    assert state.body_qdd.shape == state.body_parent_f.shape == (2,)
    usual = ["body_q", "body_qd", "body_f", "joint_q", "joint_qd"]
    assert model.get_requested_state_attributes() == [*usual, "body_parent_f", "body_qdd"]
    assert ModelBuilder().finalize("cpu").get_requested_state_attributes() == []
    assert contacts_of(model).force.shape == (model.contact_capacity,)
    assert arm().finalize("cpu").state().body_qdd is None
    with pytest.raises(StateError, match="cannot be requested"):
        model.request_state_attributes("body_color")
    with pytest.raises(ModelError, match="cannot be requested"):
        model.request_contact_attributes("colour")


@pytest.mark.parametrize("method", ["request_state_attributes", "request_contact_attributes"])
def test_requests_of_extra_arrays_are_deprecated(method, model):
    name = "body_qdd" if "state" in method else "force"
    for owner in (arm(), model):
        with pytest.warns(NewtonDeprecationWarning, match=method):
            getattr(owner, method)(name)


def test_a_control_has_forces_and_targets(model):
    control = model.control()
    assert control.joint_f.shape == control.joint_target_qd.shape == control.joint_act.shape == (33,)
    assert control.joint_target_q.shape == (37,)
    control.joint_f.fill_(1.0)
    assert not model.joint_f.numpy().any()
    control.clear(model)
    assert not control.joint_f.numpy().any()
    assert control.joint_target_q.numpy().tolist() == model.joint_target_q.numpy().tolist()
    shared = model.control(clone_variables=False)
    assert shared.joint_f.ptr == model.joint_f.ptr


def test_contacts_start_empty(model):
    model.rigid_contact_max = 7
    contacts = contacts_of(model)
    assert contacts.rigid_contact_max == 7 and contacts.rigid_contact_count.numpy().tolist() == [0]
    assert contacts.rigid_contact_shape0.numpy().tolist() == [-1] * 7 and contacts.rigid_contact_point0.shape == (7,)
    contacts.rigid_contact_count.fill_(3)
    contacts.clear()
    assert contacts.rigid_contact_count.numpy().tolist() == [0] and contacts.contact_generation.numpy().tolist() == [1]


def test_room_for_contacts_follows_the_worlds():
    builder = ModelBuilder()
    builder.num_rigid_contacts_per_world = 11
    builder.replicate(arm(), 3)
    assert builder.finalize("cpu").rigid_contact_max == 33


@pytest.mark.parametrize(
    "options",
    [
        {"rigid_contact_max": -1},
        {"rigid_contact_max": 1, "soft_contact_max": -1},
        {"rigid_contact_max": 1, "soft_self_contact": True},
    ],
)
def test_contacts_that_are_not_supported_are_refused(options):
    with pytest.raises(ModelError, match="Contacts"):
        Contacts(**options)


def test_gravity_can_be_changed_per_world(model):
    model.set_gravity((0, 0, -1))
    model.set_gravity([1, 2, 3], world=1)
    assert model.gravity.numpy().tolist() == [[0, 0, -1], [1, 2, 3], [0, 0, -1]]
    model.set_gravity([[0, 0, 1], [0, 0, 2]])
    assert model.gravity.numpy().tolist() == [[0, 0, 1], [0, 0, 2], [0, 0, -1]]
    model.set_gravity([[0, 0, 3], [0, 0, 4], [0, 0, 5]])  # a row more: what is global
    assert model.gravity.numpy().tolist() == [[0, 0, 3], [0, 0, 4], [0, 0, 5]]


@pytest.mark.parametrize(
    ("value", "world"),
    [((0, 0), None), ((0, 0, np.nan), None), ((0, 0, 1), 2), (np.zeros((4, 3)), None), (np.zeros((2, 3)), 0)],
)
def test_gravity_that_is_none_is_refused(model, value, world):
    with pytest.raises(ModelError, match="set_gravity"):
        model.set_gravity(value, world)


def test_arrays_can_be_added(model):
    model.add_attribute(
        "paint", wp.zeros(11, dtype=wp.int32, device=model.device), Model.AttributeFrequency.BODY, namespace="my"
    )
    assert model.my.paint.shape == (11,) and model.get_attribute_frequency("my:paint") == Model.AttributeFrequency.BODY
    with pytest.raises(ModelError, match="already has one"):
        model.add_attribute("body_mass", wp.zeros(11), Model.AttributeFrequency.BODY)
    with pytest.raises(ModelError, match="none of that name"):
        model.get_attribute_frequency("paint")
    with pytest.raises(ModelError, match="none of that name"):
        model.get_custom_frequency_count("my:brush")
    with pytest.raises(AttributeError, match="was not declared"):
        _ = model.my.brush


def test_an_empty_scene_is_a_model(device):
    model = ModelBuilder().finalize(device)
    state, control = model.state(), model.control()
    assert state.body_q is None and control.joint_f is None and model.contact_capacity == 0
    assert len(model.shape_contact_pairs) == 0 and contacts_of(model).rigid_contact_max == 0


def test_the_builder_lives_on(device):
    builder = arm()
    first = builder.finalize(device)
    builder.add_body(mass=1.0)
    second = builder.finalize(device)
    assert (first.body_count, second.body_count) == (2, 3) and len(first.body_label) == 2


def test_an_array_elsewhere_is_refused(model):
    if not wp.is_cuda_available():
        pytest.skip("needs two devices")
    other = "cpu" if model.device.is_cuda else "cuda:0"
    with pytest.raises(DeviceError):
        model.state().assign(arm().finalize(other).state())
