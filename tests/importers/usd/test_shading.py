"""Normals and texture coordinates: authored ones at their places, made ones, vertices split where corners differ."""

import numpy as np
import pytest

import newtonlite
import newtonlite.usd as usd
from newtonlite.core.errors import ModelError, NewtonDeprecationWarning
from tests.harness.usd_stages import body, load, prim, stage
from tests.tolerance import assert_close

FOLD = (
    "point3f[] points = [(0,0,0), (1,0,0), (0,1,0), (0,0,1)]",
    "int[] faceVertexCounts = [3, 3]",
    "int[] faceVertexIndices = [0,1,2, 0,3,1]",
)
QUAD = (
    "point3f[] points = [(0,0,0), (1,0,0), (1,1,0), (0,1,0)]",
    "int[] faceVertexCounts = [4]",
    "int[] faceVertexIndices = [0,1,2,3]",
)


def mesh_prim(*inside):
    """The mesh prim of a stage, which is returned too since the prim does not hold it."""
    from pxr import Usd

    whole = Usd.Stage.CreateInMemory()
    whole.GetRootLayer().ImportFromString(stage(prim("Mesh", "m", *inside)))
    return whole, whole.GetPrimAtPath("/m")


def normals(values, interpolation):
    """Authored normals."""
    return f'normal3f[] primvars:normals = {values} ( interpolation = "{interpolation}" )'


def uvs(values, interpolation="faceVarying", name="st"):
    """Authored texture coordinates."""
    return f'texCoord2f[] primvars:{name} = {values} ( interpolation = "{interpolation}" )'


@pytest.mark.parametrize(("scheme", "count"), [("none", 6), ("bilinear", 6), ("catmullClark", 4)])
def test_missing_normals_are_made_as_the_subdivision_scheme_asks(scheme, count):
    _stage, source = mesh_prim(*FOLD, f'uniform token subdivisionScheme = "{scheme}"')
    mesh = usd.get_mesh(source, load_normals=True)
    assert len(mesh.vertices) == count
    corners = mesh.normals[mesh.triangles]
    want = [[[0, 0, 1]] * 3, [[0, 1, 0]] * 3]
    if scheme == "catmullClark":
        half = 0.5**0.5
        want = [[[0, half, half], [0, half, half], [0, 0, 1]], [[0, half, half], [0, 1, 0], [0, half, half]]]
    assert_close(corners, want, "authored", floor=1.0)


@pytest.mark.parametrize(
    ("policy", "angle", "count"),
    [("vertex_averaging", 0, 4), ("angle_weighted", 0, 4), ("vertex_splitting", 0, 6), ("vertex_splitting", 100, 4)],
)
def test_corners_of_a_point_share_a_vertex_as_the_policy_has_it(policy, angle, count):
    _stage, source = mesh_prim(*FOLD, normals("[(0,0,1), (0,1,0)]", "uniform"))
    mesh, _, points = usd.get_mesh(
        source,
        load_normals=True,
        return_source_point_indices=True,
        face_varying_normal_conversion=policy,
        vertex_splitting_angle_threshold_deg=angle,
    )
    assert len(mesh.vertices) == count
    assert points[mesh.indices].tolist() == [0, 1, 2, 0, 3, 1]


def test_a_seam_of_texture_coordinates_splits_a_vertex():
    seam = uvs("[(0,0), (1,0), (0,1), (0.5,0.5), (1,0), (1,1)]")
    square = (QUAD[0], "int[] faceVertexCounts = [3, 3]", "int[] faceVertexIndices = [0,1,3, 3,1,2]")
    _stage, source = mesh_prim(*square, seam)
    mesh, corners = usd.get_mesh(source, load_uvs=True, return_uv_indices=True)
    assert len(mesh.vertices) == 5
    assert_close(mesh.uvs[corners], [[0, 0], [1, 0], [0, 1], [0.5, 0.5], [1, 0], [1, 1]], "authored", floor=1.0)
    kept, corners = usd.get_mesh(source, load_uvs=True, preserve_facevarying_uvs=True, return_uv_indices=True)
    assert len(kept.vertices) == 4 and len(kept.uvs) == 6


def test_values_of_a_length_that_does_not_fit_count_as_missing():
    _stage, source = mesh_prim(*QUAD, uvs("[(0,0), (1,1)]"), normals("[(0,0,1), (0,0,1)]", "vertex"))
    mesh = usd.get_mesh(source, load_uvs=True, load_normals=True)
    assert mesh.uvs is None
    assert_close(mesh.normals, [[0, 0, 1]] * 4, "authored", floor=1.0)


