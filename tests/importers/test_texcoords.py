"""Texture coordinates of meshes beside MuJoCo's, corner by corner."""

import numpy as np
import pytest

from newtonlite import ModelBuilder
from newtonlite.solvers import SolverMuJoCo
from tests.oracle import compile_xml
from tests.tolerance import tolerance

ROOF = """
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v .5 .5 1
vt 0 0
vt 1 0
vt 1 1
vt 0 .5
vt .5 .75
f 4/1 3/2 2/3 1/4
f 1/4 2/1 5/5
f 2/2 3/3 5/5
f 3/-5 4/-4 5/-1
f 4/3 1/1 5/5
"""
POINTS = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1" texcoord="0 0 1 .25 .5 1 .75 .125" face="0 2 1 0 1 3 0 3 2 1 2 3"'
MODEL = """
<mujoco>
  <asset>
    <texture name="t" type="2d" builtin="checker" width="8" height="8"/>
    <material name="m" texture="t"/>
    <mesh name="mesh" {mesh}/>
  </asset>
  <worldbody><body><freejoint/><geom type="mesh" mesh="mesh" {geom}/></body></worldbody>
</mujoco>
"""


def mesh_of(text: str, assets=None):
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(text, assets=assets)
    return builder.shape_source[0]


@pytest.mark.parametrize("scale", ["1 1 1", "-1 1 2"], ids=["plain", "mirrored"])
@pytest.mark.parametrize("mesh", ['file="roof.obj"', POINTS], ids=["obj", "numbers"])
def test_corners_have_mujocos_coordinates(mesh, scale):
    text = MODEL.format(mesh=f'{mesh} scale="{scale}"', geom='material="m"')
    assets = {"roof.obj": ROOF.encode()}
    m, mesh = compile_xml(text, assets), mesh_of(text, assets)
    wanted = m.mesh_texcoord[m.mesh_facetexcoord] * (1.0, -1.0) + (0.0, 1.0)  # ours go upward
    sides = ((m.mesh_face, wanted), (mesh.triangles, mesh.corner_uvs))  # a face may begin at any corner
    (faces, wanted), (triangles, found) = (
        (np.sort(names), np.take_along_axis(uvs, np.argsort(names)[..., None], 1)) for names, uvs in sides
    )
    assert np.array_equal(triangles, faces)
    assert np.allclose(found, wanted, atol=tolerance("drawn_corner"))


def test_meshes_without_a_picture_or_coordinates_have_none():
    bare = "".join(
        f"{line.split()[0]} {' '.join(w.split('/')[0] for w in line.split()[1:])}\n"
        for line in ROOF.split("\n")
        if line and line[:2] != "vt"
    )
    assert mesh_of(MODEL.format(mesh=POINTS, geom="")).corner_uvs is None
    text = MODEL.format(mesh='file="roof.obj"', geom='material="m"')
    assert mesh_of(text, {"roof.obj": bare.encode()}).corner_uvs is None
