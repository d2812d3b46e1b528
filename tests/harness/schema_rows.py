"""A small model for every row of the schema: one element with one attribute that differs from its default, in a scene
where that counts.

``parts`` makes of a row what has it, and the same without it; ``model`` makes models of such parts. What rows do not
tell is data: ``values.py`` has legal values and what stands beside them, ``scene.py`` the scene.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from newtonlite.core.table import REFUSED, Attr, Element
from newtonlite.schema import MUJOCO
from tests.harness import schema_scene, schema_values

CLASS = "made"
NAMES = re.compile(r'"(own|owned|host|copy|made|pre)"')
"""Names that a row may give to what it adds."""


@dataclass(frozen=True)
class Row:
    """An attribute of an element; ``path`` leaves the root out."""

    path: str
    element: Element
    attr: Attr

    @property
    def name(self) -> str:
        """``actuator/motor@gear``."""
        return f"{self.path}@{self.attr.name}"

    @property
    def of_class(self) -> bool:
        """Whether the row belongs to a default class."""
        return self.path.startswith("default/")


def rows() -> list[Row]:
    """Every attribute of every element that is not refused, at the element's shortest path."""
    found: dict[int, tuple[str, Element]] = {}
    for path, element in sorted(
        taken(MUJOCO), key=lambda item: (item[0].startswith("mujoco/default/"), item[0].count("/"))
    ):
        found.setdefault(id(element), (path.partition("/")[2], element))
    return [
        Row(path, element, attr) for path, element in found.values() for attr in element.attrs if attr.status != REFUSED
    ]


def taken(root: Element) -> Iterator[tuple[str, Element]]:
    """Elements with their paths, without those that are refused and all below them."""
    out = [path for path, element in root.walk() if element.status == REFUSED]
    for path, element in root.walk():
        if not any(path == o or path.startswith(f"{o}/") for o in out):
            yield path, element


@dataclass(frozen=True)
class Part:
    """What a row adds to the scene: the section it stands in, what a default class holds, attributes of the root."""

    host: str
    made: str = ""
    root: dict[str, str] = field(default_factory=dict)

    def numbered(self, k: int) -> "Part":
        """The same with names of its own."""
        return Part(*(NAMES.sub(rf'"\g<1>{k}"', text) for text in (self.host, self.made)), self.root)


def parts(row: Row) -> tuple[Part, Part]:
    """What has a row's attribute, and the same without it, or with another value where it may not be left out."""
    name = row.attr.name
    path = schema_scene.user_of(row.path) if row.of_class else row.path
    text, beside, lacking = (
        schema_values.value(path, row.attr),
        schema_values.beside(path, name),
        schema_values.lacking(path, name),
    )
    if row.of_class:
        tag, held = row.path.rpartition("/")[2], schema_values.in_class(row.path, name)
        having = part(path, name, {"class": CLASS, **beside}, element(tag, {**held, name: text}))
        return having, part(path, name, {"class": CLASS, **lacking}, element(tag, held))
    made = schema_scene.EVERYTHING if name in ("class", "childclass") else ""
    return part(path, name, {**beside, name: text}, made), part(path, name, lacking, made)


def part(path: str, name: str, attrs: dict[str, str], made: str) -> Part:
    """An element with attributes where elements of its path stand, for the sake of the attribute ``name``."""
    if not path:
        return Part("", made, attrs)
    place, inside = (
        next((table[key] for key in (f"{path}@{name}", path) if key in table), "")
        for table in (schema_scene.HOSTS, schema_scene.INSIDE)
    )
    host = place or schema_scene.SECTIONS.get(path.split("/")[0], "{}")
    return Part(host.format(element(path.rpartition("/")[2], attrs, inside)), made)


def model(found: list[Part]) -> str:
    """The scene with what some rows add to it."""
    classes = "".join(f'<default class="{CLASS}{k}">{p.made}</default>' for k, p in enumerate(found) if p.made)
    found = [p.numbered(k) for k, p in enumerate(found)]
    return element(
        "mujoco",
        {k: v for p in found for k, v in p.root.items()},
        schema_scene.scene("".join(p.host for p in found), classes),
    )


def element(tag: str, attrs: dict[str, str], inside: str = "") -> str:
    """An element as text."""
    listed = "".join(f" {name}={quoteattr(text)}" for name, text in attrs.items())
    return f"<{tag}{listed}>{inside}</{tag}>" if inside else f"<{tag}{listed}/>"
