"""Schema tables: kinds of values, attributes and elements of a file format.

A format is data.  ``Attr`` is one attribute of one element, ``Element`` an element with its attributes and children,
and ``Kind`` knows what text an attribute takes.  Readers, default classes, attribute namespaces and documentation are
all driven by these rows.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

from newtonlite.core.limits import INT32, SINGLE, SMALLEST, most
from newtonlite.core.numerals import real as real_of

FULL = "full"
"""Read and simulated."""
CARRIED = "carried"
"""Read, checked and kept in the scene; the solver refuses it by name where it asks for something."""
COMPILED = "compiled"
"""Used up while the file is read; it leaves no attribute of its own."""
METADATA = "metadata"
"""Read, checked and kept or dropped, but without influence on the motion."""
REFUSED = "refused"
"""Known, and an error when it asks for something: we do not do it."""
STATUSES = (FULL, CARRIED, COMPILED, METADATA, REFUSED)

CUSTOM = "mujoco:"
"""Start of the names of custom attributes in ``binds``."""
WORDS = frozenset(("text", "name", "reference"))
"""Kinds whose values are texts as they stand."""
FEW = 16
"""Numbers below which looking at them one by one takes no longer."""
MARKED = bytes(ord(" ") if c < 128 and chr(c).isspace() else ord("x") for c in range(256))


@dataclass(frozen=True)
class Kind:
    """Type of an attribute's text: ``base`` is real, integer, text, name, reference, words or flag set.

    ``low`` and ``high`` bound how many numbers there are (``high`` None: any number); ``real[3]`` is exactly three and
    ``real[1:5]`` one to five.  ``words`` maps keywords to values.  ``of`` is what a name names or a reference refers
    to.  Where any number may stand, more than ``most`` are refused before they are taken apart.  ``single`` reals are
    simulated: single precision holds them, and what it holds as nothing is 0.  ``top`` is the largest integer.
    """

    base: str
    low: int = 1
    high: int | None = 1
    words: dict[str, Any] = field(default_factory=dict, hash=False)
    of: str = ""
    most: int = most("numbers")
    single: bool = True
    top: int = INT32

    def __getitem__(self, count) -> "Kind":
        if isinstance(count, slice):
            return replace(self, low=1 if count.start is None else count.start, high=count.stop)
        return replace(self, low=count, high=count)

    def up_to(self, most: int) -> "Kind":
        """Any number, but no more than these."""
        return replace(self, low=0, high=None, most=most)

    @property
    def scalar(self) -> bool:
        """Whether a value is a single number or word rather than a tuple."""
        return self.low == self.high == 1 or self.base in WORDS

    def describe(self) -> str:
        """The expected text in words, for messages: ``3 numbers``, ``one of a, b``."""
        if self.words:
            return "one of " + ", ".join(self.words)
        if self.base in WORDS:
            return "text"
        noun = "integer" if self.base == "integer" else "number"
        if self.low == self.high:
            return f"{self.low} {noun}{'s' if self.low > 1 else ''}"
        return f"{self.low} to {self.high} {noun}s" if self.high else f"at least {self.low} {noun}s"

    def parse(self, text: str) -> Any:
        """The value that a text stands for. ValueError says what is wrong and what was expected."""
        if self.words:
            return self._word(text)
        if self.base in WORDS:
            return text
        if len(text) >= 2 * self.most and word_count(text) > self.most:
            raise ValueError(f"has more than {self.most} numbers, which is the most that are read")
        parts = text.split()
        if len(parts) < self.low or (self.high is not None and len(parts) > self.high):
            raise ValueError(f"has {len(parts)} value{'s' if len(parts) != 1 else ''}; expected {self.describe()}")
        values = self._many(text, parts) or tuple(self._number(p) for p in parts)
        return values[0] if self.scalar else values

    def _many(self, text: str, parts: list[str]) -> tuple:
        """Values of ordinary numbers, all at once; none for those that have to be looked at one by one."""
        if not text.isascii() or "_" in text:
            return ()
        try:
            values = tuple(map(float if self.base == "real" else int, parts))
        except ValueError:
            return ()
        low, high = (SMALLEST, SINGLE) if self.base == "real" else (1, self.top)
        if len(values) < FEW:
            for value in values:
                if value and not low <= abs(value) <= high:
                    return ()
            return values
        sizes = [abs(v) for v in values if v]
        ordinary = not sizes or (
            min(sizes) >= low and max(sizes) <= high and math.isfinite(sum(sizes))
        )  # NaN has no order
        return values if ordinary else ()

    def _word(self, text: str) -> Any:
        if self.high == 1 and text in self.words:
            return self.words[text]
        words = text.split() if self.high != 1 else [text]
        for word in words:
            if word not in self.words:
                raise ValueError(f"unknown keyword '{shorten(word)}'; expected {self.describe()}")
        return tuple(self.words[w] for w in words)

    def _number(self, text: str) -> float | int:
        try:
            value = real_of(text)
        except ValueError:
            raise ValueError(f"'{shorten(text)}' is not a number; expected {self.describe()}") from None
        if not math.isfinite(value):
            raise ValueError(f"'{shorten(text)}' is not finite; give an ordinary number")
        if self.base == "real":
            return value if SMALLEST <= abs(value) <= SINGLE or not self.single else single(value, text)
        if value != int(value):
            raise ValueError(f"'{shorten(text)}' is not an integer; expected {self.describe()}")
        if abs(value) > self.top:
            raise ValueError(f"'{shorten(text)}' is too large a number; at most {self.top} is read")
        return int(value)


def single(value: float, text: str) -> float:
    """A number as it is where single precision holds it, 0 where that holds nothing of it; ValueError where it is
    beyond.
    """
    size = abs(value)
    if size > SINGLE:
        raise ValueError(f"'{shorten(text)}' is beyond single precision; give a number up to {SINGLE:.3g}")
    return value if size >= SMALLEST or not value else 0.0


def word_count(text: str) -> int:
    """Number of words of a text, counted without taking it apart."""
    return (text.encode("utf-8", "replace").translate(MARKED) + b" ").count(b"x ")


def shorten(text: str, limit: int = 40) -> str:
    """Text fit for one line of a message."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


