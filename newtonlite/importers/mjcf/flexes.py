"""Soft bodies: ``deformable/flex`` over bodies that are there, and rows of the scene for these and for flexcomps."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from newtonlite.core.mujoco import MjtEq
from newtonlite.core.packed_array import pack_array
from newtonlite.importers.mjcf.defaults import complete, overlay
from newtonlite.importers.mjcf.frame import chain
from newtonlite.importers.mjcf.shapes import CONDIMS
from newtonlite.importers.mjcf.spec import Body, Item, Spec
from newtonlite.math.quat import ONE
from newtonlite.schema.deformable import FLEX
from newtonlite.schema.execute import scene_values

EQUALITIES = {"flex": MjtEq.FLEX, "flexstrain": MjtEq.FLEXSTRAIN}
POISSON = 0.5
"""Poisson's ratio of what keeps its volume."""


def resolve_flexes(spec: Spec) -> None:
    """Settle all soft bodies in place, or raise ParseError."""
    for index, item in enumerate(spec.flexes):
        item.index = index
        if item.node.tag == "flex":
            resolve_flex(spec, item)
        check_flex(item)


def resolve_flex(spec: Spec, item: Item) -> None:
    """Bodies, places and elements of a soft body that the file spells out."""
    node, values = item.node, item.values
    if not 1 <= values["dim"] <= 3:
        raise node.error("Invalid dim, must be between 1 and 3", "dim")
    item.values["parts"] = [(child.element, complete(child.element, overlay(child, {}))) for child in node.children]
    width = values["dim"] + 1
    if len(values["element"]) % width:
        raise node.error(f"has {len(values['element'])} numbers; elements have {width} each", "element")
    values["elements"] = np.array(values["element"], np.int64).reshape(-1, width)
    order = values.get("dof") or 0
    values |= {"dof": order} | dict(
        zip(("node_bodies", "node_points"), placed(spec, item, "node", "nodecoord"), strict=True)
    )
    values["bodies"], values["points"] = placed(spec, item, "body", "vertex")
    if not values["bodies"]:
        raise node.error("needs the attribute 'body'")
    check_elements(item)
    for name, kind, columns in (("texcoord", float, 2), ("elemtexcoord", np.int64, width)):
        numbers = np.array(values.get(name) or (), kind)
        if numbers.size % columns:
            raise node.error(f"has {numbers.size} numbers; {columns} are needed for each", name)
        values[name] = numbers.reshape(-1, columns)
    values["twists"] = twists(spec, item)


def placed(spec: Spec, item: Item, bodies: str, places: str) -> tuple[list[Body], np.ndarray]:
    """Bodies of the points or nodes that an attribute lists, and their places there [n, 3]."""
    node, names = item.node, (item.values.get(bodies) or "").split()
    given = item.values.get(places)
    found = [spec.find_name("body", item, name, bodies) for name in names]
    if given is None:
        return found, np.zeros((len(found), 3))
    if len(given) % 3:
        raise node.error(f"has {len(given)} numbers; places have three each", places)
    points = np.array(given, float).reshape(-1, 3)
    if len(found) == 1:
        found = found * len(points)
    if len(found) != len(points):
        raise node.error(f"has {len(found)} bodies for {len(points)} places; give one for each, or one for all", bodies)
    return found, points


