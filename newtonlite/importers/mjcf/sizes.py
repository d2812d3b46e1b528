"""Sizes that a model declares, times what has them: bounded before anything of that size is made."""

from newtonlite.core.limits import most
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.spec import Spec, joint_width
from newtonlite.schema.option import NUSER

WIDEST = 20
"""Most numbers of one row of a sensor."""


def check_sizes(spec: Spec) -> None:
    """ParseError at the size with which a model declares more than ``declared in all`` numbers."""
    total = 0
    for node, attr, size, times in declared(spec):
        total += size * max(times, 1)
        if total > most("declared in all"):
            raise node.error(
                f"{size} for {times} makes {total} declared numbers; at most {most('declared in all')}", attr
            )


def declared(spec: Spec):
    """(element, attribute, size, how often) of every declared size."""
    counts = dict(zip(NUSER, map(len, things(spec)), strict=True))
    state = sum(sum(joint_width(joint["type"])) for joint in spec.joints) + 2 * len(spec.actuators) + 1
    for node in spec.document.sections["size"]:
        for name in NUSER:
            yield from row(node, f"nuser_{name}", counts[name])
        yield from row(node, "nkey", state)
        yield from row(node, "nuserdata", 1)
    for item in spec.customs:
        yield from row(item.node, "size", 1)
    for item in (*spec.actuators, *spec.sensors):
        for name in ("nsample", "dim", "num", "actdim"):
            size = item.values.get(name) or 0
            if size > 0:
                wide = name == "nsample" and max(item.values.get("dim") or 1, item.values.get("num") or 1)
                yield item.node, name, size, (wide or 1) * WIDEST


def row(node: Node, attr: str, times: int):
    """A size that an element gives."""
    if node.values.get(attr, 0) > 0:
        yield node, attr, node.values[attr], times


def things(spec: Spec) -> tuple:
    """Lists of what user numbers belong to, in the order of ``NUSER``."""
    return (spec.bodies, spec.joints, spec.geoms, spec.sites, spec.cameras, spec.tendons, spec.actuators, spec.sensors)
