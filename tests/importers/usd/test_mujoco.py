"""MuJoCo's schemas in USD: defaults, actuators, tendons, equalities; resolvers and their order; custom attributes."""

import numpy as np
import pytest

import newtonlite
from newtonlite.core.enums import JointTargetMode, JointType
from newtonlite.core.errors import ParseError
from newtonlite.importers.usd.schemas import gains_of
from newtonlite.math.transform import inverse, multiply
from newtonlite.usd import PrimType, SchemaResolver, SchemaResolverMjc, SchemaResolverNewton
from tests.harness.usd_stages import at, body, collider, joint, load, prim, stage
from tests.tolerance import assert_close

ROOT = ("PhysicsArticulationRootAPI",)
CHAIN = (
    body("a", prim("Sphere", "s", "double radius = 0.01", apis=("MjcSiteAPI",))),
    body("b", prim("Sphere", "t", "double radius = 0.01", apis=("MjcSiteAPI",)), where=at(1)),
    body("c", where=at(2)),
    joint(
        "Revolute",
        "j",
        "/r/a",
        "/r/b",
        "point3f physics:localPos0 = (1, 0, 0)",
        "float physics:lowerLimit = -90",
        "float physics:upperLimit = 90",
        apis=("MjcJointAPI",),
    ),
    joint("Prismatic", "k", "/r/b", "/r/c", "point3f physics:localPos0 = (1, 0, 0)", apis=("MjcJointAPI",)),
)


def chain(*parts, scene="", **options):
    """A robot of three bodies, and what stands beside it."""
    return load(stage(scene, prim("Xform", "r", *CHAIN, apis=ROOT), *parts), **options)


def actuator(name, *inside, target="/r/j"):
    """An actuator."""
    return prim("MjcActuator", name, f"rel mjc:target = <{target}>" if target else "", *inside)


def column(builder, name, count):
    """Values of a mujoco attribute."""
    return builder.custom_attributes[f"mujoco:{name}"].array(count)


def test_an_applied_scene_schema_means_mujocos_defaults():
    authored, _ = chain(
        scene=prim(
            "PhysicsScene",
            "p",
            "uniform int mjc:option:iterations = 7",
            "uniform bool mjc:flag:contact = 0",
            apis=("MjcSceneAPI",),
        )
    )
    silent, result = chain(scene=prim("PhysicsScene", "p"))
    assert [int(column(b, "integrator", 1)[0]) for b in (authored, silent)] == [0, 3]
    assert [bool(column(b, "flag_multiccd", 1)[0]) for b in (authored, silent)] == [True, False]
    assert int(column(authored, "iterations", 1)[0]) == 7 and not column(authored, "flag_contact", 1)[0]
    assert_close(result["physics_dt"], 1e-3, "authored")


def test_options_can_be_left_alone():
    builder, _ = chain(scene=prim("PhysicsScene", "p", apis=("MjcSceneAPI",)), parse_mujoco_options=False)
    assert int(column(builder, "integrator", 1)[0]) == 3


@pytest.mark.parametrize(
    ("inside", "schemas", "want"),
    [
        ("uniform int newton:timeStepsPerSecond = 250", (), 1 / 250),
        ("int physxScene:timeStepsPerSecond = 120", (), 1 / 120),
        ("uniform double mjc:option:timestep = 0.003", ("MjcSceneAPI",), 0.003),
        ("", ("MjcSceneAPI",), 0.002),
        ("", ("NewtonSceneAPI", "MjcSceneAPI"), 0.001),
        ("", (), 0.001),
    ],
)
def test_the_time_step(inside, schemas, want):
    assert_close(load(stage(prim("PhysicsScene", "p", inside, apis=schemas)))[1]["physics_dt"], want, "authored")


def test_actuators_keep_the_files_order_names_and_ranges():
    rows = [
        actuator(
            "z",
            "uniform double[] mjc:gear = [3, 0, 0, 0, 0, 0]",
            "uniform double mjc:ctrlRange:min = -1",
            "uniform double mjc:ctrlRange:max = 2",
        ),
        actuator("a", target="/r/k"),
    ]
    builder, _ = chain(*rows)
    assert [builder.custom_attributes["mujoco:actuator_label"].array(2)[i] for i in range(2)] == ["/z", "/a"]
    assert_close(column(builder, "actuator_gear", 2)[:, 0], [3, 1], "authored")
    assert_close(column(builder, "actuator_ctrlrange", 2), [[-1, 2], [0, 0]], "authored")
    assert column(builder, "actuator_ctrllimited", 2).tolist() == [1, 0]


