"""Default classes of MJCF elements."""

from newtonlite.core.table import Element
from newtonlite.importers.mjcf.check import suggestion
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.shortcuts import apply

MAIN = "main"
TWICE = ("springlength",)
"""Attributes of which one number stands for both."""
ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")


class Classes:
    """The tree of default classes, each with the values it gives to each family of elements."""

    def __init__(self):
        self.values: dict[str, dict[str, dict]] = {MAIN: {}}

    def add_section(self, section: Node) -> None:
        """Take in an outermost ``default`` element."""
        name = section.values.get("class", MAIN)
        if name != MAIN:
            raise section.error(
                f"the outermost default class is '{MAIN}'; leave class out, or put '{name}' inside another <default>",
                "class",
            )
        stack = [(section, MAIN)]
        while stack:
            node, name = stack.pop()
            self._fill(node, name)
            inner = [child for child in node.children if child.tag == "default"]
            for child in inner:
                self._open(child, name)
            stack += [(child, child.values["class"]) for child in reversed(inner)]

    def _open(self, node: Node, outer: str) -> None:
        """Start a class from the one around it."""
        name = node.values.get("class", "")
        if not name:
            raise node.error("needs the attribute 'class'; only the outermost default goes without a name")
        if name in self.values:
            raise node.error(f"class '{name}' is defined a second time; give it another name", "class")
        self.values[name] = dict(self.values[outer])

    def _fill(self, node: Node, name: str) -> None:
        families = self.values[name]
        for child in node.children:
            if child.tag != "default":
                family = child.element.family
                old = families.get(family, {})
                families[family] = apply(child, old) if family == "actuator" else overlay(child, old)
                if child.children:
                    families[family] = families[family] | {"layers": old.get("layers", {}) | layers(child)}

    def check(self, node: Node, attr: str) -> str:
        """The class that an attribute of a node names; ParseError where there is none."""
        name = node.values[attr]
        if name not in self.values:
            raise node.error(f"there is no default class '{name}'{suggestion(name, self.values)}", attr)
        return name

    def of(self, node: Node, childclass: str) -> dict:
        """Default values of a node: those of its class, else of the nearest childclass."""
        name = self.check(node, "class") if "class" in node.values else childclass
        return self.values[name].get(node.element.family, {})


def layers(node: Node) -> dict[int, str]:
    """Textures of a material by what they give."""
    return {child.values["role"]: child.values.get("texture", "") for child in node.children if child.tag == "layer"}


def overlay(node: Node, base: dict) -> dict:
    """Values of a node over those it starts from. Arrays that are shorter keep the rest; a new orientation drops the
    old.
    """
    values = dict(base)
    if not node.values.keys().isdisjoint(ORIENTATIONS):
        orientation(node)
        for name in ORIENTATIONS:
            values.pop(name, None)
    for name, value in node.values.items():
        if name in TWICE and len(value) == 1:
            value = value * 2
        old = values.get(name)
        if old is None and isinstance(value, tuple):
            old = node.element.attr(name).default
        values[name] = (
            value + old[len(value) :]
            if isinstance(value, tuple) and isinstance(old, tuple) and len(old) > len(value)
            else value
        )
    return values


def orientation(node: Node) -> None:
    """ParseError where a node gives more than one orientation."""
    given = [name for name in ORIENTATIONS if name in node.values]
    if len(given) > 1:
        raise node.error(f"has two orientations, '{given[0]}' and '{given[1]}'; keep one", given[1])


def complete(element: Element, values: dict) -> dict:
    """Values with the schema's defaults where none was given."""
    return element.completed(values)
