"""What carries the bodies on a file's world: the caller's choice, with keyframes that follow."""

import math

import numpy as np
import pytest

from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError, ParseError
from newtonlite.core.types import Axis
from newtonlite.math.quat import conjugate, product, rotate
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo
from newtonlite.solvers.mujoco.compile import compile_model
from newtonlite.solvers.mujoco.compile.kinematics import pose_at
from tests.harness.import_names import names
from tests.importers.test_build import values
from tests.tolerance import assert_close

ROBOT = """<mujoco><option gravity="0 0 -2" wind="1 0 3"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="trunk" pos="1 2 3">{}<geom name="t" size=".1"/><body name="arm" pos="0 0 .5"><joint name="j"/><geom name="a" pos="0 .2 0" size=".1"/></body></body>
</worldbody>{}</mujoco>"""
FREE = '<freejoint name="root"/>'
KEY = '<keyframe><key name="k" qpos="{}" qvel="{}"/></keyframe>'
TURN_Z = ((0, 0, 5), (0, 0, math.sqrt(0.5), math.sqrt(0.5)))


def built(joints: str = "", rest: str = "", builder: ModelBuilder | None = None, **options) -> ModelBuilder:
    builder = builder or ModelBuilder()
    builder.add_mjcf(ROBOT.format(joints, rest), **options)
    return builder


def compiled(builder: ModelBuilder):
    return SolverMuJoCo(builder.finalize("cpu")).mj_model


def numbers(builder: ModelBuilder, name: str) -> list[float]:
    return [float(x) for x in values(builder, name)[0].split()]


@pytest.mark.parametrize("joints", ["", FREE])
@pytest.mark.parametrize("floating", [None, True, False])
def test_floating_decides_over_free_joints(joints, floating):
    b = built(joints, floating=floating)
    floats = bool(joints) if floating is None else floating
    assert b.joint_type == [JointType.FREE if floats else JointType.FIXED, JointType.REVOLUTE]
    assert_close(list(b.body_q[0])[:3], [1, 2, 3], "authored")
    model = compiled(b)
    assert (model.nq, model.nv) == ((8, 7) if floats else (1, 1))


def test_a_floating_root_is_the_model_with_a_free_joint():
    """The same compiled numbers as of the file that has the free joint."""
    ours, theirs = compiled(built(floating=True)), compiled(built(FREE))
    for name in (
        "qpos0",
        "body_pos",
        "body_quat",
        "body_mass",
        "body_inertia",
        "dof_armature",
        "jnt_type",
        "dof_bodyid",
    ):
        assert_close(getattr(ours, name), getattr(theirs, name), "same")


def test_keyframes_follow_the_joints():
    floats = built("", KEY.format("0.4", "0.7"), floating=True, xform=TURN_Z)
    assert_close(
        numbers(floats, "key_qpos"), [-2, 1, 8, math.sqrt(0.5), 0, 0, math.sqrt(0.5), 0.4], "authored", floor=1.0
    )
    assert numbers(floats, "key_qvel") == [0, 0, 0, 0, 0, 0, 0.7]
    fixed = built(FREE, KEY.format("1 2 3 1 0 0 0 0.4", "1 2 3 4 5 6 0.7"), floating=False)
    assert (numbers(fixed, "key_qpos"), numbers(fixed, "key_qvel")) == ([0.4], [0.7])
    slides = built(FREE, KEY.format("1 2 3 1 0 0 0 0.4", "1 2 3 4 5 6 0.7"), base_joint=sliding())
    assert (numbers(slides, "key_qpos"), numbers(slides, "key_qvel")) == ([0.0, 0.0, 0.4], [0.0, 0.0, 0.7])


def sliding() -> dict:
    axis = ModelBuilder.JointDofConfig
    return {"linear_axes": [axis(axis=(1, 0, 0)), axis(axis=(0, 1, 0))], "label": "cart"}


@pytest.mark.parametrize("joints", ["", FREE])
def test_a_base_joint_connects_the_root(joints):
    b = built(joints, base_joint=sliding(), xform=TURN_Z)
    assert b.joint_type == [JointType.D6, JointType.REVOLUTE] and names(b.joint_label)[0] == "cart"
    assert_close(list(b.joint_X_p[0])[:3], [-2, 1, 8], "authored")
    model = compiled(b)
    assert model.nv == 3 and model.jnt_type[:2].tolist() == [2, 2]


