"""Shapes, sites, and which of them collide."""

import numpy as np
import pytest

from newtonlite import GeoType, Heightfield, Mesh, ModelBuilder, ModelError, ShapeFlags
from newtonlite.math.transform import apply
from newtonlite.sim.pairs import groups_meet
from tests.harness.sim_scenes import arm
from tests.tolerance import assert_close

Config = ModelBuilder.ShapeConfig


@pytest.mark.parametrize(
    ("kind", "given", "scale", "radius"),
    [
        ("sphere", {"radius": 0.5}, (0.5, 0, 0), 0.5),
        ("capsule", {"radius": 0.2, "half_height": 0.4}, (0.2, 0.4, 0), 0.6),
        ("cylinder", {"radius": 0.3, "half_height": 0.4}, (0.3, 0.4, 0), 0.5),
        ("cone", {"radius": 0.3, "half_height": 0.4}, (0.3, 0.4, 0), 0.5),
        ("box", {"hx": 1, "hy": 2, "hz": 2}, (1, 2, 2), 3.0),
        ("ellipsoid", {"rx": 1, "ry": 3, "rz": 2}, (1, 3, 2), 3.0),
    ],
)
def test_sizes_stand_in_the_scale(kind, given, scale, radius):
    builder = ModelBuilder()
    shape = getattr(builder, f"add_shape_{kind}")(-1, **given)
    assert builder.shape_type[shape] == GeoType[kind.upper()]
    assert_close(
        [list(builder.shape_scale[0]), [builder.shape_collision_radius[0]] * 3], [scale, [radius] * 3], "parameter"
    )


def test_a_shape_has_what_its_config_says():
    builder = ModelBuilder()
    builder.rigid_gap = 0.02
    builder.add_shape_sphere(-1, cfg=Config(mu=0.3, ke=7.0, margin=0.1, collision_group=-2, is_visible=False))
    assert builder.shape_material_mu == [0.3] and builder.shape_material_ke == [7.0] and builder.shape_margin == [0.1]
    assert builder.shape_gap == [0.02] and builder.shape_collision_group == [-2]
    assert builder.shape_flags == [ShapeFlags.COLLIDE_SHAPES | ShapeFlags.COLLIDE_PARTICLES]


@pytest.mark.parametrize("plane", [(0, 1, 0, 2.0), (0, 0, 1, 0), (0, 0, -2.0, 3.0), (1, 2, 3, -4)])
def test_a_plane_s_points_fulfil_its_equation(plane):
    builder = ModelBuilder()
    builder.add_shape_plane(plane)
    x = np.array(builder.shape_transform[0], float)
    points = apply(x, np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]))
    values = points @ plane[:3] + plane[3]
    assert_close(values[None], [[0, 0, 0, np.linalg.norm(plane[:3])]], "kinematics")


def test_the_ground_lies_across_the_up_axis():
    builder = ModelBuilder(up_axis="y")
    builder.add_ground_plane(height=0.5)
    x = np.array(builder.shape_transform[0], float)
    assert_close([apply(x, np.array([0, 0, 1.0]))], [[0, 1.5, 0]], "parameter")
    assert builder.shape_label == ["ground_plane"] and list(builder.shape_scale[0]) == [0, 0, 0]


def test_a_site_is_a_frame():
    builder = ModelBuilder()
    body = builder.add_link()
    builder.add_site(body, label="tip")
    builder.add_shape_box(body, as_site=True)
    assert [flags & ~ShapeFlags.VISIBLE for flags in builder.shape_flags] == [ShapeFlags.SITE] * 2
    assert builder.shape_collision_group == [0, 0] and builder.body_mass == [0.0]


