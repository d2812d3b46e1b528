"""Expansion of a flexcomp: one flex, bodies and joints of its points or nodes, and constraints of its edges or cells."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from newtonlite.geometry.flex.chains import open_chain
from newtonlite.importers.mjcf.check import element_of
from newtonlite.importers.mjcf.defaults import complete, overlay
from newtonlite.importers.mjcf.flexcomp.nodes import FlexNodes, flex_nodes, node_counts
from newtonlite.importers.mjcf.flexcomp.pins import pinned
from newtonlite.importers.mjcf.flexcomp.point_bodies import MovedPoints, PointBodies
from newtonlite.importers.mjcf.flexcomp.shapes import FlexShape, flex_shape
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.spec import Body, ElementContext, Item
from newtonlite.math.quat import ZERO, matrix
from newtonlite.schema.deformable import FLEX, FLEX_DOFS

ORDERS = {FLEX_DOFS.words["trilinear"]: 1, FLEX_DOFS.words["quadratic"]: 2}
"""Order of interpolation, by ways in which points move."""
RADIAL, FLAT = FLEX_DOFS.words["radial"], FLEX_DOFS.words["2d"]
EDGES, STRAIN = 1, 2
"""Constraints that ``edge`` may ask for."""


def expand(composer, node: Node, body: Body, place: ElementContext) -> None:
    """Add what a flexcomp makes to the parent body, to the world (twists of rods) and to the model's soft bodies."""
    values = complete(node.element, overlay(node, {}))
    values["name"] = place.full(node.values["name"])
    if body.parent is not None and not body.name:
        raise node.error("Parent body must have name; name the body that it is in")
    parts = {child.tag: complete(child.element, overlay(child, {})) for child in node.children if child.tag != "pin"}
    values["margin"] = parts.get("contact", {}).get("margin", 0.0)

    # points in the frame of the parent, before any body is made
    shape = flex_shape(node, values, place.document, textured="material" in node.values)
    pos, quat = composer.pose(node, node.values, place)
    shape.points = shape.points @ matrix(quat).T + np.array(pos)
    order = ORDERS.get(values["dof"], 0)
    pins = pinned_nodes(node, values, shape, order) if order else None
    if pins is not None and pins.all():  # nothing moves between the nodes: its points are on the parent, each by itself
        values, order = values | {"rigid": True, "cellcount": (1, 1, 1)}, 0
        parts |= {"elasticity": unbent(parts["elasticity"])} if "elasticity" in parts else {}
    nodes = flex_nodes(shape, values, parts.get("elasticity", {}), order, node) if order else None
    fixed = fixed_points(node, values, shape) if nodes is None else pins | nodes.idle

    # bodies of the points or nodes that are not pinned, then the hinges of rods
    maker = PointBodies(composer, node, body, replace(place, pos=ZERO, quat=(1.0, 0.0, 0.0, 0.0)), values)
    moved = maker.nodes(nodes, fixed) if nodes else maker.points(shape, fixed)
    none = MovedPoints()
    on_parent = MovedPoints([body] * len(shape.points), shape.points)
    vert, inner = (on_parent, moved) if nodes else (moved, none)
    points = {"bodies": vert.bodies, "points": vert.places, "node_bodies": inner.bodies, "node_points": inner.places}
    chain = None if fixed.all() else rod(shape, values, parts)
    twists = [] if chain is None else maker.twists(chain, fixed, parts.get("elasticity", {}))
    points |= {"twists": twists, "loose_in": None if pins is None or pins.any() else body}
    item = flex_item(node, place, values, shape, order, parts, points)
    composer.add_flex(item)
    if not fixed.all():  # a rigid one has no edges that could stretch
        composer.spec.made_equalities += edge_equalities(node, place, parts.get("edge", {}), item, nodes)


def unbent(elasticity: dict) -> dict:
    """Elastic constants of which a single strain at which it yields does not count for bending, as of interpolated ones."""
    first, second = elasticity["yield"]
    return elasticity | {"yield": (first, max(second, 0.0))}