def check_elements(item: Item) -> None:
    """Elements name points that there are, none twice."""
    elements, count = item["elements"], len(item["bodies"])
    if not elements.size:
        raise item.node.error("elem is empty: a soft body needs elements", "element")
    if elements.min() < 0 or elements.max() >= count:
        astray = int(elements.min() if elements.min() < 0 else elements.max())
        raise item.node.error(f"an element names point {astray}; there are {count}", "element")
    ordered = np.sort(elements, -1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        raise item.node.error("not enough vertices: an element has a point twice; give each distinct points", "element")


def twists(spec: Spec, item: Item) -> list[Item | None]:
    """The hinges, by their names, that twist the edges of a rod; none where there are none."""
    count, joints = len(item["elements"]), spec.names.get("joint", {})
    names = [f"{item.name}_twist_{k}" for k in range(count - 1)] + [f"{item.name}_twist"]
    found = [joints.get(name) for name in names] if item["dim"] == 1 and item.name else []
    return found if any(found) else []  # pyright: ignore[reportReturnType]


def check_flex(item: Item) -> None:
    """Numbers that make no sense, in MuJoCo's words."""
    for node in item.node.children:
        if node.tag == "contact" and node.values.get("condim", 3) not in (*CONDIMS, 2):
            raise node.error(f"{node.values['condim']} is no dimension of contacts; give 1, 3, 4 or 6", "condim")
        if node.tag == "contact" and node.values.get("activelayers", 1) < 1:
            raise node.error("no layer of tetrahedra would collide; give at least 1", "activelayers")
    edge, elastic = (part_of(item, name) for name in ("edge", "elasticity"))
    if edge.get("stiffness", 0.0) and item["dim"] != 1:
        raise item.node.error("edge stiffness only available for dim=1, please use <elasticity>")
    if elastic:
        check_elasticity(item, elastic)
    check_loose(item)


def check_loose(item: Item) -> None:
    """ParseError for nodes that nothing holds in a body with joints; those that move nothing are there, but are no pins."""
    body = item.values.get("loose_in")
    if body is not None and any(above.joints for above in chain_of(body)):
        raise item.node.error(
            f"body '{body.name}' has joints but no flex vertices/nodes are pinned to it; pin one, or leave the joints out"
        )


def chain_of(body: Body | None) -> Iterator[Body]:
    """A body and those above it."""
    while body is not None:
        yield body
        body = body.parent


def check_elasticity(item: Item, values: dict) -> None:
    """Elastic constants that make no sense, or not for the dimension of the soft body."""
    dim, node = item["dim"], next(child for child in item.node.children if child.tag == "elasticity")
    two, bends = values["elastic2d"], values["yield"][1] > 0
    problems = (
        (not 0.0 <= values["poisson"] < POISSON, "Poisson ratio must be in [0, 0.5)", "poisson"),
        (values["shear"] < 0.0, "shear modulus must be non-negative", "shear"),
        (two and dim != 2 and not item["dof"], "2d elasticity requires 2d flex", "elastic2d"),
        (two and values["thickness"] <= 0.0, "2d elasticity requires positive thickness", "elastic2d"),
        (min(given_yield(values)) < 0.0, "yield cannot be negative", "yield"),
        (dim == 1 and max(given_yield(values)) > 0.0, "flex plasticity requires a 2d or 3d flex", "yield"),
        (bends and (dim != 2 or item["dof"]), "bending yield requires a non-interpolated 2d flex", "yield"),
    )
    for wrong, text, attr in problems:
        if wrong:
            raise node.error(text, attr if attr in node.values else None)
    if values["section"]:
        check_section(item, values, node)


def given_yield(values: dict) -> tuple[float, ...]:
    """The strains at which it yields, as many as were given."""
    first, second = values["yield"]
    return (first,) if second == -1.0 else (first, second)


def check_section(item: Item, values: dict, node) -> None:
    """A box section has sizes, and the radius of its smaller one."""
    if min(values["sectionsize"]) <= 0:
        raise node.error("a box section requires positive sectionsize", "section")
    least = min(values["sectionsize"])
    if "radius" in item.node.values and item["radius"] != least:
        raise item.node.error(
            f"{item['radius']:g} is not the smaller half size {least:g} of the section; leave it out", "radius"
        )
    item.values["radius"] = least


def part_of(item: Item, name: str) -> dict:
    """Values of a part of a soft body; none where it has no such part."""
    return next((values for element, values in item["parts"] if element.name == name), {})


def flex_rows(spec: Spec, built, counts, world) -> Iterator[dict]:
    """Rows of the soft bodies, and of their points and nodes; ``counts`` are the rows that are there."""
    points, nodes = counts["mujoco:flex_vert"], counts["mujoco:flex_node"]
    first = counts["mujoco:flex"]
    for k, item in enumerate(spec.flexes):
        built.flex[id(item)] = first + k
        of_points = list(point_rows(item, built, world))
        of_nodes = list(node_rows(item, built, world))
        yield flex_row(item, built) | {
            "mujoco:flex_vert_adr": points,
            "mujoco:flex_vert_num": len(of_points),
            "mujoco:flex_node_adr": nodes,
            "mujoco:flex_node_num": len(of_nodes),
        }
        yield from of_points
        yield from of_nodes
        points, nodes = points + len(of_points), nodes + len(of_nodes)


def flex_row(item: Item, built) -> dict[str, Any]:
    """A soft body, its lists packed."""
    values = scene_values(FLEX, item.values, None, item.name, item.place.owner)
    for element, part in item["parts"]:
        values |= scene_values(element, part)
    packed = {name: pack_array(item[name].astype(np.int32)) for name in ("elements", "elemtexcoord") if len(item[name])}
    if len(item["texcoord"]):
        packed["texcoord"] = pack_array(item["texcoord"].astype(np.float32))
    materials = [item.place.owner + name for name in (item.values.get("material") or "").split()]
    return values | {
        "mujoco:flex_label": built.labels.of_model(item.name),
        "mujoco:flex_name": item.name,
        "mujoco:flex_cellcount": tuple(map(float, item["cellcount"])),
        "mujoco:flex_mesh": json.dumps(packed | ({"material": materials} if materials else {})),
    }


def point_rows(item: Item, built, world) -> Iterator[dict]:
    """Points of a soft body, and the dof that twists the element of the same number."""
    twists = item["twists"]
    for k, (body, place) in enumerate(zip(item["bodies"], item["points"].tolist(), strict=True)):
        twist = twists[k] if k < len(twists) else None
        yield {
            "mujoco:flex_vert_body": built.body[id(body)],
            "mujoco:flex_vert_pos": in_scene(body, place, world),
            "mujoco:flex_vert_twist": -1 if twist is None else built.dof[id(twist)],
        }


def node_rows(item: Item, built, world) -> Iterator[dict]:
    """Nodes of interpolation of a soft body."""
    for body, place in zip(item["node_bodies"], item["node_points"].tolist(), strict=True):
        yield {"mujoco:flex_node_body": built.body[id(body)], "mujoco:flex_node_pos": in_scene(body, place, world)}


def in_scene(body: Body, place, world) -> tuple[float, ...]:
    """Place in its body; on the world that of the file in what carries it."""
    return tuple(place) if body.parent is not None else chain(*world, tuple(place), ONE)[0]