def test_meshes_and_height_fields_are_shared():
    builder = ModelBuilder()
    mesh, field = Mesh.create_box(1.0), Heightfield([[0, 1], [2, 3]], 2, 2)
    builder.add_shape_mesh(-1, mesh=mesh)
    builder.add_shape_convex_hull(-1, mesh=mesh)
    builder.add_shape_heightfield(heightfield=field)
    world = ModelBuilder()
    world.replicate(builder, 3)
    model = world.finalize("cpu")
    assert [source is mesh for source in model.shape_source] == [True, True, False] * 3
    assert model.shape_source[8] is field
    ids = model.shape_source_ptr.numpy()
    assert ids[0] == ids[1] == ids[7] != 0 and ids[2] == 0


def test_joined_bodies_do_not_collide_whatever_comes_first():
    """Shapes before the joint and after it; one that opted out when it was added later, and those that do not collide."""
    builder = ModelBuilder()
    a, b = builder.add_link(), builder.add_link()
    s0, s1 = builder.add_shape_sphere(a), builder.add_shape_sphere(b)
    builder.add_joint_revolute(-1, a)
    builder.add_joint_revolute(a, b)
    s2 = builder.add_shape_sphere(b)
    s3 = builder.add_shape_sphere(b, cfg=Config(collision_filter_parent=False))
    builder.add_site(b)
    builder.add_shape_sphere(b, cfg=Config(has_shape_collision=False))
    s6 = builder.add_shape_sphere(a)
    assert builder.shape_collision_filter_pairs == [(s0, s1), (s0, s2), (s1, s6), (s2, s6), (s3, s6)]


def test_a_joint_to_the_world_filters_nothing_unless_asked():
    builder = ModelBuilder()
    builder.add_shape_sphere(-1)
    for filtered in (None, True):
        body = builder.add_link()
        builder.add_shape_sphere(body)
        builder.add_joint_revolute(-1, body, collision_filter_parent=filtered)
    assert builder.joint_collision_filter_parent == [False, True]
    assert builder.shape_collision_filter_pairs == [(0, 2)]


def test_pairs_of_shapes_can_be_filtered_by_hand():
    builder = arm()
    ground = builder.add_ground_plane()
    builder.add_shape_collision_filter_pair(ground, 0)
    assert builder.shape_collision_filter_pairs == [(0, 1), (0, 2)]
    model = builder.finalize("cpu")
    assert model.shape_contact_pairs.numpy().tolist() == [[1, 2]]
    assert model.shape_collision_filter_contains(2, 0) and not model.shape_collision_filter_contains(2, 1)


@pytest.mark.parametrize(
    ("a", "b", "meet"),
    [
        (0, 0, False),
        (0, 1, False),
        (0, -1, False),
        (1, 1, True),
        (1, 2, False),
        (-1, 1, True),
        (-1, -1, False),
        (-1, -2, True),
    ],
)
def test_groups_say_who_meets(a, b, meet):
    assert groups_meet(np.array([a, b]), np.array([b, a])).tolist() == [meet, meet]


def test_what_may_collide_is_across_bodies_within_a_world():
    """World shapes meet every world; shapes of one body, of two worlds, sites and filtered pairs do not meet."""
    builder = ModelBuilder()
    builder.add_ground_plane()
    builder.add_shape_sphere(-1)
    robot = arm()
    robot.add_shape_sphere(1)
    robot.add_site(1)
    robot.add_body()
    robot.add_shape_sphere(2)
    builder.replicate(robot, 2)
    # in each world: 0 trunk, 1 and 2 on the arm, 3 a site, 4 on a body of its own
    within = [(0, 4), (1, 4), (2, 4)]
    own = [(2 + 5 * w + i, 2 + 5 * w + j) for w in (0, 1) for i, j in within]
    ground = [(g, 2 + 5 * w + i) for g in (0, 1) for w in (0, 1) for i in (0, 1, 2, 4)]
    pairs = builder.finalize("cpu").shape_contact_pairs.numpy().tolist()
    assert pairs == sorted(map(list, own + ground))


@pytest.mark.parametrize(
    "name, value",
    [
        ("sdf_max_resolution", 20),
        ("sdf_target_voxel_size", -1.0),
        ("sdf_padding", -1.0),
        ("sdf_narrow_band_range", (1, 2)),
    ],
)
def test_settings_that_no_distance_field_can_have_are_refused(name, value):
    with pytest.raises(ModelError, match="ShapeConfig"):
        ModelBuilder().add_shape_sphere(-1, cfg=Config(**{"force_sdf": True, name: value}))


