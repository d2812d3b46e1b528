"""Bad input is refused with its place, before anything is stored."""

import numpy as np
import pytest

from newtonlite import JointType, Mesh, ModelBuilder, ModelError, NewtonWarning
from tests.harness.sim_scenes import Axis, arm
from tests.tolerance import assert_close

NAN, INF = float("nan"), float("inf")
Config = ModelBuilder.ShapeConfig

BODIES = {
    "mass in words": ({"mass": "heavy"}, "mass: 'heavy' is not numeric"),
    "endless com": ({"com": (0, 0, INF)}, "com"),
    "short com": ({"com": (0, 0)}, r"com: shape \(2,\); give shape \(3,\)"),
    "short pose": ({"xform": (0, 0, 0)}, "xform"),
    "no rotation": ({"xform": (0, 0, 0, 0, 0, 0, 0)}, "no rotation"),
    "nan pose": ({"xform": (NAN, 0, 0, 0, 0, 0, 1)}, "not finite"),
    "flat inertia": ({"mass": 1.0, "inertia": (1, 1, 1)}, r"give shape \(3, 3\)"),
}

JOINTS = {
    "missing parent": (lambda b: b.add_joint_revolute(7, 1), "parent: body 7 does not exist"),
    "missing child": (lambda b: b.add_joint_revolute(0, -1), "child: body -1 does not exist"),
    "fractional child": (lambda b: b.add_joint_revolute(0, 1.5), "no body index"),
    "own parent": (lambda b: b.add_joint_revolute(1, 1), "its own parent"),
    "zero axis": (lambda b: b.add_joint_revolute(0, 1, axis=(0, 0, 0)), "no direction"),
    "nan axis": (lambda b: b.add_joint_revolute(0, 1, axis=(NAN, 0, 1)), "not finite"),
    "unknown axis": (lambda b: b.add_joint_prismatic(0, 1, axis="w"), "axis 'w'"),
    "reversed limits": (
        lambda b: b.add_joint_revolute(0, 1, limit_lower=1, limit_upper=-1),
        "limits 1 to -1 are reversed",
    ),
    "nan limit": (lambda b: b.add_joint_revolute(0, 1, limit_lower=NAN), "limit_lower: is NaN"),
    "negative armature": (lambda b: b.add_joint_revolute(0, 1, armature=-1), "armature: -1"),
    "negative friction": (lambda b: b.add_joint_ball(0, 1, friction=-1), "friction: -1"),
    "endless rest": (lambda b: b.add_joint_revolute(0, 1, rest_q=INF), "rest_q"),
    "unknown type": (lambda b: b.add_joint(99, 0, 1), "type 99 is unknown"),
    "rod": (lambda b: b.add_joint(JointType.ROD, 0, 1), "ROD are not supported"),
    "too many axes": (lambda b: b.add_joint_d6(0, 1, linear_axes=[Axis()] * 4), "4 linear axes"),
    "an axis too few": (lambda b: b.add_joint(JointType.REVOLUTE, 0, 1), "0 angular axes"),
    "wrong group": (lambda b: b.add_joint(JointType.REVOLUTE, 0, 1, linear_axes=[Axis()]), "1 linear axes"),
    "axis by name": (lambda b: b.add_joint_d6(0, 1, linear_axes=["x"]), "give a JointDofConfig"),
    "bad frame": (lambda b: b.add_joint_fixed(0, 1, child_xform=(0, 0, 0, 0, 0, 0, 0)), "child_xform rotation"),
    "reversed distances": (lambda b: b.add_joint_distance(0, 1, min_distance=2.0, max_distance=1.0), "reversed"),
    "another world": (lambda b: (b.begin_world(), b.add_joint_revolute(0, 1)), "join bodies of one world"),
}

