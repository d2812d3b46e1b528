"""Shapes: geometric prims, scale and shear, meshes, approximations, instances, looks."""

import numpy as np
import pytest

from newtonlite.core.enums import GeoType, ShapeFlags
from newtonlite.core.errors import NewtonWarning, ParseError
from newtonlite.importers.report import Report
from tests.harness.usd_stages import at, body, collider, load, prim, stage
from tests.tolerance import assert_close

TETRA = (
    "point3f[] points = [(0,0,0),(1,0,0),(0,1,0),(0,0,1)]",
    "int[] faceVertexCounts = [3,3,3,3]",
    "int[] faceVertexIndices = [0,2,1, 0,1,3, 0,3,2, 1,2,3]",
)
CUBE = (
    "point3f[] points = [(-1,-1,-1),(1,-1,-1),(1,1,-1),(-1,1,-1),(-1,-1,1),(1,-1,1),(1,1,1),(-1,1,1)]",
    "int[] faceVertexCounts = [4,4,4,4,4,4]",
    "int[] faceVertexIndices = [0,3,2,1, 4,5,6,7, 0,1,5,4, 2,3,7,6, 1,2,6,5, 0,4,7,3]",
)


def scaled(x, y, z):
    """A scale."""
    return f'float3 xformOp:scale = ({x}, {y}, {z})\nuniform token[] xformOpOrder = ["xformOp:scale"]'


def shapes(*inside, **options):
    """The builder of one body with shapes."""
    return load(stage(body("a", *inside)), **options)[0]


@pytest.mark.parametrize(
    ("kind", "inside", "want", "size"),
    [
        ("Cube", ("double size = 3", scaled(1, 2, 4)), GeoType.BOX, (1.5, 3, 6)),
        ("Cube", (), GeoType.BOX, (1, 1, 1)),
        ("Sphere", (), GeoType.SPHERE, (1, 0, 0)),
        ("Sphere", (scaled(1, 2, 3),), GeoType.ELLIPSOID, (1, 2, 3)),
        ("Capsule", (), GeoType.CAPSULE, (0.5, 0.5, 0)),
        ("Capsule", ('uniform token axis = "X"', scaled(4, 2, 2)), GeoType.CAPSULE, (1, 2, 0)),
        ("Cylinder", (), GeoType.CYLINDER, (1, 1, 0)),
        ("Cylinder", ('uniform token axis = "Y"', "double height = 4", scaled(2, 3, 2)), GeoType.CYLINDER, (2, 6, 0)),
        ("Capsule_1", ("double radiusTop = 0.5", "double radiusBottom = 0.5"), GeoType.CAPSULE, (0.5, 0.5, 0)),
    ],
)
def test_sizes_come_from_attributes_and_scale(kind, inside, want, size):
    builder = shapes(collider(kind, "c", *inside))
    assert builder.shape_type[0] == want
    assert_close(list(builder.shape_scale[0]), size, "authored")


@pytest.mark.parametrize(("axis", "want"), [("X", (1, 0, 0)), ("Y", (0, 1, 0)), ("Z", (0, 0, 1))])
def test_the_axis_of_a_capsule_is_the_shapes_z(axis, want):
    from newtonlite.math.transform import quat_rotate

    builder = shapes(collider("Capsule", "c", f'uniform token axis = "{axis}"'))
    assert_close(
        quat_rotate(np.array(list(builder.shape_transform[0])[3:]), np.array([0.0, 0.0, 1.0])),
        want,
        "authored",
        floor=1.0,
    )


def test_a_sheared_cube_is_a_convex_mesh_of_its_corners():
    turned = "\n".join(
        (
            "float3 xformOp:scale = (1, 1, 3)",
            "float xformOp:rotateX = 45",
            'uniform token[] xformOpOrder = ["xformOp:scale", "xformOp:rotateX"]',
        )
    )
    builder = shapes(collider("Cube", "c", turned))
    assert builder.shape_type[0] == GeoType.CONVEX_MESH
    tall = builder.shape_source[0].vertices @ np.array([0, 0, 1.0])
    from newtonlite.math.transform import quat_rotate

    tall = np.array(
        [quat_rotate(np.array(list(builder.shape_transform[0])[3:]), v)[2] for v in builder.shape_source[0].vertices]
    )
    assert_close([tall.max()], [3 * np.sqrt(2)], "authored")


