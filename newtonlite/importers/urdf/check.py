"""URDF check of every node against the schema. What URDF does not have belongs to other programs: it is noted."""

import difflib
import warnings
from collections.abc import Collection

from newtonlite.core.errors import NewtonWarning
from newtonlite.core.table import METADATA, REFUSED
from newtonlite.importers.mjcf.check import first_words, required, suggestion
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.report import Report
from newtonlite.importers.urdf.declared import declared_for
from newtonlite.schema.urdf import URDF

ALIKE = 0.75
"""Likeness of two words from which one may be meant for the other."""
OWN = "mujoco"
"""Element whose contents are MuJoCo's, where unknown words are errors as in MJCF."""


def check(root: Node, report: Report, foreign: bool = True, builder=None) -> None:
    """Give every node its row and typed values, and drop those without influence, or raise ParseError. ``foreign``
    elements and attributes are noted, and go; custom attributes of a ``builder`` are known.
    """
    if root.tag != "robot":
        hint = "; this is MJCF, read it with add_mjcf" if root.tag == "mujoco" else ""
        raise root.error(f"is not the root of a URDF robot; expected <robot>{hint}")
    root.element = URDF
    stack = [(root, foreign)]
    while stack:
        node, lenient = stack.pop()
        lenient = lenient and node.tag != OWN
        own = () if builder is None else {name for name, _ in declared_for(builder, node)}
        read_values(node, report, lenient, own)
        required(node)
        report.seen(node)
        node.children = [child for child in node.children if wanted(node, child, report, lenient)]
        stack += [(child, lenient) for child in reversed(node.children)]


def unknown(node: Node, problem: str, known: list[str], attr: str | None, report: Report, lenient: bool) -> None:
    """Note what URDF does not have, with a warning where it looks like a slip of the pen; an error, or a warning, where
    that is not ``lenient``.
    """
    error = node.error(f"{problem}{suggestion(attr or node.tag, known)}", attr)
    if not lenient:
        report.unsupported(error)
        return
    report.ignore(node, "no word of URDF; it is left to the program that wrote it", attr)
    if difflib.get_close_matches(attr or node.tag, known, 1, ALIKE):
        warnings.warn(f"{error} (left out)", NewtonWarning, stacklevel=2)


def wanted(parent: Node, node: Node, report: Report, lenient: bool) -> bool:
    """Whether a child is read; ParseError, or a warning where the caller allows it, for what is not known."""
    element = node.element = parent.element.child(node.tag)
    if element is None and ":" in node.tag:
        report.ignore(node, "an element of another format")
        return False
    if element is None:
        known = [c.name for c in parent.element.children]
        unknown(node, f"is not known inside <{parent.tag}>", known, None, report, lenient)
        return False
    if element.status == REFUSED:
        report.unsupported(node.error(f"is not supported; {first_words(element.doc)}"))
        return False
    if element.status == METADATA:
        report.ignore(node, element.doc)
        return False
    if not element.many and any(
        c.element is element for c in parent.children if c is not node and c.offset < node.offset
    ):
        raise node.error(f"may stand only once in <{parent.tag}>")
    return True


def read_values(node: Node, report: Report, lenient: bool, own: Collection[str]) -> None:
    """Set the typed values of a node's attributes; ``own`` ones are read elsewhere."""
    for name, text in node.attrs.items():
        attr = node.element.attr(name)
        if attr is None and name in own:
            continue
        if attr is None and ":" in name:
            report.ignore(node, "names of other formats", name)
            continue
        if attr is None:
            known = [a.name for a in node.element.attrs]
            unknown(node, f"has no attribute '{name}'", known, name, report, lenient)
            continue
        try:
            value = attr.kind.parse(text)
        except ValueError as problem:
            raise node.error(str(problem), name) from None
        if attr.status == REFUSED and value != attr.default:
            report.unsupported(node.error("is not supported", name))
        node.values[name] = value