def test_indexed_normals_of_faces_reach_the_shapes_of_an_import():
    indexed = normals("[(0,0,1), (0,1,0)]", "uniform") + "\nint[] primvars:normals:indices = [1, 0]"
    builder, _ = load(stage(body("a", prim("Mesh", "m", *FOLD, indexed))))
    mesh = builder.shape_source[0]
    assert_close(mesh.normals[mesh.triangles][:, 0], [[0, 1, 0], [0, 0, 1]], "authored", floor=1.0)


def test_meshes_of_a_stage_are_joined_in_metres_and_in_the_frame_of_the_root(tmp_path):
    place = "double3 xformOp:translate = ({}, 0, 0)\n" + 'uniform token[] xformOpOrder = ["xformOp:translate"]'
    mirror = "float3 xformOp:scale = (-1, 1, 1)\n" + 'uniform token[] xformOpOrder = ["xformOp:scale"]'
    parts = prim("Mesh", "one", *QUAD, place.format(100)), prim("Mesh", "two", *FOLD, mirror)
    path = tmp_path / "two.usda"
    path.write_text(stage(prim("Xform", "root", place.format(1000), *parts), meters=0.01))
    mesh = newtonlite.Mesh.create_from_usd(path, root_path="/root")
    assert_close(mesh.vertices[0], [1, 0, 0], "authored", floor=1.0)
    assert_close(mesh.vertices[5], [-0.01, 0, 0], "authored", floor=1.0)
    assert mesh.triangles[2].tolist() == [4, 6, 5]  # turned over


def test_a_texture_of_linear_values_is_read_as_display_values(tmp_path):
    from newtonlite.viewer.png import write_png

    pixel = np.array([[[64, 128, 255]]], np.uint8)
    write_png(tmp_path / "a.png", pixel)
    shader = prim(
        "Shader",
        "surface",
        'uniform token info:id = "UsdPreviewSurface"',
        "color3f inputs:diffuseColor.connect = </look/image.outputs:rgb>",
        "float inputs:roughness = 0.25",
        "token outputs:surface",
    )
    image = prim(
        "Shader",
        "image",
        'uniform token info:id = "UsdUVTexture"',
        f"asset inputs:file = @{tmp_path / 'a.png'}@",
        'token inputs:sourceColorSpace = "raw"',
        "float3 outputs:rgb",
    )
    look = prim("Material", "look", "token outputs:surface.connect = </look/surface.outputs:surface>", shader, image)
    from pxr import Usd

    whole = Usd.Stage.CreateInMemory()
    bound = prim("Mesh", "m", *QUAD, "rel material:binding = </look>", apis=("MaterialBindingAPI",))
    whole.GetRootLayer().ImportFromString(stage(bound, look))
    mesh = usd.get_mesh(whole.GetPrimAtPath("/m"))
    assert mesh.texture[0, 0].tolist() == [137, 188, 255]  # of the sRGB curve
    assert mesh.roughness == 0.25


def test_get_mesh_says_what_is_wrong_with_a_source(tmp_path):
    with pytest.raises(ModelError, match="HTTP USD URLs are not supported"):
        usd.get_mesh("http://example.com/a.usda")
    with pytest.raises(TypeError, match="give a USD prim, a stage or a path"):
        usd.get_mesh(3)
    (tmp_path / "a.usda").write_text(stage(prim("Xform", "a")))
    with pytest.raises(ModelError, match="no mesh below </>"):
        usd.get_mesh(tmp_path / "a.usda")
    with pytest.raises(ModelError, match="return_uv_indices is only supported"):
        usd.get_mesh(tmp_path / "a.usda", return_uv_indices=True)


def test_options_by_position_mean_what_they_did_with_a_warning():
    _, mesh = mesh_prim(*FOLD)
    wanted = usd.get_mesh(mesh, load_normals=True, vertex_splitting_angle_threshold_deg=10.0)
    with pytest.warns(NewtonDeprecationWarning, match="by keyword"):
        found = usd.get_mesh(mesh, True, False, None, "vertex_splitting", 10.0, compute_inertia=False)
    assert_close(found.normals, wanted.normals, "authored", floor=1.0)
    with (
        pytest.warns(NewtonDeprecationWarning),
        pytest.raises(TypeError, match="multiple values for argument 'load_uvs'"),
    ):
        usd.get_mesh(mesh, True, False, load_uvs=True)
