"""Mesh and height-field assets as data, and the mass of mesh geoms."""

import struct
from copy import copy

import numpy as np

from newtonlite.core.limits import most
from newtonlite.core.mujoco import MjtMeshInertia
from newtonlite.geometry import inertia
from newtonlite.geometry.heightfield import Heightfield
from newtonlite.geometry.inertia import MassProperties
from newtonlite.geometry.mesh import Mesh
from newtonlite.images.png import read_header, read_png
from newtonlite.importers.mjcf.defaults import layers
from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.field_meshes import field_plugin
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.spec import Item
from newtonlite.importers.mjcf.surfaces import (
    asset_name,
    file_of,
    hull,
    is_spanned,
    load_surface,
    mesh_values,
    taxel_tangents,
)
from newtonlite.importers.mjcf.texcoords import corner_uvs
from newtonlite.importers.mjcf.textures import texture_values

MODES = ("convex", "exact", "legacy", "shell")


class Meshes:
    """Loads each asset once. Vertices are as MJCF means them: scaled, seen from refpos and refquat."""

    def __init__(self):
        self.surfaces: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.fields: dict[int, Heightfield] = {}
        self.textures: dict[int, dict] = {}
        self.scale = 1.0
        """Scale factor of all lengths."""
        self.built: dict = {}
        """Meshes and height fields of geoms, by asset and prefix."""

    def node(self, geom: Item) -> Node:
        """The asset of a geom."""
        kind = "mesh" if "mesh" in geom.values else "hfield"
        return geom.place.document.asset(kind, geom[kind], geom.node, kind)

    def surface(self, geom: Item) -> tuple[np.ndarray, np.ndarray]:
        """Vertices [n, 3] and triangles [m, 3] of a mesh geom, in float64."""
        return self.surface_of(self.node(geom), geom.place.document)

    def surface_of(self, node: Node, document: Document) -> tuple[np.ndarray, np.ndarray]:
        """Vertices and triangles of a mesh asset."""
        if id(node) not in self.surfaces:
            vertices, triangles = load_surface(node, document)
            self.surfaces[id(node)] = vertices * self.scale, triangles
        return self.surfaces[id(node)]

    def mesh(self, geom: Item) -> Mesh:
        """The scene's mesh of a geom; geoms of one asset share it."""
        node, prefix = self.node(geom), geom.place.owner
        key = (id(node), prefix)
        if key not in self.built:
            vertices, triangles = self.surface(geom)
            values = mesh_values(node, geom.place.document)
            mesh = Mesh(vertices, triangles, compute_inertia=False, maxhullvert=values.get("maxhullvert", -1))
            mesh.name, mesh.inertia_mode = prefix + asset_name(node), MODES[self.mode(geom)]
            mesh.file_scale = tuple(self.scale * x for x in values.get("scale", (1.0, 1.0, 1.0)))
            mesh.file = file_of(values)
            mesh.is_hull = is_spanned(values)
            mesh.keeps_frame = field_plugin(node, geom.place.document) is not None
            mesh.taxel_tangents = taxel_tangents(node, geom.place.document)
            self.built[key] = mesh
        if self.built[key].corner_uvs is None and self.shows_picture(geom):
            self.built[key].corner_uvs = corner_uvs(node, geom.place.document, self.surface(geom)[1])
        return self.built[key]

    def shows_picture(self, geom: Item) -> bool:
        """Whether the material of a geom has a texture, so that texture coordinates count."""
        name = geom.values.get("material")
        if not name:
            return False
        document = geom.place.document
        material = document.asset("material", name, geom.node, "material")
        return bool({**document.classes.of(material, "main"), **material.values}.get("texture") or layers(material))

    def hfield(self, geom: Item) -> Heightfield:
        """The scene's height field of a geom; geoms of one asset share it."""
        node, prefix = self.node(geom), geom.place.owner
        if (id(node), prefix) not in self.built:
            self.built[id(node), prefix] = self.field_of(node, geom.place.document, prefix)
        return self.built[id(node), prefix]

    def field_of(self, node: Node, document: Document, prefix: str) -> Heightfield:
        """A height-field asset by itself."""
        if id(node) not in self.fields:
            self.fields[id(node)] = load_hfield(node, document, self.scale)
        field = copy(self.fields[id(node)])
        field.name = prefix + asset_name(node)
        return field

    def texture(self, node: Node, document: Document) -> dict:
        """The values of a texture, its files looked at."""
        if id(node) not in self.textures:
            self.textures[id(node)] = texture_values(node, document)
        return self.textures[id(node)]

    def check(self, documents: list[Document], bare: bool) -> None:
        """Read all that no geom uses; ParseError for what cannot be read. ``bare`` models drop that."""
        for document in () if bare else documents:
            for node in document.assets["mesh"].values():
                self.surface_of(node, document)
            for node in document.assets["texture"].values():
                self.texture(node, document)
        for document in documents:
            for node in document.assets["hfield"].values():
                self.field_of(node, document, "")

    def mass(self, geom: Item) -> MassProperties:
        """Mass properties of a mesh geom at density 1, in its own frame."""
        vertices, triangles = self.surface(geom)
        if self.keeps_frame(geom):
            return in_own_frame(inertia.legacy_mesh(vertices, triangles))
        mode = MjtMeshInertia.SHELL if geom["shellinertia"] else self.mode(geom)
        if mode == MjtMeshInertia.SHELL:
            return inertia.surface(1.0, vertices, triangles, 1.0)
        if mode == MjtMeshInertia.CONVEX:
            return inertia.mesh(
                1.0,
                vertices,
                hull(self.node(geom), vertices, mesh_values(self.node(geom), geom.place.document)).triangles,
            )
        return inertia.legacy_mesh(vertices, triangles, signed=mode == MjtMeshInertia.EXACT)

    def keeps_frame(self, geom: Item) -> bool:
        """Whether the mesh of a geom is made of a distance field, whose frame it keeps."""
        return field_plugin(self.node(geom), geom.place.document) is not None

    def mode(self, geom: Item) -> int:
        """Inertia mode of the mesh of a geom: CONVEX, EXACT, LEGACY or SHELL."""
        return mesh_values(self.node(geom), geom.place.document).get("inertia", MjtMeshInertia.LEGACY)


