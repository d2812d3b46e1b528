"""The sections beside the world: contact, equality, tendon, actuator, sensor, keyframe, custom, as items of the model."""

from collections.abc import Iterator
from dataclasses import replace

from newtonlite.importers.mjcf.defaults import complete, overlay
from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.shortcuts import apply
from newtonlite.importers.mjcf.spec import ElementContext, Item, Spec
from newtonlite.schema.deformable import FLEX

ALONE = ("equality", "actuator")
"""Sections whose elements are replicated only with all that they refer to."""
TARGET = {"pair": "pairs", "exclude": "excludes"}
SECTIONS = {
    "contact": "",
    "deformable": "flexes",
    "equality": "equalities",
    "tendon": "tendons",
    "actuator": "actuators",
    "sensor": "sensors",
    "keyframe": "keys",
    "custom": "customs",
}
KIND = {
    "contact": "",
    "deformable": "flex",
    "equality": "equality",
    "tendon": "tendon",
    "actuator": "actuator",
    "sensor": "sensor",
    "keyframe": "key",
    "custom": "custom",
}


def collect(spec: Spec, attached: list[tuple[Document, ElementContext]]) -> None:
    """Fill the spec's lists; tendons before what may refer to them, then those of attached models."""
    comps, spec.flexes = spec.flexes, []
    own = ElementContext(spec.document)
    for section in ("deformable", "contact", "tendon", "equality", "actuator", "sensor", "keyframe", "custom"):
        postponed: dict[tuple[str, ...], list[tuple[Node, list[ElementContext]]]] = {}
        for node in items(spec.document, section):
            places = replicated(spec, node, own)
            if places and section in ALONE and mixed(spec, node):
                spec.document.report.leave_out(
                    node.error("ties what is replicated to what is not; MuJoCo makes nothing of it")
                )
                continue
            if places:
                postponed.setdefault(tuple(place.suffix for place in places), []).append((node, places))
            if not places:
                add_element(spec, section, node, own)
        for document, place in attached:
            for node in items(document, section):
                if belongs(spec, section, node, place):
                    add_element(spec, section, node, place)
        for suffixes, group in postponed.items():  # copy by copy, as MuJoCo makes them
            for k in range(len(suffixes)):
                for node, places in group:
                    add_element(spec, section, node, places[k])
        if section == "deformable":
            spec.flexes += comps
        if section == "equality":
            for item in spec.made_equalities:
                item.index = len(spec.equalities)
                spec.equalities.append(item)


def items(document: Document, section: str) -> list[Node]:
    """The elements of a section, without skins."""
    return [node for node in document.items(section) if node.tag != "skin"]


def add_element(spec: Spec, section: str, node: Node, place: ElementContext) -> None:
    """One element of a section, with the values it starts from."""
    if node.element.family == "actuator":
        values = apply(node, place.document.classes.of(node, "main"))
    elif node.element.family:
        values = overlay(node, place.document.classes.of(node, "main"))
    else:
        values = dict(node.values)
    named = replace(place, suffix="") if section == "keyframe" else place  # one keyframe serves all copies
    item = Item(
        node, place, complete(node.element, values), named.full(node.values.get("name", "")), given=frozenset(values)
    )
    kind = KIND[section] if section != "contact" else node.tag
    if section != "custom":
        spec.register(kind, item.name, item, node)
    if place.suffix and section in ("tendon", "actuator", "deformable") and node.values.get("name"):
        spec.replicas.setdefault((kind, place.prefix + node.values["name"]), []).append(place)
    target = getattr(spec, SECTIONS[section] or TARGET[node.tag])
    item.index = len(target)
    target.append(item)


def references(node: Node) -> Iterator[tuple[str, str]]:
    """(name, kind) of all references in an element, its children included."""
    for part in node.walk():
        for attr in part.element.attrs:
            if (
                attr.kind.base == "reference"
                and attr.name in part.values
                and attr.kind.of not in ("default", "material")
            ):
                yield part.values[attr.name], attr.kind.of
        if part.element is FLEX:
            for attr in ("body", "node"):
                yield from ((name, "body") for name in part.values.get(attr, "").split())
        for kind, name in (("objtype", "objname"), ("reftype", "refname")):
            if name in part.values and kind in part.attrs:
                yield part.values[name], {"xbody": "body"}.get(part.attrs[kind], part.attrs[kind])


def belongs(spec: Spec, section: str, node: Node, place: ElementContext) -> bool:
    """Whether an element of an attached model has come along: all it refers to has, or some of it where that is the
    model's own.
    """
    if section in ("keyframe", "custom"):
        return place.first and place.document is not spec.document
    along = [place.full(name) in spec.names.get(kind, {}) for name, kind in references(node)]
    if place.once is None or not any(along) or all(along):
        return all(along)
    if section in ALONE:
        spec.document.report.leave_out(
            node.error("ties what is attached a second time to what is not; MuJoCo makes nothing of it")
        )
    return section not in ALONE


def mixed(spec: Spec, node: Node) -> bool:
    """Whether an element refers to things that stand once, beside those that are replicated."""
    return any(name in spec.names.get(kind, {}) for name, kind in references(node))


def replicated(spec: Spec, node: Node, place: ElementContext) -> list[ElementContext]:
    """The places of an element that refers to things replicated together, and maybe to others; none for one that refers
    to none of them.
    """
    if not spec.replicas:
        return []
    suffixes: list[list[str]] = []
    for name, kind in references(node):
        if name in spec.names.get(kind, {}):
            continue
        suffixes.append([copy.suffix for copy in spec.replicas.get((kind, name), ())])
    if not suffixes or any(found != suffixes[0] for found in suffixes):
        return []
    return [replace(place, suffix=suffix, once=place.prefix, first=i == 0) for i, suffix in enumerate(suffixes[0])]
