"""Files that a stage names, other than its layers: pictures of materials and value clips stay in its folder."""

import os

import numpy as np
import pytest

from newtonlite.core.errors import FileError, NewtonWarning, ParseError
from newtonlite.importers.report import Report
from newtonlite.importers.usd.mesh_source import get_mesh
from newtonlite.sim.builder import ModelBuilder
from newtonlite.viewer.png import encode

pytest.importorskip("pxr")
STAGE = """#usda 1.0
(
 defaultPrim = "W"
 metersPerUnit = 1
)
def Xform "W"
{{
 def Mesh "m" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"])
 {{
  int[] faceVertexCounts = [3, 3, 3, 3]
  int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
  point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
  texCoord2f[] primvars:st = [(0, 0), (1, 0), (0, 1), (1, 1)] (interpolation = "vertex")
  rel material:binding = </W/mat>
 }}
 def Material "mat"
 {{
  token outputs:surface.connect = </W/mat/s.outputs:surface>
  def Shader "s"
  {{
   uniform token info:id = "UsdPreviewSurface"
   color3f inputs:diffuseColor.connect = </W/mat/t.outputs:rgb>
   token outputs:surface
  }}
  def Shader "t"
  {{
   uniform token info:id = "UsdUVTexture"
   asset inputs:file = @{}@
   token inputs:sourceColorSpace = "raw"
   float3 outputs:rgb
  }}
 }}
}}
"""
CLIPS = """#usda 1.0
(defaultPrim = "W")
def Xform "W" (clips = {{dictionary default = {{
 asset[] assetPaths = [@{}@]
 string primPath = "/W"
 double2[] active = [(0, 0)]
 double2[] times = [(0, 0)]
}}}}) {{}}
"""
CLIP = '#usda 1.0\n(defaultPrim = "W")\ndef Xform "W" {}\n'


@pytest.fixture
def place(tmp_path):
    """A folder of a stage, and files beside that folder."""
    home = tmp_path / "a" / "project"
    home.mkdir(parents=True)
    picture = encode(np.full((2, 2, 3), 7, np.uint8))
    for path in (home / "own.png", tmp_path / "secret.png"):
        path.write_bytes(picture)
    (home / "link.png").symlink_to(tmp_path / "secret.png")
    for path in (home / "own.usda", tmp_path / "secret.usda"):
        path.write_text(CLIP)
    os.mkfifo(home / "pipe.usda")
    return home


def texture(place, name: str, **options):
    """The picture of the mesh that a stage with this one gets."""
    path = place / "scene.usda"
    path.write_text(STAGE.format(name))
    builder, report = ModelBuilder(), Report()
    builder.add_usd(path, report=report, **options)
    (mesh,) = (source for source in builder.shape_source if source is not None)
    return mesh.texture, report


@pytest.mark.parametrize("name", ["../../secret.png", "{}/secret.png", "link.png", "file://{}/secret.png"])
def test_a_picture_outside_is_left_out_with_a_warning(place, name):
    name = name.format(place.parents[1])
    with pytest.warns(NewtonWarning, match="lies outside the folder of the stage .* allow_outside=True"):
        found, report = texture(place, name)
    assert found is None and len(report.refused) == 1
    with pytest.warns(NewtonWarning, match="outside"):
        assert get_mesh(str(place / "scene.usda"), load_uvs=True).texture is None


def test_a_picture_inside_or_where_it_is_allowed_is_kept(place):
    assert texture(place, "own.png")[0].endswith("own.png")
    assert texture(place, "../../secret.png", allow_outside=True)[0].endswith("secret.png")
    assert get_mesh(str(place / "scene.usda"), load_uvs=True, allow_outside=True).texture.shape == (2, 2, 3)


@pytest.mark.parametrize("name", ["../../secret.usda", "{}/secret.usda"])
def test_value_clips_outside_are_refused_before_they_are_opened(place, name):
    (place / "scene.usda").write_text(CLIPS.format(name.format(place.parents[1])))
    with pytest.raises(ParseError, match="lies outside the folder of the stage"):
        ModelBuilder().add_usd(place / "scene.usda")
    ModelBuilder().add_usd(place / "scene.usda", allow_outside=True)


@pytest.mark.parametrize("text", [CLIPS, '#usda 1.0\ndef Xform "W" (prepend references = @{}@) {{}}'])
def test_a_layer_that_is_a_pipe_is_refused_not_waited_for(place, text):
    (place / "scene.usda").write_text(text.format("pipe.usda"))
    for options in ({}, {"allow_outside": True}):
        with pytest.raises(FileError, match="is a device or a pipe"):
            ModelBuilder().add_usd(place / "scene.usda", **options)
    with pytest.raises(FileError, match="is a device or a pipe"):
        ModelBuilder().add_usd(place / "pipe.usda")


@pytest.mark.parametrize("word", ["no", "false", 2])
def test_what_is_no_answer_is_refused(place, word):
    with pytest.raises(ValueError, match="allow_outside=.*: expected True, False or None"):
        texture(place, "own.png", allow_outside=word)