def test_colliding_planes_are_endless_and_drawn_ones_are_not():
    builder, _ = load(stage(collider("Plane", "floor"), prim("Plane", "rug", "double width = 4", "double length = 6")))
    assert_close(list(builder.shape_scale[0]), [0, 0, 0], "authored", floor=1.0)
    assert_close(list(builder.shape_scale[1])[:2], [4, 6], "authored")


def test_a_mirrored_mesh_keeps_its_points_in_the_world():
    from newtonlite.math.transform import apply

    builder = shapes(collider("Mesh", "m", *TETRA, scaled(-1, 2, 1)))
    got = apply(
        np.array(list(builder.shape_transform[0]), float),
        builder.shape_source[0].vertices * np.array(list(builder.shape_scale[0])),
    )
    assert_close(
        got[np.lexsort(got.T)],
        np.array([[0, 0, 0], [-1, 0, 0], [0, 2, 0], [0, 0, 1]])[
            np.lexsort(np.array([[0, 0, 0], [-1, 0, 0], [0, 2, 0], [0, 0, 1]]).T)
        ],
        "authored",
        floor=1.0,
    )


def test_a_mirrored_body_warns_and_its_pose_is_a_rotation():
    with pytest.warns(UserWarning, match="mirrored"):
        builder = shapes(scaled(1, -1, 1), collider("Cube", "c"))
    assert_close(np.linalg.norm(list(builder.body_q[0])[3:]), 1.0, "authored")


@pytest.mark.parametrize(
    ("word", "want"),
    [
        ("none", GeoType.MESH),
        ("convexHull", GeoType.CONVEX_MESH),
        ("boundingCube", GeoType.BOX),
        ("boundingSphere", GeoType.SPHERE),
        ("sdf", GeoType.MESH),
    ],
)
def test_approximations(word, want):
    builder = shapes(
        collider(
            "Mesh",
            "m",
            *CUBE,
            f'uniform token physics:approximation = "{word}"',
            'uniform token purpose = "guide"',
            apis=("PhysicsMeshCollisionAPI",),
        )
    )
    assert list(builder.shape_type) == [want]
    if want == GeoType.BOX:
        assert_close(list(builder.shape_scale[0]), [1, 1, 1], "authored")
    if want == GeoType.SPHERE:
        assert_close(builder.shape_scale[0][0], np.sqrt(3), "authored")


def test_a_drawn_collider_that_is_simplified_leaves_its_picture():
    builder = shapes(
        collider(
            "Mesh",
            "m",
            *CUBE,
            'uniform token physics:approximation = "boundingSphere"',
            apis=("PhysicsMeshCollisionAPI",),
        )
    )
    assert list(builder.shape_label) == ["/a/m", "/a/m_visual"]
    assert [bool(f & ShapeFlags.VISIBLE) for f in builder.shape_flags] == [False, True]


def test_a_flat_mesh_collides_as_a_plate():
    quad = (
        "point3f[] points = [(-1,-1,0),(1,-1,0),(1,1,0),(-1,1,0)]",
        "int[] faceVertexCounts = [4]",
        "int[] faceVertexIndices = [0,1,2,3]",
    )
    builder, _ = load(stage(collider("Mesh", "ground", *quad)))
    assert builder.shape_type[0] == GeoType.CONVEX_MESH
    assert_close([builder.shape_source[0].vertices[:, 2].max()], [0.0], "authored", floor=1.0)


def test_concave_faces_are_cut_by_ears_and_holes_are_left_out():
    from newtonlite.importers.usd.meshes import triangulate

    arrow = np.array([[0, 0, 0], [2, 1, 0], [0, 2, 0], [1, 1, 0]], float)
    triangles, _ = triangulate(arrow, np.array([4]), np.array([0, 1, 2, 3]), set())
    corners = arrow[triangles]
    areas = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2]
    assert (areas > 0).all()
    assert_close([areas.sum()], [1.0], "authored")
    assert len(triangulate(arrow, np.array([4]), np.array([0, 1, 2, 3]), {0})[0]) == 0


