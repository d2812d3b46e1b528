"""Elements on their way to a file, and numbers with all the digits they need."""

from xml.sax.saxutils import quoteattr

import numpy as np

from newtonlite.core.table import Attr

INDENT = "  "


class Tag:
    """An element: attributes in order, then children."""

    def __init__(self, name: str, /, **attrs: str | None):
        self.name = name
        self.attrs: dict[str, str] = {}
        self.children: list[Tag] = []
        self.set(**attrs)

    def set(self, **attrs: str | None) -> "Tag":
        """Add attributes; those that are None stay away."""
        self.attrs |= {name.rstrip("_"): value for name, value in attrs.items() if value is not None}
        return self

    def add(self, *children: "Tag | None") -> "Tag":
        """Add children; None is left out."""
        self.children += [child for child in children if child is not None]
        return self

    def lines(self) -> list[str]:
        """The element as lines, without recursion: bodies may be nested deeply."""
        found: list[str] = []
        stack: list[tuple[Tag | str, int]] = [(self, 0)]
        while stack:
            item, depth = stack.pop()
            if isinstance(item, str):
                found.append(INDENT * depth + item)
                continue
            head = item.name + "".join(f" {name}={quoteattr(value)}" for name, value in item.attrs.items())
            found.append(f"{INDENT * depth}<{head}{'' if item.children else '/'}>")
            if item.children:
                stack.append((f"</{item.name}>", depth))
                stack += [(child, depth + 1) for child in reversed(item.children)]
        return found


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


def numbers(values) -> str:
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
        plain = value.item()
        if plain == attr.default:
            return None
        return next(word for word, meaning in words.items() if meaning == plain)
    default = attr.default
    if default is not None:
        wanted = np.zeros(value.size)
        given = np.atleast_1d(np.asarray(default, float))
        wanted[: given.size] = given[: value.size]
        if np.array_equal(
            wanted.astype(value.dtype if value.dtype.kind == "f" else float), value.reshape(-1).astype(float)
        ):
            return None
    return numbers(value)
