"""Soft bodies: prims of our own type over bodies that are there, since no schema has MuJoCo's flexes."""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonlite.core.packed_array import pack_array
from newtonlite.importers.usd import mjc
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import UsdBody, UsdJoint, UsdSpec
from newtonlite.math.transform import multiply, transform
from newtonlite.schema.deformable import FLEX
from newtonlite.schema.execute import scene_values

TYPE = "NewtonFlex"
START = "newton:flex:"
ROWS = {attr.name: attr for attr in FLEX.attrs}
ORDERS = ROWS["dof"].kind.words
"""Words of interpolation, and their orders."""


@dataclass(eq=False)
class FlexPoints:
    """Points or nodes: their bodies, None for the world, and places [n, 3] in these [m]."""

    bodies: list[UsdBody | None]
    places: np.ndarray


@dataclass(eq=False)
class UsdFlex:
    """One soft body."""

    prim: Prim
    dim: int
    points: FlexPoints
    nodes: FlexPoints
    elements: np.ndarray
    twists: list[UsdJoint | None]
    values: dict[str, Any] = field(default_factory=dict)
    """Words and numbers of it and of its parts, by the columns that they bind."""


def read_flexes(spec: UsdSpec) -> None:
    """All soft bodies, in the order of the stage; ParseError for lists that do not belong together."""
    for prim in spec.walk.of_type(TYPE):
        own = mjc.values(prim, FLEX)
        word = prim.word(f"{START}dof")
        if word and word not in ORDERS:
            raise prim.error(f"unknown word '{word}'; use one of {', '.join(ORDERS)}", f"{START}dof")
        own |= {"dof": ORDERS[word]} if word else {}
        values = scene_values(FLEX, own, name=prim.path)
        for element in FLEX.children:
            values |= scene_values(element, mjc.values(prim, element))
        dim = int(own.get("dim", ROWS["dim"].default))
        flex = UsdFlex(
            prim,
            dim,
            read_points(spec, prim, "body", "vertex"),
            read_points(spec, prim, "node", "nodecoord"),
            read_table(prim, "element", dim + 1).astype(np.int32),
            [spec.joint_at.get(path) for path in prim.targets(f"{START}twist")],
            values,
        )
        if not flex.points.bodies or not flex.elements.size:
            raise prim.error("needs bodies of its points, and elements", f"{START}body")
        if flex.elements.min() < 0 or flex.elements.max() >= len(flex.points.bodies):
            raise prim.error(f"names points beyond the {len(flex.points.bodies)} that it has", f"{START}element")
        spec.report.used["flex"] += 1
        spec.flexes.append(flex)


def read_points(spec: UsdSpec, prim: Prim, word: str, places: str) -> FlexPoints:
    """Bodies of points, one each or one for all, and their places there; the origins where none are given."""
    paths = prim.targets(START + word)
    indices = prim.numbers(f"{START}{word}:indices")
    order = np.arange(len(paths)) if indices is None else indices.astype(int)
    if order.size and (order.min() < 0 or order.max() >= len(paths)):
        raise prim.error(f"names body {order.max()}; there are {len(paths)}", f"{START}{word}:indices")
    bodies = [spec.body_of(spec.walk.find(path)) for path in paths]
    found = [bodies[k] for k in order]
    given = prim.numbers(START + places)
    if given is None:
        return FlexPoints(found, np.zeros((len(found), 3)))
    rows = read_table(prim, places, 3)
    if len(found) == 1:
        found = found * len(rows)
    if len(found) != len(rows):
        raise prim.error(f"has {len(rows)} places for {len(found)} bodies", START + places)
    return FlexPoints(found, rows)


def read_table(prim: Prim, name: str, width: int) -> np.ndarray:
    """Numbers [n, width] of a list; ParseError where they are not so many."""
    numbers = prim.numbers(START + name)
    numbers = np.zeros(0) if numbers is None else numbers
    if width < 1 or numbers.size % width:
        raise prim.error(f"has {numbers.size} numbers; {width} each are needed", START + name)
    return numbers.reshape(-1, width)


def flex_rows(builder, spec: UsdSpec, place: np.ndarray) -> tuple[list[dict], dict[int, int]]:
    """Rows of the ``mujoco`` namespace, and the row of each soft body; ``place`` is the pose of the stage in the scene."""
    counts = builder.custom_frequency_counts
    first = {kind: counts[f"mujoco:flex_{kind}"] for kind in ("vert", "node")}
    rows, at = [], {}
    for k, flex in enumerate(spec.flexes):
        at[id(flex)] = counts["mujoco:flex"] + k
        of_points = point_rows(flex.points, "vert", place)
        for row, joint in zip(of_points, flex.twists, strict=False):
            row["mujoco:flex_vert_twist"] = joint.dofs[0].index if joint is not None and joint.dofs else -1
        of_nodes = point_rows(flex.nodes, "node", place)
        rows.append(flex_row(flex, first, len(of_points), len(of_nodes)))
        rows += of_points + of_nodes
        first = {"vert": first["vert"] + len(of_points), "node": first["node"] + len(of_nodes)}
    return rows, at


def flex_row(flex: UsdFlex, first: dict[str, int], points: int, nodes: int) -> dict[str, Any]:
    """The row of one soft body, its lists packed."""
    prim, packed = flex.prim, {"elements": pack_array(flex.elements)}
    for name, kind, width in (("texcoord", np.float32, 2), ("elemtexcoord", np.int32, flex.dim + 1)):
        table = read_table(prim, name, width)
        if len(table):
            packed[name] = pack_array(table.astype(kind))
    cells = prim.numbers(f"{START}cellcount", 3)
    own = {
        "label": prim.path,
        "name": prim.name,
        "cellcount": (1.0, 1.0, 1.0) if cells is None else tuple(cells.tolist()),
        "mesh": json.dumps(packed),
        "vert_adr": first["vert"],
        "vert_num": points,
        "node_adr": first["node"],
        "node_num": nodes,
    }
    return flex.values | {f"mujoco:flex_{name}": value for name, value in own.items()}


def point_rows(points: FlexPoints, kind: str, place: np.ndarray) -> list[dict[str, Any]]:
    """Rows of points or nodes."""
    rows = []
    for body, at in zip(points.bodies, points.places, strict=True):
        pos = at if body is not None else multiply(place, transform(at))[:3]
        own = {"body": -1 if body is None else body.index, "pos": tuple(map(float, pos))}
        rows.append({f"mujoco:flex_{kind}_{name}": value for name, value in own.items()})
    return rows
