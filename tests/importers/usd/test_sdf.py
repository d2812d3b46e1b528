"""Signed distance fields and pressure fields that colliders ask for, and the columns that keep them."""

import pytest

import newtonlite
from newtonlite.core.enums import ShapeFlags
from newtonlite.core.errors import ModelError, NewtonWarning
from tests.harness.usd_stages import body, collider, load, stage

API = ("NewtonSDFCollisionAPI",)
TETRA = (
    "point3f[] points = [(0,0,0),(1,0,0),(0,1,0),(0,0,1)]",
    "int[] faceVertexCounts = [3,3,3,3]",
    "int[] faceVertexIndices = [0,2,1, 0,1,3, 0,3,2, 1,2,3]",
)


def fielded(*inside, kind="Sphere", apis=API, meters=1.0, **options):
    """The builder of a body with one collider that says something of its field."""
    return load(stage(body("a", collider(kind, "c", *inside, apis=apis)), meters=meters), **options)[0]


def field(builder) -> tuple:
    """Resolution, voxel size, padding, format and band of the one shape."""
    names = ("max_resolution", "target_voxel_size", "padding", "texture_format", "narrow_band_range")
    return tuple(getattr(builder, f"shape_sdf_{name}")[0] for name in names)


def test_the_schema_alone_means_its_resolution():
    assert field(fielded()) == (64, None, None, "uint16", (-0.1, 0.1))
    assert field(fielded(apis=())) == (None, None, None, "uint16", (-0.1, 0.1))


def test_values_land_in_the_columns_with_units_and_the_voxel_size_wins():
    said = (
        "float newton:sdfTargetVoxelSize = 2",
        "float newton:sdfPadding = 5",
        'uniform token newton:sdfTextureFormat = "uint8"',
        "float newton:sdfNarrowBandOuter = 30",
    )
    assert field(fielded(*said, meters=0.01)) == (None, pytest.approx(0.02), pytest.approx(0.05), "uint8", (-0.1, 0.3))
    with pytest.warns(NewtonWarning, match="sdfTargetVoxelSize takes precedence"):
        both = fielded("float newton:sdfTargetVoxelSize = 0.1", "int newton:sdfMaxResolution = 32")
    assert field(both)[:2] == (None, pytest.approx(0.1))


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("int newton:sdfMaxResolution = 30", 0),
        ("int newton:sdfMaxResolution = -8", 0),
        ("float newton:sdfTargetVoxelSize = -1", 1),
        ("float newton:sdfPadding = -0.5", 2),
        ('uniform token newton:sdfTextureFormat = "int4"', 3),
    ],
)
def test_impossible_values_warn_and_count_as_not_given(line, place):
    with pytest.warns(NewtonWarning, match="is invalid"):
        assert field(fielded(line))[place] == field(fielded())[place]


def test_a_pressure_field_of_a_mesh_needs_a_distance_field():
    press = "bool newton:hydroelasticEnabled = true"
    mesh = fielded(*TETRA, press, "float newton:hydroelasticStiffness = 7", kind="Mesh")
    assert mesh.shape_flags[0] & ShapeFlags.HYDROELASTIC and mesh.shape_material_kh[0] == 7.0
    with pytest.warns(NewtonWarning, match="requires newton:sdfMaxResolution"):
        bare = fielded(*TETRA, press, kind="Mesh", apis=())
    assert not bare.shape_flags[0] & ShapeFlags.HYDROELASTIC
    assert fielded(press, apis=()).shape_flags[0] & ShapeFlags.HYDROELASTIC


def tetrahedron(*settings: dict):
    """A builder with one mesh in as many shapes as there are settings."""
    builder, triangles = newtonlite.ModelBuilder(), [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    mesh = newtonlite.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], triangles)
    for values in settings:
        builder.add_shape_mesh(builder.add_body(), mesh=mesh, cfg=builder.ShapeConfig(**values))
    return builder, mesh


def test_columns_count_when_the_model_is_made():
    builder, mesh = tetrahedron({})
    builder.shape_sdf_max_resolution[0] = 16
    assert mesh.sdf is None
    builder.finalize(device="cpu")
    assert mesh.sdf is not None
    with pytest.raises(ModelError, match="SDF / hydroelastic configuration cannot be preserved"):
        builder.approximate_meshes("bounding_box")


def test_two_shapes_of_a_mesh_agree_about_its_field():
    builder, mesh = tetrahedron({"sdf_max_resolution": 16}, {"sdf_max_resolution": 8})
    with pytest.raises(ModelError, match="wants another signed distance field"):
        builder.finalize(device="cpu")
    builder.shape_sdf_max_resolution[1] = 16
    copies = newtonlite.ModelBuilder()
    copies.replicate(builder, 2)
    copies.finalize(device="cpu")
    assert mesh.sdf is not None