DRIVEN = """<mujoco model="c"><worldbody><body name="cart" pos="0 0 1"><joint name="s" type="slide" axis="1 0 0"/><geom size=".1"/>
<body name="pole"><joint name="h"/><geom size=".1"/></body></body><body name="ball" pos="1 0 0"><joint type="ball"/><geom size=".1"/></body></worldbody>
<actuator><motor name="push" joint="s"/><motor name="turn" joint="h"/></actuator><equality><joint joint1="s" joint2="h"/></equality>
<keyframe><key qpos=".1 .2 1 0 0 0"/></keyframe></mujoco>"""


@pytest.mark.parametrize(
    "options, kind, label",
    [
        ({"floating": True}, JointType.FREE, "floating_base"),
        ({"floating": False}, JointType.FIXED, "fixed_base"),
        ({"base_joint": {"joint_type": JointType.FIXED}}, JointType.FIXED, "base_joint"),
    ],
)
def test_joints_of_roots_are_replaced(options, kind, label):
    """Every root gets the joint asked for, whatever the file gives it; what acts on the file's joint is left out."""
    b = ModelBuilder()
    b.add_mjcf(DRIVEN, **options)
    assert list(b.joint_type) == [kind, JointType.REVOLUTE, kind]
    assert names(b.joint_label) == [label, "h", label]
    model = compiled(b)
    assert (model.nu, model.neq, model.nv) == (1, 0, 13 if kind == JointType.FREE else 1)
    assert_close(numbers(b, "key_qpos")[7 if kind == JointType.FREE else 0], 0.2, "authored")


@pytest.mark.parametrize("joints", ["", FREE])
def test_a_model_stands_on_a_body_of_the_scene(joints):
    """A carrier on a slide, the robot on it: poses, shapes of the file's world, and the tree that is compiled."""
    b = ModelBuilder()
    cart = b.add_link(xform=(0, 0, 7, 0, 0, 0, 1), mass=1.0, inertia=np.eye(3))
    b.add_articulation([b.add_joint_prismatic(-1, cart, axis=(1, 0, 0), parent_xform=(0, 0, 7, 0, 0, 0, 1))])
    b.add_mjcf(
        ROBOT.format(joints, "").replace('type="plane" size="1 1 1"', 'size="1"'), parent_body=cart, xform=TURN_Z
    )
    assert list(b.joint_parent) == [-1, 0, 1] and b.joint_type[1] == JointType.FIXED
    assert_close(list(b.body_q[1])[:3], [-2, 1, 15], "authored")
    assert b.articulation_count == 1 and list(b.joint_articulation) == [0, 0, 0]
    assert b.shape_body[-1] == cart and b.body_mass[cart] == 1.0
    assert_close(list(b.shape_transform[-1])[:3], [0, 0, 5], "authored")
    model = compiled(b)
    assert model.body_parentid.tolist() == [0, 0, 1, 2] and model.nv == 2
    assert_close(model.body_pos[2], [-2, 1, 8], "authored")


def test_planes_of_the_files_world_stay_in_the_scenes():
    b = ModelBuilder()
    cart = b.add_link(xform=(0, 0, 7, 0, 0, 0, 1), mass=1.0, inertia=np.eye(3))
    b.add_articulation([b.add_joint_prismatic(-1, cart, axis=(1, 0, 0), parent_xform=(0, 0, 7, 0, 0, 0, 1))])
    built(builder=b, parent_body=cart, xform=TURN_Z)
    assert b.shape_body[:] == [1, 2, -1]
    assert_close(list(b.shape_transform[-1])[:3], [0, 0, 12], "authored")
    assert compiled(b).geom_bodyid.tolist() == [0, 2, 3]


def test_up_axes_are_turned_onto_the_builders():
    """A file that is z-up in a scene that is y-up, and one that is y-up in a scene that is z-up."""
    b = built(builder=ModelBuilder(up_axis=Axis.Y))
    assert_close(list(b.body_q[0])[:3], [1, 3, -2], "authored")
    assert_close(list(b.gravity), [0, -2, 0], "authored")
    assert_close(values(b, "wind")[0], [1, 3, 0], "authored")
    b = built(up_axis="y")
    assert_close(list(b.body_q[0])[:3], [1, -3, 2], "authored")
    same = built(builder=ModelBuilder(up_axis=Axis.Y), up_axis=Axis.Y)
    assert list(same.body_q[0])[:3] == [1, 2, 3] and list(same.gravity) == [0, 0, -2]


@pytest.mark.parametrize("joints", ["", FREE])
def test_the_roots_pose_is_replaced(joints):
    b = built(joints, override_root_xform=True, xform=TURN_Z)
    assert_close(list(b.body_q[0]), [*TURN_Z[0], *TURN_Z[1]], "authored")
    assert_close(list(b.body_q[1])[:3], [0, 0, 5.5], "authored")


