"""Custom attributes: declaring them, giving values, copying them, finding them in the model."""

import numpy as np
import pytest
import warp as wp

from newtonlite import Model, ModelBuilder, ModelError
from newtonlite.core.errors import NewtonWarning
from tests.harness.sim_scenes import Axis, arm

F, A = Model.AttributeFrequency, Model.AttributeAssignment
Attribute, Frequency = ModelBuilder.CustomAttribute, ModelBuilder.CustomFrequency


def declared(*attributes: Attribute, robot: ModelBuilder | None = None) -> ModelBuilder:
    builder = robot or ModelBuilder()
    for attribute in attributes:
        builder.add_custom_attribute(attribute)
    return builder


def rows(builder: ModelBuilder) -> ModelBuilder:
    """A frequency ``ns:row`` with a value of each sort of reference."""
    builder.add_custom_frequency(Frequency("row", "ns"))
    for name, dtype, references in (
        ("body", wp.int32, "body"),
        ("shape", wp.int32, "shape"),
        ("dof", wp.int32, "joint_dof"),
        ("other", wp.int32, "ns:row"),
        ("world", wp.int32, "world"),
        ("weight", wp.float32, None),
        ("name", str, None),
    ):
        builder.add_custom_attribute(
            Attribute(
                f"row_{name}",
                dtype,
                "ns:row",
                namespace="ns",
                references=references,
                default=-1 if references else None,
            )
        )
    return builder


def test_values_go_to_their_rows_and_the_rest_has_the_default():
    builder = declared(Attribute("stickiness", wp.float32, F.BODY, default=0.5, namespace="my"))
    builder.add_link(mass=1.0)
    builder.add_link(mass=1.0, custom_attributes={"my:stickiness": 2.0})
    model = builder.finalize("cpu")
    assert model.my.stickiness.numpy().tolist() == [0.5, 2.0]
    assert model.get_attribute_frequency("my:stickiness") == F.BODY


@pytest.mark.parametrize(
    ("value", "want"),
    [([1.0, 2.0], [0, 1, 2, 0]), (4.0, [0, 4, 4, 0]), ({1: 3.0}, [0, 0, 3, 0]), (np.array([5.0, 6.0]), [0, 5, 6, 0])],
)
def test_a_joint_takes_a_value_for_each_of_its_velocities(value, want):
    builder = declared(Attribute("wear", wp.float32, F.JOINT_DOF))
    links = [builder.add_link() for _ in range(3)]
    builder.add_joint_revolute(-1, links[0])
    builder.add_joint_d6(
        links[0], links[1], angular_axes=[Axis(axis="x"), Axis(axis="y")], custom_attributes={"wear": value}
    )
    builder.add_joint_revolute(links[1], links[2])
    assert builder.custom_attributes["wear"].array(4).tolist() == want


