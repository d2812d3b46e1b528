"""Units: metres, kilograms, up axis, degrees; one test per kind of quantity."""

import math

import numpy as np
import pytest

import newtonlite
from tests.harness.usd_stages import at, body, collider, joint, load, prim, stage
from tests.tolerance import assert_close

MODELS = "tests/models/usd"
DEGREE = math.pi / 180
PAIR = body("a", where=at(0)), body("b", where=at(1))
REVOLUTE = ("PhysicsDriveAPI:angular",)


def hinge(*inside, kind="Revolute", meters=1.0, apis=()):
    """The builder of two bodies with one joint."""
    return load(
        stage(
            *PAIR,
            joint(kind, "j", "/a", "/b", "point3f physics:localPos0 = (1, 0, 0)", *inside, apis=apis),
            meters=meters,
        )
    )[0]


def test_centimetres_grams_and_y_up_give_the_same_robot():
    si, cm = (newtonlite.ModelBuilder() for _ in range(2))
    si.add_usd(f"{MODELS}/arm_si.usda")
    cm.add_usd(f"{MODELS}/arm_cm.usda")
    skipped = {
        "shape_transform",
        "body_q",
        "joint_X_p",
        "joint_X_c",
        "joint_axis",
        "joint_q",
        "body_inertia",
        "body_com",
        "body_qd",
        "shape_color",
        "joint_qd",
    }
    for name, column in si.columns.items():
        if name not in skipped and column.array().dtype.kind in "fi":
            assert_close(
                cm.columns[name].array().reshape(-1), column.array().reshape(-1), "authored", floor=1.0, what=name
            )
    one, two = si.finalize(device="cpu"), cm.finalize(device="cpu")
    for builder, model in ((si, one), (cm, two)):
        state = model.state()
        newtonlite.eval_fk(model, model.joint_q, model.joint_qd, state)
        builder.points = [point(state.body_q.numpy()[i], builder.body_com[i]) for i in range(3)]
    assert_close(cm.points, si.points, "authored", floor=1.0, what="centres of mass in the world")
    assert_close(two.gravity.numpy()[0], one.gravity.numpy()[0], "authored")


def point(pose, local):
    """A point of a body in the world."""
    from newtonlite.math.transform import apply

    return apply(np.asarray(pose, float), np.asarray(local, float))


def test_lengths_of_a_stage_that_says_no_unit_are_metres_and_gravity_is_the_earths():
    text = "#usda 1.0\n" + prim("PhysicsScene", "scene") + "\n" + body("a", collider("Cube", "c"))
    builder, result = load(text)
    assert_close(builder.gravity, [0.0, 0.0, -9.81], "authored")
    assert_close(builder.shape_scale[0], [1.0, 1.0, 1.0], "authored")
    assert result["linear_unit"] == 1.0


def test_gravity_is_authored_in_the_units_of_the_stage():
    builder, _ = load(stage(prim("PhysicsScene", "s", "float physics:gravityMagnitude = 300"), meters=0.01))
    assert_close(builder.gravity, [0.0, 0.0, -3.0], "authored")


def test_earth_gravity_does_not_depend_on_the_unit():
    builder, _ = load(stage(prim("PhysicsScene", "s"), meters=0.01))
    assert_close(builder.gravity, [0.0, 0.0, -9.81], "authored")


def test_numbers_stay_as_they_are_where_the_caller_wants_newtons_units():
    builder, _ = load(stage(body("a", collider("Cube", "c")), meters=0.01), units="newton")
    assert_close(builder.shape_scale[0], [1.0, 1.0, 1.0], "authored")


def test_limits_of_hinges_are_degrees():
    builder = hinge("float physics:lowerLimit = -90", "float physics:upperLimit = 45")
    assert_close(
        [builder.joint_limit_lower[-1], builder.joint_limit_upper[-1]], [-math.pi / 2, math.pi / 4], "authored"
    )


def test_limits_of_slides_are_lengths():
    builder = hinge("float physics:lowerLimit = -10", "float physics:upperLimit = 20", kind="Prismatic", meters=0.01)
    assert_close([builder.joint_limit_lower[-1], builder.joint_limit_upper[-1]], [-0.1, 0.2], "authored")


def test_a_limit_on_one_side_only_is_kept():
    builder = hinge("float physics:lowerLimit = -90")
    assert_close([builder.joint_limit_lower[-1], builder.joint_limit_upper[-1]], [-math.pi / 2, 1e10], "authored")


