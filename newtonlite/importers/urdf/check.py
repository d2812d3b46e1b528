"""URDF check of every node against the schema. Elements of other programs are noted, unknown ones refused."""

from newtonlite.core.table import METADATA, REFUSED
from newtonlite.importers.mjcf.check import first_words, required, suggestion
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.report import Report
from newtonlite.schema.urdf import URDF


def check(root: Node, report: Report) -> None:
    """Give every node its row and typed values, and drop those without influence, or raise ParseError."""
    if root.tag != "robot":
        hint = "; this is MJCF, read it with add_mjcf" if root.tag == "mujoco" else ""
        raise root.error(f"is not the root of a URDF robot; expected <robot>{hint}")
    root.element = URDF
    stack = [root]
    while stack:
        node = stack.pop()
        read_values(node, report)
        required(node)
        report.seen(node)
        node.children = [child for child in node.children if wanted(node, child, report)]
        stack += reversed(node.children)


def wanted(parent: Node, node: Node, report: Report) -> bool:
    """Whether a child is read; ParseError, or a warning where the caller allows it, for what is not known."""
    element = node.element = parent.element.child(node.tag)
    if element is None and ":" in node.tag:
        report.ignore(node, "an element of another format")
        return False
    if element is None:
        report.unsupported(
            node.error(
                f"is not known inside <{parent.tag}>{suggestion(node.tag, [c.name for c in parent.element.children])}"
            )
        )
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


def read_values(node: Node, report: Report) -> None:
    """Set the typed values of a node's attributes."""
    for name, text in node.attrs.items():
        attr = node.element.attr(name)
        if attr is None and ":" in name:
            report.ignore(node, "names of other formats", name)
            continue
        if attr is None:
            known = [a.name for a in node.element.attrs]
            report.unsupported(node.error(f"has no attribute '{name}'{suggestion(name, known)}", name))
            continue
        try:
            value = attr.kind.parse(text)
        except ValueError as problem:
            raise node.error(str(problem), name) from None
        if attr.status == REFUSED and value != attr.default:
            report.unsupported(node.error("is not supported", name))
        node.values[name] = value
