"""Every error has a place and says what to do, and nothing reaches the builder before all is well."""

import pytest

from newtonlite.core.errors import ModelError, NewtonWarning, ParseError
from newtonlite.core.types import MAXVAL
from newtonlite.importers.report import Report
from newtonlite.sim.builder import ModelBuilder
from tests.harness.urdf_robots import BOX, INERTIAL, joint, link, pair, robot

TWO = link("a") + link("b")
EXACT = {
    "none.urdf": "none.urdf: there is no such file",
    "<mujoco/>": "<string>:1:1: <mujoco> is not the root of a URDF robot; expected <robot>; this is MJCF, read it with add_mjcf",
    "<robot><link/></robot>": "<string>:1:8: <link> needs the attribute 'name' (name of the link)",
    "<robot><lnk/></robot>": "<string>:1:8: <lnk> is not known inside <robot>; did you mean 'link'?",
    '<robot><link nam="a" name="b"/></robot>': """<string>:1:14: <link name="b"> nam: has no attribute 'nam'; did you mean 'name'?""",
    "<robot><link name='a'/>\n <link name='a'/></robot>": "<string>:2:8: <link name=\"a\"> name: link 'a' is defined a second time (first at <string>:1:8); give it another name",
    "<!DOCTYPE robot><robot/>": "<string>:1:1: a document type declaration (DTD) is refused",
    "<robot><link name='a'></robot>": "<string>:1:25: not well-formed XML (mismatched tag)",
}
PARTS = {
    "<inertial><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>": "<inertial> needs the element <mass>",
    "<inertial><mass value='1'/></inertial>": "<inertial> needs the element <inertia>",
    "<inertial><mass value='1'/><inertia ixx='1'/></inertial>": "<inertia> needs the attribute 'ixy'",
    INERTIAL.replace('"2"', '"-2"'): "<mass> value: -2 is negative; give at least 0",
    INERTIAL.replace('ixy="0.1"', 'ixy="3"'): "<inertia> the tensor: principal moment -1.90",
    INERTIAL * 2: "<inertial> may stand only once in <link>",
    "<collision/>": "<collision> names no shape; give a <geometry> with box, cylinder, sphere, capsule or mesh",
    "<collision><geometry/></collision>": "<geometry> names no shape",
    "<collision><geometry><plane/></geometry></collision>": "<plane> is not supported; planes are no part of URDF",
    "<collision><geometry><box size='1 2'/></geometry></collision>": "<box> size: has 2 values; expected 3 numbers",
    "<collision><geometry><box size='1 2 -3'/></geometry></collision>": "<box> size: 1 2 -3 is not positive; give sizes greater than 0",
    "<collision><geometry><sphere radius='0'/></geometry></collision>": "<sphere> radius: 0 is not positive",
    "<collision><geometry><sphere radius='x'/></geometry></collision>": "<sphere> radius: 'x' is not a number; expected 1 number",
    "<collision><geometry><sphere radius='nan'/></geometry></collision>": "<sphere> radius: 'nan' is not finite",
    "<collision><geometry><sphere radius='1e999'/></geometry></collision>": "<sphere> radius: '1e999' is not finite",
    "<collision><geometry><sphere radius='1'/><sphere radius='1'/></geometry></collision>": "<sphere> is the second shape of a <geometry>; give it a <collision> of its own",
    f"<collision><origin xyz='1 2'/>{BOX}</collision>": "<origin> xyz: has 2 values; expected 3 numbers",
    "<visual><geometry><mesh filename='a.stl' scale='1 0 1'/></geometry></visual>": "<mesh> scale: a scale of 0 flattens the mesh",
    f"<visual>{BOX}<material name='m'><color rgba='1 0'/></material></visual>": "<color> rgba: has 2 values; expected 4 numbers",
}
JOINTS = {
    pair(
        "revolut"
    ): "type: unknown keyword 'revolut'; expected one of revolute, continuous, prismatic, fixed, floating, planar",
    robot(TWO, "<joint name='j' type='fixed'><child link='b'/></joint>"): '<joint name="j"> needs the element <parent>',
    robot(TWO, joint("j", "fixed", "a", "bb")): "<child> link: there is no link 'bb'; did you mean 'b'?",
    robot(TWO, joint("j", "fixed", "a", "a")): "link 'a' would be its own parent",
    robot(
        TWO, joint("j", "fixed", "a", "b"), joint("k", "fixed", "a", "b")
    ): "link 'b' already has a parent (the joint at <string>:1:",
    robot(TWO, joint("j", "fixed", "a", "b"), joint("k", "fixed", "b", "a")): "closes a loop at link",
    robot(
        TWO, link("c"), joint("j", "fixed", "a", "b"), joint("j", "fixed", "a", "c")
    ): "joint 'j' is defined a second time",
    pair("revolute", "<axis xyz='0 0 0'/>"): "<axis> xyz: the axis has length zero; give a direction",
    pair("revolute", "<dynamics damping='-1'/>"): "<dynamics> damping: -1 is negative; give at least 0",
    pair(
        "revolute", "<limit lower='2' upper='1' effort='1' velocity='1'/>"
    ): "its limits 2 to 1 are reversed; give the lower one first",
    pair("revolute", "<mimic joint='j'/>"): "<mimic> joint: a revolute joint cannot follow the revolute joint 'j'",
}


