"""Check of every node against its row of the schema: known names, values of the right kind, nothing refused."""

import difflib
from collections.abc import Iterable

from newtonlite.core.plugins import PLUGINS
from newtonlite.core.table import REFUSED, Attr, Element
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.report import Report
from newtonlite.schema import MUJOCO
from newtonlite.schema.legacy import GLOBAL, LEGACY


def check(root: Node, report: Report) -> None:
    """Give every node its schema row and typed values; nodes that are refused and let through are removed."""
    if root.tag != "mujoco":
        hint = "; this is URDF, read it with add_urdf" if root.tag == "robot" else ""
        raise root.error(f"is not the root of an MJCF model; expected <mujoco>{hint}")
    root.element = MUJOCO
    leave_out_plugins(root, report)
    stack = [root]
    while stack:
        node = stack.pop()
        if node.attrs:
            node.values = values(node, report)
        if node.tag != "exclude":  # one that names too little is left out
            required(node)
        report.seen(node)
        if node.children:
            node.children = [child for child in node.children if known(node, child, report)]
            stack += reversed(node.children)


def known(parent: Node, node: Node, report: Report) -> bool:
    """Find the row of a child; False where it is unknown or refused, and let through."""
    element = parent.element.child(node.tag)
    if element is None:
        unknown = f"is not known inside <{parent.tag}>{suggestion(node.tag, [c.name for c in parent.element.children])}"
        inside = "worldbody" if parent.tag in ("body", "frame", "replicate") else parent.tag
        report.unsupported(node.error(LEGACY.get((inside, node.tag), unknown)))
        return False
    node.element = element
    if element.status == REFUSED:
        report.unsupported(node.error(f"is not supported{'; ' + first_words(element.doc) if element.doc else ''}"))
        return False
    if not element.many and any(
        c.element is element
        for c in parent.children
        if c is not node and c.offset < node.offset and c.source is node.source
    ):
        raise node.error(f"may stand only once in <{parent.tag}>")
    return True


def leave_out_plugins(root: Node, report: Report) -> None:
    """Plugins that are none of MuJoCo's own are refused, and where they are let through, elements that have them go too."""
    foreign = [
        plugin
        for node in root.children
        if node.tag == "extension"
        for plugin in node.children
        if unknown_plugin(plugin)
    ]
    instances = {child.attrs.get("name") for plugin in foreign for child in plugin.children}
    stack = [root]
    while stack:
        node = stack.pop()
        for child in [c for c in node.children if c.tag == "plugin"]:
            if unknown_plugin(child):
                name = child.attrs["plugin"]
                report.unsupported(child.error(f"plugin {name} not found{suggestion(name, PLUGINS)}", "plugin"))
                node.children.remove(child)
        for child in [c for c in node.children if c.tag == "plugin" and c.attrs.get("instance") in instances]:
            report.unsupported(child.error("its plugin is left out", "instance"))
            node.children.remove(child)
        stack += [child for child in node.children if child.children]


def unknown_plugin(node: Node) -> bool:
    """Whether an element names a plugin that is not simulated."""
    return node.tag == "plugin" and "plugin" in node.attrs and node.attrs["plugin"] not in PLUGINS


def first_words(doc: str) -> str:
    """The first sentence of a doc, without its stop."""
    text = doc.split(". ")[0].rstrip(".")
    return text[:1].lower() + text[1:]


def values(node: Node, report: Report) -> dict:
    """The typed values of a node's attributes."""
    found = {}
    for name, text in node.attrs.items():
        attr = node.element.attr(name)
        if attr is None and name in report.declared.get(node.tag, ()):
            if node.tag != "option":  # which has no default classes
                found[name] = text
            continue
        if attr is None:
            unknown = f"has no attribute '{name}'{suggestion(name, [a.name for a in node.element.attrs])}"
            if node.tag == "flag" and (node.tag, name) not in LEGACY:  # newer files speak of newer flags
                report.leave_out(node.error(unknown, name))
                continue
            report.unsupported(node.error(LEGACY.get((node.tag, name), unknown), name))
            continue
        if not text.strip():
            if not text and attr.handled == "resolve_sensor" and attr.kind.base in ("reference", "text"):
                raise node.error("is empty; name what is measured, or leave it out", name)
            if blank(attr, text):
                continue
        try:
            value = attr.kind.parse(text)
        except ValueError as problem:
            raise node.error(str(problem), name) from None
        if attr.status == REFUSED and asks(attr, value):
            if name == "coordinate":  # read as local ones they would make another model
                raise node.error(GLOBAL, name)
            report.unsupported(node.error("is not supported", name))
            continue
        found[name] = value
    return found


def blank(attr: Attr, text: str) -> bool:
    """Whether a text says nothing: a reference to no name, or numbers of which there is none, which MuJoCo takes as not
    given.
    """
    kind = attr.kind
    refers = kind.base == "reference" and kind.of != "default"  # a class is one that there is
    return not text.strip() and (refers or (kind.base in ("real", "integer") and kind.low > 0))


def asks(attr: Attr, value) -> bool:
    """Whether a value of a refused attribute differs from doing nothing."""
    if value == attr.default:
        return False
    if isinstance(value, tuple) and isinstance(attr.default, tuple):
        return value != attr.default[: len(value)]
    return not (isinstance(value, (int, float)) and attr.default is None and value == 0)


def required(node: Node) -> None:
    """Attributes without which the element says nothing."""
    for attr in node.element.required:
        if attr.name not in node.attrs or blank(attr, node.attrs[attr.name]):
            raise node.error(f"needs the attribute '{attr.name}' ({first_words(attr.doc) or attr.kind.describe()})")


def suggestion(name: str, choices: Iterable[str]) -> str:
    """``; did you mean 'x'?`` for the nearest of the choices, or what there is to choose from."""
    choices = list(choices)
    near = difflib.get_close_matches(name, choices, 1, 0.6)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f"; known are {', '.join(choices)}" if choices and len(choices) <= 16 else ""


def element_of(path: str) -> Element:
    """The schema row at a path such as ``actuator/motor``."""
    element = MUJOCO
    for part in path.split("/"):
        element = element.child(part)
    return element
