"""XML elements of MJCF files, and numbers with all the digits they need."""

import numpy as np
from lxml import etree

from newtonlite.core.errors import ModelError
from newtonlite.core.table import Attr


class Tag:
    """An element of lxml: attributes in order, then children."""

    def __init__(self, name: str, /, **attrs: str | None):
        self.xml = etree.Element(name)
        self.set(**attrs)

    def set(self, **attrs: str | None) -> "Tag":
        """Add attributes; those that are None stay away. Raises ModelError for text that XML cannot hold."""
        for name, value in attrs.items():
            if value is not None:
                try:
                    self.xml.set(name.rstrip("_"), value)
                except ValueError as problem:
                    raise ModelError(
                        f"MJCF writer: {self.xml.tag} {name} {value!r}: XML has no control characters; rename it"
                    ) from problem
        return self

    def add(self, *children: "Tag | None") -> "Tag":
        """Add children; None is left out."""
        self.xml.extend(child.xml for child in children if child is not None)
        return self

    def __bool__(self) -> bool:
        """Whether there is anything in it."""
        return len(self.xml) > 0 or len(self.xml.attrib) > 0

    def text(self) -> str:
        """The element and all below it, indented."""
        return etree.tostring(self.xml, encoding="unicode", pretty_print=True)


def section(name: str, children: list[Tag]) -> Tag | None:
    """A section with children; None where there are none."""
    return Tag(name).add(*children) if children else None


def number(value) -> str:
    """The shortest text that reads back as the same number."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return trimmed(repr(float(value)))


def trimmed(text: str) -> str:
    """A number without a fraction of zero."""
    return text[:-2] if text.endswith(".0") else text


def number_list(values) -> str:
    """Several numbers."""
    flat = np.asarray(values).reshape(-1)
    if flat.dtype == np.float32:
        return " ".join(trimmed(text) for text in flat.astype("U32").tolist())
    return " ".join(number(v) for v in flat.tolist())


def value_text(attr: Attr, value) -> str | None:
    """A value as the text of an attribute; None where it is the attribute's default."""
    words = attr.kind.words
    value = np.asarray(value)
    if words:
        plain = tuple(value.tolist()) if value.ndim else value.item()
        if plain == attr.default:
            return None
        return " ".join(
            w for one in (plain if value.ndim else (plain,)) for w, meaning in words.items() if meaning == one
        )
    if value.size == 0:
        return None
    default = attr.default
    if default is not None:
        wanted = np.zeros(value.size)
        given = np.atleast_1d(np.asarray(default, float))
        wanted[: given.size] = given[: value.size]
        if np.array_equal(
            wanted.astype(value.dtype if value.dtype.kind == "f" else float), value.reshape(-1).astype(float)
        ):
            return None
    return number_list(value)
