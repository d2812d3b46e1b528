"""Custom attributes that a caller declared are read from MJCF: of bodies, geoms and joints, by default classes too."""

import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.errors import ParseError

F = newton.Model.AttributeFrequency
Attribute = newton.ModelBuilder.CustomAttribute
XML = """<mujoco><compiler angle="radian"/>
<default><geom glow="3"/><joint wear=".5"/><default class="dim"><geom glow="1"/></default></default>
<worldbody><body name="a" tag="7"><freejoint serial="s1"/><geom name="a" size=".1"/>
  <body name="b"><joint name="j" axis="0 1 0" wear=".25"/><joint name="k" type="slide"/><geom name="b" size=".1" class="dim"/>
    <geom name="c" size=".1" glow="9" group="4"/></body></body></worldbody></mujoco>"""


def load(xml, *attributes):
    builder = newton.ModelBuilder()
    for attribute in attributes:
        builder.add_custom_attribute(attribute)
    builder.add_mjcf(xml)
    return builder.finalize(device="cpu")


def others(*left_out):
    """Declarations of what the file has beside the attributes of a test."""
    kinds = {
        "tag": (wp.int32, F.BODY),
        "glow": (wp.float32, F.SHAPE),
        "wear": (wp.float32, F.JOINT_DOF),
        "serial": (str, F.JOINT),
    }
    return [Attribute(name=n, dtype=d, frequency=f) for n, (d, f) in kinds.items() if n not in left_out]


def test_values_go_to_what_the_element_stands_for():
    model = load(
        XML,
        Attribute(name="tag", dtype=wp.int32, frequency=F.BODY, default=-1),
        Attribute(name="shine", dtype=wp.float32, frequency=F.SHAPE, mjcf_attribute_name="glow"),
        Attribute(name="layer", dtype=wp.int32, frequency=F.SHAPE, mjcf_attribute_name="group", default=-1),
        Attribute(name="wear", dtype=wp.float32, frequency=F.JOINT_DOF, namespace="mine"),
        Attribute(name="serial", dtype=str, frequency=F.JOINT),
    )
    assert model.tag.numpy().tolist() == [7, -1]
    assert model.shine.numpy().tolist() == [3.0, 1.0, 9.0]
    assert model.layer.numpy().tolist() == [-1, -1, 4]
    assert model.mine.wear.numpy()[6:].tolist() == [0.5, 0.25]  # the slide comes first
    assert list(model.serial) == ["s1", ""]


def test_transformers_see_the_joint():
    seen = []

    def transform(text, context):
        seen.append((text, context["use_degrees"]))
        return None if context["joint_type"] == "slide" else float(text) * 2

    wear = Attribute(
        name="wear", dtype=wp.float32, frequency=F.JOINT_DOF, mjcf_value_transformer=transform, default=-1.0
    )
    model = load(XML, wear, *others("wear"))
    assert model.wear.numpy()[6:].tolist() == [-1.0, 0.5]
    assert set(seen) == {(".5", False), (".25", False)}


def test_options_are_of_the_scene_or_of_the_open_world():
    once = Attribute(name="budget", dtype=wp.float32, frequency=F.ONCE)
    world = Attribute(name="level", dtype=wp.int32, frequency=F.WORLD, default=-1)
    builder = newton.ModelBuilder()
    builder.add_custom_attribute(once)
    builder.add_custom_attribute(world)
    for level in (3, 5):
        builder.begin_world()
        builder.add_mjcf(
            f'<mujoco><option budget="{level}.5" level="{level}"/><worldbody><geom size=".1"/></worldbody></mujoco>'
        )
        builder.end_world()
    model = builder.finalize(device="cpu")
    assert model.budget.numpy().tolist() == [5.5] and model.level.numpy().tolist() == [3, 5]


def test_what_was_not_declared_is_unknown():
    with pytest.raises(ParseError, match="<body name=\"a\"> tag: has no attribute 'tag'"):
        load(XML, *others("tag"))


def test_what_is_no_value_is_an_error_with_its_place():
    text = '<mujoco><worldbody>\n<body name="a" tag="x"><geom size=".1"/></body></worldbody></mujoco>'
    with pytest.raises(ParseError, match="<string>:2:16: <body name=\"a\"> tag: 'x'"):
        load(text, *others())
