"""What of a file comes along, and what of it collides, by the caller's names and classes."""

import numpy as np
import pytest

from newtonlite.core.enums import ShapeFlags
from newtonlite.core.errors import ModelError, ParseError
from newtonlite.importers.report import Report
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo
from tests.harness.import_names import names
from tests.importers.test_build import values

ROBOT = """<mujoco><default><default class="look"/><default class="touch"/><default class="extra"/></default>
<worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="trunk" pos="0 0 1"><freejoint name="root"/>
  <geom name="look" class="look" size=".1"/><geom name="shine" class="look" size=".2" contype="0" conaffinity="0"/>
  <geom name="touch" class="touch" size=".1"/><geom name="bare" size=".1"/>
  <body name="left" childclass="extra"><joint name="jl"/><geom name="gl" size=".1"/><body name="hand"><joint name="jh"/><geom name="gh" size=".1"/><site name="sh"/></body></body>
  <body name="right"><joint name="jr" class="extra"/><joint name="jr2" axis="1 0 0"/><geom name="gr" size=".1"/></body>
</body></worldbody>
<contact><exclude body1="trunk" body2="hand"/><exclude body1="trunk" body2="right"/></contact>
<tendon><fixed name="t"><joint joint="jl" coef="1"/><joint joint="jr2" coef="1"/></fixed></tendon>
<actuator><motor name="ml" joint="jl"/><motor name="mr" joint="jr2"/><motor name="mt" tendon="t"/></actuator>
<equality><joint joint1="jh" joint2="jr2"/></equality>
<sensor><jointpos name="pl" joint="jl"/><jointpos name="pr" joint="jr2"/><accelerometer name="ah" site="sh"/></sensor>
<keyframe><key name="k" qpos="0 0 1 1 0 0 0 .1 .2 .3 .4" qvel="1 2 3 4 5 6 .1 .2 .3 .4" ctrl="7 8 9"/></keyframe></mujoco>"""


def built(text: str = ROBOT, **options) -> ModelBuilder:
    builder = ModelBuilder()
    builder.add_mjcf(text, **options)
    return builder


def colliding(builder: ModelBuilder) -> list[str]:
    return [
        name
        for name, flags in zip(names(builder.shape_label), builder.shape_flags)
        if flags & ShapeFlags.COLLIDE_SHAPES
    ]


def key(builder: ModelBuilder, name: str) -> list[float]:
    return [float(x) for x in values(builder, f"key_{name}")[0].split()]


@pytest.mark.parametrize("options", [{"ignore_names": ["left"]}, {"ignore_names": ["l.*t$", "nothing"]}])
def test_ignored_bodies_go_with_all_that_hangs_on_them(options):
    report = Report()
    b = built(report=report, **options)
    assert names(b.body_label) == ["trunk", "right"]
    assert "gl" not in names(b.shape_label) and "gh" not in names(b.shape_label)
    assert (values(b, "actuator_label"), values(b, "sensor_label"), values(b, "tendon_label")) == (["mr"], ["pr"], [])
    assert len(values(b, "exclude_body1")) == 1 and not values(b, "equality_constraint_type")
    assert (key(b, "qpos"), key(b, "qvel"), key(b, "ctrl")) == (
        [0, 0, 1, 1, 0, 0, 0, 0.3, 0.4],
        [1, 2, 3, 4, 5, 6, 0.3, 0.4],
        [8],
    )
    left_out = [group for group in report.ignored if "ignore_names" in group.why]
    assert {group.node.tag for group in left_out} == {"exclude", "fixed", "motor", "joint", "jointpos", "accelerometer"}
    model = SolverMuJoCo(b.finalize("cpu")).mj_model
    assert (model.nbody, model.njnt, model.nu, model.nsensor) == (3, 3, 1, 1)