def test_vectors_are_told_from_lists_of_them():
    builder = declared(Attribute("ref", wp.vec2, F.JOINT_DOF))
    links = [builder.add_link() for _ in range(2)]
    axes = [Axis(axis="x"), Axis(axis="y")]
    builder.add_joint_d6(-1, links[0], angular_axes=axes, custom_attributes={"ref": (1, 2)})
    builder.add_joint_d6(-1, links[1], angular_axes=axes, custom_attributes={"ref": [(1, 2), (3, 4)]})
    assert builder.custom_attributes["ref"].array(4).tolist() == [[1, 2], [1, 2], [1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("dtype", "default", "shape"),
    [
        (wp.float32, 0, ()),
        (wp.int64, 0, ()),
        (wp.bool, False, ()),
        (wp.vec3, [0, 0, 0], (3,)),
        (wp.quat, [0, 0, 0, 1], (4,)),
        (wp.transform, [0, 0, 0, 0, 0, 0, 1], (7,)),
        (wp.mat33, [[0] * 3] * 3, (3, 3)),
        (wp.types.vector(5, wp.float32), [0] * 5, (5,)),
    ],
)
def test_every_type_has_its_zero_and_its_shape(dtype, default, shape):
    builder = declared(Attribute("thing", dtype, F.BODY))
    builder.add_link(mass=1.0)
    array = builder.finalize("cpu").thing.numpy()
    assert array.shape == (1, *shape) and array[0].tolist() == default


def test_states_and_controls_carry_their_own_copies():
    builder = declared(
        Attribute("charge", wp.float32, F.BODY, assignment=A.STATE, namespace="my", default=3.0),
        Attribute("push", wp.float32, F.JOINT_DOF, assignment=A.CONTROL, namespace="my"),
        robot=arm(),
    )
    model = builder.finalize("cpu")
    first, second, control = model.state(), model.state(), model.control()
    first.my.charge.fill_(7.0)
    assert second.my.charge.numpy().tolist() == [3.0, 3.0]
    second.assign(first)
    assert second.my.charge.numpy().tolist() == [7.0, 7.0]
    assert control.my.push.shape == (7,) and not hasattr(control.my, "charge")
    control.my.push.fill_(1.0)
    control.clear()
    assert not control.my.push.numpy().any()


def test_values_per_world_come_from_the_copies_or_from_the_world():
    robot = declared(Attribute("tolerance", wp.float32, F.WORLD, default=1.0), robot=arm())
    builder = ModelBuilder()
    builder.add_world(robot)
    for value in (2.0, 3.0):
        robot.custom_attributes["tolerance"].values[0] = value
        builder.add_world(robot)
    builder.begin_world(attributes={"tolerance": 4.0})
    builder.end_world()
    builder.begin_world()
    builder.end_world()
    assert builder.finalize("cpu").tolerance.numpy().tolist() == [1, 2, 3, 4, 1]


def test_values_of_inner_worlds_become_that_of_the_outer_one():
    inner = declared(Attribute("tolerance", wp.float32, F.WORLD, default=1.0))
    for value in (2.0, 3.0):
        inner.begin_world(attributes={"tolerance": value})
        inner.end_world()
    builder = ModelBuilder()
    builder.replicate(inner, 2)
    assert builder.finalize("cpu").tolerance.numpy().tolist() == [2, 2]


def test_a_value_for_all_is_the_last_one_told():
    robot = declared(Attribute("solver", wp.int32, F.ONCE, default=1), robot=arm())
    robot.custom_attributes["solver"].values = {0: 2}
    builder = ModelBuilder()
    builder.replicate(robot, 2)
    assert builder.finalize("cpu").solver.numpy().tolist() == [2]


def test_rows_of_one_s_own_are_added_together():
    builder = rows(arm())
    first = builder.add_custom_values(**{"ns:row_body": 1, "ns:row_weight": 0.5})
    second = builder.add_custom_values_batch([{"ns:row_name": "b"}, {"ns:row_other": 0}])
    assert first == {"ns:row_body": 0, "ns:row_weight": 0, "ns:row_world": 0}
    assert second[1] == {"ns:row_other": 2, "ns:row_world": 2}
    with pytest.warns(NewtonWarning, match="row_(body|weight|name).*take its default"):
        model = builder.finalize("cpu")
    assert model.get_custom_frequency_count("ns:row") == model.ns.row_count == 3
    assert model.ns.row_body.numpy().tolist() == [1, -1, -1]
    assert model.ns.row_weight.numpy().tolist() == [0.5, 0, 0]
    assert model.ns.row_name == ["", "b", ""]


def test_copies_refer_to_their_own_rows():
    """Two kinds of robot in three worlds, and one row by hand; every reference lands in its copy."""
    small, large = rows(arm()), rows(arm())
    small.add_custom_values(
        **{"ns:row_body": 1, "ns:row_shape": 0, "ns:row_dof": 6, "ns:row_other": 0, "ns:row_weight": 1.0}
    )
    for i in range(2):
        large.add_custom_values(**{"ns:row_body": i, "ns:row_other": 1 - i, "ns:row_name": f"n{i}"})
    builder = rows(ModelBuilder())
    builder.add_ground_plane()
    builder.add_custom_values(**{"ns:row_shape": 0})
    builder.add_world(large)
    builder.replicate(small, 2, label_prefixes=["a", "b"])
    model = builder.finalize("cpu")
    assert model.ns.row_body.numpy().tolist() == [-1, 0, 1, 3, 5]
    assert model.ns.row_shape.numpy().tolist() == [0, -1, -1, 3, 5]
    assert model.ns.row_dof.numpy().tolist() == [-1, -1, -1, 13, 20]
    assert model.ns.row_other.numpy().tolist() == [-1, 2, 1, 3, 4]
    assert model.ns.row_world.numpy().tolist() == [-1, 0, 0, 1, 2]
    assert model.ns.row_weight.numpy().tolist() == [0, 0, 0, 1, 1]
    assert model.ns.row_name == ["", "n0", "n1", "", ""]
    assert builder.custom_attributes["ns:row_body"].values[3] == 3


def test_references_can_be_remapped_by_hand():
    """What a value points at depends on another: the remapping gets the offsets of each copy."""

    def remap(values, context):
        offsets = context["entity_offsets"]
        return [(kind, i + offsets["body" if kind == 0 else "shape"]) for kind, i in values]

    robot = arm()
    robot.add_custom_frequency(Frequency("target", "ns"))
    attribute = Attribute("target", wp.vec2i, "ns:target", namespace="ns", reference_value_transformer=remap)
    robot.add_custom_attribute(attribute)
    robot.add_custom_values(**{"ns:target": (0, 1)})
    robot.add_custom_values(**{"ns:target": (1, 0)})
    builder = ModelBuilder()
    builder.add_ground_plane()
    builder.replicate(robot, 2)
    assert builder.finalize("cpu").ns.target.numpy().tolist() == [[0, 1], [1, 1], [0, 3], [1, 3]]


def test_every_builder_knows_equality_constraints():
    builder = arm()
    builder.add_custom_values(
        **{
            "mujoco:equality_constraint_type": 1,
            "mujoco:equality_constraint_body1": 1,
            "mujoco:equality_constraint_polycoef": [1, 2, 3, 4, 5],
        }
    )
    world = ModelBuilder()
    world.replicate(builder, 2)
    model = world.finalize("cpu")
    assert model.mujoco.equality_constraint_count == 2
    assert model.mujoco.equality_constraint_world_start.numpy().tolist() == [0, 1, 2, 2]
    assert model.mujoco.equality_constraint_body1.numpy().tolist() == [1, 3]
    assert model.mujoco.equality_constraint_body2.numpy().tolist() == [-1, -1]
    assert model.mujoco.equality_constraint_polycoef.numpy().tolist() == [[1, 2, 3, 4, 5]] * 2
    assert model.mujoco.eq_solref.numpy()[0].tolist() == [np.float32(0.02), 1.0]


def test_declaring_twice_alike_changes_nothing():
    builder = declared(Attribute("x", wp.float32, F.BODY), Attribute("x", float, F.BODY, default=0.0))
    builder.add_link(mass=1.0, custom_attributes={"x": 1.0})
    declared(Attribute("x", wp.float32, F.BODY), robot=builder)
    assert builder.finalize("cpu").x.numpy().tolist() == [1.0]
    assert builder.has_custom_attribute("x") and not builder.has_custom_attribute("y")
    assert [a.name for a in builder.get_custom_attributes_by_frequency([F.BODY])] == ["x"]


def test_one_declaration_serves_many_builders():
    attribute = Attribute("x", wp.float32, F.BODY, values={1: 2.0})
    first, second = declared(attribute), declared(attribute)
    first.add_link(mass=1.0, custom_attributes={"x": 1.0})
    second.add_link(mass=1.0)
    second.add_link(mass=1.0)
    assert first.finalize("cpu").x.numpy().tolist() == [1.0]
    assert second.finalize("cpu").x.numpy().tolist() == [0.0, 2.0]


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        (lambda b: declared(Attribute("x", wp.float32, F.SHAPE), robot=b), r"incompatible spec \(frequency mismatch\)"),
        (
            lambda b: declared(Attribute("x", wp.float32, F.BODY, default=2.0), robot=b),
            r"incompatible spec \(default mismatch\)",
        ),
        (lambda b: declared(Attribute("body_mass", wp.float32, F.BODY), robot=b), "in a namespace"),
        (lambda b: declared(Attribute("y", wp.float32, "ns:none"), robot=b), "frequency 'ns:none' is unknown"),
        (
            lambda b: declared(Attribute("y", wp.int32, F.BODY, references="bodies"), robot=b).finalize("cpu"),
            "Unknown references value 'bodies'",
        ),
        (lambda b: declared(Attribute("y", wp.float32, F.PARTICLE), robot=b), "PARTICLE is not supported"),
        (lambda b: Attribute("y", dict, F.BODY), "dtype"),
        (lambda b: Attribute("y", wp.vec3, F.BODY, default=(1, 2)), "numbers of shape \\(3,\\)"),
        (lambda b: Attribute("y z", wp.vec3, F.BODY), "is no name"),
        (lambda b: Attribute("y", wp.float32, 3.5), "frequency 3.5 is unknown"),
        (
            lambda b: b.add_custom_frequency(Frequency("row", "ns", label_attribute="ns:row_label")),
            "declared differently",
        ),
        (lambda b: Frequency("row", "ns", label_attribute="x"), "must be 'ns:row_label', not 'x'"),
        (lambda b: b.add_link(custom_attributes={"nope": 1}), "not declared"),
        (lambda b: b.add_link(custom_attributes={"x": "much"}), "one number"),
        (lambda b: b.add_link(custom_attributes={"x": (1, 2)}), "one number"),
        (lambda b: b.add_shape_sphere(-1, custom_attributes={"x": 1}), "frequency BODY"),
        (lambda b: b.add_joint_revolute(-1, 0, custom_attributes={"d": [1, 2]}), "2 values"),
        (lambda b: b.add_joint_revolute(-1, 0, custom_attributes={"d": {1: 2}}), "position 1 of 1"),
        (lambda b: b.add_custom_values(x=1), "frequency BODY"),
        (lambda b: b.add_custom_values(**{"ns:none": 1}), "not declared"),
        (lambda b: b.add_custom_values(**{"ns:row_name": 3}), "is not text"),
        (lambda b: b.add_custom_values_batch([{"ns:row_body": 1}, {"ns:row_body": "b"}]), "one number"),
    ],
)
def test_wrong_declarations_and_values_are_refused(act, problem):
    builder = rows(declared(Attribute("x", wp.float32, F.BODY), Attribute("d", wp.float32, F.JOINT_DOF)))
    builder.add_link()
    counts = builder._counts()
    with pytest.raises(ModelError, match=problem):
        act(builder)
    assert builder._counts() == counts
    assert not builder.custom_attributes["d"].values and not len(builder.custom_attributes["ns:row_body"].values)