def in_own_frame(solid: MassProperties) -> MassProperties:
    """Mass properties as MuJoCo has those of a mesh made of a distance field: about its origin, greatest moment first."""
    moments = np.sort(np.linalg.eigvalsh(solid.inertia))[::-1]
    return MassProperties(solid.mass, np.zeros(3), np.diag(moments))


def load_hfield(node: Node, document: Document, scale: float = 1.0) -> Heightfield:
    """A height field, from its file or from the numbers in the model; ``scale`` multiplies its sizes."""
    rx, ry, high, base = (scale * x for x in node.values["size"])
    if min(node.values["size"]) <= 0:
        raise node.error("all four sizes have to be positive", "size")
    if "file" in node.values:
        heights = read_heights(node, document)
    else:
        rows, columns = node.values.get("nrow", 0), node.values.get("ncol", 0)
        given = node.values.get("elevation")
        if rows < 2 or columns < 2 or rows * columns > most("grid"):
            raise node.error(f"{rows} rows of {columns} columns; give between 2 by 2 and {most('grid')} points")
        if given and len(given) != rows * columns:
            raise node.error(
                f"has {len(given)} numbers; {rows} rows of {columns} columns need {rows * columns}", "elevation"
            )
        heights = np.zeros((rows, columns)) if not given else np.array(given).reshape(rows, columns)[::-1]
    low, top = float(heights.min()), float(heights.max())
    heights = (heights - low) / (top - low) if top > low else np.zeros_like(heights)
    field = Heightfield(heights, *heights.shape, hx=rx, hy=ry, min_z=0.0, max_z=high)
    field.base = base
    return field


def read_heights(node: Node, document: Document) -> np.ndarray:
    """Heights [nrow, ncol] of a PNG file, whose first row is the far side, or of MuJoCo's binary format."""
    data, name = document.open(node, "file", "hfield")
    if node.values.get("content_type", "") == "image/png" or name.lower().endswith(".png"):
        try:
            header = read_header(data)
            if header.width * header.height > most("grid"):
                raise ValueError(f"{header.width} by {header.height} points are more than {most('grid')}")
            return read_png(data)[::-1, :, 0] / 255.0
        except ValueError as problem:
            raise node.error(f"file '{name}' cannot be read as a height field ({problem})", "file") from None
    if len(data) < 8:
        raise node.error(f"file '{name}' is too short for a height field", "file")
    rows, columns = struct.unpack_from("<2i", data)
    if rows < 2 or columns < 2 or len(data) != 8 + 4 * rows * columns or rows * columns > most("grid"):
        raise node.error(f"file '{name}' says {rows} rows of {columns}, which does not agree with its length", "file")
    heights = np.frombuffer(data, "<f4", rows * columns, 8).astype(float).reshape(rows, columns)
    if not np.isfinite(heights).all():
        raise node.error(f"file '{name}' has a height that is not finite", "file")
    return heights
