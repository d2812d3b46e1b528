"""Joints: types, ends, order, bases, loops."""

import math
import warnings

import numpy as np
import pytest

import newtonlite
from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError, NewtonWarning, ParseError
from tests.harness.usd_stages import at, body, collider, joint, load, prim, stage
from tests.tolerance import assert_close

ROOT = ("PhysicsArticulationRootAPI",)
ANCHOR = "point3f physics:localPos0 = (1, 0, 0)"


def pair(kind, *inside, apis=(), one="/r/a", two="/r/b", **options):
    """The builder of two bodies under a root, with one joint."""
    text = stage(
        prim("Xform", "r", body("a"), body("b", where=at(1)), joint(kind, "j", one, two, *inside, apis=apis), apis=ROOT)
    )
    return load(text, **options)[0]


@pytest.mark.parametrize(
    ("kind", "want", "dofs"),
    [
        ("Fixed", JointType.FIXED, 0),
        ("Revolute", JointType.REVOLUTE, 1),
        ("Prismatic", JointType.PRISMATIC, 1),
        ("Spherical", JointType.BALL, 3),
        ("", JointType.D6, 6),
    ],
)
def test_each_type_of_joint(kind, want, dofs):
    builder = pair(kind, ANCHOR)
    assert list(builder.joint_type) == [JointType.FREE, want]
    assert builder.joint_dof_count == 6 + dofs
    assert builder.articulation_count == 1 and builder.articulation_label[0] == "/r"


@pytest.mark.parametrize("applied", [True, False])
def test_an_axis_is_locked_where_low_is_above_high_and_free_without_a_limit(applied):
    limits = [
        f"float limit:{name}:physics:low = 1\nfloat limit:{name}:physics:high = -1"
        for name in ("transX", "transY", "transZ", "rotX")
    ]
    apis = tuple(f"PhysicsLimitAPI:{name}" for name in ("transX", "transY", "transZ", "rotX"))
    builder = pair("", ANCHOR, *limits, apis=apis if applied else ())
    assert builder.joint_dof_dim[1] == (0, 2)


def test_limits_without_room_fix_the_joint():
    assert (
        pair("Revolute", ANCHOR, "float physics:lowerLimit = 10", "float physics:upperLimit = -10").joint_type[1]
        == JointType.FIXED
    )
    assert (
        pair("Prismatic", ANCHOR, "float physics:lowerLimit = 0", "float physics:upperLimit = 0").joint_type[1]
        == JointType.FIXED
    )


def test_a_cone_bounds_a_ball_by_its_smaller_angle():
    builder = pair("Spherical", ANCHOR, "float physics:coneAngle0Limit = 40", "float physics:coneAngle1Limit = 30")
    assert_close(builder.joint_limit_upper[6], math.pi / 6, "authored")


def test_bodies_the_wrong_way_round_are_exchanged_and_move_the_same():
    text = stage(
        prim(
            "Xform",
            "r",
            body("a", apis=ROOT),
            body("b", where=at(1)),
            joint(
                "Revolute",
                "j",
                "/r/b",
                "/r/a",
                "point3f physics:localPos1 = (1, 0, 0)",
                'uniform token physics:axis = "Z"',
                "float physics:lowerLimit = -10",
                "float physics:upperLimit = 20",
            ),
        )
    )
    builder, _ = load(text)
    assert (builder.joint_parent[1], builder.joint_child[1]) == (0, 1)
    assert_close(list(builder.joint_axis[6]), [0, 0, -1], "authored", floor=1.0)
    assert_close([builder.joint_limit_lower[6], builder.joint_limit_upper[6]], np.radians([-10, 20]), "authored")
    assert_close(list(builder.body_q[1])[:3], [1, 0, 0], "authored")


def test_a_joint_without_body1_hangs_body0_on_the_world():
    builder, _ = load(stage(body("a", where=at(0, 0, 2)), joint("Fixed", "j", "/a", "")))
    assert (builder.joint_parent[0], builder.joint_child[0]) == (-1, 0)
    assert_close(list(builder.body_q[0])[:3], [0, 0, 2], "authored")