def test_position_and_velocity_servos_follow_joint_targets():
    position = "uniform double[] mjc:gainPrm = [5, 0, 0, 0, 0, 0, 0, 0, 0, 0]\nuniform double[] mjc:biasPrm = [0, -5, -1, 0, 0, 0, 0, 0, 0, 0]"
    velocity = "uniform double[] mjc:gainPrm = [2, 0, 0, 0, 0, 0, 0, 0, 0, 0]\nuniform double[] mjc:biasPrm = [0, 0, -2, 0, 0, 0, 0, 0, 0, 0]"
    affine = 'uniform token mjc:biasType = "affine"'
    builder, _ = chain(actuator("p", position, affine), actuator("v", velocity, affine, target="/r/k"))
    assert list(builder.joint_target_mode)[6:] == [JointTargetMode.POSITION, JointTargetMode.VELOCITY]
    assert_close(
        [builder.joint_target_ke[6], builder.joint_target_kd[6], builder.joint_target_kd[7]], [5, 1, 2], "authored"
    )
    assert column(builder, "ctrl_source", 2).tolist() == [0, 0]


def test_slider_cranks_and_inherited_ranges():
    crank = actuator("c", "rel mjc:sliderSite = </r/b/t>", "uniform double mjc:crankLength = 0.5", target="/r/a/s")
    inherit = actuator("i", "uniform double mjc:inheritRange = 0.5")
    builder, _ = chain(crank, inherit)
    assert column(builder, "actuator_trntype", 2).tolist() == [5, 0]
    assert_close(column(builder, "actuator_ctrlrange", 2)[1], [-np.pi / 4, np.pi / 4], "authored")


def test_an_actuator_without_target_is_left_out_and_one_of_nothing_refused():
    assert chain(actuator("n", target=""))[0].custom_frequency_counts["mujoco:actuator"] == 0
    with pytest.raises(ParseError, match="</n> mjc:target: there is no prim </nowhere>"):
        chain(actuator("n", target="/nowhere"))


def test_tendons_fixed_and_spatial():
    fixed = prim(
        "MjcTendon",
        "f",
        'uniform token mjc:type = "fixed"',
        "rel mjc:path = [</r/j>, </r/k>]",
        "uniform double[] mjc:path:coef = [1, -2]",
        "uniform double mjc:range:max = 3",
    )
    string = prim(
        "MjcTendon",
        "s",
        "rel mjc:path = [</r/a/s>, </r/b/t>]",
        "uniform int[] mjc:path:indices = [0, 1, 0, 1]",
        "uniform int[] mjc:path:segments = [0, 0, 1, 1]",
        "uniform double[] mjc:path:divisors = [1, 2]",
    )
    builder, _ = chain(fixed, string)
    assert column(builder, "tendon_type", 2).tolist() == [0, 1]
    assert_close(column(builder, "tendon_coef", 2), [1, -2], "authored")
    assert column(builder, "tendon_wrap_type", 5).tolist() == [0, 0, 2, 0, 0]
    assert column(builder, "tendon_limited", 2).tolist() == [1, 0]
    assert column(builder, "tendon_articulation", 2).tolist() == [0, 0]


@pytest.mark.parametrize(
    "fault", ["rel mjc:path = </nowhere>", "rel mjc:path = [</r/a/s>]\nuniform int[] mjc:path:indices = [4]", ""]
)
def test_a_tendon_that_leads_nowhere_is_refused_or_left_out(fault):
    with pytest.raises(ParseError, match="</t> mjc:path"):
        chain(prim("MjcTendon", "t", fault))
    with pytest.warns(UserWarning, match="mjc:path"):
        assert (
            chain(prim("MjcTendon", "t", fault), on_unsupported="warn")[0].custom_frequency_counts["mujoco:tendon"] == 0
        )


def test_equalities_keep_their_softness():
    weld = joint(
        "Fixed",
        "w",
        "/r/a",
        "/r/c",
        "point3f physics:localPos0 = (2, 0, 0)",
        "float mjc:torqueScale = 3",
        "uniform double[] mjc:solref = [0.5, 1]",
        "bool physics:excludeFromArticulation = 1",
        apis=("MjcEqualityWeldAPI",),
    )
    connect = joint(
        "Spherical",
        "c",
        "/r/a/s",
        "/r/b/t",
        "bool physics:excludeFromArticulation = 1",
        apis=("MjcEqualityConnectAPI",),
    )
    builder, _ = chain(weld, connect)
    assert column(builder, "equality_constraint_type", 2).tolist() == [1, 0]
    assert_close(column(builder, "eq_solref", 2), [[0.5, 1], [0.02, 1]], "authored")
    assert_close(column(builder, "equality_constraint_relpose", 2)[0], [2, 0, 0, 0, 0, 0, 1], "authored")
    assert column(builder, "equality_constraint_site1", 2)[1] >= 0

    # beside the rows stand loop joints, unless the caller has no use for them
    alone, _ = chain(weld, connect, convert_mjc_equality_constraints=False)
    first = alone.joint_count
    assert column(alone, "equality_constraint_target", 2).tolist() == [-1, -1]
    assert column(builder, "equality_constraint_target", 2).tolist() == [first, first + 1]
    assert [JointType(kind) for kind in builder.joint_type[first:]] == [JointType.FIXED, JointType.BALL]
    held = multiply(np.array(builder.joint_X_p[first], float), inverse(np.array(builder.joint_X_c[first], float)))
    assert_close(held, [2, 0, 0, 0, 0, 0, 1], "authored")