def test_builders_that_declare_differently_do_not_mix():
    robot = declared(Attribute("x", wp.float32, F.BODY), robot=arm())
    builder = declared(Attribute("x", wp.int32, F.BODY))
    with pytest.raises(ModelError, match=r"incompatible spec in the two builders \(dtype mismatch\)"):
        builder.add_world(robot)
    assert builder.body_count == 0


def test_references_may_be_declared_later_but_before_their_rows_are_copied():
    one = ModelBuilder()
    kinds = ModelBuilder
    one.add_custom_frequency(kinds.CustomFrequency(name="sensor"))
    one.add_custom_attribute(kinds.CustomAttribute("watched", wp.int32, "sensor", references="marker"))
    ModelBuilder().add_world(one)
    one.add_custom_values(watched=0)
    with pytest.raises(ModelError, match="Unknown references value 'marker'"):
        ModelBuilder().add_world(one)
    one.add_custom_frequency(kinds.CustomFrequency(name="marker"))
    one.add_custom_attribute(kinds.CustomAttribute("tag", wp.int32, "marker"))
    one.add_custom_values(tag=7)
    both = ModelBuilder()
    both.replicate(one, 2)
    assert both.finalize("cpu").watched.numpy().tolist() == [0, 1]


def test_a_frequency_without_rows_makes_no_array():
    b, kinds = ModelBuilder(), ModelBuilder
    b.add_custom_frequency(kinds.CustomFrequency(name="item", namespace="mine"))
    b.add_custom_attribute(kinds.CustomAttribute("x", wp.float32, "mine:item", namespace="mine"))
    model = b.finalize("cpu")
    assert model.get_custom_frequency_count("mine:item") == 0 and not hasattr(getattr(model, "mine", None), "x")


