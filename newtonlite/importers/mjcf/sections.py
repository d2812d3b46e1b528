"""The sections beside the world: contact, equality, tendon, actuator, sensor, keyframe, custom, as items of the model."""

from collections.abc import Iterator
from dataclasses import replace

from .defaults import complete, overlay
from .document import Document
from .read import Node
from .shortcuts import apply
from .spec import Item, Place, Spec

TARGET = {"pair": "pairs", "exclude": "excludes"}
SECTIONS = {"contact": "", "equality": "equalities", "tendon": "tendons", "actuator": "actuators", "sensor": "sensors", "keyframe": "keys", "custom": "customs"}
KIND = {"contact": "", "equality": "equality", "tendon": "tendon", "actuator": "actuator", "sensor": "sensor", "keyframe": "key", "custom": "custom"}
def collect(spec: Spec, attached: list[tuple[Document, Place]]) -> None:
    """Fill the spec's lists; tendons before what may refer to them, then those of attached models."""
    for section in ("contact", "tendon", "equality", "actuator", "sensor", "keyframe", "custom"):
        postponed: dict[tuple[str, ...], list[tuple[Node, list[Place]]]] = {}
        for node in spec.document.items(section):
            places = replicated(spec, node, Place(spec.document))
            if places:
                postponed.setdefault(tuple(place.suffix for place in places), []).append((node, places))
            if not places:
                add(spec, section, node, Place(spec.document))
        for document, place in attached:
            for node in document.items(section):
                if belongs(spec, section, node, place):
                    add(spec, section, node, place)
        for suffixes, group in postponed.items():  # copy by copy, as MuJoCo makes them
            for k in range(len(suffixes)):
                for node, places in group:
                    add(spec, section, node, places[k])


def add(spec: Spec, section: str, node: Node, place: Place) -> None:
    """One element of a section, with the values it starts from."""
    if node.element.family == "actuator":
        values = apply(node, place.document.classes.of(node, "main"))
    elif node.element.family:
        values = overlay(node, place.document.classes.of(node, "main"))
    else:
        values = dict(node.values)
    named = replace(place, suffix="") if section == "keyframe" else place  # one keyframe serves all copies
    item = Item(node, place, complete(node.element, values), named.full(node.values.get("name", "")), given=frozenset(values))
    kind = KIND[section] if section != "contact" else node.tag
    if section != "custom":
        spec.register(kind, item.name, item, node)
    target = getattr(spec, SECTIONS[section] or TARGET[node.tag])
    item.index = len(target)
    target.append(item)


def references(node: Node) -> Iterator[tuple[Node, str, str]]:
    """(node, attribute, kind) of all references in an element, its children included."""
    for part in node.walk():
        for attr in part.element.attrs:
            if attr.kind.base == "reference" and attr.name in part.values and attr.kind.of not in ("default", "material"):
                yield part, attr.name, attr.kind.of


def belongs(spec: Spec, section: str, node: Node, place: Place) -> bool:
    """Whether an element of an attached model has come along: all it refers to has."""
    if section in ("keyframe", "custom"):
        return place.first
    return all(place.full(part.values[attr]) in spec.names.get(kind, {}) for part, attr, kind in references(node))


def replicated(spec: Spec, node: Node, place: Place) -> list[Place]:
    """The places of an element all of whose references are to things replicated together; else none."""
    suffixes: list[list[str]] = []
    for part, attr, kind in references(node):
        name = part.values[attr]
        if name in spec.names.get(kind, {}):
            return []
        suffixes.append([copy.suffix for copy in spec.replicas.get((kind, name), ())])
    if not suffixes or any(found != suffixes[0] for found in suffixes):
        return []
    return [replace(place, suffix=suffix, first=i == 0) for i, suffix in enumerate(suffixes[0])]
