"""Soft bodies of a stage: prims of our own type over the bodies of their points, since no schema has MuJoCo's flexes."""

from lxml.etree import _Element as XmlElement

from newtonlite.exporters.usd.node import LayerPrim
from newtonlite.exporters.usd.relations import Relations
from newtonlite.exporters.usd.tags import quick
from newtonlite.schema.deformable import FLEX

TYPE = "NewtonFlex"
LISTS = {
    "vertex": "double[]",
    "nodecoord": "double[]",
    "texcoord": "double[]",
    "element": "int[]",
    "elemtexcoord": "int[]",
    "cellcount": "int[]",
}
"""Lists of numbers, and their types."""


def write_flexes(relations: Relations, section: XmlElement | None) -> None:
    """All soft bodies."""
    for tag in section if section is not None else ():
        if tag.tag == "flex":
            write_flex(relations, tag)


def write_flex(relations: Relations, tag: XmlElement) -> None:
    """A soft body: its numbers by the rows of MJCF, its lists, and the bodies of its points and nodes."""
    node = relations.node(tag, TYPE, "flex").author(FLEX, tag)
    for element in FLEX.children:
        for part in tag.iterchildren(element.name):
            node.author(element, part)
    for name, kind in LISTS.items():
        if name in tag.attrib:
            node.put(kind, f"newton:flex:{name}", quick(tag, name, ()))
    if "dof" in tag.attrib:
        node.put("token", "newton:flex:dof", tag.attrib["dof"])

    # a body may have several points, and each is a target once
    for word in ("body", "node"):
        names = tag.attrib.get(word, "").split()
        if names:
            paths = [relations.end("body", name) for name in names]
            indexed(node, f"newton:flex:{word}", paths)
    twists = twists_of(relations, tag)
    if twists:
        node.point("newton:flex:twist", *twists)
    if "material" in tag.attrib:
        relations.lost(tag, "the material of a soft body has no place; its colour is kept")


def indexed(node: LayerPrim, name: str, paths: list[str]) -> None:
    """A relationship to every path once, and the place there of each."""
    place = {path: k for k, path in enumerate(dict.fromkeys(paths))}
    node.point(name, *place).put("int[]", f"{name}:indices", [place[path] for path in paths])


def twists_of(relations: Relations, tag: XmlElement) -> list[str]:
    """The hinges that twist the edges of a rod, along it, which MJCF finds by their names."""
    name, count = tag.attrib.get("name", ""), len(tag.attrib["element"].split()) // 2
    if tag.attrib.get("dim") != "1":
        return []
    names = [f"{name}_twist_{k}" for k in range(count - 1)] + [f"{name}_twist"]
    paths = [relations.names.paths.get(("joint", twist), "") for twist in names]
    return [path or relations.root for path in paths] if any(paths) else []