@pytest.mark.parametrize("text", EXACT)
def test_messages(text):
    with pytest.raises(ParseError) as error:
        ModelBuilder().add_urdf(text, on_unsupported="raise")
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(EXACT[text])


@pytest.mark.parametrize("inside", PARTS)
def test_messages_about_links(inside):
    check(robot(link("a", inside)), PARTS[inside])


@pytest.mark.parametrize("text", JOINTS)
def test_messages_about_joints(text):
    check(text, JOINTS[text])


def check(text: str, message: str) -> None:
    """The import fails with a place and a message, and leaves the builder empty."""
    builder = ModelBuilder()
    with pytest.raises(ParseError, match=r"^<string>:1:\d+: ") as error:
        builder.add_urdf(text)
    assert message in str(error.value)
    assert builder.body_count == builder.joint_count == builder.shape_count == 0


def test_on_unsupported_warn_leaves_it_out_and_lists_it():
    report, builder = Report(), ModelBuilder()
    with pytest.warns(NewtonWarning, match="<foo> is not known inside <link>"):
        builder.add_urdf(robot(link("a", "<foo/>")), on_unsupported="warn", report=report)
    assert builder.body_count == 1 and len(report.refused) == 1


@pytest.mark.parametrize(
    "options, message",
    [
        ({"convention": "ros"}, "convention='ros': unknown; use 'newton' or 'mujoco'"),
        ({"joint_damping_mode": "x"}, "joint_damping_mode='x': unknown"),
        ({"floating": True, "base_joint": {}}, "both 'floating' and 'base_joint' are given"),
        ({"parent_body": 3}, "parent_body"),
        ({"scale": 0.0}, "scale"),
        ({"up_axis": "w"}, "axis 'w'"),
        ({"on_unsupported": "shrug"}, "on_unsupported='shrug': unknown"),
    ],
)
def test_options_that_make_no_sense(options, message):
    builder = ModelBuilder()
    with pytest.raises((ModelError, ParseError), match=message):
        builder.add_urdf(pair("fixed"), **options)
    assert builder.body_count == 0


def test_limits_as_far_away_as_a_number_can_be_are_none():
    limit = "<limit lower='-1.7976931348623157e+308' upper='1.7976931348623157e+308' effort='1e300' velocity='1e39'/>"
    builder = ModelBuilder()
    builder.add_urdf(pair("revolute", limit))
    assert (builder.joint_limit_lower[0], builder.joint_limit_upper[0]) == (-MAXVAL, MAXVAL)
    assert builder.joint_effort_limit[0] == MAXVAL
    with pytest.raises(ParseError, match="damping: '1e300' is beyond single precision"):
        ModelBuilder().add_urdf(pair("revolute", "<dynamics damping='1e300'/>"))


VENDORS = {
    "<self_collision_checking/>": "self_collision_checking",
    "<visual><geometry><box size='1 1 1'/></geometry><shadow on='yes'><deep/></shadow></visual>": "shadow",
    "<inertial><mass value='1' unit='kg'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>": "mass unit",
}


@pytest.mark.parametrize("inside", VENDORS)
@pytest.mark.parametrize("convention", ["newton", "mujoco"])
def test_what_urdf_does_not_have_is_somebody_elses(inside, convention):
    """It is in the report, without a warning; strict callers get an error."""
    text = '<robot name="r" xmlns="http://vendor"><drives/>' + link("a", inside) + "</robot>"
    report, builder = Report(), ModelBuilder()
    builder.add_urdf(text, report=report, convention=convention)
    assert builder.body_count == (convention == "newton")  # MuJoCo makes the world of a root
    assert {"robot xmlns", "drives", VENDORS[inside]} <= {group.what for group in report.ignored} and not report.refused
    with pytest.raises(ParseError, match="xmlns: has no attribute"):
        ModelBuilder().add_urdf(text, on_unsupported="raise", convention=convention)


@pytest.mark.parametrize(
    "text", ["<robot><lnk name='a'/><link name='b'/></robot>", "<robot><link name='b' nam='a'/></robot>"]
)
def test_a_slip_of_the_pen_is_warned_of(text):
    with pytest.warns(NewtonWarning, match="did you mean '(link|name)'.*left out"):
        ModelBuilder().add_urdf(text)


def test_words_of_mujocos_own_section_stay_errors():
    with pytest.raises(ParseError, match="<compiler> strictest: has no attribute"):
        ModelBuilder().add_urdf('<robot><link name="a"/><mujoco><compiler strictest="1"/></mujoco></robot>')
