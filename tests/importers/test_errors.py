"""Every error says where, what, and what to do; nothing reaches the builder before all is well."""

import pytest

from newtonlite.core.errors import ParseError
from newtonlite.importers.mjcf import load_mjcf
from newtonlite.importers.mjcf.read import MAX_DEPTH
from newtonlite.schema.legacy import LEGACY
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests import oracle
from tests.harness import import_fields
from tests.tolerance import tolerance

BALL = '<body name="b"><joint name="knee"/><geom name="g" size=".1"/></body>'

EXACT = {
    "<worldbody>\n  <geom size='.1'\n    stifness='2'/></worldbody>": "<string>:3:5: <geom> stifness: has no attribute 'stifness'",
    '<worldbody><body><joint name="knee" stifness="2"/></body></worldbody>': """<string>:1:45: <joint name="knee"> stifness: has no attribute 'stifness'; did you mean 'stiffness'?""",
    "<worldbody><gem/></worldbody>": "<string>:1:20: <gem> is not known inside <worldbody>; did you mean 'geom'?",
    '<worldbody><geom size="a"/></worldbody>': "<string>:1:26: <geom> size: 'a' is not a number; expected 1 to 3 numbers",
    '<worldbody><geom pos="1 2"/></worldbody>': "<string>:1:26: <geom> pos: has 2 values; expected 3 numbers",
    '<worldbody><geom pos="1 2 nan"/></worldbody>': "<string>:1:26: <geom> pos: 'nan' is not finite; give an ordinary number",
    '<worldbody><geom type="ball"/></worldbody>': "<string>:1:26: <geom> type: unknown keyword 'ball'; expected one of plane, hfield,",
    '<worldbody><geom class="c"/></worldbody>': "<string>:1:26: <geom> class: there is no default class 'c'; known are main",
    '<worldbody><body quat="0 0 0 0"/></worldbody>': "<string>:1:26: <body> quat: has length zero; give a unit quaternion (w, x, y, z)",
    '<worldbody><body euler="1 0 0" quat="1 0 0 0"/></worldbody>': "<string>:1:26: <body> euler: has two orientations, 'quat' and 'euler'; keep one",
    '<worldbody><geom size="0"/></worldbody>': "<string>:1:26: <geom> size: size 1 is 0; a sphere needs 1 positive size",
    '<worldbody><geom type="box" size="1 1"/></worldbody>': "<string>:1:37: <geom> size: size 3 is 0; a box needs 3 positive sizes",
    '<worldbody><geom size="1" condim="2"/></worldbody>': "<string>:1:35: <geom> condim: 2 is no dimension of contacts; give 1, 3, 4 or 6",
    '<worldbody><geom size="1" friction="-1"/></worldbody>': "<string>:1:35: <geom> friction: -1 is negative; give friction of at least 0",
    '<worldbody><body><joint axis="0 0 0"/><geom size="1"/></body></worldbody>': "<string>:1:33: <joint> axis: the axis has length zero; give a direction",
    '<worldbody><body><joint type="free" springyield=".1"/><geom size="1"/></body></worldbody>': "<string>:1:45: <joint> springyield: the spring of a free joint does not yield; leave it out",
    '<worldbody><body><joint springyield="-.1"/><geom size="1"/></body></worldbody>': "<string>:1:33: <joint> springyield: -0.1 is negative; give at least 0",
    '<worldbody><body><joint range="2 1" limited="true"/><geom size="1"/></body></worldbody>': "<string>:1:33: <joint> range: 2 is not less than 1; give the lower bound first",
    '<worldbody><body><body><freejoint/><geom size="1"/></body></body></worldbody>': "<string>:1:32: <freejoint> a free joint needs a body whose parent is the world",
    f"<worldbody>{BALL}</worldbody><actuator><motor joint='kne'/></actuator>": "<string>:1:117: <motor> joint: there is no joint 'kne'; did you mean 'knee'?",
    f"<worldbody>{BALL}</worldbody><actuator><motor/></actuator>": "<string>:1:110: <motor> acts on exactly one of joint, jointinparent, tendon, site, body; here it has none",
    f"<worldbody>{BALL}{BALL}</worldbody>": "<string>:1:94: <body name=\"b\"> name: body name 'b' is used a second time (first at <string>:1:20); names of a kind are unique",
    f"<worldbody>{BALL}</worldbody><keyframe><key qpos='1 2'/></keyframe>": "<string>:1:115: <key> qpos: has 2 numbers; the model has 1",
    f"<worldbody>{BALL}</worldbody><sensor><contact geom1='' data='found'/></sensor>": "<string>:1:117: <contact> geom1: is empty; name what is measured",
    f"<worldbody>{BALL}</worldbody><sensor><jointpos joint=''/></sensor>": "<string>:1:118: <jointpos> joint: is empty; name what is measured",
    '<worldbody><geom class="" size="1"/></worldbody>': "<string>:1:26: <geom> class: there is no default class ''",
    '<option timestep="0"/>': "<string>:1:17: <option> timestep: 0; give a number greater than 0",
    '<default class="top"/>': "<string>:1:18: <default> class: the outermost default class is 'main'; leave class out, or put 'top' inside another <default>",
    "<worldbody><body><composite/></body></worldbody>": "<string>:1:26: <composite> is an unrecognized element since MuJoCo 4.0",
    "<worldbody><flexcomp/></worldbody>": "<string>:1:20: <flexcomp> needs the attribute 'name'",
    '<compiler coordinate="global"/>': "<string>:1:19: <compiler> coordinate: global coordinates were removed",
    '<worldbody><body><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body></worldbody>': "<string>:1:26: <inertial> principal inertias 1, 1, 3 break A + B >= C; correct them, or set compiler balanceinertia",
    '<asset><mesh name="m" builtin="cone"/></asset>': "<string>:1:16: <mesh name=\"m\"> a cone needs the attribute 'params' (the number of sides, the upper radius)",
    '<asset><mesh name="m" builtin="cone" params="3"/></asset>': '<string>:1:46: <mesh name="m"> params: has 1 numbers; a cone needs 2: the number of sides, the upper radius',
    '<asset><mesh name="m" builtin="cone" params="2 1"/></asset>': '<string>:1:46: <mesh name="m"> params: the number of sides is 2; give at least 3, at most 2000',
    '<asset><mesh name="m" builtin="supertorus" params="3 0 1 1"/></asset>': '<string>:1:52: <mesh name="m"> params: the radius is 0; give more than 0, at most 1',
    '<asset><mesh name="m" builtin="cone" params="3 1" file="a.stl"/></asset>': "<string>:1:59: <mesh name=\"m\"> file: cannot have both 'builtin' and 'file'; keep one",
    '<asset><mesh name="m" builtin="disc" params="3"/></asset>': '<string>:1:31: <mesh name="m"> builtin: a disc is made for soft bodies, which are not supported',
    '<asset><mesh name="m" builtin="box" params="3 3 3 1 1 1 2"/></asset>': '<string>:1:45: <mesh name="m"> params: a box of dimension 2 is made for soft bodies',
    "<worldbody><replicate/></worldbody>": "<string>:1:20: <replicate> needs the attribute 'count' (how many copies)",
}