def test_gains_of_angular_drives_are_per_degree():
    builder = hinge(
        "float drive:angular:physics:stiffness = 2",
        "float drive:angular:physics:damping = 0.5",
        "float drive:angular:physics:targetPosition = 90",
        "float drive:angular:physics:targetVelocity = 180",
        "float drive:angular:physics:maxForce = 7",
        apis=REVOLUTE,
    )
    got = [
        builder.joint_target_ke[-1],
        builder.joint_target_kd[-1],
        builder.joint_target_q[-1],
        builder.joint_target_qd[-1],
        builder.joint_effort_limit[-1],
    ]
    assert_close(got, [2 / DEGREE, 0.5 / DEGREE, math.pi / 2, math.pi, 7.0], "authored")


def test_the_scale_of_gains_acts_on_angular_drives():
    text = stage(
        *PAIR,
        joint(
            "Revolute",
            "j",
            "/a",
            "/b",
            "float drive:angular:physics:stiffness = 2",
            "point3f physics:localPos0 = (1, 0, 0)",
            apis=REVOLUTE,
        ),
    )
    assert_close([load(text, joint_drive_gains_scaling=3.0)[0].joint_target_ke[-1]], [6 / DEGREE], "authored")


@pytest.mark.parametrize(
    ("attribute", "column", "value", "want"),
    [
        ("newton:armature", "joint_armature", 0.5, 0.5),
        ("newton:friction", "joint_friction", 0.5, 0.5),
        ("newton:damping", "joint_damping", 0.5, 0.5 / DEGREE),
        ("newton:velocityLimit", "joint_velocity_limit", 90.0, math.pi / 2),
        ("newton:limitStiffness", "joint_limit_ke", 3.0, 3.0 / DEGREE),
        ("newton:limitDamping", "joint_limit_kd", 3.0, 3.0 / DEGREE),
        ("physxJoint:armature", "joint_armature", 0.25, 0.25),
        ("physxJoint:maxJointVelocity", "joint_velocity_limit", 90.0, math.pi / 2),
        ("mjc:armature", "joint_armature", 0.125, 0.125),
        ("mjc:damping", "joint_damping", 0.5, 0.5),
        ("mjc:frictionloss", "joint_friction", 0.75, 0.75),
        ("mjc:stiffness", "joint_stiffness", 0.75, 0.75),
        ("state:angular:physics:position", "joint_q", 30.0, math.pi / 6),
        ("state:angular:physics:velocity", "joint_qd", 90.0, math.pi / 2),
    ],
)
def test_an_attribute_of_a_hinge_lands_in_radians(attribute, column, value, want):
    assert_close([getattr(hinge(f"float {attribute} = {value}"), column)[-1]], [want], "authored")


@pytest.mark.parametrize(
    ("attribute", "column", "value", "want"),
    [
        ("newton:armature", "joint_armature", 0.5, 0.5),
        ("newton:friction", "joint_friction", 500.0, 5.0),
        ("newton:damping", "joint_damping", 0.5, 0.5),
        ("newton:velocityLimit", "joint_velocity_limit", 100.0, 1.0),
        ("newton:limitStiffness", "joint_limit_ke", 3.0, 3.0),
        ("state:linear:physics:position", "joint_q", 5.0, 0.05),
    ],
)
def test_an_attribute_of_a_slide_scales_with_the_length(attribute, column, value, want):
    builder = hinge(f"float {attribute} = {value}", kind="Prismatic", meters=0.01)
    assert_close([getattr(builder, column)[-1]], [want], "authored")


def test_velocities_are_turned_into_the_world_and_degrees_into_radians():
    text = stage(
        body(
            "a",
            "vector3f physics:velocity = (1, 0, 0)",
            "vector3f physics:angularVelocity = (0, 90, 0)",
            "float xformOp:rotateZ = 90",
            'uniform token[] xformOpOrder = ["xformOp:rotateZ"]',
        )
    )
    builder, _ = load(text)
    assert_close(list(builder.body_qd[0]), [0, 1, 0, -math.pi / 2, 0, 0], "authored", floor=1.0)
    assert_close(list(builder.joint_qd), [0, 1, 0, -math.pi / 2, 0, 0], "authored", floor=1.0)


def test_up_axis_turns_onto_the_builders_exactly():
    text = stage(prim("PhysicsScene", "s"), body("a", where=at(0, 2, 0))).replace('upAxis = "Z"', 'upAxis = "Y"')
    builder, _ = load(text)
    assert list(builder.gravity)[:2] == [0.0, 0.0]
    assert_close(list(builder.body_q[0])[:3], [0.0, 0.0, 2.0], "authored", floor=1.0)


def test_time_samples_are_read_at_the_time_asked_for_and_else_at_the_first():
    moved = 'double3 xformOp:translate.timeSamples = {1: (1, 0, 0), 3: (3, 0, 0)}\nuniform token[] xformOpOrder = ["xformOp:translate"]'
    text = stage(body("a", where=moved))
    assert_close(list(load(text)[0].body_q[0])[:3], [1, 0, 0], "authored")
    assert_close(list(load(text, time_code=2.0)[0].body_q[0])[:3], [2, 0, 0], "authored")