def test_a_remapping_knows_the_world_and_the_attributes_of_what_is_copied():
    seen, kinds = [], ModelBuilder

    def remap(values, context):
        seen.append((context["world"], context["builder"].custom_attributes["kind"].values.tolist()))
        return [None if value is None else value + context["entity_offsets"]["body"] for value in values]

    one = ModelBuilder()
    one.add_body(mass=1.0)
    one.add_custom_frequency(kinds.CustomFrequency(name="item"))
    one.add_custom_attribute(kinds.CustomAttribute("kind", wp.int32, "item"))
    one.add_custom_attribute(
        kinds.CustomAttribute("at", wp.int32, "item", default=-1, reference_value_transformer=remap)
    )
    one.add_custom_values(kind=5, at=0)
    one.add_custom_values(kind=6)
    both = ModelBuilder()
    both.replicate(one, 2)
    assert both.finalize("cpu").at.numpy().tolist() == [0, -1, 1, -1]
    assert seen == [(0, [5, 6]), (1, [5, 6])]


def test_a_remapping_returns_a_value_for_each():
    one, kinds = ModelBuilder(), ModelBuilder
    one.add_custom_frequency(kinds.CustomFrequency(name="item"))
    short = lambda values, context: values[:1]
    one.add_custom_attribute(kinds.CustomAttribute("at", wp.int32, "item", reference_value_transformer=short))
    one.add_custom_values(at=0)
    one.add_custom_values(at=0)
    both = ModelBuilder()
    both.add_builder(one)
    with pytest.raises(ModelError, match="returned 1 values for 2; return one for each"):
        both.finalize("cpu")


