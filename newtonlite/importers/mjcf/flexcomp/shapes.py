"""Points and elements of a flexcomp by its type: made by formula, given in the model, or read from a file."""

import math
from dataclasses import dataclass, field

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.core.errors import ParseError
from newtonlite.core.limits import most
from newtonlite.geometry.flex import grids, shells
from newtonlite.geometry.flex.gmsh import is_gmsh, read_gmsh
from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.mesh_files import same_places
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.surfaces import load_surface, mesh_values, read_surface
from newtonlite.importers.mjcf.texcoords import obj_corners
from newtonlite.math.quat import conjugate, matrix, normalized
from newtonlite.schema.deformable import FLEX_TYPES

TYPES = tuple(FLEX_TYPES.words)
GRIDS = ("grid", "square", "disc", "circle")
BOXES = ("box", "cylinder", "ellipsoid")
READ = ("mesh", "gmsh", "direct")
FORCED = {"square": 2, "disc": 2}
"""Types that have one dimension, whatever the file says."""


@dataclass
class FlexShape:
    """Points [n, 3] in the frame of the flexcomp [m], elements [m, dim + 1], and texture coordinates [n, 2], or none."""

    kind: str
    dim: int
    points: np.ndarray
    elements: np.ndarray
    texcoord: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))
    elemtexcoord: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), int))
    """Texture coordinates of the elements, by number; none: those of their points."""
    flat: bool = False
    """Whether it is drawn with flat faces."""
    kept: np.ndarray | None = None
    """Mask of the points, of those made or given, that are left; None: all."""


def flex_shape(node: Node, values: dict, document: Document, textured: bool) -> FlexShape:
    """The shape of a flexcomp; ParseError in MuJoCo's words for what makes none."""
    kind = kind_of(node, values)
    if not 1 <= values["dim"] <= 3:
        raise node.error("Invalid dim, must be between 1 and 3", "dim" if "dim" in node.values else None)
    if min(values["count"]) < 1:
        raise node.error("Count too small; give at least 1 point along each axis", "count")
    if min(values["scale"]) < MINVAL:
        raise node.error("Scale must be larger than mjMINVAL; give positive factors", "scale")
    if min(values["mass"], values["inertiabox"]) < MINVAL:
        raise node.error("Mass and inertiabox must be larger than mjMINVAL; give positive numbers")
    shape = MAKERS[kind](node, values | {"dim": FORCED.get(kind, values["dim"])}, document)
    given = values.get("texcoord")
    if given is not None:
        if len(given) != 2 * len(shape.points):
            raise node.error("two texture coordinates per vertex expected", "texcoord")
        shape.texcoord, shape.elemtexcoord = np.array(given, float).reshape(-1, 2), np.zeros((0, 0), int)
    elif not textured and not shape.elemtexcoord.size:
        shape.texcoord = np.zeros((0, 2))
    if kind in READ:
        shape.points = shape.points * np.array(values["scale"])
    return used(shape, node)


def kind_of(node: Node, values: dict) -> str:
    """The type, which is mesh where a mesh asset is named and no type."""
    if "mesh" in values and "file" in values:
        raise node.error("both 'file' and 'mesh' specified; keep one", "mesh")
    kind = "mesh" if "mesh" in values and "type" not in node.values else TYPES[values["type"]]
    if "mesh" in values and kind not in ("mesh", "gmsh"):
        raise node.error("mesh asset can only be used with flexcomp type mesh or gmsh", "mesh")
    return kind


