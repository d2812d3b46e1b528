"""What a model becomes in the builder."""

import math

import numpy as np
import pytest

from newtonlite.core.enums import JointType, ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.attributes import columns
from tests.harness.import_names import names


def built(world: str, rest: str = "", **options) -> ModelBuilder:
    """A builder with one model."""
    builder = ModelBuilder()
    builder.add_mjcf(f"<mujoco><worldbody>{world}</worldbody>{rest}</mujoco>", **options)
    return builder


def values(builder: ModelBuilder, name: str) -> list:
    """Values of a custom attribute, defaults included."""
    attribute = builder.custom_attributes[f"mujoco:{name}"]
    if attribute.is_custom_frequency:
        return list(attribute.values)
    counts = {"SHAPE": builder.shape_count, "BODY": builder.body_count, "JOINT_DOF": builder.joint_dof_count}
    return attribute.array(counts.get(attribute.frequency.name, 1)).tolist()


ARM = '<body name="arm" pos="0 0 1"><joint name="j" pos=".1 0 0" axis="0 2 0" range="-10 20" ref="5" {}/><geom size=".1"/></body>'


def test_one_hinge_is_a_revolute_joint_counted_from_the_pose_of_the_file():
    b = built(ARM.format('springref="15" stiffness="3" damping="2"'))
    assert (names(b.body_label), names(b.joint_label), b.joint_type) == (["arm"], ["j"], [JointType.REVOLUTE])
    assert [b.joint_limit_lower[0], b.joint_limit_upper[0]] == pytest.approx([math.radians(-15), math.radians(15)])
    assert (
        b.joint_rest_q[0] == pytest.approx(math.radians(10)) and b.joint_stiffness[0] == 3 and b.joint_damping[0] == 2
    )
    assert list(b.joint_axis[0]) == [0, 1, 0]
    assert list(b.joint_X_p[0])[:3] == pytest.approx([0.1, 0, 1]) and list(b.joint_X_c[0])[:3] == pytest.approx(
        [0.1, 0, 0]
    )
    assert values(b, "dof_ref") == pytest.approx([math.radians(5)])


def test_authored_limit_references_are_kept_raw():
    assert values(built(ARM.format('solreflimit="0 0"')), "solreflimit_mode") == [1]
    assert values(built(ARM.format("")), "solreflimit_mode") == [2]


def test_uneven_force_ranges_survive():
    b = built(ARM.format('actuatorfrcrange="-3 5"'))
    assert b.joint_effort_limit[0] == 5 and values(b, "jnt_actfrcrange") == [[-3, 5]]
    b = built(ARM.format('actuatorfrcrange="-4 4"'))
    assert b.joint_effort_limit[0] == 4 and values(b, "jnt_actfrcrange") == [[0, 0]]


def test_several_joints_are_one_d6_that_remembers_order_and_anchors():
    b = built(
        """<body><joint name="h" pos="0 0 .1"/><joint name="s" type="slide" axis="1 0 0"/><joint name="i" pos="0 .2 0" axis="0 1 0"/>
        <geom size=".1"/></body>"""
    )
    assert b.joint_type == [JointType.D6] and tuple(b.joint_dof_dim[0]) == (1, 2)
    assert values(b, "joint_dof_label") == ["s", "h", "i"]
    assert values(b, "dof_order") == [1, 0, 2]
    assert np.array(values(b, "dof_pos")) == pytest.approx(np.array([[0, 0, 0], [0, 0, 0.1], [0, 0.2, 0]]))


def test_static_and_mocap_bodies_are_told_apart():
    b = built('<body name="s"><geom size=".1"/></body><body name="m" mocap="true"><geom size=".1"/></body>')
    assert b.joint_type == [JointType.FIXED, JointType.FIXED]
    assert values(b, "body_mocap") == [0, 1]


def test_joints_that_one_newton_joint_cannot_be_lie_on_massless_links():
    four = '<body name="b" pos="1 2 3"><joint type="slide"/><joint type="slide" axis="0 1 0"/><joint name="q" type="ball"/><joint name="l" type="slide"/><geom size=".1"/></body>'
    b = built(four)
    assert b.joint_type == [JointType.D6, JointType.BALL, JointType.PRISMATIC] and values(b, "body_link") == [0, 1, 1]
    assert list(b.joint_child) == [1, 2, 0] and list(b.joint_parent) == [-1, 1, 2] and b.body_mass[1:] == [0, 0]
    assert len(b.articulation_label) == 1


def test_balls_and_free_joints():
    b = built(
        """<body pos="1 2 3"><freejoint name="f"/><geom size=".1"/></body>
        <body><joint type="ball" range="0 90" damping="2"/><geom size=".1"/></body>"""
    )
    assert b.joint_type == [JointType.FREE, JointType.BALL]
    assert list(b.joint_q[:7]) == pytest.approx([1, 2, 3, 0, 0, 0, 1])
    assert [b.joint_limit_lower[6], b.joint_limit_upper[6]] == pytest.approx([0, math.pi / 2])
    assert b.joint_limit_upper[7] == 1e10 and list(b.joint_damping[6:9]) == [2, 2, 2]


