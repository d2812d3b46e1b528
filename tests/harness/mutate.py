"""Changes to model files, and the judgement of what a reader makes of them: shared by tests and by
benchmarks/fuzz_import.
"""

import re
import time
import warnings
from collections.abc import Callable

from newtonlite.core.errors import ParseError

SLOW = 5.0
"""Most processor time of one case [s]."""
KINEMATICS = re.compile(r"^[^:]+:\d+:\d+: ")
NAME = re.compile(r"[a-z]+( [a-z]+)? ('[^'\n]*'|\d+)[^:\n]*: \S")  # a number where it has no name
ATTRIBUTE = re.compile(rb'(\w+)="([^"]*)"')
ELEMENT = re.compile(rb"<\w+[^<>]*/>")
WORD = re.compile(rb"(?<=[<\s])[a-z]+(?=[\s=>/])")
VALUES = [
    b"",
    b"0",
    b"-1",
    b"1e400",
    b"nan",
    b"inf",
    b"1 2 3 4 5 6 7",
    b"9" * 400,
    b"1e-300",
    b"true",
    b"main",
    b"world",
    b"../../x",
    b"\xff",
    b"1,2",
    b"0x10",
    b"2000000000",
    b"1e30 1e30 1e30",
    b"0 0 0 0",
    b"mesh",
    b"free",
    b"ball",
    b"muscle",
    b"user",
    b"base",
    b"floating",
]
NESTS = ((b"frame", b""), (b"body", b""), (b"replicate", b' count="3"'), (b"link", b' name="x"'))


class Uncompiled(Exception):
    """A scene that was read cannot be compiled; its error names the thing in question, instead of a place in a file."""


def flip(rng, data: bytes, files) -> bytes:
    """Some bytes become others."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def change(rng, data: bytes, files) -> bytes | None:
    """An attribute gets another value."""
    if found := list(ATTRIBUTE.finditer(data)):
        hit = rng.choice(found)
        return data[: hit.start(2)] + rng.choice(VALUES) + data[hit.end(2) :]


def cut(rng, data: bytes, files) -> bytes:
    """A part goes missing."""
    low, high = sorted(rng.randrange(len(data)) for _ in range(2))
    return data[:low] + data[high:] if high - low < len(data) - 1 else data


def rename(rng, data: bytes, files) -> bytes | None:
    """One word takes the place of another."""
    if words := list(WORD.finditer(data)):
        one, two = rng.choice(words), rng.choice(words)
        return data[: one.start()] + two[0] + data[one.end() :]


def repeat(rng, data: bytes, files) -> bytes | None:
    """An element stands several times."""
    if found := list(ELEMENT.finditer(data)):
        hit = rng.choice(found)
        return data[: hit.end()] + hit[0] * rng.randint(1, 30) + data[hit.end() :]


def graft(rng, data: bytes, files) -> bytes | None:
    """An element of another file takes the place of one of this."""
    here, there = list(ELEMENT.finditer(data)), list(ELEMENT.finditer(rng.choice(files)))
    if here and there:
        hit = rng.choice(here)
        return data[: hit.start()] + rng.choice(there)[0] + data[hit.end() :]


def nest(rng, data: bytes, files) -> bytes | None:
    """An element lies deep inside others."""
    if found := list(ELEMENT.finditer(data)):
        hit, depth = rng.choice(found), rng.choice((2, 30, 600))
        tag, attrs = rng.choice(NESTS)
        return (
            data[: hit.start()]
            + (b"<" + tag + attrs + b">") * depth
            + hit[0]
            + (b"</" + tag + b">") * depth
            + data[hit.end() :]
        )


CHANGES = (flip, cut, rename, nest, repeat, repeat, graft, graft, graft, *[change] * 8)


def mutate(rng, files: list[bytes]) -> bytes:
    """One case: a file with one to three changes."""
    data = rng.choice(files)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = rng.choice(CHANGES)(rng, data, files) or data
    return data


def as_text(data: bytes) -> str:
    """A file as the text of a model, which begins with an element."""
    text = data.decode("utf-8", "surrogateescape").lstrip()
    return text if text.startswith("<") else "<" + text


def judge(read: Callable[[str], object], data: bytes) -> str:
    """How reading ended: ``read``, ``refused``, or what is wrong with it."""
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(as_text(data))
        ended = "read"
    except ParseError as problem:
        ended = "refused" if KINEMATICS.match(str(problem)) and "\n" not in str(problem) else f"no place: {problem}"
    except Uncompiled as problem:
        ended = "refused" if NAME.match(str(problem)) else f"no name: {problem}"
    except (Exception, RecursionError) as problem:
        ended = f"{type(problem).__name__}: {problem}"
    spent = time.process_time() - start
    return ended if spent < SLOW else f"took {spent:.1f} s ({ended})"
