"""XML reader: from bytes to a tree of nodes with their line and column.

The parser is expat: it streams, it does not recurse, and it tells the exact position of every tag, which errors need.
Document types are refused outright, so entities cannot expand or reach outside.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from xml.parsers import expat

from newtonlite.core.errors import ParseError
from newtonlite.core.limits import most
from newtonlite.core.table import Element, shorten

MAX_DEPTH, MAX_ELEMENTS, MAX_BYTES = most("depth"), most("elements"), most("model")


class SourceText:
    """The text of one file, for finding places in it."""

    def __init__(self, name: str, data: bytes):
        self.name = name
        self.data = data

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a byte, both from 1."""
        line = self.data.count(b"\n", 0, offset) + 1
        start = self.data.rfind(b"\n", 0, offset) + 1
        return line, len(self.data[start:offset].decode("utf-8", "replace")) + 1

    def error(self, offset: int, problem: str) -> ParseError:
        """An error at a byte."""
        line, column = self.position(offset)
        return ParseError(f"{self.name}:{line}:{column}: {problem}")


class Node:
    """One element: tag, attributes as text, children; and its schema row and typed values once it is checked."""

    __slots__ = ("attrs", "children", "element", "offset", "source", "tag", "values")

    def __init__(self, tag: str, attrs: dict[str, str], source: SourceText, offset: int):
        self.tag = tag
        self.attrs = attrs
        self.source = source
        self.offset = offset
        self.children: list[Node] = []
        self.element: Element | None = None
        self.values: dict = {}

    def walk(self) -> Iterator["Node"]:
        """This node and all below, in order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.children)

    def where(self, attr: str | None = None) -> str:
        """``file:line:column`` of the tag, or of one of its attributes."""
        line, column = self.source.position(self._offset_of(attr) if attr else self.offset)
        return f"{self.source.name}:{line}:{column}"

    def error(self, problem: str, attr: str | None = None) -> ParseError:
        """``file:line:column: <tag name="x"> attr: problem``."""
        name = f' name="{shorten(self.attrs["name"])}"' if "name" in self.attrs else ""
        return ParseError(f"{self.where(attr)}: <{self.tag}{name}> {attr + ': ' if attr else ''}{problem}")

    def _offset_of(self, attr: str) -> int:
        pattern = rb'"[^"]*"|' + rb"'[^']*'" + rb"|(?<![\w:.-])(" + re.escape(attr.encode()) + rb")\s*=|>"
        for match in re.finditer(pattern, self.source.data[self.offset : self.offset + 100_000]):
            if match[1]:
                return self.offset + match.start(1)
            if match[0] == b">":
                break
        return self.offset


def parse(data: bytes, name: str) -> Node:
    """The root of a document. ParseError for anything that is not plain, bounded, well-formed XML."""
    source = SourceText(name, data)
    if len(data) > MAX_BYTES:
        raise ParseError(f"{name}:1:1: the file has {len(data)} bytes; at most {MAX_BYTES} are read")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ParseError(f"{name}:1:1: the file is UTF-16; save it as UTF-8")
    if not data.strip():
        raise ParseError(f"{name}:1:1: the file is empty; an MJCF model starts with <mujoco>")
    try:
        missing: list[int] = []
        try:
            refuse_many(source)
            return tree(source)
        except expat.ExpatError as problem:
            if problem.code == BAD_DECLARATION:
                source.data = without_declaration(data)
            missing = missing_spaces(source.data)
            return tree(source, missing)
    except expat.ExpatError as problem:
        reason = expat.errors.messages[problem.code]
        column = problem.offset + 1 - added(source, missing, problem.lineno, problem.offset)
        raise ParseError(f"{name}:{problem.lineno}:{column}: not well-formed XML ({reason})") from None
    except ParseError:
        raise
    except (LookupError, ValueError) as problem:
        raise ParseError(f"{name}:1:1: cannot be decoded ({problem}); save it as UTF-8") from None


def refuse_many(source: SourceText) -> None:
    """ParseError at the first element too many, before nodes are made of those before it."""
    if source.data.count(b"<") <= MAX_ELEMENTS:
        return
    parser, count = expat.ParserCreate(), 0

    def start(tag: str, attrs: list[str]) -> None:
        nonlocal count
        count += 1
        if count > MAX_ELEMENTS:
            raise source.error(parser.CurrentByteIndex, f"<{tag}> the file has more than {MAX_ELEMENTS} elements")

    parser.ordered_attributes = True
    parser.StartElementHandler = start
    parser.Parse(source.data, True)


BAD_DECLARATION = expat.errors.codes[expat.errors.XML_ERROR_XML_DECL]


def without_declaration(data: bytes) -> bytes:
    """A text whose first line declares what XML does not know, with spaces instead: MuJoCo does not look at it either."""
    end = data.find(b"?>") + 2
    return re.sub(rb"[^\n]", b" ", data[:end]) + data[end:]


def added(source: SourceText, missing: Sequence[int], line: int, offset: int) -> int:
    """Number of the inserted spaces that stand in a line before an offset."""
    start = len(source.data) - len(source.data.split(b"\n", line - 1)[-1])
    here = missing[bisect_left(missing, start) :]
    return sum(byte - start + k < offset for k, byte in enumerate(here))


def tree(source: SourceText, missing: Sequence[int] = ()) -> Node:
    """The root of a text, read as if there was a space before the bytes at ``missing``. ExpatError where it is not
    well-formed.
    """
    builder = _Builder(source, missing)
    for start, end in pairwise([0, *missing]):
        builder.parser.Parse(source.data[start:end] + b" ", False)
    builder.parser.Parse(source.data[missing[-1] if missing else 0 :], True)
    return builder.root


MARKUP = ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>"))
"""Markup that may hold quotes without meaning, and the end of each."""
IN_TAG = re.compile(rb"[\"'>]")
NAME = re.compile(rb"[A-Za-z_:]")


def missing_spaces(data: bytes) -> list[int]:
    """Offsets where an attribute follows the quote of the one before at once, which MuJoCo reads though XML asks for a
    space between."""
    found: list[int] = []
    at = data.find(b"<")
    while at >= 0:
        closing = next((end for begin, end in MARKUP if data.startswith(begin, at)), None)
        at = data.find(closing, at) if closing else after_tag(data, at, found)
        at = data.find(b"<", at) if at >= 0 else -1
    return found


def after_tag(data: bytes, at: int, found: list[int]) -> int:
    """The end of the tag that begins at a byte, -1 where it has none; places of missing spaces in it are added to
    ``found``.
    """
    while mark := IN_TAG.search(data, at):
        if mark[0] == b">":
            return mark.end()
        at = data.find(mark[0], mark.end()) + 1
        if not at:
            return -1
        if NAME.match(data, at):
            found.append(at)
    return -1


class _Builder:
    """Collects expat's events into nodes."""

    def __init__(self, source: SourceText, missing: Sequence[int] = ()):
        self.source = source
        self.missing = [byte + k for k, byte in enumerate(missing)]
        self.root: Node | None = None
        self.stack: list[Node] = []
        self.count = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.doctype

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        index = max(self.parser.CurrentByteIndex, 0)
        if self.missing:
            index -= bisect_left(self.missing, index)  # the spaces that were put in are not in the file
        node = Node(tag, attrs, self.source, index)
        self.count += 1
        if len(self.stack) >= MAX_DEPTH:
            raise node.error(f"elements are nested {MAX_DEPTH + 1} deep; at most {MAX_DEPTH} are allowed")
        if self.count > MAX_ELEMENTS:
            raise node.error(f"the file has more than {MAX_ELEMENTS} elements")
        if self.stack:
            self.stack[-1].children.append(node)
        else:
            self.root = node
        self.stack.append(node)

    def end(self, tag: str) -> None:
        self.stack.pop()

    def doctype(self, *declaration) -> None:
        start = self.source.data.find(b"<!DOCTYPE")
        raise self.source.error(max(start, 0), "a document type declaration (DTD) is refused; remove <!DOCTYPE ...>")
