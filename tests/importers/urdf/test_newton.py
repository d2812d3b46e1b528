"""A robot in the builder, as Newton's importer puts it there."""

import numpy as np
import pytest

from newtonlite.core.enums import GeoType, JointTargetMode, JointType, ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.importers.mjcf.frame import from_z
from newtonlite.math.quat import rotate
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo
from newtonlite.utils import load_texture
from newtonlite.viewer.png import write_png
from tests.harness.import_names import names
from tests.harness.urdf_robots import BOX, INERTIAL, MODELS, built, joint, link, pair, robot
from tests.tolerance import tolerance

EVERY = MODELS / "urdf" / "every_joint.urdf"
GRIPPER = MODELS / "urdf" / "mimic_gripper.urdf"


def close(got, want) -> bool:
    """Equal but for rounding."""
    return np.allclose(np.array(got, float), np.array(want, float), rtol=0, atol=tolerance("authored"))


def test_every_link_is_a_body_and_every_joint_a_joint():
    builder, _ = built(EVERY)
    assert names(builder.body_label) == ["base", "mount", "arm", "tool", "finger", "wheel", "puck", "ball"]
    assert names(builder.joint_label) == ["fixed_base", "bolt", "shoulder", "weld", "slide", "axle", "table", "loose"]
    kinds = "FIXED FIXED REVOLUTE FIXED PRISMATIC REVOLUTE D6 FREE".split()
    assert [JointType(t).name for t in builder.joint_type] == kinds
    assert builder.articulation_label == ["every_joint"] * 2  # what floats is a tree of its own
    builder.finalize(device="cpu")


def test_an_axis_has_limits_and_losses_of_the_file():
    builder, _ = built(
        pair(
            "revolute",
            '<axis xyz="0 2 0"/><limit lower="-1" upper="2" effort="3" velocity="4"/><dynamics damping="0.5" friction="0.25"/>',
        )
    )
    assert close(builder.joint_axis[0], (0, 1, 0))
    found = [
        getattr(builder, f"joint_{n}")[0]
        for n in ("limit_lower", "limit_upper", "effort_limit", "velocity_limit", "damping", "friction", "target_kd")
    ]
    assert close(found, (-1, 2, 3, 4, 0.5, 0.25, 0))


def test_damping_may_drive_instead():
    builder, _ = built(pair("revolute", '<dynamics damping="0.5"/>'), joint_damping_mode="drive")
    assert close((builder.joint_damping[0], builder.joint_target_kd[0]), (0, 0.5))


def test_a_continuous_joint_has_no_limits():
    builder, _ = built(pair("continuous", '<limit lower="-1" upper="1" effort="1" velocity="1"/>'))
    default = ModelBuilder().default_joint_cfg
    assert builder.joint_limit_upper[0] == default.limit_upper


def test_a_planar_joint_slides_across_its_axis():
    builder, _ = built(pair("planar", '<axis xyz="1 0 1"/>'))
    turn = from_z(tuple(np.array((1, 0, 1)) / np.sqrt(2)))
    assert close(builder.joint_axis, [rotate(turn, (1.0, 0.0, 0.0)), rotate(turn, (0.0, 1.0, 0.0))])


def test_an_inertia_is_turned_into_the_axes_of_the_link():
    builder, _ = built(robot(link("a")))
    moments = np.linalg.eigvalsh(np.array(builder.body_inertia[0], float).reshape(3, 3))
    assert close(moments, np.linalg.eigvalsh([[1, 0.1, 0], [0.1, 1.2, 0], [0, 0, 1.4]]))
    assert close(builder.body_com[0], (0, 0, 0.1)) and builder.body_mass[0] == 2.0


@pytest.mark.parametrize("ignored, mass", [(False, 2.0), (True, 48.0)])
def test_shapes_weigh_where_no_inertial_counts(ignored, mass):
    text = robot(link("a", INERTIAL + f"<visual>{BOX}</visual><collision>{BOX}</collision>"))
    builder, _ = built(text, ignore_inertial_definitions=ignored)
    assert close(builder.body_mass, [mass])


def test_visuals_do_not_collide_and_hide_colliders():
    builder, _ = built(robot(link("a", f"<visual>{BOX}</visual><collision>{BOX}</collision>")))
    visual, collider = builder.shape_flags
    assert visual == ShapeFlags.VISIBLE and not collider & ShapeFlags.VISIBLE and collider & ShapeFlags.COLLIDE_SHAPES
    shown, _ = built(
        robot(link("a", f"<visual>{BOX}</visual><collision>{BOX}</collision>")),
        force_show_colliders=True,
        hide_visuals=True,
    )
    assert not shown.shape_flags[0] & ShapeFlags.VISIBLE and shown.shape_flags[1] & ShapeFlags.VISIBLE