@pytest.mark.parametrize(
    ("inside", "attribute"),
    [
        ((TETRA[0], TETRA[1], "int[] faceVertexIndices = [0,2,1, 0,1,3, 0,3,2, 1,2,9]"), "faceVertexIndices"),
        ((TETRA[0], TETRA[1], "int[] faceVertexIndices = [0,2,1]"), "faceVertexIndices"),
        (
            (
                "point3f[] points = [(nan,0,0),(1,0,0),(0,1,0)]",
                "int[] faceVertexCounts = [3]",
                "int[] faceVertexIndices = [0,1,2]",
            ),
            "points",
        ),
    ],
)
def test_broken_meshes_are_refused_by_attribute(inside, attribute):
    with pytest.raises(ParseError, match=f"</a/m> {attribute}"):
        shapes(collider("Mesh", "m", *inside))


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ((), "faceVertexIndices: the mesh has no faces"),
        (
            (
                "point3f[] points = [(0,0,0),(1,0,0),(2,0,0)]",
                "int[] faceVertexCounts = [3]",
                "int[] faceVertexIndices = [0,1,2]",
            ),
            "points: the mesh has no area",
        ),
    ],
)
def test_meshes_without_a_surface_are_left_out_with_a_warning(inside, text):
    with pytest.warns(NewtonWarning, match=f"</a/m> {text}"):
        assert shapes(collider("Mesh", "m", *inside)).shape_count == 0


def test_faces_of_two_corners_are_left_out_with_a_warning():
    faces = "int[] faceVertexCounts = [2,3,3,3,3]", "int[] faceVertexIndices = [0,1, 0,2,1, 0,1,3, 0,3,2, 1,2,3]"
    with pytest.warns(NewtonWarning, match="</a/m> faceVertexCounts: 1 faces"):
        builder = shapes(collider("Mesh", "m", TETRA[0], *faces))
    whole = shapes(collider("Mesh", "m", *TETRA))
    assert_close(builder.body_mass[0], whole.body_mass[0], "authored")


@pytest.mark.parametrize(("value", "want", "text"), [("2", 1.0, "beyond 0 to 1"), ("nan", 1.0, "not finite")])
def test_opacities_that_cannot_be_warn_with_the_prim(value, want, text):
    with pytest.warns(NewtonWarning, match=f"</a/c> primvars:displayOpacity: .*{text}"):
        builder = shapes(collider("Cube", "c", f"float[] primvars:displayOpacity = [{value}]"))
    assert_close(builder.shape_opacity[0], want, "authored")


def test_an_empty_picture_is_left_out_with_a_line():
    report = Report()
    assert shapes(prim("Mesh", "m"), report=report).shape_count == 0
    assert any("no faces" in line for line in report.lines())


def test_instances_of_a_point_instancer_are_bodies():
    proto = prim(
        "Xform",
        "proto",
        collider("Cube", "c", "double size = 0.2"),
        "float physics:mass = 1",
        apis=("PhysicsRigidBodyAPI", "PhysicsMassAPI"),
    )
    many = prim(
        "PointInstancer",
        "many",
        proto,
        "rel prototypes = [</many/proto>]",
        "int[] protoIndices = [0, 0, 0]",
        "point3f[] positions = [(0,0,0),(1,0,0),(2,0,0)]",
    )
    builder, result = load(stage(many))
    assert builder.body_count == 3
    assert_close([q[0] for q in builder.body_q], [0, 1, 2], "authored", floor=1.0)
    assert list(result["path_body_map"]) == ["/many/proto_0", "/many/proto_1", "/many/proto_2"]


def test_instanceable_references_are_bodies_of_their_own():
    proto = (
        'class Xform "proto" (\n prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n)\n{\n' + collider("Cube", "c") + "\n}"
    )
    copies = "\n".join(
        f'def Xform "i{k}" (\n instanceable = true\n prepend references = </proto>\n)\n{{\n{at(3 * k)}\n}}'
        for k in range(3)
    )
    builder, _ = load(stage(proto, copies))
    assert builder.body_count == 3 and builder.shape_source[0] is builder.shape_source[2]


def test_purpose_and_visibility_decide_what_is_drawn():
    parts = [
        prim("Cube", n, f'uniform token purpose = "{p}"')
        for n, p in (("d", "default"), ("p", "proxy"), ("g", "guide"), ("r", "render"))
    ]
    builder = shapes(*parts, prim("Xform", "hidden", 'token visibility = "invisible"', prim("Cube", "h")))
    assert [bool(f & ShapeFlags.VISIBLE) for f in builder.shape_flags] == [True, True, False, False, False]


def test_pictures_can_be_left_out():
    text = stage(body("a", prim("Cube", "v"), collider("Cube", "c")), prim("Cube", "s"))
    assert [
        load(text, **options)[0].shape_count
        for options in ({}, {"load_visual_shapes": False}, {"load_static_visual_shapes": False})
    ] == [3, 2, 2]


def test_colours_are_display_colours_in_srgb():
    builder = shapes(
        prim(
            "Cube",
            "v",
            "color3f[] primvars:displayColor = [(1, 0, 0.2140411)]",
            "float[] primvars:displayOpacity = [0.5]",
        )
    )
    assert_close(list(builder.shape_color[0]), [1, 0, 0.5], "authored")
    assert_close(builder.shape_opacity[0], 0.5, "authored")