@pytest.mark.parametrize("end", [0, 1])
def test_a_target_that_does_not_exist_is_refused_with_its_place(end):
    with pytest.raises(ParseError, match=f"</r/j> physics:body{end}: there is no prim </nowhere>"):
        pair("Revolute", **{("one", "two")[end]: "/nowhere"})


def test_a_joint_of_a_body_with_itself_and_one_of_nothing_are_refused():
    with pytest.raises(ParseError, match="with itself"):
        pair("Revolute", two="/r/a")
    with pytest.raises(ParseError, match="connects no body"):
        pair("Revolute", one="", two="")


def test_joints_to_something_on_a_body_are_joints_to_the_body():
    text = stage(
        body("a", prim("Xform", "mount", at(0.25))),
        body("b", where=at(1)),
        joint("Revolute", "j", "/a/mount", "/b", "point3f physics:localPos0 = (0.75, 0, 0)"),
    )
    builder, _ = load(text)
    assert_close(list(builder.joint_X_p[1])[:3], [1, 0, 0], "authored")


def test_disabled_joints_are_left_out_unless_asked_for():
    assert pair("Revolute", "bool physics:jointEnabled = 0").joint_count == 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = pair("Revolute", "bool physics:jointEnabled = 0", ANCHOR, only_load_enabled_joints=False)
    assert [bool(x) for x in builder.joint_enabled] == [True, False]


def fourbar(**options):
    """Four bodies in a ring of hinges."""
    bodies = [
        body(name, collider("Cube", "c", "double size = 0.2"), where=at(x, y))
        for name, x, y in (("a", 0, 0), ("b", 1, 0), ("c", 1, 1), ("d", 0, 1))
    ]
    steps = {"ab": (1, 0), "bc": (0, 1), "cd": (-1, 0), "da": (0, -1)}
    joints = [
        joint(
            "Revolute",
            f"j{k}",
            f"/{k[0]}",
            f"/{k[1]}",
            f"point3f physics:localPos0 = ({x}, {y}, 0)",
            'uniform token physics:axis = "Z"',
        )
        for k, (x, y) in steps.items()
    ]
    return load(stage(*bodies, *joints), **options)[0]


def test_a_ring_without_root_keeps_orphan_joints_and_gets_a_base():
    builder = fourbar()
    assert builder.joint_count == 5 and builder.joint_type[0] == JointType.FREE
    assert list(builder.joint_articulation) == [0, -1, -1, -1, -1]
    with pytest.warns(NewtonWarning, match="not belonging to any articulation"):
        model = builder.finalize(device="cpu")
    from newtonlite.solvers.mujoco.compile import compile_model

    compiled = compile_model(model)
    assert compiled.nbody == 5 and compiled.njnt == 4 and compiled.neq == 2


def test_an_excluded_joint_closes_a_loop():
    text = stage(
        prim(
            "Xform",
            "r",
            body("a"),
            body("b", where=at(1)),
            joint("Revolute", "j", "/r/a", "/r/b", ANCHOR),
            joint("Spherical", "loop", "/r/b", "", "bool physics:excludeFromArticulation = 1"),
            apis=ROOT,
        )
    )
    builder, result = load(text)
    assert list(builder.joint_articulation) == [0, 0, -1]
    assert result["path_joint_map"]["/r/loop"] == 2


def test_stacked_hinges_and_slides_become_one_d6_in_the_files_order():
    text = stage(
        prim(
            "Xform",
            "r",
            body("a"),
            body("b", where=at(1)),
            joint("Revolute", "h", "/r/a", "/r/b", ANCHOR),
            joint("Prismatic", "s", "/r/a", "/r/b", ANCHOR, 'uniform token physics:axis = "Z"'),
            apis=ROOT,
        )
    )
    builder, result = load(text)
    assert builder.joint_type[1] == JointType.D6 and builder.joint_dof_dim[1] == (1, 1)
    assert result["path_joint_map"]["/r/h"] == result["path_joint_map"]["/r/s"] == 1
    assert builder.custom_attributes["mujoco:dof_order"].array(8)[6:].tolist() == [1, 0]


