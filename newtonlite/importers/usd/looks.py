"""How prims look: visibility, purpose, colours and textures of materials, materials by face."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from newtonlite.core.enums import GeoType
from newtonlite.importers.usd.gprims import Geometry
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import Spec

COLORS = (
    "diffuseColor",
    "baseColor",
    "base_color",
    "diffuse_color_constant",
    "diffuse_color",
    "diffuse_reflection_color",
)
OPACITIES = ("opacity", "opacity_constant", "geometry_opacity")
DRAWN = ("default", "proxy")
"""Purposes of what is drawn."""


class Looks:
    """Looks of prims, materials read once."""

    def __init__(self, spec: Spec):
        self.spec = spec
        self.bound: dict[str, str] = {}
        """Path of the material of each prim."""
        self.read: dict[str, tuple[Any, Any, Any]] = {}
        self.seen: dict[str, tuple[bool, str]] = {}

    def bind(self, prims: list[Prim]) -> None:
        """Find the materials of prims."""
        from pxr import UsdShade

        if prims:
            bound, _ = UsdShade.MaterialBindingAPI.ComputeBoundMaterials([p.usd for p in prims], UsdShade.Tokens.full)
            self.bound |= {p.path: str(shade.GetPath()) for p, shade in zip(prims, bound, strict=True) if shade}

    def visible(self, prim: Prim) -> bool:
        """Whether a prim is drawn: neither it nor what it lies in is hidden, and its purpose is default or proxy."""
        hidden, purpose = self._state(prim)
        return not hidden and purpose in DRAWN

    def _state(self, prim: Prim | None) -> tuple[bool, str]:
        """(hidden, purpose) of a prim, inherited from above."""
        if prim is None:
            return False, "default"
        if prim.path not in self.seen:
            hidden, purpose = self._state(prim.parent)
            hidden = hidden or prim.word("visibility") == "invisible"
            if "purpose" in prim.authored:
                purpose = prim.word("purpose", "default")
            self.seen[prim.path] = hidden, purpose
        return self.seen[prim.path]

    def color(self, prim: Prim, above: Prim | None = None) -> tuple[tuple[float, ...] | None, float | None]:
        """Colour (sRGB) and opacity: the material's, else those of the prim; None where nothing is said."""
        color, opacity, texture = self.material(prim)
        if texture is not None:
            color = (1.0, 1.0, 1.0)
        shown = above or prim
        if color is None:
            color = primvar(shown, "primvars:displayColor", 3)
        if opacity is None:
            alpha = primvar(shown, "primvars:displayOpacity", 1)
            opacity = None if alpha is None else alpha[0]
        color = None if color is None else tuple(encoded(min(max(float(c), 0.0), 1.0)) for c in color)
        return color, None if opacity is None else min(max(float(opacity), 0.0), 1.0)

    def mesh(self, prim: Prim) -> dict[str, Any]:
        """What a drawn mesh keeps of its material."""
        texture = self.material(prim)[2]
        return {} if texture is None else {"texture": texture, "color": (1.0, 1.0, 1.0)}

    def material(self, prim: Prim) -> tuple[Any, Any, Any]:
        """(linear colour, opacity, texture file) of the material a prim is bound to."""
        path = self.bound.get(prim.path)
        if path is None:
            return None, None, None
        if path not in self.read:
            self.read[path] = surface(self.spec, path)
        return self.read[path]

    def parts(self, prim: Prim, geometry: Geometry) -> Iterator[tuple[str, Prim, Geometry]]:
        """(path, prim with the material, geometry) of a visual: one, or one per subset of faces that has a material."""
        subsets = (
            [
                s
                for s in (self.spec.walk.find(str(c.GetPath())) for c in prim.usd.GetFilteredChildren(_any()))
                if s is not None and s.tag == "GeomSubset"
            ]
            if geometry.triangles is not None and prim.renamed is None
            else []
        )
        subsets = [
            s
            for s in subsets
            if s.word("elementType", "face") == "face"
            and s.word("familyName") in ("", "materialBind")
            and s.targets("material:binding")
        ]
        if not subsets:
            yield prim.path, prim, geometry
            return
        self.bind(subsets)
        points, triangles, face = geometry.triangles
        left = np.ones(len(triangles), bool)
        for subset in subsets:
            chosen = np.isin(
                face, np.array(subset.get("indices") if subset.get("indices") is not None else (), np.int64)
            )
            left &= ~chosen
            if chosen.any():
                yield (
                    subset.path,
                    subset,
                    Geometry(
                        GeoType.MESH, geometry.size, geometry.pose, triangles=(points, triangles[chosen], face[chosen])
                    ),
                )
        if left.any():
            yield (
                prim.path,
                prim,
                Geometry(GeoType.MESH, geometry.size, geometry.pose, triangles=(points, triangles[left], face[left])),
            )


def _any():
    from pxr import Usd

    return Usd.TraverseInstanceProxies()


def surface(spec: Spec, path: str) -> tuple[Any, Any, Any]:
    """(linear colour, opacity, texture file) of a material; None for what it does not say."""
    from pxr import UsdShade

    material = UsdShade.Material(spec.walk.stage.GetPrimAtPath(path))
    shader = None
    for context in ("", "mdl", "mtlx", "glslfx"):
        shader = material.ComputeSurfaceSource(context)[0] if material else None
        if shader:
            break
    if not shader:
        return None, None, None
    color = texture = opacity = None
    for name in COLORS:
        got = shader.GetInput(name)
        if got:
            color, texture = value_of(got)
            if color is not None or texture is not None:
                break
    for name in OPACITIES:
        got = shader.GetInput(name)
        if got and opacity is None:
            opacity, _ = value_of(got)
    if color is not None and (not hasattr(color, "__len__") or len(color) < 3):
        color = None
    opacity = float(opacity) if isinstance(opacity, (int, float)) else None
    return None if color is None else tuple(float(c) for c in color)[:3], opacity, texture


def value_of(shader_input) -> tuple[Any, Any]:
    """The value of an input through its connections, and the file of a texture it comes from."""
    for attr in shader_input.GetValueProducingAttributes():
        prim = attr.GetPrim()
        file = prim.GetAttribute("inputs:file")
        if file and file.Get() is not None and attr.GetName().startswith("outputs:"):
            asset = file.Get()
            return None, asset.resolvedPath or asset.path or None
        value = attr.Get()
        if value is not None:
            return value, None
    return None, None


def primvar(prim: Prim, name: str, width: int) -> tuple[float, ...] | None:
    """The first element of a primvar of a prim or of what it lies in."""
    for above in prim.above():
        value = above.get(name)
        if value is not None and len(value):
            return tuple(float(x) for x in np.ravel(value[0]))[:width]
    return None


def encoded(linear: float) -> float:
    """A linear value of Rec.709 in sRGB."""
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