def test_gravity_compensation_by_either_name():
    builder, _ = load(
        stage(body("a", "float mjc:gravcomp = 1"), body("b", "float mjc:body:gravcomp = 0.5", where=at(3)))
    )
    assert_close(column(builder, "gravcomp", 2), [1, 0.5], "authored")


def test_the_first_resolver_that_speaks_wins():
    text = stage(body("a", collider("Cube", "c", "float newton:contactMargin = 0.1", "double mjc:margin = 0.2")))
    assert_close(load(text)[0].shape_margin[0], 0.1, "authored")
    assert_close(
        load(text, schema_resolvers=[SchemaResolverMjc(), SchemaResolverNewton()])[0].shape_margin[0], 0.2, "authored"
    )
    assert_close(load(text, schema_resolvers=[])[0].shape_margin[0], 0.0, "authored")


def test_a_resolver_of_the_callers():
    class Mine(SchemaResolver):
        name = "mine"
        mapping = {PrimType.JOINT: {"armature": SchemaResolver.SchemaAttribute("mine:rotor", 0.0, lambda x: 2 * x)}}

    text = stage(
        body("a"),
        body("b", where=at(1)),
        joint("Revolute", "j", "/a", "/b", "point3f physics:localPos0 = (1, 0, 0)", "float mine:rotor = 0.25"),
    )
    builder, result = load(text, schema_resolvers=[Mine()])
    assert_close(builder.joint_armature[6], 0.5, "authored")
    assert result["schema_attrs"]["mine"]["/j"] == {"mine:rotor": 0.25}


def test_custom_attributes_declared_on_the_scene():
    scene = prim(
        "PhysicsScene",
        "p",
        'custom float newton:mine:heat = 3 (\n customData = {\n string assignment = "model"\n string frequency = "body"\n }\n)',
    )
    builder, _ = load(stage(scene, body("a", "float newton:mine:heat = 5"), body("b", where=at(2))))
    assert_close(builder.custom_attributes["mine:heat"].array(2), [5, 3], "authored")


def test_custom_frequencies_walk_the_stage():
    builder = newtonlite.ModelBuilder()
    frequency = builder.CustomFrequency(
        "lamp", "mine", usd_prim_filter=lambda prim, context: prim.GetTypeName() == "SphereLight"
    )
    builder.add_custom_frequency(frequency)
    builder.add_custom_attribute(
        builder.CustomAttribute("power", float, "mine:lamp", namespace="mine", usd_attribute_name="inputs:intensity")
    )
    builder.add_usd(stage(prim("SphereLight", "l", "float inputs:intensity = 4"), prim("SphereLight", "m")))
    assert builder.custom_frequency_counts["mine:lamp"] == 2
    assert_close(builder.custom_attributes["mine:power"].array(2), [4, 0], "authored")


def test_an_import_that_fails_late_leaves_the_builder_as_it_was():
    builder = newtonlite.ModelBuilder()

    def fail(prim, context):
        raise ValueError("no")

    builder.add_custom_frequency(builder.CustomFrequency("lamp", "mine", usd_prim_filter=fail))
    builder.add_body(mass=1.0, inertia=np.eye(3))
    before = (
        {name: list(map(str, c)) for name, c in builder.columns.items()},
        dict(builder.custom_frequency_counts),
        str(builder.gravity),
        sorted(builder.custom_attributes),
    )
    with pytest.raises(RuntimeError, match="mine:lamp.*</r>"):
        builder.add_usd(
            stage(
                prim("Xform", "r", *CHAIN, apis=ROOT), prim("PhysicsScene", "p", "float physics:gravityMagnitude = 1")
            )
        )
    after = (
        {name: list(map(str, c)) for name, c in builder.columns.items()},
        dict(builder.custom_frequency_counts),
        str(builder.gravity),
        sorted(builder.custom_attributes),
    )
    assert before == after
    assert builder.add_body(mass=1.0, inertia=np.eye(3)) == 1