SHAPES = {
    "missing body": (lambda b: b.add_shape_sphere(9), "body 9 does not exist"),
    "upside down": (lambda b: b.add_shape_cone(0, half_height=-1), "half_height: -1"),
    "no radius": (lambda b: b.add_shape_capsule(0, radius=0), "radius: 0"),
    "nan size": (lambda b: b.add_shape_box(0, hy=NAN), "hy: nan"),
    "endless size": (lambda b: b.add_shape_ellipsoid(0, rz=INF), "rz: inf"),
    "no scale": (lambda b: b.add_shape(body=0, type=7, scale=(1, 1, 0)), "have to be positive"),
    "unknown type": (lambda b: b.add_shape(body=0, type=42), "type 42 is unknown"),
    "splat": (lambda b: b.add_shape(body=0, type=11), "GAUSSIAN are not supported"),
    "no mesh": (lambda b: b.add_shape_mesh(0), "needs a Mesh"),
    "no heights": (lambda b: b.add_shape_heightfield(), "needs a Heightfield"),
    "flat mesh": (lambda b: b.add_shape_mesh(0, mesh=Mesh.create_box(1.0), scale=(1, 0, 1)), "factor of 0"),
    "no normal": (lambda b: b.add_shape_plane((0, 0, 0, 1)), "no direction"),
    "negative width": (lambda b: b.add_shape_plane(width=-1), "width: -1"),
    "negative density": (lambda b: b.add_shape_sphere(0, cfg=Config(density=-1)), "density: -1"),
    "negative mu": (lambda b: b.add_shape_sphere(0, cfg=Config(mu=-1)), "mu: -1"),
    "nan margin": (lambda b: b.add_shape_sphere(0, cfg=Config(margin=NAN)), "margin"),
    "short colour": (lambda b: b.add_shape_sphere(0, color=(1, 0)), "color"),
    "barrel": (lambda b: b.add_shape_cylinder(0, barrel_radius=0.1), "at least half_height 0.5"),
    "another world": (lambda b: (b.begin_world(), b.add_shape_sphere(0)), "while the world of its body is open"),
    "filter itself": (lambda b: b.add_shape_collision_filter_pair(0, 0), "name two shapes"),
    "filter nothing": (lambda b: b.add_shape_collision_filter_pair(0, 5), "shape 5 does not exist"),
}

SCENE = {
    "gravity in one number": (lambda b: setattr(b, "gravity", -9.81), "gravity"),
    "missing mimic joint": (lambda b: b.add_constraint_mimic(0, 9), "joint 9 does not exist"),
    "mimic of itself": (lambda b: b.add_constraint_mimic(1, 1), "would follow itself"),
    "too short a column": (lambda b: setattr(b, "body_com", [(0, 0)]), "body_com"),
    "words in a column": (lambda b: b.joint_armature.append("thick"), "joint_armature"),
}

UNSUPPORTED = (
    "add_particle add_particles add_particle_grid add_spring add_triangle "
    "add_triangles add_tetrahedron add_edge add_edges add_muscle add_rod add_joint_rod add_tendon add_actuator add_shape_gaussian "
    "add_attachment_particle_body add_deformable_visual_mesh plot_articulation "
    "set_coloring"
).split()


def contents(builder: ModelBuilder) -> dict:
    """Everything a builder holds, as bytes."""
    return {
        name: (column.array().tobytes() if column.row.dtype not in (str, object) else list(column))
        for name, column in builder.columns.items()
    }


def refused(builder: ModelBuilder, act, problem: str) -> None:
    before = contents(builder)
    with pytest.raises(ModelError, match=problem) as caught:
        act(builder)
    assert ";" in str(caught.value) and "\n" not in str(caught.value), "a message says what to do, in one line"
    assert contents(builder) == before


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("method", ["add_link", "add_body"])
def test_bodies(name, method):
    given, problem = BODIES[name]
    refused(arm(), lambda b: getattr(b, method)(**given), problem)


@pytest.mark.parametrize("name", JOINTS)
def test_joints(name):
    refused(arm(), *JOINTS[name])


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    refused(arm(), *SHAPES[name])


