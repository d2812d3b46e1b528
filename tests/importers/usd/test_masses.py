"""Masses: what UsdPhysics says counts before what, and what means unspecified."""

import numpy as np
import pytest

from newtonlite.core.errors import NewtonWarning
from tests.harness.usd_stages import body, collider, load, prim, stage
from tests.tolerance import assert_close

MASS = ("PhysicsMassAPI",)
RUBBER = prim("Material", "rubber", "float physics:density = 100", apis=("PhysicsMaterialAPI",))
BOUND = "rel material:binding:physics = </rubber>"


def one(*inside, apis=(), extra=()):
    """The builder of one body."""
    return load(stage(*extra, body("a", *inside, mass=None, apis=apis)))[0]


def tensor(builder):
    """Inertia of the first body."""
    return builder.columns["body_inertia"].array()[0].reshape(3, 3)


def cube(*inside, apis=(), size=1.0):
    """A cube collider."""
    return collider("Cube", "c", f"double size = {size}", *inside, apis=apis)


@pytest.mark.parametrize(
    ("own", "on_body", "material", "want"),
    [
        ("", "", False, 1000.0),
        ("", "", True, 100.0),
        ("", "float physics:density = 10", True, 10.0),
        ("float physics:density = 5", "float physics:density = 10", True, 5.0),
        ("float physics:density = 5\nfloat physics:mass = 2", "float physics:density = 10", True, 2.0),
        ("float physics:density = 0\nfloat physics:mass = 0", "float physics:density = 10", True, 10.0),
        ("float physics:mass = None", "float physics:density = 10", True, 10.0),
        ("", "float physics:mass = 7", True, 7.0),
    ],
)
def test_what_decides_the_mass_of_a_unit_cube(own, on_body, material, want):
    apis = (*(MASS if own else ()), *(("MaterialBindingAPI",) if material else ()))
    builder = one(
        cube(own, BOUND if material else "", apis=apis), on_body, apis=MASS if on_body else (), extra=(RUBBER,)
    )
    assert_close(builder.body_mass[0], want, "authored")
    assert_close(np.diag(tensor(builder)), [want / 6.0] * 3, "authored")


def test_a_mass_scales_the_inertia_of_the_colliders():
    builder = one(cube(size=2), "float physics:mass = 3", apis=MASS)
    assert_close(tensor(builder)[0, 0], 3 * (4 + 4) / 12, "authored")


def test_a_mass_without_geometry_is_a_small_ball():
    builder = one("float physics:mass = 3", apis=MASS)
    assert_close(tensor(builder)[0, 0], 0.012, "authored")


def test_the_diagonal_is_turned_by_the_principal_axes():
    builder = one(
        "float physics:mass = 1",
        "float3 physics:diagonalInertia = (1, 2, 3)",
        "quatf physics:principalAxes = (0.7071068, 0, 0, 0.7071068)",
        apis=MASS,
    )
    assert_close(np.diag(tensor(builder)), [2, 1, 3], "authored")


def test_newtons_tensor_comes_before_the_diagonal():
    builder = one(
        "float physics:mass = 1",
        "float3 physics:diagonalInertia = (1, 2, 3)",
        "double[] newton:inertia = [4, 5, 6, 0.1, 0.2, 0.3]",
        apis=("PhysicsMassAPI", "NewtonMassAPI"),
    )
    assert_close(tensor(builder), [[4, 0.1, 0.2], [0.1, 5, 0.3], [0.2, 0.3, 6]], "authored")


def test_a_tensor_that_is_none_warns_and_the_diagonal_counts():
    with pytest.warns(NewtonWarning, match="newton:inertia"):
        builder = one(
            "float physics:mass = 1",
            "float3 physics:diagonalInertia = (1, 2, 3)",
            "double[] newton:inertia = [4, 5, 6]",
            apis=("PhysicsMassAPI", "NewtonMassAPI"),
        )
    assert_close(np.diag(tensor(builder)), [1, 2, 3], "authored")


def test_a_negative_mass_warns_and_counts_as_unspecified():
    with pytest.warns(NewtonWarning, match="physics:mass"):
        builder = one(cube(), "float physics:mass = -2", apis=MASS)
    assert_close(builder.body_mass[0], 1000.0, "authored")


def test_the_centre_of_mass_is_scaled_with_the_body():
    text = stage(
        prim(
            "Xform",
            "w",
            "float3 xformOp:scale = (2, 2, 2)",
            'uniform token[] xformOpOrder = ["xformOp:scale"]',
            body("a", "point3f physics:centerOfMass = (0.1, 0, 0)"),
        )
    )
    assert_close(list(load(text)[0].body_com[0]), [0.2, 0, 0], "authored")


def test_a_collider_that_is_switched_off_weighs_nothing():
    builder = one(cube("bool physics:collisionEnabled = 0"), collider("Sphere", "s", "double radius = 1"))
    assert_close(builder.body_mass[0], 4000 / 3 * np.pi, "authored")


def test_a_shell_weighs_its_wall():
    builder = one(
        collider(
            "Sphere",
            "s",
            "double radius = 1",
            'uniform token newton:massModel = "shell"',
            "float newton:shellThickness = 0.1",
        )
    )
    assert_close(builder.body_mass[0], 4000 / 3 * np.pi * (1 - 0.9**3), "authored")


def test_a_massless_collider_of_mujocos_schema_weighs_nothing():
    builder = one(cube("float physics:mass = 0", apis=(*MASS, "MjcCollisionAPI")), "float physics:mass = 2", apis=MASS)
    assert_close(tensor(builder)[0, 0], 0.4 * 2 * 0.01, "authored")


def test_colliders_of_instances_weigh():
    proto = prim("Xform", "proto", cube())
    instance = 'def Xform "i" (\n instanceable = true\n prepend references = </proto>\n)\n{\n}'
    text = stage(proto, body("a", instance, mass=None))
    assert_close(load(text)[0].body_mass[0], 1000.0, "authored")


def test_an_inside_out_mesh_has_positive_mass():
    points = "point3f[] points = [(0,0,0),(1,0,0),(0,1,0),(0,0,1)]"
    inside_out = "int[] faceVertexIndices = [0,1,2, 0,3,1, 0,2,3, 1,3,2]"
    builder = one(collider("Mesh", "m", points, "int[] faceVertexCounts = [3,3,3,3]", inside_out))
    assert_close(builder.body_mass[0], 1000 / 6, "authored")


def test_a_body_without_mass_that_nothing_carries_stands_still():
    from newtonlite.core.enums import JointType

    builder = one()
    assert builder.joint_type[0] == JointType.FIXED


@pytest.mark.parametrize(
    ("authored", "word"),
    [
        ("point3f physics:centerOfMass = (nan, 0, 0)", "physics:centerOfMass"),
        (
            "float3 physics:diagonalInertia = (1, 2, 3)\nquatf physics:principalAxes = (nan, 0, 0, 0)",
            "physics:principalAxes",
        ),
        ("float physics:density = 500", "physics:density"),
    ],
)
def test_numbers_of_masses_that_cannot_count_warn_with_the_prim(authored, word):
    with pytest.warns(NewtonWarning, match=f"</a> {word}"):
        builder = one(f"float physics:mass = 2\n{authored}", cube(), apis=MASS)
    assert_close(builder.body_mass[0], 2.0, "authored")
    assert_close(np.array(builder.body_com[0]), np.zeros(3), "authored")
