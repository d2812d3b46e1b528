"""Names and rules of Newton's scene that programs lean on: what it called deprecated, what selections and gravity are."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite import ModelBuilder, NewtonDeprecationWarning
from newtonlite.core.errors import CapacityError, ModelError
from newtonlite.selection import ArticulationView
from newtonlite.solvers import SolverMuJoCo
from tests.harness.sim_scenes import arm
from tests.tolerance import assert_close


def ball(**world):
    """A free ball in a world, of the builder's gravity where none is given."""
    b = ModelBuilder()
    b.begin_world(**world)
    b.add_shape_sphere(b.add_body(label="inside"), radius=0.1)
    b.end_world()
    return b


def test_contacts_of_a_model_are_those_of_its_pipeline_and_deprecated():
    model = ball().finalize("cpu")
    with pytest.warns(NewtonDeprecationWarning, match=r"Model.contacts\(\) is deprecated") as said:
        contacts = model.contacts()
    assert said[0].filename == __file__ and isinstance(contacts, newton.Contacts)
    with pytest.warns(NewtonDeprecationWarning, match=r"Model.collide\(\) is deprecated"):
        assert model.collide(model.state(), contacts) is contacts


def test_reports_need_room_for_all_that_the_engine_may_find():
    b = ball()
    b.add_ground_plane()
    model = b.finalize("cpu")
    s = SolverMuJoCo(model)
    few, all_ = newton.Contacts(s.get_max_contact_count() - 1), newton.Contacts(s.get_max_contact_count())
    for report in (s.update_contacts, lambda few: s.observables({"contact_f"}, contacts=few)):
        with pytest.raises(CapacityError, match="MuJoCo contact capacity .* exceeds Contacts capacity"):
            report(few)
        report(all_)


def test_a_short_report_of_the_cpus_backend_has_the_first_contacts():
    b = ball()
    b.add_ground_plane()
    b.body_q[0] = wp.transform((0.0, 0.0, 0.09), (0.0, 0.0, 0.0, 1.0))
    b.joint_q[2] = 0.09
    model = b.finalize("cpu")
    s, state = SolverMuJoCo(model, use_mujoco_cpu=True), model.state()
    s.step(state, state, None, None, 0.002)
    contacts = newton.Contacts(0)
    with pytest.warns(newton.NewtonWarning, match="exporting only the first 0") as said:
        s.update_contacts(contacts)
    assert said[0].filename == __file__ and contacts.rigid_contact_count.numpy()[0] == 0


def test_arrays_on_request_are_listed():
    assert newton.Contacts.EXTENDED_ATTRIBUTES == {"force"}
    assert newton.State.EXTENDED_ATTRIBUTES == set(newton.State.EXTENDED_ATTRIBUTE_TEMPLATES)
    assert newton.State.EXTENDED_ATTRIBUTE_TEMPLATES["mujoco:qfrc_actuator"].frequency == "JOINT_DOF"
    contacts = newton.Contacts(3)
    assert contacts.rigid_contact_surface_velocity is None
    with pytest.warns(NewtonDeprecationWarning, match="eval_rigid_contact_kinematics"):
        assert contacts.rigid_contact_diff_distance is None
    assert newton.Mesh.MAX_HULL_VERTICES == newton.Mesh(np.eye(3), [0, 1, 2]).maxhullvert


def test_capacities_for_contacts_add_up_when_both_are_known():
    model = ball().finalize("cpu")
    assert model.contact_max is None
    newton.CollisionPipeline(model, rigid_contact_max=7)
    model.soft_contact_max = 5
    assert model.contact_max == model.rigid_contact_max + 5


def test_limits_of_twists_were_never_read():
    b = ModelBuilder()
    for owner in (b, b.finalize("cpu")):
        with pytest.warns(NewtonDeprecationWarning, match="joint_limit_lower"):
            owner.joint_twist_lower = [1.0]
        with pytest.warns(NewtonDeprecationWarning, match="joint_limit_upper"):
            assert not owner.joint_twist_upper


