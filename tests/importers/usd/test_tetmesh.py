"""TetMesh prims as meshes: handedness, elasticity of the bound material, attributes of one's own."""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError, NewtonDeprecationWarning, NewtonWarning

Usd = pytest.importorskip("pxr.Usd")
from newtonlite import usd

F = newton.Model.AttributeFrequency
STAGE = """#usda 1.0
( metersPerUnit = 1 )
def Material "M" {apis}
{{
    {says}
}}
def TetMesh "T" ( prepend apiSchemas = ["MaterialBindingAPI"] )
{{
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]
    int4[] tetVertexIndices = [(0, 1, 2, 3), (1, 2, 3, 4)]
    rel material:binding:physics = </M>
    {own}
}}
"""
APPLIED = '( prepend apiSchemas = ["{}"] )'
VOLUME, RIGID = map(APPLIED.format, ("PhysicsVolumeDeformableMaterialAPI", "PhysicsMaterialAPI"))
VENDOR = "custom float omniphysics:youngsModulus = 300\ncustom float omniphysics:poissonsRatio = 0.25"


def prim(apis="", says="", own=""):
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(STAGE.format(apis=apis, says=says, own=own))
    prim.stage = stage
    (found,) = usd.find_tetmesh_prims(stage)
    return found


def test_points_and_tetrahedra_of_either_hand():
    right = usd.get_tetmesh(prim())
    left = usd.get_tetmesh(prim(own='uniform token orientation = "leftHanded"'))
    assert right.tet_indices.tolist() == [0, 1, 2, 3, 1, 2, 3, 4]
    assert left.tet_indices.tolist() == [0, 2, 1, 3, 1, 3, 2, 4]
    assert right.vertices.shape == (5, 3) and right.k_mu is right.density is None
    assert newton.TetMesh.create_from_usd(prim()) == right


def test_a_prim_without_points_is_refused():
    stage = Usd.Stage.CreateInMemory()
    empty = stage.DefinePrim("/Empty", "TetMesh")
    with pytest.raises(ModelError, match="</Empty> points: has no value"):
        usd.get_tetmesh(empty)


def test_elasticity_is_the_materials():
    says = "custom float physics:youngsModulus = 300\ncustom float physics:poissonsRatio = 0.25\ncustom float physics:density = 9"
    found = usd.get_tetmesh(prim(VOLUME, says))
    assert found.k_mu.tolist() == [120.0, 120.0] and found.k_lambda.tolist() == [120.0, 120.0] and found.density == 9.0
    default = usd.get_tetmesh(prim(VOLUME))
    young, nu = 1e6, 0.3
    assert default.k_mu[0] == pytest.approx(young / 2 / (1 + nu))
    assert default.k_lambda[0] == pytest.approx(young * nu / (1 + nu) / (1 - 2 * nu))


def test_other_namespaces_are_read_where_they_are_asked_for():
    assert usd.get_tetmesh(prim(says=VENDOR), compat_namespaces=()).k_mu is None
    assert usd.get_tetmesh(prim(says=VENDOR), compat_namespaces=usd.DEFORMABLE_LEGACY_NAMESPACES).k_mu[0] == 120.0
    with pytest.warns(NewtonDeprecationWarning, match=r"</M> does not apply .* compat_namespaces=\(\)"):
        assert usd.get_tetmesh(prim(says=VENDOR)).k_mu[0] == 120.0
    rigid = prim(RIGID, "float physics:density = 7")
    assert usd.get_tetmesh(rigid, compat_namespaces=()).density == 7.0


@pytest.mark.parametrize(
    ("apis", "says", "own", "text"),
    [
        ("", "", "custom float physics:youngsModulus = 3", "</T> physics:youngsModulus: authored on the geometry"),
        (VOLUME, "custom float physics:youngsModulus = -3", "", "</M> youngsModulus: invalid, -3"),
        (VOLUME, 'custom string physics:youngsModulus = "x"', "", "</M> youngsModulus: 'x' is no number"),
        (VOLUME, "custom float physics:poissonsRatio = 0.5", "", "0.499 is taken"),
        (VOLUME, "custom float physics:poissonsRatio = 2", "", "poissonsRatio: invalid, 2"),
        (VOLUME, "custom float physics:density = -1", "", "density: invalid, -1"),
        ("", "", "custom float[] odd = [1, 2, 3]", "'odd': cannot infer .*left out"),
    ],
)
def test_what_is_left_out_is_said(apis, says, own, text):
    with pytest.warns(NewtonWarning, match=text):
        usd.get_tetmesh(prim(apis, says, own), compat_namespaces=())


def test_primvars_and_arrays_are_attributes():
    own = """float[] primvars:heat = [1, 2, 3, 4, 5] ( interpolation = "vertex" )
    int[] primvars:part = [7, 8] ( interpolation = "uniform" )
    color3f[] primvars:displayColor = [(1, 0, 0)]
    custom vector3f[] flow = [(0, 0, 1), (0, 0, 2), (0, 0, 3), (0, 0, 4), (0, 0, 5)]
    custom float level = 3"""
    found = usd.get_tetmesh(prim(own=own)).custom_attributes
    assert {name: frequency for name, (_, frequency) in found.items()} == {
        "heat": F.PARTICLE,
        "part": F.TETRAHEDRON,
        "flow": F.PARTICLE,
    }
    assert found["flow"][0].shape == (5, 3) and np.array_equal(found["part"][0], [7, 8])
