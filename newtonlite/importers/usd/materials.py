"""Physics materials, and which prim is bound to which."""

import math
from typing import Any

from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.resolvers import PrimType
from newtonlite.importers.usd.spec import Material, UsdSpec

UNITS = {"mu_torsional": "length", "mu_rolling": "length", "ke": "mass", "kd": "mass", "kf": "mass", "ka": "length"}
"""Units of the settings of a material."""


class Materials:
    """Materials by prim, each read once."""

    def __init__(self, spec: UsdSpec):
        self.spec = spec
        self.read: dict[str, Material | None] = {}

    def of(self, prims: list[Prim]) -> dict[str, Material]:
        """The physics material of each prim that is bound to one, by path."""
        from pxr import UsdShade

        if not prims:
            return {}
        bound, _ = UsdShade.MaterialBindingAPI.ComputeBoundMaterials([p.usd for p in prims], "physics")
        found = {}
        for prim, shade in zip(prims, bound, strict=True):
            material = self.at(str(shade.GetPath())) if shade else None
            if material is not None:
                found[prim.path] = material
        return found

    def at(self, path: str) -> Material | None:
        """The material at a path; None where it says nothing of physics."""
        if path not in self.read:
            prim = self.spec.walk.find(path)
            physical = prim is not None and prim.has("PhysicsMaterialAPI")
            self.read[path] = read_material(self.spec, prim) if physical else None
        return self.read[path]


def read_material(spec: UsdSpec, prim: Prim) -> Material:
    """Friction is the dynamic one; the static one has no counterpart."""
    spec.resolvers.collect(prim)
    friction = not_negative(prim, "physics:dynamicFriction")
    restitution = not_negative(prim, "physics:restitution")
    density = prim.get("physics:density")
    density = 0.0 if density is None else float(density)
    if not math.isfinite(density):
        prim.doubt(f"{density:g}: material density must be finite; it counts as unspecified", "physics:density")
        density = 0.0
    static = prim.finite("physics:staticFriction")
    if static is not None and static != friction:
        spec.report.ignore(prim, "contacts have one friction, the dynamic one", "physics:staticFriction")
    values: dict[str, Any] = {}
    for key, unit in UNITS.items():
        value, _ = spec.resolvers.source(prim, PrimType.MATERIAL, key)
        if value is None:
            continue
        value = float(value)
        if not 0.0 <= value < float("inf"):
            raise prim.error(f"{key} is {value:g}; give a finite number of at least 0")
        values[key] = value * getattr(spec.units, unit)
    return Material(prim, friction, restitution, max(density, 0.0) * spec.units.density, values)


def not_negative(prim: Prim, name: str) -> float:
    """A finite number of at least 0; 0 where none is authored."""
    value = prim.finite(name, 0.0)
    if value < 0:
        raise prim.error(f"{value:g} is negative; give at least 0", name)
    return value
