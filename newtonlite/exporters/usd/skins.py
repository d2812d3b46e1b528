"""Skins of a stage: prims of our own type over the bodies of their bones, since no schema has MuJoCo's weights."""

from lxml.etree import _Element as XmlElement

from newtonlite.exporters.usd.flexes import indexed
from newtonlite.exporters.usd.relations import Relations
from newtonlite.exporters.usd.tags import quick
from newtonlite.importers.usd.skins import START, TYPE
from newtonlite.schema.skin import SKIN


def write_skin(relations: Relations, tag: XmlElement) -> None:
    """A skin: its numbers by the rows of MJCF, its surface, and its bones one after the other."""
    node = relations.node(tag, TYPE, "skin").author(SKIN, tag)
    for name, kind in (("vertex", "double[]"), ("texcoord", "double[]"), ("face", "int[]")):
        if name in tag.attrib:
            node.put(kind, START + name, quick(tag, name, ()))
    bones = [bone for bone in tag if bone.tag == "bone"]
    indexed(node, START + "body", [relations.end("body", bone.attrib["body"]) for bone in bones])
    for name, kind in (
        ("bindpos", "double[]"),
        ("bindquat", "double[]"),
        ("vertid", "int[]"),
        ("vertweight", "double[]"),
    ):
        node.put(kind, START + name, [x for bone in bones for x in quick(bone, name, ())])
    node.put("int[]", START + "count", [len(quick(bone, "vertid", ())) for bone in bones])
    if "material" in tag.attrib:
        relations.lost(tag, "the material of a skin has no place; its colour is kept")