def test_subsets_with_materials_are_shapes_of_their_own():
    look = 'def Material "red" {\n token outputs:surface.connect = </red/s.outputs:surface>\n def Shader "s" {\n uniform token info:id = "UsdPreviewSurface"\n color3f inputs:diffuseColor = (1, 0, 0)\n token outputs:surface\n }\n}'
    part = prim(
        "GeomSubset",
        "part",
        "int[] indices = [0]",
        'uniform token elementType = "face"',
        'uniform token familyName = "materialBind"',
        "rel material:binding = </red>",
        apis=("MaterialBindingAPI",),
    )
    builder = shapes_of(stage(look, body("a", prim("Mesh", "m", *CUBE, part))))
    assert list(builder.shape_label) == ["/a/m/part", "/a/m"]
    assert [len(s.triangles) for s in builder.shape_source] == [2, 10]
    assert_close(list(builder.shape_color[0]), [1, 0, 0], "authored")


def shapes_of(text):
    """The builder of a stage."""
    return load(text)[0]


def test_materials_give_friction_and_contact_gains():
    rubber = prim(
        "Material",
        "rubber",
        "float physics:dynamicFriction = 0.4",
        "float physics:staticFriction = 0.9",
        "float physics:restitution = 0.3",
        "float newton:contactStiffness = 77",
        apis=("PhysicsMaterialAPI",),
    )
    builder, _ = load(
        stage(
            rubber,
            body(
                "a",
                collider("Cube", "c", "rel material:binding:physics = </rubber>", apis=("MaterialBindingAPI",)),
                collider("Cube", "d"),
            ),
        )
    )
    assert_close(list(builder.shape_material_mu), [0.4, 1.0], "authored")
    assert_close([builder.shape_material_restitution[0], builder.shape_material_ke[0]], [0.3, 77], "authored")


def test_filtered_pairs_and_groups_become_pairs_of_shapes():
    groups = "\n".join(
        prim(
            "PhysicsCollisionGroup",
            n,
            f"prepend rel collection:colliders:includes = </{n}b>",
            *extra,
            apis=("CollectionAPI:colliders",),
        )
        for n, extra in (("x", ("rel physics:filteredGroups = </y>",)), ("y", ()))
    )
    bodies = [body(f"{n}b", collider("Cube", "c"), where=at(5 * k)) for k, n in enumerate("xyz")]
    assert {tuple(p) for p in load(stage(groups, *bodies))[0].shape_collision_filter_pairs} == {(0, 1)}
    one = body("p", collider("Cube", "c"), "rel physics:filteredPairs = </q>", apis=("PhysicsFilteredPairsAPI",))
    assert (
        len(set(load(stage(one, body("q", collider("Cube", "c"), where=at(5))))[0].shape_collision_filter_pairs)) == 1
    )


@pytest.mark.parametrize(
    "other, why", [("q", "there is no prim </q>"), ("p/c/d", "there is no prim"), ("q", "</q> has nothing")]
)
def test_filtered_pairs_that_filter_nothing_are_said(other, why):
    one = body("p", collider("Cube", "c"), f"rel physics:filteredPairs = </{other}>", apis=("PhysicsFilteredPairsAPI",))
    more = (prim("Xform", "q"),) if "has nothing" in why else ()
    with pytest.warns(NewtonWarning, match=f"/p <-> /{other} of filteredPairs was not imported: .*{why}"):
        builder, _ = load(stage(one, *more))
    assert not len(builder.shape_collision_filter_pairs)


def test_sites_collide_with_nothing_and_weigh_nothing():
    builder = shapes(prim("Sphere", "s", "double radius = 0.01", apis=("MjcSiteAPI",)))
    assert builder.shape_flags[0] & ShapeFlags.SITE
    assert shapes(prim("Sphere", "s", apis=("NewtonSiteAPI",)), load_sites=False).shape_count == 0


def test_sites_look_as_they_are_authored():
    look = "color3f[] primvars:displayColor = [(1, 0, 0)]\n    float[] primvars:displayOpacity = [0.25]"
    builder = shapes(prim("Sphere", "s", f"double radius = 0.01\n    {look}", apis=("MjcSiteAPI",)))
    assert builder.shape_opacity[0] == 0.25 and list(builder.shape_color[0]) == [1.0, 0.0, 0.0]