@pytest.mark.parametrize("name", SCENE)
def test_scenes(name):
    refused(arm(), *SCENE[name])


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_is_not_simulated_is_refused_by_name(name):
    refused(arm(), lambda b: getattr(b, name)(None), f"^{name}: ")


BROKEN = {
    "cycle": (lambda b: b.joint_parent.__setitem__(0, 1), "its own ancestor"),
    "lost parent": (
        lambda b: b.joint_parent.__setitem__(1, 17),
        "joint_parent: Invalid body reference: row 1 'hinge' is 17",
    ),
    "lost body": (lambda b: b.shape_body.__setitem__(0, 5), "shape_body: Invalid body reference: row 0 'trunk' is 5"),
    "lost filter": (
        lambda b: b.shape_collision_filter_pairs.append((0, 9)),
        "shape_collision_filter_pairs: Invalid reference: row 1 is",
    ),
    "reversed limits": (lambda b: b.joint_limit_lower.__setitem__(6, 2e10), "limits 2e"),
    "long axis": (lambda b: b.joint_axis.__setitem__(6, (0, 2, 0)), "has length 2"),
    "short column": (lambda b: b.body_com.pop(), "Array length mismatch: body_com has 1 rows, but body_mass has 2"),
    "nan material": (
        lambda b: b.shape_material_mu.__setitem__(0, NAN),
        "shape_material_mu: shape 0 .* has nan; give a finite number",
    ),
    "own parent": (
        lambda b: (b.joint_parent.__setitem__(1, 1), b.joint_child.__setitem__(1, 1)),
        "Self-referential joint: joint 1",
    ),
    "nan size": (lambda b: b.shape_scale.__setitem__(0, (NAN, 0, 0)), "shape_scale: row 0"),
    "worlds": (lambda b: b.body_world.__setitem__(1, 0), "Invalid world index 0 of row 1; there are 0 worlds"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_columns_that_were_broken_by_hand_are_found_at_the_end(name):
    builder = arm()
    spoil, problem = BROKEN[name]
    spoil(builder)
    with pytest.raises(ModelError, match=problem):
        builder.finalize("cpu")


def test_checks_can_be_skipped():
    builder = arm()
    builder.joint_axis[6] = (0, 2, 0)
    assert builder.finalize("cpu", skip_validation_joints=True).joint_axis.numpy()[6].tolist() == [0, 2, 0]
    assert builder.finalize("cpu", skip_all_validations=True).joint_count == 2


def test_late_joints_are_found_when_asked():
    builder = ModelBuilder()
    late, early = builder.add_link(mass=1.0), builder.add_link(mass=1.0)
    builder.add_articulation([builder.add_joint_revolute(early, late)])
    builder.add_articulation([builder.add_joint_revolute(-1, early)])
    with pytest.warns(NewtonWarning, match=r"not in DFS topological order: joint 0 \('joint_1'\)"):
        builder.finalize("cpu", skip_validation_joint_ordering=False)
    assert builder.finalize("cpu").joint_count == 2


def test_an_inertia_of_no_solid_is_balanced_with_a_warning():
    """Moments 1, 1, 3: the least shift that satisfies 1 + 1 >= 3 is by one."""
    builder = ModelBuilder()
    builder.add_body(mass=1.0, inertia=np.diag([1, 1, 3]), label="odd")
    builder.add_body(mass=1.0, inertia=np.diag([1, 2, 2.5]))
    with pytest.warns(NewtonWarning, match="'odd'"):
        model = builder.finalize("cpu")
    extra = builder.inertia_correction
    assert_close(
        np.diagonal(model.body_inertia.numpy(), axis1=1, axis2=2),
        np.array([[2 + extra, 2 + extra, 4 + extra], [1, 2, 2.5]]),
        "authored",
    )
    builder.balance_inertia = False
    with pytest.warns(NewtonWarning, match="'odd'"):
        assert np.diag(builder.finalize("cpu").body_inertia.numpy()[0]).tolist() == [1, 1, 3]


REPAIRED = {
    "negative mass": ({"mass": -1.0, "inertia": np.eye(3)}, "Negative mass -1", (0.0, np.zeros((3, 3)))),
    "no number": ({"mass": NAN, "inertia": np.eye(3)}, "NaN/Inf", (0.0, np.zeros((3, 3)))),
    "no mass": ({"mass": 0.0, "inertia": np.eye(3)}, "should have zero inertia", (0.0, np.zeros((3, 3)))),
    "skew": (
        {"mass": 1.0, "inertia": [[2, 0.5, 0], [0, 2, 0], [0, 0, 2]]},
        "not symmetric",
        (1.0, [[2, 0.25, 0], [0.25, 2, 0], [0, 0, 2]]),
    ),
    "thin": (
        {"mass": 1.0, "inertia": np.diag([0.0, 1.0, 1.0])},
        "Eigenvalues below threshold",
        (1.0, np.diag([2e-6, 1 + 2e-6, 1 + 2e-6])),
    ),
    "negative moment": (
        {"mass": 1.0, "inertia": np.diag([-1.0, 2.0, 2.0])},
        "Eigenvalues below threshold",
        (1.0, np.diag([3e-6, 3 + 3e-6, 3 + 3e-6])),
    ),
}


@pytest.mark.filterwarnings("ignore:.*should have zero inertia")
@pytest.mark.parametrize("name", REPAIRED)
def test_masses_of_no_solid_are_repaired_with_a_warning_as_in_newton(name):
    given, said, (mass, inertia) = REPAIRED[name]
    builder = ModelBuilder()
    builder.add_body(**given, label="odd")
    with pytest.warns(
        NewtonWarning, match="Inertia validation corrected 1 bodies: 'odd'.*validate_inertia_detailed=True"
    ):
        model = builder.finalize("cpu")
    assert_close(model.body_mass.numpy()[0], mass, "authored")
    assert_close(model.body_inertia.numpy()[0], np.array(inertia), "authored")
    assert np.array_equal(builder.body_mass[0], given["mass"], equal_nan=True)
    builder.validate_inertia_detailed = True
    with pytest.warns(NewtonWarning, match=f"'odd': .*{said}"):
        builder.finalize("cpu")


def test_a_mass_without_inertia_gets_the_least_there_is():
    builder = ModelBuilder()
    builder.add_body(mass=1.0)
    with pytest.warns(NewtonWarning, match="1 bodies that have mass and no inertia: 'body_0'"):
        model = builder.finalize("cpu")
    assert_close(model.body_inertia.numpy()[0], 1.0001e-6 * np.eye(3), "parameter")
    assert not np.array(builder.body_inertia).any()  # the builder keeps what it was given


def test_masses_and_moments_can_be_bounded():
    builder = ModelBuilder()
    builder.add_body(mass=0.1, inertia=np.diag([0.1, 0.1, 0.1]))
    builder.add_body()
    builder.bound_mass, builder.bound_inertia = 0.5, 0.25
    with pytest.warns(NewtonWarning, match="body_0"):
        model = builder.finalize("cpu")
    assert model.body_mass.numpy().tolist() == [0.5, 0.0]
    assert np.diag(model.body_inertia.numpy()[0]).tolist() == [0.25] * 3


def test_joints_between_bodies_are_in_articulations():
    builder = ModelBuilder()
    root, link = builder.add_link(mass=1.0), builder.add_link(mass=1.0)
    builder.add_joint_revolute(-1, root)
    assert builder.finalize("cpu").joint_count == 1
    builder.add_joint_revolute(root, link, label="elbow")
    with pytest.raises(ModelError, match=r"1 joint\(s\) not belonging to any articulation: 'elbow'"):
        builder.finalize("cpu")


def test_a_joint_beside_a_free_one_is_warned_of_where_it_is_added():
    builder = ModelBuilder()
    body = builder.add_body(mass=1.0, label="Sun")
    with pytest.warns(NewtonWarning, match="Sun.*FREE.*inconsistent") as caught:
        builder.add_joint_revolute(-1, body)
    assert caught[0].filename == __file__
