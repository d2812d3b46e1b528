"""Surface materials of a stage: UsdPreviewSurface with colours and pictures."""

import re
from pathlib import PurePosixPath

import numpy as np
from lxml.etree import _Element as XmlElement

from newtonlite.exporters.usd.node import LayerPrim, Names
from newtonlite.exporters.usd.tags import linear, quick
from newtonlite.importers.report import Report
from newtonlite.importers.usd.prims import Spot

COORDINATES = "st"
"""Primvar of texture coordinates."""
FOLDER = "textures"


class MaterialWriter:
    """Materials of geoms, each written where it is first used: with its picture for meshes, which have texture
    coordinates, and plain for primitives, which have none in USD.
    """

    def __init__(self, layer, root: str, names: Names, assets: dict[tuple, XmlElement], files: dict, report: Report):
        self.layer, self.scope, self.names, self.assets = layer, f"{root}/Looks", names, assets
        self.files, self.report = files, report
        self.made: dict[tuple[str, bool], str] = {}
        self.used: dict[str, bytes] = {}
        """Image files that the stage names, by their path beside the layer of materials."""

    def bind(self, node: LayerPrim, tag: XmlElement) -> bool:
        """Bind the material of a geom, unless it has a colour of its own; whether the material has a picture."""
        name = tag.attrib.get("material")
        if name is None or "rgba" in tag.attrib:
            return False
        asset, mesh = self.assets["material", name], "mesh" in tag.attrib
        picture = self.picture(asset)
        if picture is not None and not mesh:
            self.report.ignore(Spot("texture", f"<{node.path}>"), "primitives have no texture coordinates")
        key = (name, picture is not None and mesh)
        if key not in self.made:
            self.made[key] = self.write(name, asset, picture if mesh else None)
        node.apply("MaterialBindingAPI").point("material:binding", self.made[key])
        return key[1]

    def picture(self, asset: XmlElement) -> str | None:
        """The image file of a material; None where it has none, or one that is not flat."""
        name = asset.attrib.get("texture") or next(
            (layer.attrib["texture"] for layer in asset if layer.attrib.get("role") in ("rgb", "rgba")), None
        )
        texture = self.assets.get(("texture", name))
        if texture is None or texture.attrib.get("type") != "2d":
            if texture is not None:
                self.report.ignore(Spot("texture", f"<{name}>"), "cubes and skies have no place")
            return None
        file = texture.attrib.get("file", "")
        return file if file in self.files else None

    def write(self, name: str, asset: XmlElement, picture: str | None) -> str:
        """The prim of a material: a surface, and what gives it its picture."""
        if not self.made:
            LayerPrim(self.layer, self.scope, "Scope")
        node = LayerPrim(self.layer, self.names.path(self.scope, "surface", name), "Material")
        rgba = quick(asset, "rgba", (1.0,) * 4)
        color = [linear(c) for c in rgba[:3]]
        surface = LayerPrim(self.layer, f"{node.path}/Surface", "Shader").put("token", "info:id", "UsdPreviewSurface")
        surface.put("float", "inputs:opacity", rgba[3])
        emission = quick(asset, "emission", (0.0,))[0]
        surface.put("color3f", "inputs:emissiveColor", [emission * c for c in color])
        for name, fallback in (("metallic", 0.0), ("roughness", 1.0 - quick(asset, "shininess", (0.5,))[0])):
            given = quick(asset, name, (-1.0,))[0]
            surface.put("float", f"inputs:{name}", given if given >= 0 else fallback)
        if picture is None:
            surface.put("color3f", "inputs:diffuseColor", color)
        else:
            self.image(node, surface, picture, [*color, rgba[3]])
        surface.declare("token", "outputs:surface")
        node.connect("token", "outputs:surface", f"{surface.path}.outputs:surface")
        return node.path

    def image(self, material: LayerPrim, surface: LayerPrim, picture: str, scale: list[float]) -> None:
        """A picture in place of a colour, times that colour."""
        reader = LayerPrim(self.layer, f"{material.path}/Coordinates", "Shader")
        reader.put("token", "info:id", "UsdPrimvarReader_float2").put("string", "inputs:varname", COORDINATES)
        reader.declare("float2", "outputs:result")
        image = LayerPrim(self.layer, f"{material.path}/Picture", "Shader").put("token", "info:id", "UsdUVTexture")
        path = f"./{FOLDER}/{re.sub(r'[^A-Za-z0-9.-]', '_', PurePosixPath(picture).name)}"
        self.used[path[2:]] = self.files[picture]
        image.put("asset", "inputs:file", path).put("token", "inputs:sourceColorSpace", "sRGB")
        image.put("token", "inputs:wrapS", "repeat").put("token", "inputs:wrapT", "repeat")
        image.put("float4", "inputs:scale", scale)
        image.connect("float2", "inputs:st", f"{reader.path}.outputs:result").declare("float3", "outputs:rgb")
        surface.connect("color3f", "inputs:diffuseColor", f"{image.path}.outputs:rgb")


def corners(model, mesh: int, faces: np.ndarray) -> np.ndarray | None:
    """Texture coordinates [3 m, 2] of the corners of a mesh's faces, up along the picture; None where a model has
    none.
    """
    start = int(model.mesh_texcoordadr[mesh]) if hasattr(model, "mesh_texcoordadr") else -1
    if start < 0:
        return None
    first, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    found = np.asarray(model.mesh_texcoord)[start + np.asarray(model.mesh_facetexcoord)[first : first + count].ravel()]
    return found * (1.0, -1.0) + (0.0, 1.0) if len(found) == faces.size else None


def projected(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Texture coordinates [3 m, 2] of corners by their place across z, where a mesh has none of its own; the picture
    covers the mesh once.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    return ((points - low) / np.maximum(high - low, 1.0e-9))[faces.ravel(), :2]