def test_a_slide_and_a_ball_of_one_body_get_a_link_between():
    text = stage(
        prim(
            "Xform",
            "r",
            body("a"),
            body("b", where=at(1)),
            joint("Prismatic", "s", "/r/a", "/r/b", ANCHOR),
            joint("Spherical", "t", "/r/a", "/r/b", ANCHOR),
            apis=ROOT,
        )
    )
    builder, _ = load(text)
    assert list(builder.joint_type) == [JointType.FREE, JointType.PRISMATIC, JointType.BALL]
    assert builder.body_label[1] == "/r/b_link"


def tree(ordering):
    """Labels of the bodies of a root with two branches, the later one first by name."""
    bodies = [body("root"), body("z", where=at(1)), body("zz", where=at(2)), body("m", where=at(0, 1))]
    joints = [
        joint("Revolute", f"j_{two}", f"/r/{one}", f"/r/{two}", f"point3f physics:localPos0 = ({x}, {y}, 0)")
        for one, two, x, y in (("root", "z", 1, 0), ("z", "zz", 1, 0), ("root", "m", 0, 1))
    ]
    return [
        label[3:]
        for label in load(stage(prim("Xform", "r", *bodies, *joints, apis=ROOT)), joint_ordering=ordering)[0].body_label
    ]


@pytest.mark.parametrize(
    ("ordering", "want"),
    [
        ("dfs", ["root", "m", "z", "zz"]),
        ("bfs", ["root", "m", "z", "zz"]),
        (None, ["root", "m", "z", "zz"]),
        ("authored", ["root", "z", "zz", "m"]),
    ],
)
def test_bodies_follow_the_order_of_joints(ordering, want):
    assert tree(ordering) == want


def test_an_unknown_order_is_refused():
    with pytest.raises(ModelError, match="joint_ordering"):
        tree("random")


def test_the_outer_of_two_roots_wins_and_nothing_comes_twice():
    text = stage(
        prim(
            "Xform",
            "r",
            body("a", apis=ROOT),
            body("b", where=at(1)),
            joint("Revolute", "j", "/r/a", "/r/b", ANCHOR),
            apis=ROOT,
        )
    )
    builder, _ = load(text)
    assert (builder.body_count, builder.joint_count, builder.articulation_label[0]) == (2, 2, "/r")


def test_poses_follow_the_joints_and_the_report_tells_where_the_file_disagrees():
    from newtonlite.importers.report import Report

    report = Report()
    text = stage(
        prim("Xform", "r", body("a"), body("b", where=at(5)), joint("Revolute", "j", "/r/a", "/r/b", ANCHOR), apis=ROOT)
    )
    builder, _ = load(text, report=report)
    model = builder.finalize(device="cpu")
    state = model.state()
    newtonlite.eval_fk(model, model.joint_q, model.joint_qd, state)
    assert_close(state.body_q.numpy(), np.array([list(q) for q in builder.body_q]), "kinematics")
    assert any("its frames put </r/b> 4 m" in line for line in report.lines())


@pytest.mark.parametrize(("floating", "want"), [(True, JointType.FREE), (False, JointType.FIXED)])
def test_floating_decides_the_base(floating, want):
    assert pair("Revolute", ANCHOR, floating=floating).joint_type[0] == want
    text = stage(prim("Xform", "r", body("a"), joint("Fixed", "f", "", "/r/a"), apis=ROOT))
    builder, _ = load(text, floating=floating)
    assert list(builder.joint_type) == [want]