def test_visuals_may_collide_instead():
    builder, _ = built(
        robot(link("a", f"<visual>{BOX}</visual><collision><geometry><sphere radius='1'/></geometry></collision>")),
        parse_visuals_as_colliders=True,
    )
    assert [GeoType(t) for t in builder.shape_type] == [GeoType.BOX] and builder.shape_flags[
        0
    ] & ShapeFlags.COLLIDE_SHAPES


def test_the_root_may_float_or_hang_on_a_joint_or_a_body():
    assert built(pair("fixed"), floating=True)[0].joint_type[0] == JointType.FREE
    assert built(pair("fixed"), base_joint={"joint_type": JointType.BALL})[0].joint_type[0] == JointType.BALL
    builder = ModelBuilder()
    stand = builder.add_body()
    builder.add_urdf(pair("fixed"), parent_body=stand)
    assert builder.joint_parent[1] == stand


def test_xform_and_scale_place_all_links():
    text = robot(
        link("a"),
        link("b"),
        joint("j", "prismatic", "a", "b", '<origin xyz="1 0 0"/><limit lower="0" upper="2" effort="1" velocity="1"/>'),
    )
    builder, _ = built(text, xform=((0, 0, 5), (0, 0, np.sqrt(0.5), np.sqrt(0.5))), scale=2.0)
    assert close(builder.body_q[1][:3], (0, 2, 5)) and close(builder.joint_limit_upper[0], 4.0)
    assert close(builder.body_com[0], (0, 0, 0.2)) and close(builder.body_mass[0], 2.0)


def test_up_axis_turns_the_root():
    builder, _ = built(robot(link("a"), link("b"), joint("j", "fixed", "a", "b", '<origin xyz="0 1 0"/>')), up_axis="Y")
    assert close(builder.body_q[1][:3], (0, 0, 1))


def test_order_of_joints():
    parts = [link(n) for n in "abcd"] + [
        joint("x", "fixed", "a", "b"),
        joint("y", "fixed", "a", "c"),
        joint("z", "fixed", "b", "d"),
    ]
    assert names(built(robot(*parts))[0].joint_label)[1:] == ["x", "z", "y"]
    assert names(built(robot(*parts), joint_ordering="bfs")[0].joint_label)[1:] == ["x", "y", "z"]
    assert names(built(robot(*parts), joint_ordering=None)[0].joint_label)[1:] == ["x", "y", "z"]
    assert names(built(robot(*parts), bodies_follow_joint_ordering=False)[0].body_label) == list("abcd")
    with pytest.raises(ModelError, match="joint_ordering='up': unknown"):
        built(robot(*parts), joint_ordering="up")


def test_each_root_is_a_robot_of_its_own():
    builder, _ = built(robot(link("a"), link("b"), link("c"), joint("j", "revolute", "a", "b")))
    assert names(builder.joint_label) == ["fixed_base", "j", "fixed_base"] and builder.articulation_count == 2


def test_a_mimic_joint_follows():
    builder, _ = built(GRIPPER)
    left, right = names(builder.joint_label).index("left_slide"), names(builder.joint_label).index("right_slide")
    assert builder.joint_mimic_joint[right] == left
    assert close(builder.joint_mimic_coeffs[right], (0.001, -1))


def test_self_collisions_off():
    builder, _ = built(EVERY, enable_self_collisions=False)
    n = sum(bool(flags & ShapeFlags.COLLIDE_SHAPES) for flags in builder.shape_flags)
    assert len({tuple(sorted(p)) for p in builder.shape_collision_filter_pairs}) == n * (n - 1) // 2


def test_foreign_elements_are_in_the_report():
    _, report = built(EVERY)
    assert {g.what for g in report.ignored} == {"contact", "transmission", "gazebo", "robot xmlns:xacro"}
    contact = next(g for g in report.ignored if g.what == "contact")
    assert contact.where.endswith("every_joint.urdf:16:5") and "contact settings" in contact.why
    assert any("does not turn" in g.why for g in report.converted)
    assert report.used["link"] == 8 and "used:" in str(report)