@pytest.mark.parametrize(("inside", "word"), LEGACY)
def test_words_of_old_files_are_refused_with_what_to_write(inside, word):
    """Neither MuJoCo nor we know them."""
    element = inside == "mujoco"
    text = f"<{word}/>" if element else f"<{inside} {word}='1'/>"
    for parent in {"flag": ("option", "mujoco")}.get(inside, ("mujoco",)):
        text = f"<{parent}>{text}</{parent}>"
    with pytest.raises(ValueError, match="Schema violation: unrecognized"):
        oracle.compile_xml(text)
    with pytest.raises(ParseError) as error:
        load_mjcf(text)
    assert LEGACY[inside, word] in str(error.value)


@pytest.mark.parametrize("text", EXACT)
def test_messages(text):
    with pytest.raises(ParseError) as error:
        ModelBuilder().add_mjcf(f"<mujoco>{text}</mujoco>")
    assert str(error.value).startswith(EXACT[text])
    assert "\n" not in str(error.value)


RAW = {
    "none.xml": "none.xml: there is no such file",
    "<mujoco": "<string>:1:1: not well-formed XML (unclosed token)",
    "<mujoco><a></b></mujoco>": "<string>:1:14: not well-formed XML (mismatched tag)",
    '<mujoco model="a" model="b"/>': "<string>:1:19: not well-formed XML (duplicate attribute)",
    "<robot name='r'/>": '<string>:1:1: <robot name="r"> is not the root of an MJCF model; expected <mujoco>; this is URDF, read it with add_urdf',
    "<scene/>": "<string>:1:1: <scene> is not the root of an MJCF model; expected <mujoco>",
    '<!DOCTYPE m [<!ENTITY a "b">]><mujoco/>': "<string>:1:1: a document type declaration (DTD) is refused",
    '<mujoco><worldbody><geom name="a"size="1"type="ball"/></worldbody></mujoco>': '<string>:1:42: <geom name="a"> type: unknown keyword',
    '<mujoco><worldbody><geom name="a"size="1"/><geom size="1"pos="1 2"/></worldbody></mujoco>': "<string>:1:58: <geom> pos: has 2 values",
    '<mujoco model="a"a="b"> <b c="d"e="f" & /></mujoco>': "<string>:1:39: not well-formed XML",
    '<mujoco model="a"model="b"/>': "<string>:1:18: not well-formed XML (duplicate attribute)",
    '<?xml verison="1.0"?>\n<mujoco model="a"gem="b"/>': "<string>:2:18: <mujoco> gem: has no attribute 'gem'",
    "<mujoco/> <mujoco/>": "<string>:1:11: not well-formed XML (junk after document element)",
    "<mujoco>\0</mujoco>": "<string>:1:9: not well-formed XML (not well-formed (invalid token))",
}