def test_a_base_joint_of_the_callers():
    builder = pair(
        "Revolute",
        ANCHOR,
        base_joint={
            "joint_type": JointType.REVOLUTE,
            "angular_axes": [newtonlite.ModelBuilder.JointDofConfig(axis=(0, 0, 1))],
        },
    )
    assert list(builder.joint_type) == [JointType.REVOLUTE, JointType.REVOLUTE]
    with pytest.raises(ModelError, match="exclude each other"):
        pair("Revolute", floating=True, base_joint={})


def test_import_onto_a_body_extends_its_articulation():
    builder = newtonlite.ModelBuilder()
    carrier = builder.add_body(xform=((0, 0, 1), (0, 0, 0, 1)), mass=1.0, inertia=np.eye(3))
    builder.add_usd(stage(body("a", collider("Cube", "c"))), parent_body=carrier, xform=((0.5, 0, 0), (0, 0, 0, 1)))
    assert list(builder.joint_parent) == [-1, 0] and builder.articulation_count == 1
    assert_close(list(builder.body_q[1])[:3], [0.5, 0, 1], "authored")


def test_kinematic_bodies_keep_a_free_joint():
    from newtonlite.core.enums import BodyFlags

    builder, _ = load(stage(body("a", "bool physics:kinematicEnabled = 1")))
    assert builder.joint_type[0] == JointType.FREE and builder.body_flags[0] & BodyFlags.KINEMATIC


def test_a_body_that_is_switched_off_is_part_of_the_world():
    builder, _ = load(stage(body("a", "bool physics:rigidBodyEnabled = 0", collider("Cube", "c"))))
    assert builder.body_count == 0 and builder.shape_body[0] == -1


def test_distance_joints_hold_by_a_tendon():
    builder, _ = load(
        stage(
            *(body(name, where=at(x)) for name, x in (("a", 0), ("b", 2))),
            joint("Distance", "d", "/a", "/b", "float physics:maxDistance = 1.5"),
        )
    )
    assert builder.custom_frequency_counts["mujoco:tendon"] == 1
    assert_close(builder.custom_attributes["mujoco:tendon_range"].array(1)[0], [0, 1.5], "authored")


def test_mimics_of_newton_and_of_physx():
    def followers(*inside, apis):
        text = stage(
            prim(
                "Xform",
                "r",
                body("a"),
                body("b", where=at(1)),
                body("c", where=at(2)),
                joint("Revolute", "j", "/r/a", "/r/b", ANCHOR),
                joint("Revolute", "k", "/r/b", "/r/c", ANCHOR, *inside, apis=apis),
                apis=ROOT,
            )
        )
        builder, _ = load(text)
        return builder.joint_mimic_joint[2], list(builder.joint_mimic_coeffs[2])

    leader, coeffs = followers(
        "rel newton:mimicJoint = </r/j>",
        "float newton:mimicCoef0 = 90",
        "float newton:mimicCoef1 = 2",
        apis=("NewtonMimicAPI",),
    )
    assert leader == 1
    assert_close(coeffs, [math.pi / 2, 2], "authored")
    leader, coeffs = followers(
        "rel physxMimicJoint:rotX:referenceJoint = </r/j>",
        "float physxMimicJoint:rotX:gearing = 3",
        apis=("PhysxMimicJointAPI:rotX",),
    )
    assert leader == 1
    assert_close(coeffs, [0, -3], "authored", floor=1.0)


def test_self_collisions_off_filters_all_pairs():
    text = stage(
        prim(
            "Xform",
            "r",
            *(body(n, collider("Cube", "c"), where=at(x)) for n, x in (("a", 0), ("b", 5), ("c", 9))),
            joint("Fixed", "j", "/r/a", "/r/b", "point3f physics:localPos0 = (5, 0, 0)"),
            joint("Fixed", "k", "/r/b", "/r/c", "point3f physics:localPos0 = (4, 0, 0)"),
            "bool newton:selfCollisionEnabled = 0",
            apis=ROOT,
        )
    )
    assert len(set(load(text)[0].shape_collision_filter_pairs)) == 3