def test_a_reference_that_is_one_for_all_is_that_of_the_copy_added_last():
    """Its default points into the first copy; what is given at the source counts over what was there before."""
    kinds = ModelBuilder
    declared = dict(name="root", dtype=wp.int32, frequency=Model.AttributeFrequency.ONCE, references="body")
    source = ModelBuilder()
    source.add_body()
    source.add_custom_attribute(kinds.CustomAttribute(default=0, **declared))
    for values, expected in ((None, 1), ({}, 0), ({0: 7}, 7)):
        scene = ModelBuilder()
        scene.add_body()
        if values is not None:
            scene.add_custom_attribute(kinds.CustomAttribute(default=0, values=values, **declared))
        scene.replicate(source, 2)
        assert scene.finalize("cpu").root.numpy().tolist() == [expected]
    source.custom_attributes["root"].values[0] = 0
    scene.add_builder(source)
    assert scene.finalize("cpu").root.numpy().tolist() == [3]
    scene.custom_attributes["root"].values[0] = 2
    assert scene.finalize("cpu").root.numpy().tolist() == [2]


def test_values_of_copies_are_read_by_row():
    kinds = ModelBuilder
    declared = dict(name="ref", dtype=wp.int32, frequency=Model.AttributeFrequency.BODY, references="body")
    source, scene = ModelBuilder(), ModelBuilder()
    source.add_custom_attribute(kinds.CustomAttribute(default=-1, **declared))
    source.add_body(custom_attributes={"ref": 1})
    source.add_body()
    scene.add_body()
    scene.replicate(source, 2)
    values = scene.custom_attributes["ref"].values
    assert [values[row] for row in (1, 2, 3, 4)] == [2, -1, 4, -1]
    for row in (0, 5):
        with pytest.raises(KeyError):
            values[row]


def test_values_that_copies_brought_are_among_the_items():
    def builder():
        made = ModelBuilder()
        made.add_custom_attribute(ModelBuilder.CustomAttribute(name="heat", dtype=float, frequency=F.BODY, default=1.0))
        return made

    hot = builder()
    hot.add_body(mass=1.0, custom_attributes={"heat": 5.0})
    hot.add_body(mass=1.0)
    scene = builder()
    scene.add_body(mass=1.0, custom_attributes={"heat": 3.0})
    scene.add_builder(hot)
    scene.add_builder(hot)
    values = scene.custom_attributes["heat"].values
    assert list(values.items()) == [(0, 3.0), (1, 5.0), (3, 5.0)] and len(values) == 3
    assert 3 in values and 2 not in values and values.get(2, 7.0) == 7.0 and values == {0: 3.0, 1: 5.0, 3: 5.0}
    values[3] = 4.0
    assert scene.finalize("cpu").heat.numpy().tolist() == [3.0, 5.0, 1.0, 4.0, 1.0]


def test_lists_of_references_move_with_the_copy_that_was_added_last():
    """Numbers in lists within a list, negative ones apart, by the rows that come before."""
    part = ModelBuilder()
    part.add_articulation([part.add_joint_revolute(-1, part.add_link(mass=1.0))])
    values = {0: [0, (wp.int32(0), -1)]}
    nested = Attribute("pairs", wp.int32, F.ONCE, references="articulation", values=values)
    part.add_custom_attribute(nested)
    builder = ModelBuilder()
    builder.add_builder(part)
    assert builder.custom_attributes["pairs"].values[0] == [0, (0, -1)]
    builder.add_builder(part)
    assert builder.custom_attributes["pairs"].values[0] == [1, (1, -1)]
    builder.replicate(part, 3)
    assert builder.custom_attributes["pairs"].values[0] == [4, (4, -1)]
    with pytest.raises(ModelError, match="pairs.*give one number"):
        builder.finalize("cpu")


def test_rows_without_a_value_of_the_model_are_said():
    """Of attributes of which earlier rows have one; not where no row has any."""
    builder = ModelBuilder()
    builder.add_custom_frequency(Frequency("row", "ns"))
    for name in ("first", "second", "neither"):
        builder.add_custom_attribute(Attribute(name, wp.float32, "ns:row", namespace="ns", default=7.0))
    builder.add_custom_values(**{"ns:first": 1.0})
    builder.add_custom_values(**{"ns:second": 2.0})
    with pytest.warns(NewtonWarning) as said:
        model = builder.finalize("cpu")
    assert [str(warning.message).split(":")[0] for warning in said] == ["custom attribute 'ns"]
    assert "'ns:first': 1 values, and 'ns:row' has 2 rows" in str(said[0].message)
    assert model.ns.first.numpy().tolist() == [1.0, 7.0] and model.ns.neither.numpy().tolist() == [7.0, 7.0]