@pytest.mark.parametrize("text", RAW)
def test_documents_that_are_none(text):
    with pytest.raises(ParseError) as error:
        load_mjcf(text)
    assert RAW[text] in str(error.value)


def test_nesting_is_bounded():
    text = "<mujoco><worldbody>" + "<body>" * 100_000 + "</body>" * 100_000 + "</worldbody></mujoco>"
    with pytest.raises(ParseError, match=f"nested {MAX_DEPTH + 1} deep"):
        load_mjcf(text)


def test_deep_trees_within_the_bound_are_read():
    depth = MAX_DEPTH - 10
    text = (
        "<mujoco><worldbody>"
        + '<body pos="0 0 1">' * depth
        + '<geom size="1"/>'
        + "</body>" * depth
        + "</worldbody></mujoco>"
    )
    assert len(load_mjcf(text)[0].bodies) == depth + 1


def test_encodings(tmp_path):
    text = '<?xml version="1.0" encoding="UTF-8"?><mujoco model="é"><worldbody><geom name="ü" size="1"/></worldbody></mujoco>'
    path = tmp_path / "m.xml"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert load_mjcf(str(path))[0].geoms[0].name == "ü"
    path.write_bytes(text.encode("utf-16"))
    with pytest.raises(ParseError, match="UTF-16; save it as UTF-8"):
        load_mjcf(str(path))


def test_columns_count_characters_and_lines_count_from_the_file():
    with pytest.raises(ParseError) as error:
        load_mjcf("<mujoco>\n<worldbody>\n <!-- é --> <geom name='üü' size='1' foo='1'/>\n</worldbody></mujoco>")
    assert str(error.value).startswith("<string>:3:38: ")


def test_the_builder_stays_as_it_was():
    builder = ModelBuilder()
    for rest in (
        "<actuator><motor joint='none'/></actuator>",
        "<asset><mesh name='m' vertex='0 0 0'/></asset>",
        "<asset><mesh name='t' file='none.stl'/></asset>",
        "<asset><hfield name='h' size='1 1 1 0'/></asset>",
    ):
        with pytest.raises(ParseError):
            builder.add_mjcf(f"<mujoco><worldbody>{BALL}</worldbody>{rest}</mujoco>")
    assert (builder.body_count, builder.joint_count, builder.shape_count, builder.custom_attributes) == (
        0,
        0,
        0,
        ModelBuilder().custom_attributes,
    )


def test_on_unsupported_warn_leaves_it_out_and_lists_it():
    text = "<mujoco><compiler passthrough='true'/><worldbody><composite/><geom size='1'/></worldbody></mujoco>"
    with pytest.warns(UserWarning, match="unrecognized element|is not supported"):
        spec, _, report = load_mjcf(text, on_unsupported="warn")
    assert len(report.refused) == 2 and len(spec.geoms) == 1


SITES = '<site name="a"/><site name="b" pos="1 0 0"/><geom name="ball" size=".1"/><geom name="brick" type="box" size=".1 .1 .1"/>'


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ('<site site="a"/>', "stands alone"),
        ('<site site="a"/><site site="a"/>', "stands twice in a row"),
        ('<site site="a"/><site site="b"/><pulley divisor="2"/>', "nothing follows the pulley"),
        (
            '<site site="a"/><site site="b"/><pulley divisor="2"/><pulley divisor="2"/><site site="a"/><site site="b"/>',
            "nothing follows the pulley",
        ),
        ('<site site="a"/><geom geom="brick"/><site site="b"/>', "neither sphere nor cylinder"),
        ('<site site="a"/><geom geom="ball"/>', "between two sites"),
    ],
)
def test_paths_without_sense_are_errors_as_in_mujoco(path, problem):
    text = f"<mujoco><worldbody>{SITES}</worldbody><tendon><spatial>{path}</spatial></tendon></mujoco>"
    with pytest.raises(ValueError):
        oracle.compile_xml(text)
    with pytest.raises(ParseError, match=problem) as error:
        ModelBuilder().add_mjcf(text)
    assert ":1:" in str(error.value)


EMPTY = """<mujoco><worldbody><body name="b" pos=" "><joint name="k" range=""/><joint name="l" axis="1 0 0"/><geom size=".1" mesh="" friction=""/>
    <site name="s"/><camera target=""/><light mode=""/></body><body name="c" pos="1 0 0"><joint/><geom size=".1"/></body></worldbody>
    <equality><connect body1="b" body2="" anchor="0 0 0" solref=""/><joint joint1="k" joint2=""/></equality>
    <actuator><motor joint="k" gear="" ctrlrange=""/><motor site="s" refsite=""/></actuator></mujoco>"""


def test_numbers_and_names_that_are_empty_are_not_given():
    text = EMPTY.replace(' mode=""', "")
    builder = ModelBuilder()
    builder.add_mjcf(text)
    mine = compile_model(builder.finalize(device="cpu", skip_all_validations=True))
    assert import_fields.differences(oracle.compile_xml(text), mine, tolerance("compiled"))[0] == {}
    with pytest.raises(ParseError, match="mode: unknown keyword ''"):
        load_mjcf(EMPTY)
