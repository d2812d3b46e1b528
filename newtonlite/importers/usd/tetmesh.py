"""``get_tetmesh``: the tetrahedra of a TetMesh prim, with the elasticity of the material that is bound to it."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonlite.core.enums import AttributeFrequency
from newtonlite.core.errors import ModelError, NewtonDeprecationWarning, NewtonWarning, external
from newtonlite.core.lazy_import import import_module
from newtonlite.geometry.tet_mesh import TetMesh
from newtonlite.importers.usd.applied import applied
from newtonlite.importers.usd.resolvers import authored

DEFORMABLE_LEGACY_NAMESPACES = ("omniphysics", "physxDeformableBody")
"""Namespaces of vendors in which materials of soft bodies were written before there were some in ``physics:``."""
VOLUME_API = "PhysicsVolumeDeformableMaterialAPI"
MODULI = ("youngsModulus", "poissonsRatio", "density")
YOUNG, POISSON, ALMOST_INCOMPRESSIBLE = 1e6, 0.3, 0.499  # [Pa], of the schema
DRAWN = ("st", "normals", "displayColor", "displayOpacity")
OF_SCHEMA = """points tetVertexIndices surfaceFaceVertexIndices extent orientation purpose visibility displayOpacity xformOpOrder
    proxyPrim velocities accelerations normals""".split()
SKIPPED = ("primvars:", "xformOp:", "physics:", *(f"{n}:" for n in DEFORMABLE_LEGACY_NAMESPACES))
FREQUENCY = {
    "vertex": AttributeFrequency.PARTICLE,
    "varying": AttributeFrequency.PARTICLE,
    "uniform": AttributeFrequency.TETRAHEDRON,
    "constant": AttributeFrequency.ONCE,
}
"""Frequency of a primvar, by its interpolation."""


def schemas(name: str) -> Any:
    """A module of USD's schemas."""
    return import_module(f"pxr.{name}")


def find_tetmesh_prims(stage: Any) -> list[Any]:
    """All prims of a stage whose type is TetMesh."""
    return [prim for prim in stage.Traverse() if prim.IsA(schemas("UsdGeom").TetMesh)]


def get_tetmesh(prim: Any, *, compat_namespaces: Sequence[str] | None = None) -> TetMesh:
    """The mesh of a TetMesh prim, in its own frame and units.

    Lame's constants and density are those of the bound physics material, in the stage's units. ``compat_namespaces``:
    () reads ``physics:`` attributes of a material with PhysicsVolumeDeformableMaterialAPI alone; names of namespaces
    are read as well, of any material; None is ``DEFORMABLE_LEGACY_NAMESPACES`` and warns where that matters. Primvars
    and arrays of other names become custom attributes. Raises ModelError for a prim without points or tetrahedra.
    """
    shape = schemas("UsdGeom").TetMesh(prim)
    points, corners = shape.GetPointsAttr().Get(), shape.GetTetVertexIndicesAttr().Get()
    for name, value in (("points", points), ("tetVertexIndices", corners)):
        if value is None:
            raise ModelError(f"<{prim.GetPath()}> {name}: has no value; a TetMesh needs it")

    # tetrahedra of the other handedness are turned over
    indices = np.array(corners, np.int32).reshape(-1, 4)
    if shape.GetOrientationAttr().Get() == "leftHanded":
        indices = indices[:, [0, 2, 1, 3]]
    found = TetMesh(np.array(points, np.float32), indices, **material_of(prim, compat_namespaces))
    for name, (array, frequency) in attributes(prim).items():
        try:
            found.put_attribute(name, array, frequency)
        except ModelError as problem:
            warn(f"<{prim.GetPath()}>: {problem}; it is left out")
    return found


def warn(text: str, kind: type[Warning] = NewtonWarning) -> None:
    """Warn at the caller outside of newtonlite."""
    warnings.warn(text, kind, stacklevel=external())