def test_unknown_words_are_refused():
    with pytest.raises(ParseError, match="mjc:option:integrator: unknown word 'leapfrog'"):
        load(stage(prim("PhysicsScene", "p", 'uniform token mjc:option:integrator = "leapfrog"')))


@pytest.mark.parametrize("ordering", ["dfs", "authored"])
def test_keyframes_follow_the_bodies(ordering):
    from newtonlite.solvers.mujoco.compile import compile_model

    bodies = [body("root", where=at(0)), body("z", where=at(1)), body("m", where=at(0, 1))]
    joints = [
        joint("Fixed", "base", "", "/r/root"),
        joint("Revolute", "jz", "/r/root", "/r/z", "point3f physics:localPos0 = (1, 0, 0)"),
        joint("Revolute", "jm", "/r/root", "/r/m", "point3f physics:localPos0 = (0, 1, 0)"),
    ]
    key = prim("MjcKeyframe", "home", "uniform double[] mjc:qpos = [1, 2]", "uniform double[] mjc:qvel = [3, 4]")
    moving = prim("MjcKeyframe", "go", "double[] mjc:qpos.timeSamples = {0: [5, 6], 2: [7, 8]}")
    builder, _ = load(stage(prim("Xform", "r", *bodies, *joints, apis=ROOT), key, moving), joint_ordering=ordering)
    compiled = compile_model(builder.finalize(device="cpu"))
    names = [compiled.names_joint[j] for j in range(2)]
    order = [names.index(f"/r/j{n}") for n in "zm"]
    assert_close(compiled.key_qpos[:, order], [[1, 2], [5, 6], [7, 8]], "authored")
    assert_close(compiled.key_qvel[0][order], [3, 4], "authored")
    assert_close(compiled.key_time, [0, 0, 2], "authored", floor=1.0)


def test_a_keyframe_with_too_many_numbers_is_refused():
    with pytest.raises(ParseError, match="</k> mjc:qpos"):
        chain(prim("MjcKeyframe", "k", f"uniform double[] mjc:qpos = [{', '.join('0' * 20)}]"))


def test_acceleration_drives_feel_the_inertia():
    apis = ("PhysicsDriveAPI:angular",)
    drive = (
        "float drive:angular:physics:stiffness = 2",
        'uniform token drive:angular:physics:type = "acceleration"',
        "float newton:armature = 0.5",
    )
    builder, _ = load(stage(body("a", mass=2.0), joint("Revolute", "j", "", "/a", *drive, apis=apis)))
    assert_close(builder.joint_target_ke[0], 2 * 180 / np.pi * (2.0 + 0.5), "authored")


def test_gains_of_limits_without_mujocos_resolver():
    text = stage(
        body("a"),
        body("b", where=at(1)),
        joint(
            "Revolute",
            "j",
            "/a",
            "/b",
            "point3f physics:localPos0 = (1, 0, 0)",
            "float newton:limitStiffness = 3",
            "float physxLimit:angular:stiffness = 5",
        ),
    )
    assert_close(
        load(text, schema_resolvers=[SchemaResolverNewton()])[0].joint_limit_ke[6], 3 * 180 / np.pi, "authored"
    )
    assert_close(load(text.replace("newton:", "other:"))[0].joint_limit_ke[6], 5 * 180 / np.pi, "authored")


def test_a_weld_to_a_site_has_its_anchor_there():
    site = prim("Xform", "s", at(0.2, -0.1, 0.3), apis=("MjcSiteAPI",))
    frames = ("point3f physics:localPos0 = (0.25, -0.2, 0.1)", "point3f physics:localPos1 = (0.1, 0.3, -0.2)")
    text = stage(
        body("a"),
        body("b", site, where=at(1.0)),
        joint(
            "Fixed",
            "w",
            "/a",
            "/b/s",
            *frames,
            "bool physics:excludeFromArticulation = true",
            apis=("MjcEqualityWeldAPI",),
        ),
    )
    builder, _ = load(text, load_sites=False)
    rows = {
        name: builder.custom_attributes[f"mujoco:equality_constraint_{name}"].values[0]
        for name in ("anchor", "relpose")
    }
    assert_close(np.array(rows["anchor"], float), (0.2, -0.1, 0.3), "authored", floor=1.0)
    assert_close(np.array(rows["relpose"], float)[:3], (0.15, -0.5, 0.3), "authored", floor=1.0)


@pytest.mark.parametrize("solref", [(1e-200, 1.0), (0.02, 1e-200), (0.0, 1.0), (float("nan"), 1.0)])
def test_references_that_give_no_finite_gains_give_none(solref):
    assert gains_of(solref) == (None, None)
