"""Visibility, purpose, colours and textures of materials, and materials by face."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from newtonlite.core.enums import GeoType
from newtonlite.core.errors import ParseError
from newtonlite.geometry.mesh import Mesh
from newtonlite.importers.usd.approximate import plane_normal
from newtonlite.importers.usd.gprims import Geometry
from newtonlite.importers.usd.layers import is_outside, label_of
from newtonlite.importers.usd.meshes import MeshLibrary, named
from newtonlite.importers.usd.prims import Prim, Walk
from newtonlite.importers.usd.shading import MADE, SHARP, Split, corner_normals, corner_uvs

COLORS = (
    "diffuseColor",
    "baseColor",
    "base_color",
    "diffuse_color_constant",
    "diffuse_color",
    "diffuse_reflection_color",
)
TEXTURES = ("diffuse_texture", "albedo_texture", "baseColorTexture", "base_color_texture", "diffuseColor_texture")
"""Inputs that name an image file themselves."""
ROUGHNESSES = ("roughness", "specular_roughness", "reflection_roughness_constant")
METALLICS = ("metallic", "metalness", "metallic_constant")
OPACITIES = ("opacity", "opacity_constant", "geometry_opacity")
NEUTRAL = 0.18
"""Linear grey of what has no colour, as in UsdPreviewSurface."""
DRAWN = ("default", "proxy")
"""Purposes of what is drawn."""


@dataclass(frozen=True)
class Look:
    """Visual material; None for the properties that it does not have."""

    color: tuple[float, ...] | None = None
    """Linear Rec.709."""
    opacity: float | None = None
    texture: Any = None
    """File of the texture."""
    roughness: float | None = None
    metallic: float | None = None
    uvs: str | None = None
    """Primvar of the texture coordinates."""
    transform: tuple | None = None
    """Of texture coordinates [2, 3]."""
    space: str = ""
    """Colour space of the texture."""


class Looks:
    """Looks of prims, materials read once."""

    def __init__(self, walk: Walk):
        self.walk = walk
        self.bound: dict[str, str] = {}
        """Path of the material of each prim."""
        self.read: dict[str, Look] = {}
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
        look = self.material(prim)
        color, opacity = look.color if look.texture is None else (1.0, 1.0, 1.0), look.opacity
        shown = above or prim
        if color is None:
            color = primvar(shown, "primvars:displayColor", 3)
        if opacity is None:
            alpha = primvar(shown, "primvars:displayOpacity", 1)
            opacity = None if alpha is None else self.opacity(shown, alpha)
        color = None if color is None else tuple(encoded(min(max(float(c), 0.0), 1.0)) for c in color)
        return color, None if opacity is None else min(max(float(opacity), 0.0), 1.0)

    @staticmethod
    def opacity(prim: Prim, values: Any) -> float | None:
        """One opacity of what a prim authors, with a warning where it cannot be meant as it is."""
        name, value = "primvars:displayOpacity", float(values[0])
        if not math.isfinite(value):
            prim.doubt(f"{value} is not finite; it counts as unspecified", name)
            return None
        if not 0.0 <= value <= 1.0:
            prim.doubt(f"{value:g} is beyond 0 to 1; the nearest of these counts", name)
        return value

    def mesh(self, prim: Prim) -> dict[str, Any]:
        """Material properties that a drawn mesh keeps."""
        look = self.material(prim)
        found: dict[str, Any] = {} if look.texture is None else {"texture": look.texture, "color": (1.0, 1.0, 1.0)}
        if look.texture is None and look.color is not None:
            found["color"] = tuple(encoded(min(max(c, 0.0), 1.0)) for c in look.color)
        if look.transform is not None:
            found["texture_transform"] = look.transform
        numbers = {"roughness": look.roughness, "metallic": look.metallic, "opacity": look.opacity}
        return found | {name: value for name, value in numbers.items() if value is not None}

    def own(self, prim: Prim, plain: dict[str, str]) -> dict[str, Any]:
        """Material properties of a mesh; none of a ``plain`` one, which shapes of several colours share, without a
        picture.
        """
        return self.mesh(prim) if not plain or self.material(prim).texture is not None else {}

    def material(self, prim: Prim) -> Look:
        """Material that a prim is bound to."""
        path = self.bound.get(prim.path)
        if path is None:
            return Look()
        if path not in self.read:
            self.read[path] = self.confined(material_surface(self.walk.stage.GetPrimAtPath(path)), path)
        return self.read[path]

    def confined(self, look: Look, path: str) -> Look:
        """A material without its picture, and a warning, where that lies outside the folder of the stage."""
        folder = self.walk.folder
        if look.texture is None or folder is None or not is_outside(str(look.texture), folder):
            return look
        where = f"{label_of(self.walk.stage.GetRootLayer())}: <{path}> inputs:file"
        problem = (
            f"picture '{look.texture}' lies outside the folder of the stage ({folder}); allow_outside=True lifts that"
        )
        self.walk.report.leave_out(ParseError(f"{where}: {problem}"))
        return replace(look, texture=None)

    def drawn(self, prim: Prim, geometry: Geometry, meshes: MeshLibrary, source: Prim | None = None, **options) -> Mesh:
        """The mesh of what is only seen, its vertices split where normals or texture coordinates differ, unless it was
        one of a model file; one without volume has its middle by its surface. ``source`` is the prim with the material.
        """
        look, plain = self.material(source or prim), named(prim) if geometry.surface is not None else {}
        options = self.own(source or prim, plain) | options | plain
        points, triangles, _ = geometry.triangles
        uvs = None
        if geometry.surface is not None:
            uvs = corner_uvs(prim.usd, geometry.surface, look.uvs) if look.texture is not None else None
            if look.texture is not None and uvs is None:
                why = "no texture coordinates of a length that fits: texture sampling is disabled"
                prim.walk.report.ignore(prim, why, "primvars:st")
        if geometry.surface is not None and not plain:
            normals, authored = corner_normals(prim.usd, geometry.surface)
            split = Split(geometry.surface, normals, uvs, SHARP if authored else MADE)
            points, triangles = split.points, split.triangles
            options |= {"normals": split.normals} | ({} if uvs is None else {"uvs": split.uvs})
        mesh = meshes.mesh(points, triangles, **options)
        mesh.corner_uvs = uvs if plain else None
        if plane_normal(geometry) is not None:
            mesh.inertia_mode = "shell"
        return mesh

    def parts(self, prim: Prim, geometry: Geometry) -> Iterator[tuple[str, Prim, Geometry]]:
        """(path, prim with the material, geometry) of a visual: one, or one per subset of faces that has a material."""
        subsets = (
            [
                s
                for s in (self.walk.find(str(c.GetPath())) for c in prim.usd.GetFilteredChildren(_any()))
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
        _, triangles, face = geometry.triangles
        left = np.ones(len(triangles), bool)
        for subset in subsets:
            chosen = np.isin(
                face, np.array(subset.get("indices") if subset.get("indices") is not None else (), np.int64)
            )
            left &= ~chosen
            if chosen.any():
                yield subset.path, subset, some(geometry, chosen)
        if left.any():
            yield prim.path, prim, some(geometry, left)


def some(geometry: Geometry, chosen: np.ndarray) -> Geometry:
    """A mesh of some of the triangles of another."""
    points, triangles, face = geometry.triangles
    old = geometry.surface
    material_surface = None
    if old is not None:
        material_surface = replace(old, triangles=triangles[chosen], face=face[chosen], corners=old.corners[chosen])
    part = (points, triangles[chosen], face[chosen])
    return Geometry(GeoType.MESH, geometry.size, geometry.pose, triangles=part, surface=material_surface)


def _any():
    from pxr import Usd

    return Usd.TraverseInstanceProxies()


def material_surface(prim: Any) -> Look:
    """Surface properties of a material, a ``Usd.Prim``."""
    from pxr import UsdShade

    material = UsdShade.Material(prim)
    shader = None
    for context in ("", "mdl", "mtlx", "glslfx"):
        shader = material.ComputeSurfaceSource(context)[0] if material else None
        if shader:
            break
    if not shader:
        return Look()
    found: dict[str, Any] = {}
    for name in (*COLORS, *TEXTURES):
        got = shader.GetInput(name)
        if got:
            found |= value_of(got)
            if found:
                break
    color = found.pop("value", None)
    if hasattr(color, "path"):
        found |= {"texture": color.resolvedPath or color.path or None, "uvs": uv_space(shader)}
    elif color is not None and hasattr(color, "__len__") and len(color) >= 3:
        found["color"] = tuple(float(c) for c in color)[:3]
    for key, names in (("opacity", OPACITIES), ("roughness", ROUGHNESSES), ("metallic", METALLICS)):
        values = [value_of(shader.GetInput(name)).get("value") for name in names if shader.GetInput(name)]
        value = next((v for v in values if isinstance(v, (int, float))), None)
        found |= {} if value is None else {key: float(value)}
    return Look(**found)


def value_of(shader_input) -> dict[str, Any]:
    """The ``value`` of an input through its connections, or the ``texture`` it comes from with its coordinates."""
    from pxr import UsdShade

    for attr in shader_input.GetValueProducingAttributes():
        prim = attr.GetPrim()
        file = prim.GetAttribute("inputs:file")
        if file and file.Get() is not None and attr.GetName().startswith("outputs:"):
            asset = file.Get()
            shader = UsdShade.Shader(prim)
            space = prim.GetAttribute("inputs:sourceColorSpace")
            declared = str(space.Get()) if space and space.Get() else str(file.GetColorSpace() or "")
            found = {"texture": asset.resolvedPath or asset.path or None, "space": declared}
            return found | coordinates(shader.GetInput("st"))
        value = attr.Get()
        if value is not None:
            return {"value": value}
    return {}


def coordinates(st) -> dict[str, Any]:
    """Primvar and transform of the texture coordinates that an input is connected to."""
    from pxr import UsdShade

    found: dict[str, Any] = {}
    seen: set[str] = set()
    while st and st.HasConnectedSource():
        prim = st.GetConnectedSources()[0][0].source.GetPrim()
        if str(prim.GetPath()) in seen:
            break
        seen.add(str(prim.GetPath()))
        values = {name: prim.GetAttribute(f"inputs:{name}") for name in ("varname", "scale", "rotation", "translation")}
        values = {name: attr.Get() for name, attr in values.items() if attr and attr.Get() is not None}
        if "varname" in values:
            found["uvs"] = str(values["varname"])
        elif {"scale", "rotation", "translation"} & set(values):
            found["transform"] = flat_transform(values)
        st = UsdShade.Shader(prim).GetInput("in")
    return found


def flat_transform(values: dict[str, Any]) -> tuple:
    """The transform [2, 3] of scale, rotation [degrees] and translation, applied in this order."""
    sx, sy = (float(x) for x in values.get("scale", (1.0, 1.0)))
    x, y = (float(v) for v in values.get("translation", (0.0, 0.0)))
    c, s = (f(np.radians(float(values.get("rotation", 0.0)))) for f in (np.cos, np.sin))
    return ((sx * c, -sy * s, x), (sx * s, sy * c, y))


def uv_space(shader: Any) -> str | None:
    """The primvar that a material of Nvidia's library counts by number."""
    index = shader.GetInput("uv_space_index")
    number = index.Get() if index else None
    return None if number is None else f"st_{int(number)}" if int(number) else "st"


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
