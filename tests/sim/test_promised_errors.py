"""Errors and warnings that Newton's reference promises: mistakes of a script are of the class that it catches there."""

import contextlib

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite import Heightfield, Mesh, ModelBuilder, NewtonDeprecationWarning
from newtonlite.selection import ArticulationView
from tests.harness.sim_scenes import arm, every_joint

Config = ModelBuilder.ShapeConfig
FREQUENCY = newton.Model.AttributeFrequency


def two_arms(count=2):
    """Worlds with an arm each, on the CPU."""
    b = ModelBuilder()
    b.replicate(arm(), count)
    return b.finalize(device="cpu")


def sparse():
    """Two worlds, of which one has an arm of that name."""
    b = ModelBuilder()
    b.add_world(arm())
    b.add_world(arm(), label_prefix="left")
    return b.finalize(device="cpu")


def undeclared(b):
    return b.add_body(custom_attributes={"nothing": 1})


MISTAKES = {
    "the up vector is set": (AttributeError, lambda b: setattr(b, "up_vector", (0, 1, 0)), "set up_axis"),
    "no number of copies": (TypeError, lambda b: b.replicate(arm()), "copy_count"),
    "any attribute of USD": (
        ValueError,
        lambda b: b.add_custom_attribute(
            ModelBuilder.CustomAttribute("any", wp.float32, FREQUENCY.BODY, usd_attribute_name="*")
        ),
        "usd_value_transformer",
    ),
    "two numbers of copies": (TypeError, lambda b: b.replicate(arm(), 2, world_count=2), "copy_count"),
    "heights with one bound": (ValueError, lambda b: Heightfield(np.zeros((3, 3)), 3, 3, min_z=0.0), "min_z and max_z"),
    "a texture's map of four": (
        ValueError,
        lambda b: Mesh(np.eye(3), [0, 1, 2], texture_transform=((1, 0), (0, 1))),
        "texture_transform",
    ),
    "more than opaque": (ValueError, lambda b: b.add_shape_sphere(-1, opacity=1.5), "opacity: 1.5"),
    "a field's unknown format": (ValueError, lambda b: Config(sdf_texture_format="half").validate(), "'half'"),
    "two sizes of a field": (
        ValueError,
        lambda b: Config(sdf_max_resolution=8, sdf_target_voxel_size=0.1).validate(),
        "give one",
    ),
    "two sizes of a field at once": (
        ValueError,
        lambda b: Config().configure_sdf(max_resolution=8, target_voxel_size=0.1),
        "give one",
    ),
    "an undeclared attribute": (AttributeError, undeclared, "'nothing': not declared"),
    "an undeclared row": (AttributeError, lambda b: b.add_custom_values(**{"n:x": 1}), "'n:x': not declared"),
    "gravity of no world": (IndexError, lambda b: two_arms().set_gravity((0, 0, -1), world=2), "2 of 2"),
    "an array that is there": (
        AttributeError,
        lambda b: two_arms().add_attribute("body_q", wp.zeros(1, dtype=float, device="cpu"), FREQUENCY.BODY),
        "already has one",
    ),
    "patterns and indices": (TypeError, lambda b: ArticulationView(two_arms(), ["*arm", 0]), "mixes"),
    "not in every world": (ValueError, lambda b: ArticulationView(sparse(), "arm"), "world 1 has none"),
    "a kinematic hand": (
        ValueError,
        lambda b: (b.add_builder(arm()), b.body_flags.__setitem__(1, 2), b.finalize(device="cpu")),
        "only the root",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_of_the_class_that_newton_raises(name):
    error, act, text = MISTAKES[name]
    with pytest.raises(error, match=text):
        act(ModelBuilder())


def test_views_that_may_be_sparse_are_asked_for():
    view = ArticulationView(sparse(), "arm", homogeneous=False)
    assert view.is_sparse and view.world_ids.numpy().tolist() == [0]


def test_former_names_of_targets_and_of_copies_warn():
    axis = ModelBuilder.JointDofConfig()
    with pytest.warns(NewtonDeprecationWarning, match="now target_q"):
        axis.target_pos = 3.0
    with pytest.warns(NewtonDeprecationWarning, match="now target_qd"):
        axis.target_vel = 2.0
    assert (axis.target_q, axis.target_qd) == (3.0, 2.0)
    b = ModelBuilder()
    with pytest.warns(NewtonDeprecationWarning, match="pass copy_count"):
        b.replicate(arm(), world_count=2)
    assert b.world_count == 2


@pytest.mark.parametrize("copies", [1, 3])
def test_views_of_all_rows_are_contiguous(copies):
    """Nothing but the arms is in the scene, so that rows follow one another without gaps, also of one world."""
    model = two_arms(copies)
    view = ArticulationView(model, "*arm")
    for name, source in (("joint_q", model), ("body_mass", model), ("body_q", model.state()), ("shape_scale", model)):
        values = view.get_attribute(name, source)
        assert values.is_contiguous, name
        assert values.flatten().shape[0] == values.size
    assert view.get_dof_velocities(model.state()).is_contiguous


def test_views_of_some_rows_are_not_contiguous():
    b = ModelBuilder()
    both = arm()
    both.add_builder(arm(), label_prefix="other")
    b.replicate(both, 3)
    view = ArticulationView(b.finalize(device="cpu"), "arm")
    assert not view.get_dof_velocities(view.model.state()).is_contiguous


def test_views_of_some_links_are_contiguous_copies():
    """Links with others between them: programs flatten what they get; values go back with ``set_attribute``."""
    b = ModelBuilder()
    b.replicate(every_joint(), 2)
    model = b.finalize(device="cpu")
    view = ArticulationView(model, "*", include_links=[0, 2])
    state = model.state()
    assert view.get_attribute("body_q", state).is_contiguous
    poses = view.get_attribute("body_q", state).numpy()
    poses[..., 2] += 5.0
    view.set_attribute("body_q", state, poses)
    np.testing.assert_allclose(view.get_attribute("body_q", state).numpy(), poses)


def test_roots_become_kinematic_only_where_that_was_kept_open():
    for switchable in (True, False):
        model = two_arms()
        solver = newton.solvers.SolverMuJoCo(model, kinematic_switchable_roots=switchable)
        flags = model.body_flags.numpy()
        flags[0] = int(newton.BodyFlags.KINEMATIC)
        model.body_flags.assign(flags)
        with contextlib.nullcontext() if switchable else pytest.raises(ValueError, match="kinematic_switchable_roots"):
            solver.notify_model_changed(newton.ModelFlags.BODY_PROPERTIES)


def test_vectors_of_options_have_three_numbers():
    with pytest.raises(TypeError, match=r"wind=\(1, 2\); expected three numbers"):
        newton.solvers.SolverMuJoCo(two_arms(), wind=(1, 2))