def used(shape: FlexShape, node: Node) -> FlexShape:
    """The shape without points that no element has, those that stay numbered anew; ParseError for points that there are
    not.
    """
    flat, count = shape.elements.ravel(), len(shape.points)
    wrong = np.flatnonzero((flat < 0) | (flat >= count))
    if len(wrong):
        at = int(wrong[0])
        raise node.error(f"element {at // (shape.dim + 1)} has point id {flat[at]}, number of points is {count}")
    ordered = np.sort(shape.elements, -1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        raise node.error("not enough vertices: an element has a point twice; give each element distinct points")
    kept = np.zeros(count, bool)
    kept[flat] = True
    if not kept.all():
        number = np.cumsum(kept) - 1
        shape.points, shape.elements, shape.kept = shape.points[kept], number[shape.elements], kept
        if len(shape.texcoord) and not shape.elemtexcoord.size:
            shape.texcoord = shape.texcoord[kept]
    return shape


def made_grid(node: Node, values: dict, document: Document) -> FlexShape:
    """A line, sheet or block of a grid, a disc, or a circle."""
    kind, count, dim, spacing = kind_of(node, values), values["count"], values["dim"], values["spacing"]
    check_made(node, values)
    if kind == "circle" and (dim != 1 or count[0] < 4):
        raise node.error("No elements were created in grid; a circle has dim 1, and a count of at least 4")
    if min(count[:dim]) < 2:
        raise node.error("No elements were created in grid; give at least 2 points along each axis", "count")
    if dim == 2 and count[2] != 1:
        raise node.error(f"a sheet has one point along its third axis, not {count[2]}; give 1", "count")
    if kind == "circle":
        points, elements = grids.circle(count[0], spacing[0])
    elif kind == "disc":
        points, elements = grids.disc(count, spacing)
    else:
        points, elements = grids.grid(dim, count, spacing)
    texcoord = grids.grid_texcoords(count, dim) if dim > 1 else np.zeros((0, 2))
    return FlexShape(kind, dim, points, elements, texcoord, flat=dim == 3)


def made_box(node: Node, values: dict, document: Document) -> FlexShape:
    """A box, cylinder or ellipsoid: solid about a centre, or open at its upper side."""
    kind, count, dim = kind_of(node, values), values["count"], values["dim"]
    check_made(node, values)
    if min(count) < 2:
        raise node.error("No elements were created in box; give at least 2 points along each axis", "count")
    if dim == 1:
        raise node.error(f"a {kind} is a surface or a solid; give dim 2 or 3", "dim")
    box = shells.shell(count, closed=dim == 3)
    points, texcoord = shells.project(kind, box, values["spacing"]), shells.box_texcoords(box, dim == 3)
    if dim == 3:
        points, texcoord = (np.concatenate([np.zeros((1, x.shape[1])), x]) for x in (points, texcoord))
    return FlexShape(kind, dim, points, shells.box_elements(box, dim == 3), texcoord, flat=kind != "ellipsoid")


def check_made(node: Node, values: dict) -> None:
    """No more points than copies may be, and as far apart as their radius asks."""
    if math.prod(values["count"]) > most("copies"):
        raise node.error(
            f"{math.prod(values['count'])} points; at most {most('copies')} are made",
            "count" if "count" in node.values else None,
        )
    if min(values["spacing"]) < 2.0 * values["radius"] + values.get("margin", 0.0):
        raise node.error(
            "Spacing must be larger than geometry size; give at least twice the radius",
            "spacing" if "spacing" in node.values else "radius" if "radius" in node.values else None,
        )


def given_points(node: Node, values: dict, document: Document) -> FlexShape:
    """Points and elements as they stand in the model."""
    if not values.get("point") or not values.get("element"):
        raise node.error("Point and element required")
    if len(values["point"]) % 3:
        raise node.error("Point size must be a multiple of 3", "point")
    width = values["dim"] + 1
    if len(values["element"]) % width:
        raise node.error("Element size must be a multiple of dim+1", "element")
    points, elements = np.array(values["point"], float), np.array(values["element"], np.int64)
    return FlexShape("direct", values["dim"], points.reshape(-1, 3), elements.reshape(-1, width))


def read_points(node: Node, values: dict, document: Document) -> FlexShape:
    """The surface or the tetrahedra of a file or of a mesh asset."""
    if "mesh" not in values and not values.get("file"):
        raise node.error("File is required; name a mesh file or a mesh asset")
    asset = document.asset("mesh", values["mesh"], node, "mesh") if "mesh" in values else None
    source, own = (node, values) if asset is None else (asset, mesh_values(asset, document))
    volume = kind_of(node, values) == "gmsh"
    if asset is None or volume or is_gmsh_file(own):
        data, name = document.open(source, "file", "mesh")
        if volume or is_gmsh(data):
            points, elements = gmsh_of(source, data, name)
            points = points if asset is None else in_asset_frame(points, own)
            return FlexShape("gmsh", elements.shape[1] - 1, points, elements)
        points, elements = read_surface(source, data, name)
    else:
        points, elements = load_surface(asset, document)
        data, name = document.open(asset, "file", "mesh") if "file" in own else (b"", "")
    if values["dim"] == 3:
        return cone_surface(node, values, *welded(points, elements))
    shape = FlexShape("mesh", 2, *(welded(points, elements) if asset is None else (points, elements)))
    corners = obj_corners(data, elements) if name.lower().endswith("obj") else None
    if corners is not None:
        shape.texcoord, shape.elemtexcoord = corners[0] * (1.0, -1.0) + (0.0, 1.0), corners[1]
    return shape


def welded(points: np.ndarray, elements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points and elements of a file in which points at one place are one, by their first use."""
    first, index = same_places(points.astype(np.float32))
    order = np.argsort(first)
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    return points[first[order]], number[index][elements]


def is_gmsh_file(values: dict) -> bool:
    """Whether a mesh asset names a file that may be of Gmsh, which as a mesh would be none."""
    return str(values.get("file", "")).lower().endswith(".msh")


def gmsh_of(node: Node, data: bytes, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Points and elements of a Gmsh file; ParseError at the element that names it."""
    try:
        return read_gmsh(data)
    except ParseError:
        raise
    except Exception as problem:  # whatever a damaged file does to its reader, the message has a place
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise node.error(f"file '{name}' cannot be read as a Gmsh file ({reason[:160]})", "file") from None


def in_asset_frame(points: np.ndarray, values: dict) -> np.ndarray:
    """Points of a file as the mesh asset that names it means them."""
    turn = matrix(conjugate(normalized(values.get("refquat", (1.0, 0.0, 0.0, 0.0)))))
    return (points - np.array(values.get("refpos", (0.0,) * 3))) @ turn.T * np.array(values.get("scale", (1.0,) * 3))


def cone_surface(node: Node, values: dict, points: np.ndarray, faces: np.ndarray) -> FlexShape:
    """Tetrahedra between the triangles of a surface and one point, which stands before the others."""
    if values.get("origin") is None:
        raise node.error("origin must be specified for mesh flexcomps if dim=3", "dim")
    points = np.concatenate([[np.array(values["origin"], float)], points])
    return FlexShape("mesh", 3, points, np.concatenate([np.zeros((len(faces), 1), int), faces + 1], -1))


MAKERS = {
    **dict.fromkeys(GRIDS, made_grid),
    **dict.fromkeys(BOXES, made_box),
    **dict.fromkeys(("mesh", "gmsh"), read_points),
    "direct": given_points,
}
