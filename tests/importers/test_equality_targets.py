"""Loop joints and mimic constraints beside the rows of MuJoCo's equality constraints."""

import numpy as np
import pytest
import warp as wp

from newtonlite.core.enums import EqualityTarget, JointType
from newtonlite.core.errors import NewtonWarning, ParseError
from newtonlite.math.transform import inverse, multiply
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from newtonlite.solvers.mujoco.compile.structure_groups import group_worlds
from tests import oracle
from tests.tolerance import assert_close

BODIES = """<mujoco model="m"><worldbody><site name="w" pos="1 0 2" euler="10 20 30"/>
<body name="a" pos="0 0 1" euler="20 0 40"><freejoint/><geom size=".1"/><site name="s" pos=".1 .2 0" euler="0 50 0"/></body>
<body name="b" pos="0 1 1"><freejoint/><geom size=".1"/><site name="t" pos="0 0 .3"/></body></worldbody>
<equality>{}</equality></mujoco>"""
TIES = {
    "weld": '<weld name="x" body1="a" body2="b" relpose=".1 .2 .3 .5 .5 -.5 .5" anchor=".4 0 .1"/>',
    "weld to the world": '<weld name="x" body1="a" relpose=".1 .2 .3 .5 .5 -.5 .5" anchor=".4 0 .1"/>',
    "weld from the world": '<weld name="x" body1="world" body2="a" relpose=".1 .2 .3 .5 .5 -.5 .5"/>',
    "weld as it stands": '<weld name="x" body1="a" body2="b" anchor=".4 0 .1"/>',
    "weld of sites": '<weld name="x" site1="s" site2="t"/>',
    "connect": '<connect name="x" body1="a" body2="b" anchor=".4 0 .1"/>',
    "connect to the world": '<connect name="x" body1="a" anchor=".4 0 .1"/>',
    "connect of sites": '<connect name="x" site1="s" site2="w"/>',
}
ARMS = """<mujoco model="m"><worldbody><body><joint name="h"/><geom size=".1"/></body>
<body><joint name="s" type="slide"/><geom size=".1"/></body>
<body><joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/><geom size=".1"/></body></worldbody>
<equality>{}</equality></mujoco>"""


def added(text: str, **options) -> ModelBuilder:
    """A builder with a file."""
    builder = ModelBuilder()
    builder.add_mjcf(text, **options)
    return builder


def targets(builder: ModelBuilder) -> list:
    """(kind, target) of each row."""
    model = builder.finalize(device="cpu").mujoco
    kinds, rows = (getattr(model, f"equality_constraint_{name}").numpy().tolist() for name in ("target_kind", "target"))
    return list(zip(kinds, rows))


@pytest.mark.parametrize("tie", TIES)
def test_a_loop_joint_holds_where_the_constraint_of_mujoco_does(tie):
    text = BODIES.format(TIES[tie])
    b = added(text)
    assert targets(b) == [(EqualityTarget.JOINT, 2)] and b.joint_label[2] == "m/x"
    assert b.joint_type[2] == (JointType.FIXED if "weld" in tie else JointType.BALL)

    # the child where the joint holds it; the other body where it is
    m = oracle.compile_xml(text)
    parent, child = b.joint_parent[2], b.joint_child[2]
    base = np.array(b.body_q[parent], float) if parent >= 0 else np.array([0, 0, 0, 0, 0, 0, 1.0])
    frames = np.array(b.joint_X_p[2], float), np.array(b.joint_X_c[2], float)
    x, y, z, *q, w = multiply(multiply(base, frames[0]), inverse(frames[1]))
    start, qpos = m.jnt_qposadr[m.body_jntadr[child + 1]], m.qpos0.copy()
    qpos[start : start + 7] = [x, y, z, w, *q]
    d = oracle.forward(m, oracle.States(qpos[None], np.zeros((1, m.nv)), np.zeros((1, m.nv)), np.zeros((1, m.nu))))
    assert d.ne == (6 if "weld" in tie else 3)
    assert_close(d.efc_pos[: d.ne], np.zeros(d.ne), "authored", floor=1.0)


@pytest.mark.parametrize("tie", TIES)
def test_the_engine_simulates_the_row_alone(tie):
    with_target, row = (
        compile_model(added(BODIES.format(TIES[tie]), convert_mjc_equality_constraints=on).finalize(device="cpu"))
        for on in (True, False)
    )
    assert (with_target.neq, with_target.nv) == (1, 12)
    for name in ("eq_type", "eq_objtype", "eq_obj1id", "eq_obj2id", "eq_data", "eq_solref", "eq_solimp", "eq_source"):
        assert_close(getattr(with_target, name), getattr(row, name), "authored")


