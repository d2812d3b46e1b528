"""TetMesh prims as soft bodies: their tetrahedra in the world, with the elasticity of the material that is bound to them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.geometry.tet_mesh import TetMesh
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import UsdSpec
from newtonlite.importers.usd.tetmesh import get_tetmesh

TYPE = "TetMesh"


@dataclass(eq=False)
class UsdSoft:
    """One soft body: points [n, 3] in the stage's frame [m], tetrahedra [m, 4]; density [kg/m^3] and Lame's constants [Pa] as
    far as a material says them.
    """

    prim: Prim
    points: np.ndarray
    elements: np.ndarray
    material: dict[str, Any]


def read_soft(spec: UsdSpec) -> None:
    """All TetMesh prims, in the order of the stage; ParseError for one without points or tetrahedra."""
    units = spec.units
    for prim in spec.walk.of_type(TYPE):
        try:
            mesh = get_tetmesh(prim.usd)
        except ModelError as problem:
            raise prim.error(str(problem)) from None

        # the prim's frame is baked in; one that mirrors turns the tetrahedra over
        points = mesh.vertices @ prim.matrix[:3, :3].T + prim.matrix[:3, 3]
        elements = np.asarray(mesh.tet_indices, int).reshape(-1, 4)
        if np.linalg.det(prim.matrix[:3, :3]) < 0.0:
            elements = elements[:, [0, 2, 1, 3]]
        pressure = units.mass / units.length  # [Pa] per unit, times being seconds
        spec.soft.append(UsdSoft(prim, points, elements, material_of(mesh, units.density, pressure)))


def material_of(mesh: TetMesh, density: float, pressure: float) -> dict[str, Any]:
    """Density and constants of a mesh, in SI units."""
    known = {"density": density, "k_mu": pressure, "k_lambda": pressure}
    return {
        name: np.asarray(value) * unit if np.ndim(value) else float(value) * unit
        for name, unit in known.items()
        if (value := getattr(mesh, name)) is not None
    }


def add_soft(builder, soft: UsdSoft, place: np.ndarray) -> None:
    """Add a soft body, the stage standing at ``place`` [7]; ParseError for what no flex has."""
    try:
        builder.add_soft_mesh(
            pos=place[:3],
            rot=place[3:],
            scale=1.0,
            vel=(0.0, 0.0, 0.0),
            vertices=soft.points,
            indices=soft.elements.ravel(),
            label=soft.prim.path,
            **soft.material,
        )
    except ModelError as problem:
        raise soft.prim.error(str(problem)) from None