real = Kind("real")
integer = Kind("integer")
declared = Kind("integer", top=most("declared"))
"""A size that a model declares without filling it."""
text = Kind("text")
boolean = Kind("words", words={"false": False, "true": True})
tristate = Kind("words", words={"false": 0, "true": 1, "auto": 2})
switch = Kind("words", words={"disable": False, "enable": True})


def keyword(*words: str, **values: int) -> Kind:
    """One of some words: numbered from 0 in order, or as given by name."""
    return Kind("words", words={**{w: i for i, w in enumerate(words)}, **values})


def keyword_of(kind: type[IntEnum], words: str = "") -> Kind:
    """One of the words of an enumeration, numbered as it numbers them: all its members in lower case, or those given
    here as a file writes them (``Euler RK4``).
    """
    listed = words.split() or [member.lower() for member in kind.__members__]
    return Kind("words", words={word: int(kind[word.upper()]) for word in listed})


def name(of: str) -> Kind:
    """The name of an element of a kind; unique among its kind."""
    return Kind("name", of=of)


def reference(of: str) -> Kind:
    """The name of another element, of kind ``of``."""
    return Kind("reference", of=of)


@dataclass(frozen=True)
class Attr:
    """One attribute of an element.

    ``default`` is the value where neither the file nor a default class gives one (None: undefined).  ``classed`` says
    whether a default class may hold it.  Readers and writers execute the others:

    - ``binds``: the attributes of the scene that take it, separated by spaces: the builder's (``joint_armature``), and
      custom ones, which are declared for it (``mujoco:condim``);
    - ``field``: the arrays of a compiled model that hold it, with MuJoCo's names (``dof_armature``);
    - ``convert``: the pair of functions (``schema/convert.py``) between the file's value and those, where they differ;
    - ``usd``: its names in USD files, one per part of its value where there are several;
    - ``decides``: of a word true, false or auto, the range that it switches;
    - ``handled``: the function of readers and writers that treats it, where the columns are not enough.
    """

    name: str
    kind: Kind
    default: Any = None
    binds: str = ""
    usd: str = ""
    unit: str = ""
    doc: str = ""
    status: str = FULL
    classed: bool = True
    required: bool = False
    field: str = ""
    convert: str = ""
    decides: str = ""
    handled: str = ""

    def __post_init__(self):
        if self.status == METADATA and self.kind.base == "real":  # not simulated
            object.__setattr__(self, "kind", replace(self.kind, single=False))

    def custom(self) -> list[str]:
        """The custom attributes it binds, without their namespace."""
        return [b.removeprefix(CUSTOM) for b in self.binds.split() if b.startswith(CUSTOM)]


@dataclass(frozen=True, eq=False)
class Element:
    """One element: its attributes, what it may contain, and what is done with it.

    ``family`` names the default-class entry it takes its defaults from.  ``frequency`` says what its custom attributes
    have one row of.  ``many`` is False for elements that may stand at most once in their parent.
    """

    name: str
    attrs: tuple[Attr, ...] = ()
    children: tuple["Element", ...] = ()
    family: str = ""
    frequency: str = ""
    doc: str = ""
    status: str = FULL
    many: bool = True
    handled: str = ""
    """The function that treats its rows that have no columns."""
    required: tuple[Attr, ...] = field(init=False, repr=False)
    """The attributes without which the element says nothing."""
    without_influence: frozenset[str] = field(init=False, repr=False)
    """Names of the attributes that have no influence on the motion."""

    def __post_init__(self):
        object.__setattr__(self, "_attrs", {a.name: a for a in self.attrs})
        object.__setattr__(self, "_children", {c.name: c for c in self.children})
        object.__setattr__(self, "_defaults", {a.name: a.default for a in self.attrs if a.default is not None})
        object.__setattr__(self, "required", tuple(a for a in self.attrs if a.required))
        quiet = frozenset(a.name for a in self.attrs if a.status == METADATA)
        object.__setattr__(self, "without_influence", quiet)

    def attr(self, name: str) -> Attr | None:
        """The attribute of a name, or None."""
        return self._attrs.get(name)

    def completed(self, values: dict) -> dict:
        """Values, with the default of every attribute that has none."""
        return {**self._defaults, **values}

    def child(self, name: str) -> "Element | None":
        """The child element of a name, or None."""
        return self._children.get(name)

    def walk(self, path: str = "", inside: tuple = ()) -> Iterator[tuple[str, "Element"]]:
        """This element and all below, with their paths (``option/flag``); an element inside itself is given once."""
        path = f"{path}/{self.name}" if path else self.name
        yield path, self
        for child in self.children:
            if child is not self and child not in inside:
                yield from child.walk(path, (*inside, self))


def without(attrs: tuple[Attr, ...], *names: str) -> tuple[Attr, ...]:
    """The rows without some."""
    return tuple(a for a in attrs if a.name not in names)


def classed(attrs: tuple[Attr, ...]) -> tuple[Attr, ...]:
    """The rows that a default class may hold; none is required there."""
    return tuple(replace(a, required=False) for a in attrs if a.classed)
