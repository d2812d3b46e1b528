"""TetMesh prims are soft bodies: where they stand, what they weigh, how stiff they are."""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.errors import ParseError
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness.usd_stages import prim, stage
from tests.tolerance import assert_close

YOUNG, POISSON, DENSITY = 3.0e5, 0.3, 40.0
RUBBER = prim(
    "Material",
    "Rubber",
    f"custom float physics:density = {DENSITY}",
    f"custom float physics:youngsModulus = {YOUNG}",
    f"custom float physics:poissonsRatio = {POISSON}",
    apis=("PhysicsVolumeDeformableMaterialAPI",),
)
POINTS = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]"
STANDS = """double3 xformOp:translate = (3, 0, 0)
float3 xformOp:scale = (1, {}, 2)
uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]"""


def block(*inside: str, bound: bool = True) -> str:
    """A prim of one tetrahedron."""
    material = "rel material:binding:physics = </Rubber>" if bound else ""
    corners = "int4[] tetVertexIndices = [(0, 1, 2, 3)]"
    return prim("TetMesh", "Block", *inside, corners, material, apis=("MaterialBindingAPI",) if bound else ())


@pytest.mark.parametrize("stretch", [1.0, -1.0])
def test_a_prim_becomes_a_flex_where_it_stands(stretch):
    """In metres and kilograms, whatever the units of the stage."""
    builder = newton.ModelBuilder()
    builder.add_usd(stage(RUBBER, block(POINTS, STANDS.format(stretch)), meters=0.5), xform=(0, 0, 1, 0, 0, 0, 1))
    compiled = compile_model(builder.finalize(device="cpu"))
    corners = 0.5 * (np.array([[0, 0, 0], [1, 0, 0], [0, stretch, 0], [0, 0, 2]]) + [3, 0, 0]) + [0, 0, 1]
    assert compiled.nflex == 1 and builder.custom_attributes["mujoco:flex_name"].values == ["/Block"]
    assert_close(compiled.body_pos[1:], corners, "authored")
    density, volume = DENSITY / 0.5**3, 2.0 / 6.0 * 0.5**3
    assert_close(compiled.body_mass[1:], np.full(4, density * volume / 4), "authored")


def test_a_frame_that_mirrors_turns_the_tetrahedra_over():
    """So that their volumes have the sign that they have without it."""
    signs = []
    for stretch in (1.0, -1.0):
        builder = newton.ModelBuilder()
        builder.add_usd(stage(block(POINTS, STANDS.format(stretch), bound=False)))
        compiled = compile_model(builder.finalize(device="cpu"))
        corner = compiled.body_pos[1:][np.ravel(compiled.flex_elem)]
        signs.append(np.sign(np.linalg.det(corner[1:] - corner[0])))
    assert signs[0] == signs[1] != 0


def test_its_elasticity_is_that_of_its_material():
    """Stiffness as of a block that Lame's constants were given for; 1,000 of each without a material, as in Newton."""
    authored, bare, given = (newton.ModelBuilder() for _ in range(3))
    authored.add_usd(stage(RUBBER, block(POINTS)))
    bare.add_usd(stage(block(POINTS, bound=False)))
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    still = dict(pos=(0, 0, 0), rot=(0, 0, 0, 1), vel=(0, 0, 0), scale=1.0, vertices=corners, indices=[0, 1, 2, 3])
    lame = dict(k_mu=YOUNG / (2 * (1 + POISSON)), k_lambda=YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)))
    given.add_soft_mesh(**still, **lame)
    stiff = [compile_model(b.finalize(device="cpu")).flex_stiffness for b in (authored, given)]
    assert_close(*stiff, "authored")
    known = bare.custom_attributes
    assert known["mujoco:flex_poisson"].values == [0.25]
    assert_close(list(known["mujoco:flex_young"].values), [2500.0], "authored")


def test_one_without_points_is_refused_with_its_place():
    with pytest.raises(ParseError, match="</Block>.*points"):
        newton.ModelBuilder().add_usd(stage(block(bound=False)))