def pinned_nodes(node: Node, values: dict, shape: FlexShape, order: int) -> np.ndarray:
    """Mask of the nodes of interpolation that the file holds on the parent: bool [n]."""
    if values["rigid"]:
        return np.ones(1, bool)
    count = node_counts(values, order, node)
    return pinned(node, math.prod(count), count, shape.dim)


def fixed_points(node: Node, values: dict, shape: FlexShape) -> np.ndarray:
    """Mask of the points that stay on the parent: bool [n]."""
    if values["rigid"]:
        return np.ones(len(shape.points), bool)
    on_grid = shape.kind == "grid" and shape.dim > 1
    total = len(shape.points) if shape.kept is None else len(shape.kept)
    found = pinned(node, total, tuple(values["count"][: shape.dim]) if on_grid else None, shape.dim)
    found = found if shape.kept is None else found[shape.kept]
    if values["dof"] == RADIAL:
        found[0] = True
    return found | values["rigid"]


def rod(shape: FlexShape, values: dict, parts: dict) -> np.ndarray | None:
    """Points [n + 1] along the open chain of a flexcomp that resists torsion, whose edges get hinges; None for others."""
    young = parts.get("elasticity", {}).get("young", 0.0)
    if shape.dim != 1 or young <= 0 or values["dof"] or values["rigid"] or len(shape.elements) < 2:
        return None
    return open_chain(shape.elements)


def flex_item(
    node: Node, place: ElementContext, values: dict, shape: FlexShape, order: int, parts: dict, points: dict
) -> Item:
    """The soft body as an item of the model, as ``deformable/flex`` would give it."""
    own: dict[str, Any] = {
        name: values[name] for name in ("radius", "group", "cellcount", "material") if name in values
    }
    own |= {"dim": shape.dim, "dof": order, "flatskin": values["flatskin"] or shape.flat}
    own |= {"elements": shape.elements, "texcoord": shape.texcoord, "elemtexcoord": shape.elemtexcoord}
    if "rgba" in node.values:
        own["rgba"] = values["rgba"]
    own["parts"] = [(FLEX.child(tag), part) for tag, part in parts.items()]
    return Item(node, place, complete(FLEX, own | points), values["name"], given=frozenset(node.values))


def edge_equalities(node: Node, place: ElementContext, edge: dict, flex: Item, nodes: FlexNodes | None) -> list[Item]:
    """The constraints of edges or of the strain of all cells; they have MuJoCo's own defaults, not those of the model."""
    kind = edge.get("equality", 0)
    if not kind:
        return []
    element = element_of("equality/flexstrain" if kind == STRAIN else "equality/flex")
    values = {name: edge[name] for name in ("solref", "solimp")} | {"ends": [flex], "of": "flex"}
    cells = [values]
    if kind == STRAIN:
        cells = [values | {"cell": cell} for cell in strain_cells(flex, nodes)]
    made = Node(element.name, {}, node.source, node.offset)
    made.element = element
    return [Item(made, place, complete(element, cell), given=frozenset(cell)) for cell in cells]


def strain_cells(flex: Item, nodes: FlexNodes | None) -> list[tuple[int, int, int]]:
    """Places of the cells that have a part of a soft body, the last axis fastest; of a shell the numbers of its faces."""
    cx, cy, cz = flex["cellcount"]
    if elastic2d(flex):
        return [(face, -1, -1) for face in range(2 * (cy * cz + cx * cz + cx * cy))]
    cells = [(i, j, k) for i in range(cx) for j in range(cy) for k in range(cz)]
    if nodes is None or nodes.touched is None:
        return cells
    return [cell for cell, touched in zip(cells, nodes.touched, strict=True) if touched]


def elastic2d(flex: Item) -> int:
    """Elasticity of a shell: bits 1 bending, 2 stretching."""
    return next((part.get("elastic2d", 0) for element, part in flex["parts"] if element.name == "elasticity"), 0)
