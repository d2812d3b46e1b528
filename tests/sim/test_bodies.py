"""Bodies and what shapes add to them."""

import numpy as np
import pytest

from newtonlite import BodyFlags, Mesh, ModelBuilder
from newtonlite.geometry import inertia
from newtonlite.math.transform import transform
from tests.harness.sim_scenes import pose, turn
from tests.tolerance import assert_close


def mass_of(builder, body):
    tensor = np.array(builder.body_inertia[body], float).reshape(3, 3)
    return builder.body_mass[body], np.array(builder.body_com[body], float), tensor


def test_a_link_is_a_body_and_nothing_else():
    builder = ModelBuilder()
    body = builder.add_link(
        xform=pose((1, 2, 3)), mass=2.0, com=(0.1, 0, 0), inertia=np.diag([1.0, 2.0, 2.5]), label="trunk"
    )
    assert (body, builder.body_count, builder.joint_count, builder.articulation_count) == (0, 1, 0, 0)
    assert builder.body_label == ["trunk"] and builder.body_flags == [BodyFlags.DYNAMIC]
    assert list(builder.body_q[0])[:3] == [1, 2, 3]
    assert mass_of(builder, 0)[0] == 2.0


def test_a_body_floats():
    builder = ModelBuilder()
    builder.add_link()
    body = builder.add_body(xform=pose((1, 2, 3), (0, 0, 1), 0.5), label="ball")
    assert builder.joint_count == builder.articulation_count == 1
    assert builder.joint_child[0] == body and builder.joint_parent[0] == -1
    assert_close([builder.joint_q[:7]], [pose((1, 2, 3), (0, 0, 1), 0.5)], "parameter")


def test_names_are_made_up_where_none_is_given():
    builder = ModelBuilder()
    builder.add_body()
    builder.add_body()
    builder.add_shape_sphere(0)
    assert builder.body_label == ["body_0", "body_1"] and builder.shape_label == ["shape_0"]
    assert builder.joint_label == ["joint_1", "joint_2"] and builder.articulation_label == [
        "articulation_0",
        "articulation_1",
    ]


def test_kinematic_bodies_are_marked():
    builder = ModelBuilder()
    builder.add_link(is_kinematic=True)
    assert builder.body_flags == [BodyFlags.KINEMATIC]


def test_shapes_add_their_mass_where_they_are():
    """A link with its own mass, a ball and a turned box: the sum by the parallel axis theorem."""
    builder = ModelBuilder()
    body = builder.add_link(mass=2.0, com=(0.1, 0, 0), inertia=np.diag([1.0, 2.0, 2.5]))
    ball, box = transform((1, 0, 0)), transform((0, -1, 0.5), turn((1, 1, 0), 0.7))
    builder.add_shape_sphere(body, radius=0.1, xform=ball)
    builder.add_shape_box(body, hx=0.1, hy=0.2, hz=0.3, xform=box, cfg=ModelBuilder.ShapeConfig(density=500.0))
    want = inertia.MassProperties(2.0, np.array([0.1, 0, 0]), np.diag([1.0, 2.0, 2.5]))
    want = inertia.add_solids(want, inertia.move(inertia.sphere(1000.0, 0.1), ball))
    want = inertia.add_solids(want, inertia.move(inertia.box(500.0, 0.1, 0.2, 0.3), box))
    mass, com, tensor = mass_of(builder, body)
    assert_close([mass], [want.mass], "parameter")
    assert_close([com], [want.com], "kinematics")
    assert_close([tensor], [want.inertia], "kinematics")


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        ("sphere", {"radius": 0.3}),
        ("capsule", {"radius": 0.1, "half_height": 0.3}),
        ("cylinder", {"radius": 0.1, "half_height": 0.3}),
        ("cone", {"radius": 0.1, "half_height": 0.3}),
        ("box", {"hx": 0.1, "hy": 0.2, "hz": 0.3}),
        ("ellipsoid", {"rx": 0.1, "ry": 0.2, "rz": 0.3}),
    ],
)
def test_each_shape_weighs_what_its_formula_says(kind, sizes):
    solid, hollow = ModelBuilder(), ModelBuilder()
    getattr(solid, f"add_shape_{kind}")(solid.add_link(), **sizes)
    getattr(hollow, f"add_shape_{kind}")(
        hollow.add_link(), cfg=ModelBuilder.ShapeConfig(is_solid=False, margin=0.02), **sizes
    )
    formula = getattr(inertia, kind)
    inside = {k: s if kind == "capsule" and k == "half_height" else s - 0.02 for k, s in sizes.items()}
    full, core = formula(1000.0, *sizes.values()), formula(1000.0, *inside.values())
    for builder, want in ((solid, full), (hollow, inertia.subtract(full, core))):
        mass, com, tensor = mass_of(builder, 0)
        assert_close([mass], [want.mass], "parameter")
        assert_close([com], [want.com], "parameter", floor=0.1)
        assert_close([tensor], [want.inertia], "kinematics")


def test_a_stretched_mesh_weighs_its_stretched_volume():
    builder = ModelBuilder()
    body = builder.add_link()
    builder.add_shape_mesh(body, mesh=Mesh.create_box(0.1), scale=(1.0, 2.0, -3.0))
    want = inertia.box(1000.0, 0.1, 0.2, 0.3)
    mass, com, tensor = mass_of(builder, body)
    assert_close([mass], [want.mass], "kinematics")
    assert_close([com], [want.com], "parameter", floor=0.1)
    assert_close([tensor], [want.inertia], "kinematics")


@pytest.mark.parametrize("why", ["locked", "static", "weightless", "site", "world"])
def test_some_shapes_add_no_mass(why):
    builder = ModelBuilder()
    body = builder.add_link(mass=1.0, lock_inertia=why == "locked")
    cfg = ModelBuilder.ShapeConfig(density=0.0 if why == "weightless" else 1000.0)
    if why == "static":
        builder.add_shape(body=body, type=3, scale=(0.1, 0, 0), is_static=True)
    else:
        builder.add_shape_sphere(-1 if why == "world" else body, cfg=cfg, as_site=why == "site")
    assert builder.body_mass == [1.0] and not np.array(builder.body_inertia[0]).any()


def test_inverses_are_of_masses_and_inertias():
    builder = ModelBuilder()
    builder.add_link(mass=4.0, inertia=np.diag([1.0, 2.0, 2.5]))
    builder.add_link()
    assert builder.body_inv_mass == [0.25, 0.0]
    assert_close([np.array(builder.body_inv_inertia[0])], [np.diag([1, 0.5, 0.4]).ravel()], "parameter")
    assert not np.array(builder.body_inv_inertia[1]).any()