def test_a_band_about_a_mesh_without_a_field_is_refused():
    """The band is of a distance field, which the mesh has where one is asked for."""
    mesh, band = Mesh.create_box(0.1), {"sdf_narrow_band_range": (-0.2, 0.2)}
    with pytest.raises(ModelError, match="mesh.build_sdf"):
        ModelBuilder().add_shape_mesh(-1, mesh=mesh, cfg=Config(**band))
    assert ModelBuilder().add_shape_mesh(-1, mesh=mesh, cfg=Config(force_sdf=True, **band)) == 0


def test_flags_can_be_set_as_a_whole():
    cfg = Config()
    cfg.flags = ShapeFlags.VISIBLE
    assert not cfg.has_shape_collision and cfg.is_visible and cfg.copy().flags == ShapeFlags.VISIBLE


def test_signs_of_sizes_mean_nothing_where_a_shape_is_its_own_mirror_image():
    builder = ModelBuilder()
    builder.add_shape_sphere(-1, radius=-0.1)
    builder.add_shape_capsule(-1, radius=-0.1, half_height=-0.2)
    builder.add_shape_cone(-1, radius=-0.1, half_height=0.2)
    builder.add_shape(body=-1, type=GeoType.BOX, scale=(1, -2, 3))
    builder.add_shape(body=-1, type=GeoType.PLANE, scale=(-2, -3, 0))
    sizes = [(0.1, 0, 0), (0.1, 0.2, 0), (0.1, 0.2, 0), (1, 2, 3), (2, 3, 0)]
    assert_close(np.array(builder.shape_scale, float)[None], np.array(sizes)[None], "parameter", floor=1.0)


def test_boxes_about_shapes(device):
    """A box in each shape's frame, after its scale, whatever the signs."""
    builder = ModelBuilder()
    builder.add_shape_capsule(-1, radius=0.1, half_height=0.2)
    builder.add_shape_mesh(
        -1,
        mesh=Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]),
        scale=(-2, 1, 3),
    )
    field = Heightfield(np.array([[0.0, 1.0], [0.5, 0.2]]), 2, 2, hx=2.0, hy=3.0, min_z=-1.0, max_z=4.0)
    builder.add_shape_heightfield(heightfield=field, scale=(2.0, 0.5, 3.0))
    model = builder.finalize(device=device)
    low, high = model.shape_collision_aabb_lower.numpy(), model.shape_collision_aabb_upper.numpy()
    np.testing.assert_array_almost_equal(low, [[-0.1, -0.1, -0.3], [-2, 0, 0], [-4, -1.5, -3]])
    np.testing.assert_array_almost_equal(high, [[0.1, 0.1, 0.3], [0, 1, 3], [4, 1.5, 12]])


def test_flags_of_a_site_make_settings_of_a_site():
    cfg = ModelBuilder.ShapeConfig()
    cfg.flags = ShapeFlags.SITE
    site = ModelBuilder.ShapeConfig(is_visible=False)
    site.mark_as_site()
    assert cfg == site and cfg.density == 0.0 and cfg.collision_group == 0


def test_a_shape_has_the_opacity_of_its_mesh_unless_it_says_its_own():
    box = Mesh.create_box(1.0, 1.0, 1.0)
    glass = Mesh(box.vertices, box.indices, opacity=0.25)
    b = ModelBuilder()
    b.add_shape_mesh(-1, mesh=glass)
    b.add_shape_mesh(-1, mesh=glass, opacity=0.5)
    assert list(b.shape_opacity) == [0.25, 0.5]


def test_an_unknown_texture_format_of_a_field_is_named():
    with pytest.raises(ModelError, match="texture_format: 'half'; use one of float32"):
        Mesh.create_box(1.0, 1.0, 1.0).build_sdf(max_resolution=8, texture_format="half")