def test_followers_of_chosen_articulations_alone_are_written(device):
    one = ModelBuilder()
    links = [one.add_link(mass=1.0), one.add_link(mass=1.0)]
    one.add_articulation([one.add_joint_revolute(-1, links[0]), one.add_joint_revolute(links[0], links[1])])
    one.set_joint_mimic(1, 0, coeffs=(0.5, 2.0))
    b = ModelBuilder()
    b.replicate(one, 3)
    model = b.finalize(device)
    for chosen in ({"mask": wp.array([False, True, False], dtype=bool)}, {"indices": wp.array([1, 9], dtype=int)}):
        here, there = model.state(), model.state()
        here.joint_q.assign([1.0, 9.0] * 3)
        there.joint_q.assign([7.0] * 6)
        newton.eval_mimic(model, here, there, **{name: a.to(device) for name, a in chosen.items()})
        np.testing.assert_allclose(there.joint_q.numpy(), [7, 7, 1, 2.5, 7, 7])
    with pytest.raises(ModelError, match="mutually exclusive"):
        newton.eval_mimic(model, here, mask=wp.zeros(3, dtype=bool, device=device), indices=wp.zeros(1, dtype=int))


def test_gravity_that_nobody_set_follows_the_up_axis():
    b = ModelBuilder()
    b.up_axis = "Y"
    assert tuple(b.gravity) == pytest.approx((0, -9.81, 0))
    b.gravity = (1, 2, 3)
    b.up_axis = newton.Axis.X
    assert tuple(b.gravity) == (1, 2, 3)
    other = ModelBuilder(up_axis="X")
    b.add_builder(other)
    assert tuple(b.gravity) == pytest.approx((-9.81, 0, 0))


@pytest.mark.parametrize("outside", [(0.0, 0.0, -2.0), (0.0, 0.0, -9.81)])
def test_bodies_outside_a_single_world_have_its_gravity_or_are_refused(outside):
    b = ball(gravity=(0.0, 0.0, -9.81))
    b.gravity = outside
    b.add_body(mass=1.0, inertia=np.eye(3), label="outside")
    model = b.finalize("cpu")
    if outside[2] == -2.0:
        with pytest.raises(ModelError, match="body 'outside' belongs to no world, where gravity is"):
            SolverMuJoCo(model)
        return
    state = model.state()
    SolverMuJoCo(model).step(state, state, None, None, 0.1)
    assert_close(state.body_qd.numpy()[:, 2], [-0.981, -0.981], "authored", floor=1.0)


@pytest.mark.parametrize(
    "reference, fine", [((0.02, -1.0), False), ((0.0, 1.0), False), ((0.0, 0.0), True), ((-5.0, -1.0), True)]
)
def test_limit_references_of_two_signs_are_told_by_the_solver(reference, fine, recwarn):
    b = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(b)
    link = b.add_link(mass=1.0, inertia=np.eye(3))
    custom = {"mujoco:solreflimit": reference, "mujoco:solreflimit_mode": 1}
    b.add_articulation([b.add_joint_revolute(-1, link, limit_lower=-1, limit_upper=1, custom_attributes=custom)])
    model = b.finalize("cpu")
    recwarn.clear()
    s = SolverMuJoCo(model)
    s.notify_model_changed(newton.ModelFlags.JOINT_DOF_PROPERTIES)
    found = [str(w.message) for w in recwarn if "invalid components at DOF indices [0]" in str(w.message)]
    assert len(found) == (0 if fine else 2)


def uneven(other: bool):
    """A world of two arms with rows of a custom frequency; those of the other arm shift the first one's row."""
    world = arm()
    world.add_builder(arm(), label_prefix="other")
    world.add_custom_frequency(
        ModelBuilder.CustomFrequency("item", "test", articulation_owner_attribute="test:item_articulation")
    )
    links = {"frequency": "test:item", "namespace": "test"}
    world.add_custom_attribute(
        ModelBuilder.CustomAttribute("item_articulation", wp.int32, references="articulation", **links)
    )
    world.add_custom_attribute(ModelBuilder.CustomAttribute("item_value", wp.float32, **links))
    for owner in (1, 0) if other else (0,):
        world.add_custom_values(**{"test:item_articulation": owner, "test:item_value": float(owner)})
    return world


def test_rows_at_uneven_distances_need_views_that_are_not_homogeneous():
    scene = ModelBuilder()
    for other in (False, True, False):
        scene.add_world(uneven(other))
    model = scene.finalize("cpu")
    with pytest.raises(ModelError, match="'test:item' has non-uniform strides between worlds"):
        ArticulationView(model, "arm")
    view = ArticulationView(model, "arm", homogeneous=False)
    assert view.get_attribute("test.item_value", model).numpy().ravel().tolist() == [0.0] * 3
    with pytest.raises(ModelError, match="give homogeneous alone"), pytest.warns(NewtonDeprecationWarning):
        ArticulationView(model, "arm", homogeneous=False, allow_partial_layouts=False)