REFUSED = [
    ("", "", {"floating": 1}, "floating=1: give True, False or None"),
    ("", "", {"floating": False, "base_joint": {}}, "exclude each other"),
    ("", "", {"floating": True, "parent_body": 0}, "needs the world as parent"),
    ("", "", {"parent_body": 3}, "parent_body: body 3 does not exist"),
    ("", "", {"override_root_xform": True}, "override_root_xform: needs xform"),
    ("", "", {"base_joint": {"child": 2}}, "base_joint dict cannot specify 'child': the file settles it"),
    ("", "", {"base_joint": {"joint_type": JointType.REVOLUTE}}, "base_joint: add_joint"),
    ("", "", {"base_joint": {"colour": 1}}, "base_joint: .*colour"),
]


@pytest.mark.parametrize("joints, rest, options, match", REFUSED)
def test_wrong_wishes_are_refused_before_anything_is_added(joints, rest, options, match):
    b = ModelBuilder()
    if options.get("parent_body") == 0:
        b.add_link()
    before = b.body_count
    with pytest.raises(ModelError, match=match):
        built(joints, rest, builder=b, **options)
    assert (b.body_count, b.joint_count) == (before, 0)


LOCATED = [
    (
        '<mujoco><worldbody><body name="one"/>\n<body name="two"/></worldbody></mujoco>',
        {"override_root_xform": True, "xform": TURN_Z},
        r':2:1: <body name="two">:? override_root_xform needs one body',
    ),
    (
        '<mujoco><worldbody>\n<body name="hand" mocap="true"/></worldbody></mujoco>',
        {"parent_body": 0},
        r':2:\d+: <body name="hand"> mocap: .*leave parent_body',
    ),
]


@pytest.mark.parametrize("text, options, match", LOCATED)
def test_what_the_file_does_not_allow_is_an_error_at_its_place(text, options, match):
    b = ModelBuilder()
    if "parent_body" in options:
        b.add_body()
    before = b.joint_count
    with pytest.raises(ParseError, match=match):
        b.add_mjcf(text, **options)
    assert b.joint_count == before


def test_a_model_carries_on_the_articulation_added_last():
    b = ModelBuilder()
    b.add_body(label="one")
    b.add_body(label="two")
    b.add_link()
    for parent, match in ((0, "'one'.* not the most recent"), (2, "not part of any articulation")):
        with pytest.raises(ModelError, match=match):
            built(builder=b, parent_body=parent)
    assert b.joint_count == 2


def misfits(m) -> list[list[float]]:
    """Lengths by which the ties of bodies are apart at the reference, and the angles by which welds are turned."""
    pose, found = pose_at(m, m.qpos0), []
    for k in range(m.neq):
        one, two = ((pose.xpos[b], pose.xquat[b]) for b in (m.eq_obj1id[k], m.eq_obj2id[k]))
        weld, data = m.eq_type[k] == 1, m.eq_data[k]
        first, second = (data[3:6], data[:3]) if weld else (data[:3], data[3:6])
        apart = np.linalg.norm(one[0] + rotate(one[1], first) - two[0] - rotate(two[1], second))
        turned = product(conjugate(product(one[1], data[6:10])), two[1]) if weld else [1.0]
        found.append([apart, abs(turned[0])])
    return found


@pytest.mark.parametrize("on_body", [False, True])
def test_ties_to_the_files_world_move_with_it(on_body):
    text = """<mujoco><worldbody><body name="a" pos="0 0 1" euler="10 0 20"><freejoint/><geom size=".1"/></body></worldbody><equality>
    <connect body1="a" anchor=".1 .2 .3"/><connect body1="world" body2="a" anchor="1 2 3"/><weld body1="a"/><weld body1="a" body2="world" anchor="1 2 3" relpose=".3 .2 .1 .9 .1 .2 0"/>
    <weld body1="world" body2="a" relpose=".1 .2 .3 .5 .5 .5 .5" anchor=".1 0 0"/><weld body1="world" body2="a" anchor="1 0 0"/></equality></mujoco>"""
    plain, moved = ModelBuilder(), ModelBuilder()
    plain.add_mjcf(text)
    parent = -1
    if on_body:
        parent = moved.add_link(xform=(5.0, 0.0, 0.0, 0.0, 0.0, 0.6, 0.8), mass=1.0, inertia=np.eye(3))
        moved.add_articulation([moved.add_joint_fixed(-1, parent, parent_xform=(5.0, 0.0, 0.0, 0.0, 0.0, 0.6, 0.8))])
    moved.add_mjcf(text, xform=(1.0, -2.0, 3.0, 0.5, 0.5, -0.5, 0.5), parent_body=parent)
    one, two = (misfits(compile_model(b.finalize(device="cpu"))) for b in (plain, moved))
    assert_close(np.array(two), np.array(one), "authored")