def test_geoms_keep_order_and_masks_and_add_no_mass_twice():
    b = built(
        '<geom name="floor" type="plane" size="1 1 1"/><body><freejoint/><geom name="a" size=".1" mass="2" contype="2"/><geom size=".1" mass="1" contype="0" conaffinity="0"/></body>'
    )
    assert names(b.shape_label) == ["a", "body_0_geom_0_visual", "floor"] and b.body_mass[0] == pytest.approx(3)
    assert values(b, "contype") == [2, 0, 1] and values(b, "collision_mask_domain") == [0, 0, 0]
    assert not b.shape_flags[1] & ShapeFlags.COLLIDE_SHAPES
    assert not list(b.shape_collision_filter_pairs)


def test_masks_of_two_files_have_different_domains():
    b = built('<geom size=".1"/>')
    b.add_mjcf('<mujoco><worldbody><geom size=".1"/></worldbody></mujoco>')
    assert values(b, "collision_mask_domain") == [0, 1]


def test_servos_follow_joint_targets_unless_control_is_direct():
    rest = '<actuator><motor joint="j"/><position joint="j" kp="4"/><velocity joint="j" kv="2"/></actuator>'
    b = built(ARM.format(""), rest)
    assert values(b, "ctrl_source") == [1, 0, 0] and values(b, "ctrl_type") == [2, 0, 1]
    assert values(built(ARM.format(""), rest, ctrl_direct=True), "ctrl_source") == [1, 1, 1]


def test_options_are_those_of_the_file_and_mujocos_defaults():
    b = built(
        "",
        '<option timestep=".01" gravity="0 0 -1" cone="elliptic"><flag eulerdamp="disable"/></option><statistic extent="3"/>',
    )
    assert (values(b, "integrator"), values(b, "cone"), values(b, "flag_eulerdamp"), values(b, "flag_multiccd")) == (
        [0],
        [1],
        [False],
        [True],
    )
    assert values(b, "timestep") == pytest.approx([0.01]) and values(b, "stat_extent") == [3]
    assert list(b.gravity) == [0, 0, -1]
    assert values(built("", '<option cone="elliptic"/>', parse_mujoco_options=False), "cone") == [0]


def test_a_transform_moves_what_stands_in_the_world():
    b = built(
        '<geom size=".1" pos="0 1 0"/><body pos="1 0 0"><freejoint/><geom size=".1"/></body>',
        xform=((0, 0, 5), (0, 0, math.sqrt(0.5), math.sqrt(0.5))),
    )
    assert list(b.shape_transform[1])[:3] == pytest.approx([-1, 0, 5])
    assert list(b.body_q[0])[:3] == pytest.approx([0, 1, 5])


def test_excluded_bodies_have_rows_and_filter_pairs():
    b = built(
        '<body name="a"><freejoint/><geom size=".1"/></body><body name="b"><freejoint/><geom size=".1"/></body>',
        '<contact><exclude name="x" body1="b" body2="a"/></contact>',
    )
    assert (values(b, "exclude_body1"), values(b, "exclude_body2"), values(b, "exclude_label")) == ([1], [0], ["x"])
    assert list(b.shape_collision_filter_pairs) == [(0, 1)]


def test_tendons_name_dofs():
    b = built(
        '<body><joint name="a"/><joint name="b" axis="0 1 0"/><geom size=".1"/></body>',
        '<tendon><fixed name="t"><joint joint="b" coef="2"/></fixed><fixed><joint joint="a" coef="1"/><joint joint="b" coef="3"/></fixed></tendon>',
    )
    assert (values(b, "tendon_joint_adr"), values(b, "tendon_joint_num")) == ([0, 1], [1, 2])
    assert (values(b, "tendon_joint_dof"), values(b, "tendon_coef")) == ([1, 0, 1], [2, 1, 3])


def test_keyframes_are_kept_as_numbers_in_text():
    b = built(ARM.format(""), '<keyframe><key name="k" time="2" qpos="0.1"/></keyframe>')
    assert (values(b, "key_label"), values(b, "key_time"), values(b, "key_qpos"), values(b, "key_qvel")) == (
        ["k"],
        [2],
        ["0.1"],
        [""],
    )


def test_actuator_targets_are_shifted_in_copies():
    b = built(
        ARM.format("") + '<site name="s"/>',
        '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon><actuator><motor joint="j"/><motor tendon="t"/><motor site="s"/></actuator>',
    )
    scene = ModelBuilder()
    scene.add_ground_plane()
    scene.replicate(b, 2)
    trnid = scene.finalize("cpu").mujoco.actuator_trnid.numpy()[:, 0]
    assert trnid.tolist() == [0, 0, 2, 1, 1, 4]


def test_unknown_parameters_are_refused():
    with pytest.raises(ModelError, match="no such parameter"):
        built("", parse_everything=True)


def test_every_attribute_has_a_meaning():
    assert all(column.doc for column in columns().values())


def test_worlds_have_options_and_gravity_of_their_own_files():
    builder = ModelBuilder()
    for step, pull in ((0.01, -1.0), (0.02, -2.0)):
        builder.begin_world()
        builder.add_mjcf(
            f'<mujoco><option timestep="{step}" gravity="0 0 {pull}"/><worldbody>{ARM.format("")}</worldbody></mujoco>'
        )
        builder.end_world()
    model = builder.finalize("cpu")
    assert model.mujoco.timestep.numpy() == pytest.approx([0.01, 0.02])
    assert model.gravity.numpy()[:2, 2] == pytest.approx([-1, -2])
