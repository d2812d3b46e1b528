"""The sections beside the world: contact, equality, tendon, actuator, sensor, keyframe, custom, as items of the model."""

from collections.abc import Iterator
from dataclasses import replace

from newtonlite.importers.mjcf.defaults import complete, overlay
from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.shortcuts import apply
from newtonlite.importers.mjcf.spec import ElementContext, Item, Spec
from newtonlite.schema.deformable import FLEX
from newtonlite.schema.skin import BONE

Copies = list[tuple[Node, list[ElementContext]]]
"""Elements with the places of their copies."""
ALONE = ("equality", "actuator")
"""Sections whose elements are replicated only with all that they refer to."""
TARGET = {"pair": "pairs", "exclude": "excludes"}
SECTIONS = {
    "contact": "",
    "deformable": "flexes",
    "skin": "skins",
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
    "skin": "skin",
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
    for section in ("deformable", "skin", "contact", "tendon", "equality", "actuator", "sensor", "keyframe", "custom"):
        waiting = settle(spec, section, own)
        for i, (_, place) in enumerate(attached):
            add_copies(spec, section, waiting, i)
            waiting = settle(spec, section, place) + waiting
        add_copies(spec, section, waiting, len(attached))
        if section == "deformable":
            spec.flexes += comps
        if section == "equality":
            for item in spec.made_equalities:
                item.index = len(spec.equalities)
                spec.equalities.append(item)


def settle(spec: Spec, section: str, place: ElementContext) -> list[Copies]:
    """Add the elements of a document that stand once; those that refer to what is replicated are given back, with the
    places of their copies, those of the same numbers together.
    """
    own = place.document is spec.document and place.once is None
    copies: dict[tuple, Copies] = {}
    for node in items(place.document, section):
        places = replicated(spec, node, place)
        if places and (makes_nothing(spec, section, node) if own else mixed(spec, node, place)):
            spec.document.report.leave_out(
                node.error("ties what is replicated to what is not; MuJoCo makes nothing of it")
            )
        elif places:
            key = (places[0].attached_before, *(copy.suffix for copy in places))
            copies.setdefault(key, []).append((node, places))
        elif own or belongs(spec, section, node, place):
            add_element(spec, section, node, place)
    return list(copies.values())


def add_copies(spec: Spec, section: str, waiting: list[Copies], attached: int) -> None:
    """Add what refers to things that were replicated before so many models were attached, copy by copy, and take it off
    the list.
    """
    due = sorted((group for group in waiting if since(group) <= attached), key=since)
    for group in due:
        for k in range(len(group[0][1])):
            for node, places in group:
                add_element(spec, section, node, places[k])
    waiting[:] = [group for group in waiting if since(group) > attached]


def since(group: Copies) -> int:
    """Number of models that were attached before the things that a group refers to were replicated."""
    return group[0][1][0].attached_before


def items(document: Document, section: str) -> list[Node]:
    """The elements of a section; skins, which stand among assets too, are a section of their own."""
    if section == "skin":
        return [node for place in ("asset", "deformable") for node in document.items(place) if node.tag == "skin"]
    return [node for node in document.items(section) if node.tag != "skin"]


def add_element(spec: Spec, section: str, node: Node, place: ElementContext) -> None:
    """One element of a section, with the values it starts from."""
    if node.element.family == "actuator":
        values = apply(node, place.document.classes.of(node, "main"))
    elif node.element.family:
        values = overlay(node, place.document.classes.of(node, "main"))
    else:
        values = dict(node.values)
    once = section == "keyframe" or (section == "skin" and "file" in node.values)  # one serves all copies
    named = replace(place, suffix="") if once else place
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
        if part.element is BONE:
            yield part.values["body"], "body"
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
    if section == "skin" and "file" in node.values:  # which names its bodies later
        return place.first and place.once is None
    along = [place.full(name) in spec.names.get(kind, {}) for name, kind in references(node)]
    if place.once is None or not any(along) or all(along) or section == "skin":
        return all(along)
    if section in ALONE:
        spec.document.report.leave_out(
            node.error("ties what is attached a second time to what is not; MuJoCo makes nothing of it")
        )
    return section not in ALONE


def makes_nothing(spec: Spec, section: str, node: Node) -> bool:
    """Whether nothing is made of an element that refers to replicated things, for what else it refers to."""
    if section == "skin":
        return "world" in (name for name, _ in references(node))
    return section in ALONE and mixed(spec, node, ElementContext(spec.document))


def mixed(spec: Spec, node: Node, place: ElementContext) -> bool:
    """Whether an element refers to things that stand once, beside those that are replicated."""
    return any(place.full(name) in spec.names.get(kind, {}) for name, kind in references(node))


def replicated(spec: Spec, node: Node, place: ElementContext) -> list[ElementContext]:
    """The places of an element that refers to things replicated together, and maybe to others; none for one that refers
    to none of them.
    """
    if not spec.replicas:
        return []
    found: list[list[ElementContext]] = []
    for name, kind in references(node):
        if place.full(name) in spec.names.get(kind, {}):
            continue
        copies = spec.replicas.get((kind, place.prefix + name), ())
        found.append([copy for copy in copies if copy.suffix.endswith(place.suffix)])
    suffixes = [[copy.suffix for copy in copies] for copies in found]
    if not suffixes or any(others != suffixes[0] for others in suffixes):
        return []
    first = place.first
    return [
        replace(
            place, suffix=copy.suffix, once=place.prefix, first=first and i == 0, attached_before=copy.attached_before
        )
        for i, copy in enumerate(found[0])
    ]
