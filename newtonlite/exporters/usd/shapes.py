"""Geometry of a stage: Gprims with sizes, meshes as references to a library."""

import numpy as np
from lxml.etree import _Element as XmlElement

from newtonlite.exporters.mjcf.source import mesh_file
from newtonlite.exporters.usd.node import LayerPrim, Names
from newtonlite.exporters.usd.surfaces import COORDINATES, corners, projected
from newtonlite.exporters.usd.tags import frame, quick
from newtonlite.importers.usd.meshes import FIELD, FILE, WHOLE
from newtonlite.schema.asset import ASSET

MESH = ASSET.child("mesh")
ENDLESS = 20.0
"""Drawn width [m] of an endless plane."""
PRIMS = {
    "plane": "Plane",
    "sphere": "Sphere",
    "capsule": "Capsule",
    "ellipsoid": "Sphere",
    "cylinder": "Cylinder",
    "box": "Cube",
    "mesh": "Mesh",
    "sdf": "Mesh",
    "hfield": "Mesh",
}


class GeomWriter:
    """Geoms and sites, whose meshes stand once in a library."""

    def __init__(self, layer, root: str, names: Names, assets: dict[tuple, XmlElement], model):
        self.layer, self.library, self.names, self.assets = layer, f"{root}/Library", names, assets
        self.model, self.numbers = model, {name: i for i, name in enumerate(n for k, n in assets if k == "mesh")}
        self.meshes: dict[str, str] = {}

    def write(self, tag: XmlElement, path: str, collides: bool) -> LayerPrim:
        """The prim of a geom or site, with its pose and sizes."""
        kind = tag.attrib.get("type", "sphere")
        node = LayerPrim(self.layer, path, PRIMS[kind])
        size = (*quick(tag, "size", (0.0, 0.0, 0.0)), 0.0, 0.0, 0.0)[:3]
        scale = size if kind in ("ellipsoid", "box") else None
        if kind == "plane":
            wide = [2.0 * s if s > 0 else ENDLESS for s in size[:2]]
            node.set("double", width=wide[0], length=wide[1]).set("token", axis="Z")
        elif kind in ("sphere", "ellipsoid"):
            node.set("double", radius=size[0] if kind == "sphere" else 1.0)
        elif kind in ("capsule", "cylinder"):
            node.set("double", radius=size[0], height=2.0 * size[1]).set("token", axis="Z")
        elif kind == "box":
            node.set("double", size=2.0)
        elif kind == "hfield":
            height_field(node, self.assets["hfield", tag.attrib["hfield"]])
        else:
            self.mesh(node, self.assets["mesh", tag.attrib["mesh"]], collides)
            if collides:
                node.put("token", "physics:approximation", "sdf" if kind == "sdf" else "convexHull")
        return node.place(*frame(tag), scale)

    def mesh(self, node: LayerPrim, asset: XmlElement, collides: bool) -> None:
        """A mesh: points and faces stand once in the library."""
        from pxr import Sdf

        name = asset.attrib["name"]
        if name not in self.meshes:
            if not self.meshes:
                LayerPrim(self.layer, self.library, abstract=True)
            made = LayerPrim(self.layer, self.names.path(self.library, "mesh", name), "Mesh")
            points_and_triangles(made, *self.surface(asset))
            made.put("string", WHOLE, name)
            made.put("string", FILE, mesh_file(self.model, self.numbers[name]))
            if "vertex" not in asset.attrib:
                made.put("bool", FIELD, True)
            self.meshes[name] = made.path
        node.spec.referenceList.Prepend(Sdf.Reference(primPath=self.meshes[name]))
        if collides:
            node.apply("PhysicsMeshCollisionAPI", "NewtonMeshCollisionAPI", "MjcMeshCollisionAPI")
            node.author(MESH, asset, ("inertia",))

    def surface(self, asset: XmlElement) -> tuple[np.ndarray, np.ndarray]:
        """Points [n, 3] and triangles [m, 3] of a mesh; of a distance field those that the model has."""
        if "vertex" in asset.attrib:
            return triangles(asset)
        model, i = self.model, self.numbers[asset.attrib["name"]]
        first, count = int(model.mesh_vertadr[i]), int(model.mesh_vertnum[i])
        points = np.asarray(model.mesh_vert, float).reshape(-1, 3)[first : first + count]
        first, count = int(model.mesh_faceadr[i]), int(model.mesh_facenum[i])
        return points, np.asarray(model.mesh_face, int).reshape(-1, 3)[first : first + count]

    def give_coordinates(self, asset: XmlElement) -> None:
        """Texture coordinates for a mesh of the library: the model's, else its place across z."""
        name = asset.attrib["name"]
        made = LayerPrim.at(self.layer, self.meshes[name])
        if f"primvars:{COORDINATES}" in made.spec.attributes:
            return
        points, faces = self.surface(asset)
        found = corners(self.model, self.numbers[name], faces)
        made.put("texCoord2f[]", f"primvars:{COORDINATES}", projected(points, faces) if found is None else found)
        made.spec.attributes[f"primvars:{COORDINATES}"].SetInfo("interpolation", "faceVarying")


def triangles(asset: XmlElement) -> tuple[np.ndarray, np.ndarray]:
    """Points [n, 3] and triangles [m, 3] of a mesh, scaled; outward where it is mirrored."""
    vertices = np.array(quick(asset, "vertex", ()), float).reshape(-1, 3)
    scale = np.array(quick(asset, "scale", (1.0, 1.0, 1.0)))
    faces = np.array(quick(asset, "face", ()), int).reshape(-1, 3)
    return vertices * scale, faces[:, ::-1] if scale.prod() < 0 else faces


def points_and_triangles(node: LayerPrim, points: np.ndarray, faces: np.ndarray) -> None:
    """Points [n, 3] and triangles [m, 3]."""
    node.put("point3f[]", "points", points).put("int[]", "faceVertexCounts", [3] * len(faces))
    node.put("int[]", "faceVertexIndices", faces.ravel()).put("token", "subdivisionScheme", "none")
    node.put("float3[]", "extent", [points.min(axis=0), points.max(axis=0)])


def height_field(node: LayerPrim, asset: XmlElement) -> None:
    """A height field: its surface as a mesh, and its heights, by which it comes back as one."""
    rows, columns = (int(quick(asset, name, (0,))[0]) for name in ("nrow", "ncol"))
    size = quick(asset, "size", ())
    heights = np.array(quick(asset, "elevation", ())).reshape(rows, columns)[::-1]
    x, y = np.meshgrid(np.linspace(-size[0], size[0], columns), np.linspace(-size[1], size[1], rows))
    points = np.stack([x.ravel(), y.ravel(), (heights * size[2]).ravel()], axis=1)
    at = np.arange(rows * columns).reshape(rows, columns)
    quads = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], axis=-1).reshape(-1, 4)
    points_and_triangles(node, points, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))
    node.put("int[]", "newton:heightfield:shape", (rows, columns)).put("double[]", "newton:heightfield:size", size)
    node.put("double[]", "newton:heightfield:elevation", heights.ravel())