def material_of(prim: Any, namespaces: Sequence[str] | None) -> dict[str, float]:
    """``k_mu``, ``k_lambda`` and ``density``, as far as the bound material says them."""
    misplaced = [name for name in MODULI[:2] if authored(prim, f"physics:{name}") is not None]
    if misplaced:
        warn(
            f"<{prim.GetPath()}> {', '.join(f'physics:{name}' for name in misplaced)}: authored on the geometry, where it has no "
            f"effect; put it on the bound material, which applies {VOLUME_API}"
        )
    bound = schemas("UsdShade").MaterialBindingAPI(prim).ComputeBoundMaterial("physics")[0].GetPrim()
    if not bound:
        return {}
    own = VOLUME_API in applied(bound)
    if namespaces is None:
        namespaces = DEFORMABLE_LEGACY_NAMESPACES
        if not own and any(value_of(bound, name, namespaces) is not None for name in MODULI):
            warn(
                f"get_tetmesh: <{bound.GetPath()}> does not apply {VOLUME_API}; reading it all the same is deprecated: give "
                "compat_namespaces=(), or newtonlite.usd.DEFORMABLE_LEGACY_NAMESPACES to go on",
                NewtonDeprecationWarning,
            )
    values: dict[str, float] = {}
    if own or namespaces:
        values |= elasticity(bound, namespaces, own)
    density = scalar_of(bound, "density", namespaces)
    if density is None and "PhysicsMaterialAPI" in applied(bound):
        density = scalar_of(bound, "density", ())
    if density is not None and 0.0 < density < math.inf:
        values["density"] = density
    elif density:
        warn(f"<{bound.GetPath()}> density: invalid, {density:g}; give a positive number; it counts as not given")
    return values


def elasticity(material: Any, namespaces: Sequence[str], own: bool) -> dict[str, float]:
    """Lame's constants; ``own`` materials that say nothing have the schema's."""
    stage, geom = material.GetStage(), schemas("UsdGeom")
    unit = geom.GetStageMetersPerUnit(stage) if geom.StageHasAuthoredMetersPerUnit(stage) else 1.0
    default = YOUNG * unit if own else None
    young = scalar_of(material, "youngsModulus", namespaces)
    if young is None or young == -math.inf:  # the schema's word for nothing
        young = default
    elif not 0.0 <= young < math.inf:
        warn(
            f"<{material.GetPath()}> youngsModulus: invalid, {young:g}; give a finite one of at least 0; it counts as not given"
        )
        young = default
    if young is None:
        return {}
    nu = scalar_of(material, "poissonsRatio", namespaces)
    nu = POISSON if nu is None else nu
    if 0.5 <= nu < 1.0:
        warn(f"<{material.GetPath()}> poissonsRatio: {nu:g} leaves no volume change; {ALMOST_INCOMPRESSIBLE} is taken")
        nu = ALMOST_INCOMPRESSIBLE
    elif not -1.0 < nu < 0.5:
        warn(
            f"<{material.GetPath()}> poissonsRatio: invalid, {nu:g}; give one between -1 and 0.5; it counts as not given"
        )
        nu = POISSON
    return {"k_mu": young / (2.0 * (1.0 + nu)), "k_lambda": young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))}


def value_of(material: Any, name: str, namespaces: Sequence[str]) -> Any:
    """The value in ``physics:``, else in the first namespace that has one."""
    found = (authored(material, f"{space}:{name}") for space in ("physics", *namespaces))
    return next((value for value in found if value is not None), None)


def scalar_of(material: Any, name: str, namespaces: Sequence[str]) -> float | None:
    """The value as a number; None, with a warning, where it is none."""
    value = value_of(material, name, namespaces)
    if value is None:
        return None
    try:
        if isinstance(value, bool | str):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        warn(f"<{material.GetPath()}> {name}: {value!r} is no number; it counts as not given")
        return None


def attributes(prim: Any) -> dict[str, tuple[np.ndarray, AttributeFrequency | None]]:
    """Primvars and arrays that are no part of the schema, with what there is a value for, None where nothing says it."""
    found: dict[str, tuple[np.ndarray, AttributeFrequency | None]] = {}
    for primvar in schemas("UsdGeom").PrimvarsAPI(prim).GetPrimvarsWithValues():
        value, name = primvar.ComputeFlattened(), str(primvar.GetPrimvarName())
        if value is not None and name not in DRAWN:
            found[name] = np.array(value), FREQUENCY.get(primvar.GetInterpolation())
    for attr in prim.GetAttributes():
        name = attr.GetName()
        if name in OF_SCHEMA or name.startswith(SKIPPED) or not attr.HasAuthoredValue():
            continue
        array = np.array(attr.Get())
        if array.ndim and array.dtype != object:
            found[name] = array, None
    return found