def test_a_weld_without_torques_is_a_ball_joint_and_other_scales_are_said(caplog):
    text = '<weld name="{0}" body1="a" body2="b" torquescale="{0}"/>'
    b = added(BODIES.format("".join(text.format(scale) for scale in (0, 0.5, 1))))
    assert [JointType(k) for k in b.joint_type[2:]] == [JointType.BALL, JointType.FIXED, JointType.FIXED]
    assert [record.args[:2] for record in caplog.records] == [("m/0", 0.0), ("m/0.5", 0.5)]


def test_bodies_that_are_tied_still_collide_and_a_tie_may_be_off():
    b = added(BODIES.format('<weld body1="a" body2="b" active="false"/>'))
    assert not b.joint_enabled[2] and not len(b.shape_collision_filter_pairs)


def test_a_joint_equality_is_a_mimic_of_the_linear_terms():
    with pytest.warns(NewtonWarning, match="'m/x'.* higher-order polycoef"):
        b = added(ARMS.format('<joint name="x" joint1="s" joint2="h" polycoef=".1 .5 .3" active="false"/>'), scale=2.0)
    assert targets(b) == [(EqualityTarget.MIMIC, 0)]
    assert (b.constraint_mimic_joint0[0], b.constraint_mimic_joint1[0], b.constraint_mimic_enabled[0]) == (1, 0, False)
    assert_close([b.constraint_mimic_coef0[0], b.constraint_mimic_coef1[0]], [0.2, 1.0], "authored")
    m = compile_model(b.finalize(device="cpu"))
    assert m.neq == 1
    assert_close(m.eq_data[0, :5], [0.2, 1.0, 0.6, 0.0, 0.0], "authored")


@pytest.mark.parametrize("joints", ['joint1="h"', 'joint1="h" joint2="x"'])
def test_joint_equalities_of_one_joint_or_of_several_axes_stay_rows(joints):
    with pytest.warns(NewtonWarning, match="m/only: they omit joint2 or name a multi-DoF joint"):
        b = added(ARMS.format(f'<joint name="only" {joints}/>'))
    assert targets(b) == [(EqualityTarget.NONE, -1)] and len(b.constraint_mimic_joint0) == 0
    assert compile_model(b.finalize(device="cpu")).neq == 1


def test_targets_follow_copies_and_collapse():
    ties = '<joint joint1="h" joint2="s"/><connect body1="far" anchor="0 0 0"/>'
    text = ARMS.format(ties).replace(
        "</worldbody>",
        '<body name="mid"><joint/><geom size=".1"/><body name="leg"><geom size=".1"/></body></body>'
        '<body name="far"><joint/><geom size=".1"/></body></worldbody>',
    )
    b = added(text)
    loop = b.joint_count - 1
    assert targets(b) == [(EqualityTarget.MIMIC, 0), (EqualityTarget.JOINT, loop)]
    whole = ModelBuilder()
    whole.replicate(b, 2)
    assert [target for _, target in targets(whole)] == [0, loop, 1, loop + b.joint_count]
    assert len(group_worlds(whole.finalize(device="cpu"))) == 1
    b.collapse_fixed_joints()
    assert targets(b)[1] == (EqualityTarget.JOINT, loop - 1) and b.joint_type[loop - 1] == JointType.BALL


def test_a_loop_joint_to_the_world_moves_with_its_copy():
    place = wp.transform(wp.vec3(1.0, 2.0, 3.0), wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.7))
    text = BODIES.format(TIES["weld to the world"])
    outer = ModelBuilder()
    outer.add_builder(added(text), xform=place)
    held = [
        multiply(np.array(b.joint_X_p[2], float), inverse(np.array(b.joint_X_c[2], float)))
        for b in (outer, added(text, xform=place))
    ]
    assert_close(*held, "authored", floor=1.0)


@pytest.mark.parametrize(
    "tie",
    [
        '<weld body1="a" body2="a"/>',
        '<connect body1="a" body2="a" anchor="0 0 0"/>',
        '<weld body1="world"/>',
        '<weld site1="s" site2="s"/>',
    ],
)
def test_a_tie_to_itself_is_an_error_as_in_mujoco_and_leaves_nothing(tie):
    with pytest.raises(ValueError, match="repeated"):
        oracle.compile_xml(BODIES.format(tie))
    builder = ModelBuilder()
    for convert in (False, True):
        with pytest.raises(ParseError, match="to itself"):
            builder.add_mjcf(BODIES.format(tie), convert_mjc_equality_constraints=convert)
    assert builder.body_count == builder.joint_count == 0


def test_a_joint_that_follows_itself_is_an_error_as_in_mujoco():
    text = ARMS.format('<joint joint1="h" joint2="h"/>')
    with pytest.raises(ValueError, match="repeated"):
        oracle.compile_xml(text)
    with pytest.raises(ParseError, match="to itself"):
        added(text)


def test_two_sites_of_one_body_are_a_row_alone():
    text = BODIES.replace('<site name="s"', '<site name="r"/><site name="s"').format('<weld site1="s" site2="r"/>')
    assert oracle.compile_xml(text).neq == 1
    assert targets(added(text)) == [(EqualityTarget.NONE, -1)]