def test_fixed_links_are_merged_beside_copies_too():
    builder = ModelBuilder()
    builder.add_urdf(str(EVERY), collapse_fixed_joints=True)
    assert JointType.FIXED not in [JointType(t) for t in builder.joint_type]
    scene = ModelBuilder()
    scene.add_builder(builder)
    scene.add_urdf(str(EVERY), collapse_fixed_joints=True)
    assert scene.joint_type[:] == 2 * builder.joint_type[:]
    assert scene.body_mass[:] == 2 * builder.body_mass[:]


STAND = robot(
    link("world", ""),
    link("a"),
    link("b"),
    joint("w", "fixed", "world", "a", '<origin xyz="1 2 3"/>'),
    joint("j", "revolute", "a", "b", "<limit lower='-1' upper='1' effort='1' velocity='1'/>"),
)


@pytest.mark.parametrize("floating", [None, True])
def test_empty_roots_can_go(floating):
    builder, report = built(STAND, collapse_massless_fixed_root=True, floating=floating, scale=2.0)
    assert names(builder.body_label) == ["a", "b"] and builder.joint_count == 2
    assert list(builder.body_q[0])[:3] == [2.0, 4.0, 6.0]
    assert report.converted[-1].what == "link"
    model = builder.finalize(device="cpu")
    assert list(model.joint_q.numpy()[:3] if floating else model.joint_X_p.numpy()[0][:3]) == [2.0, 4.0, 6.0]


def test_what_stood_on_an_empty_root_can_be_placed_anew():
    builder, _ = built(
        STAND, collapse_massless_fixed_root=True, override_root_xform=True, xform=(0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0)
    )
    assert list(builder.body_q[0])[:3] == [0.0, 0.0, 5.0]


def test_roots_that_hold_something_stay():
    builder, _ = built(
        STAND.replace('<link name="world">', f'<link name="world">{INERTIAL}'), collapse_massless_fixed_root=True
    )
    assert names(builder.body_label) == ["world", "a", "b"]


@pytest.mark.parametrize("word", ["length", "height"])
def test_a_capsule_has_a_length_or_a_height(word):
    builder, _ = built(
        robot(link("a", f"<collision><geometry><capsule radius='.1' {word}='.6'/></geometry></collision>"))
    )
    assert list(builder.shape_scale[0])[:2] == pytest.approx([0.1, 0.3])


def test_pictures_of_materials_are_on_obj_meshes_with_texture_coordinates(tmp_path):
    """By a material of its own or by name; corners have the coordinates that their faces name, v upward."""
    write_png(tmp_path / "a #1%.png", np.full((1, 1, 3), (255, 0, 0), np.uint8))
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n"
    (tmp_path / "with.obj").write_text(corners + "vt 0 0\nvt 1 0\nvt 0 1\nvt .5 .5\nf 1/1 2/2 4/4 3/3\n")
    (tmp_path / "without.obj").write_text(corners + "f 1 2 3\n")
    visual = lambda mesh, material: f'<visual><geometry><mesh filename="{mesh}"/></geometry>{material}</visual>'
    picture = '<material name="red"><texture filename="a #1%.png"/></material>'
    shapes = [("with.obj", '<material name="red"/>'), ("without.obj", picture), ("with.obj", "")]
    (tmp_path / "r.urdf").write_text(
        f'<robot name="r">{picture}<link name="l">{"".join(visual(*s) for s in shapes)}</link></robot>'
    )
    builder = ModelBuilder()
    builder.add_urdf(str(tmp_path / "r.urdf"))
    red, bare, plain = builder.shape_source
    assert load_texture(red.texture)[0, 0].tolist() == [255, 0, 0, 255]
    assert red.corner_uvs.tolist() == [[[0, 0], [1, 0], [0.5, 0.5]], [[0, 0], [0.5, 0.5], [0, 1]]]
    assert red is not plain and bare.texture is None and plain.texture is None


@pytest.mark.parametrize(("both", "mode"), [(False, "POSITION"), (True, "POSITION_VELOCITY")])
def test_joints_follow_positions_with_gains_that_a_program_sets_later(both, mode):
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
    ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/>
    <axis xyz="0 1 0"/></joint></robot>"""
    b = ModelBuilder()
    b.add_urdf(text, force_position_velocity_actuation=both)
    assert b.joint_target_mode[-1] == JointTargetMode[mode]
    b.joint_target_ke[-1] = 7.0
    solver = SolverMuJoCo(b.finalize("cpu"))
    assert np.ravel(solver.mj_model.actuator_gainprm)[0] == 7.0
    silent = ModelBuilder()
    silent.default_joint_cfg.actuator_mode = JointTargetMode.NONE
    silent.add_urdf(text)
    assert silent.joint_target_mode[-1] == JointTargetMode.NONE