def test_tuples_that_list_what_is_ignored_go_too():
    lists = '<custom><tuple name="one"><element objtype="body" objname="hand"/></tuple><tuple name="two"><element objtype="body" objname="right"/></tuple></custom></mujoco>'
    model = SolverMuJoCo(built(ROBOT.replace("</mujoco>", lists), ignore_names=["left"]).finalize("cpu")).mj_model
    assert model.names_tuple == ["two"] and model.tuple_objid.tolist() == [2]


def test_ignored_classes_count_for_bodies_and_joints():
    b = built(ignore_classes=["extra"])
    assert names(b.body_label) == ["trunk", "right"] and values(b, "joint_dof_label")[6:] == ["jr2"]
    assert key(b, "qpos") == [0, 0, 1, 1, 0, 0, 0, 0.4]
    assert names(built(ignore_classes=["xtra", "ex$"]).body_label) == ["trunk", "left", "hand", "right"]


def test_an_ignored_geom_takes_its_mass_along():
    b = ModelBuilder()
    text = '<mujoco><worldbody><body><freejoint/><geom name="a" size=".1" mass="1"/><geom name="b" pos="1 0 0" size=".1" mass="3"/></body></worldbody></mujoco>'
    b.add_mjcf(text, ignore_names=["b"])
    assert b.shape_count == 1 and b.body_mass[0] == 1.0 and not np.any(b.body_com[0])
    b.add_mjcf(text.replace("<worldbody>", '<compiler settotalmass="8"/><worldbody>'), ignore_names=["b"])
    assert b.body_mass[1] == 8.0


def test_masks_decide_by_default():
    assert colliding(built()) == ["look", "touch", "bare", "gl", "gh", "gr", "floor"]


@pytest.mark.parametrize(
    "options, want",
    [
        ({"visual_classes": ["look"]}, "touch bare gl gh gr floor"),
        ({"visual_classes": ["look", "ex"]}, "touch bare gr floor"),
        ({"collider_classes": ["touch", "look"], "no_class_as_colliders": False}, "look shine touch"),
        ({"collider_classes": ["touch"]}, "look touch bare gl gh gr floor"),
        ({"parse_visuals_as_colliders": True}, "shine gl gh gr floor"),
        ({"parse_visuals_as_colliders": True, "visual_classes": ["look"]}, "look shine gl gh gr floor"),
    ],
)
def test_classes_decide_where_they_are_given(options, want):
    b = built(**options)
    assert colliding(b) == want.split()
    assert b.body_mass[:] == built().body_mass[:]


def test_replaced_colliders_are_left_out_unless_a_tendon_runs_over_them():
    assert "touch" not in names(built(parse_visuals_as_colliders=True).shape_label)
    wrapped = ROBOT.replace(
        "<tendon>", '<tendon><spatial><site site="sh"/><geom geom="touch"/><site site="sh"/></spatial>'
    )
    b = built(wrapped, parse_visuals_as_colliders=True)
    assert "touch" in names(b.shape_label) and "touch" not in colliding(b)


@pytest.mark.parametrize(
    "options, match",
    [
        ({"ignore_names": "left"}, "ignore_names='left': one text; give a list"),
        ({"visual_classes": ["("]}, "visual_classes: .* is no regular expression"),
        ({"ignore_classes": [3]}, "ignore_classes: 3 is no regular expression"),
    ],
)
def test_wrong_patterns_are_refused(options, match):
    b = ModelBuilder()
    with pytest.raises(ModelError, match=match):
        b.add_mjcf(ROBOT, **options)
    assert b.body_count == 0


def test_keyframes_that_cannot_be_cut_are_errors_at_their_place():
    acts = ROBOT.replace(
        '<motor name="ml" joint="jl"/>', '<general name="ml" joint="jl" dyntype="integrator"/>'
    ).replace('ctrl="7 8 9"', 'act="1"')
    with pytest.raises(
        ParseError, match=r':\d+:\d+: <key name="k"> act: holds activations of actuators that are ignored'
    ):
        built(acts, ignore_names=["left"])
