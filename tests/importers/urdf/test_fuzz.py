"""Whatever a file holds, reading it ends in a robot or in an error with a place."""

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from newtonlite.core.errors import NewtonWarning, ParseError
from newtonlite.importers.report import Report
from newtonlite.importers.urdf import load_urdf
from newtonlite.importers.urdf.translate import load_as_mujoco
from newtonlite.sim.builder import ModelBuilder
from tests.importers.urdf.robots import FILES

CORPUS = [path.read_bytes() for path in FILES]
PLACE = re.compile(r"^[^:]+:\d+:\d+: ")
ATTRIBUTE = re.compile(rb'(\w+)="([^"]*)"')
VALUES = [b"", b"0", b"-1", b"1e400", b"nan", b"1 2 3 4 5 6 7", b"9" * 400, b"1e-300", b"true", b"base", b"world", b"../../x", b"\xff", b"1,2", b"0x10"]
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def read(data: bytes) -> None:
    """Read a robot from memory, both ways; only errors with a place are allowed."""
    text = data.decode("utf-8", "surrogateescape")
    text = text if text.lstrip().startswith("<") else "<" + text.lstrip()
    for take in (as_mujoco, as_newton):
        try:
            take(text)
        except ParseError as error:
            assert PLACE.match(str(error)), error
            assert "\n" not in str(error)
        except NewtonWarning:
            pass


def as_mujoco(text: str) -> None:
    """By MuJoCo's convention, up to what the builder gets."""
    report = Report()
    load_as_mujoco(*load_urdf(text, report=report), report)


def as_newton(text: str) -> None:
    """By Newton's convention, into a builder."""
    ModelBuilder().add_urdf(text)


@QUICK
@given(st.integers(0, len(CORPUS) - 1), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_flipped_bytes(number, flips):
    data = bytearray(CORPUS[number])
    for where, byte in flips:
        data[min(int(where * len(data)), len(data) - 1)] = byte
    read(bytes(data))


@QUICK
@given(st.integers(0, len(CORPUS) - 1), st.floats(0, 1), st.sampled_from(VALUES))
def test_changed_attributes(number, where, value):
    data = CORPUS[number]
    found = list(ATTRIBUTE.finditer(data))
    hit = found[min(int(where * len(found)), len(found) - 1)]
    read(data[: hit.start(2)] + value + data[hit.end(2) :])


@QUICK
@given(st.integers(0, len(CORPUS) - 1), st.floats(0, 1), st.floats(0, 1))
def test_cut_out_parts(number, start, end):
    data = CORPUS[number]
    low, high = sorted((int(start * len(data)), int(end * len(data))))
    read(data[:low] + data[high:])


@QUICK
@given(st.integers(0, len(CORPUS) - 1), st.floats(0, 1), st.floats(0, 1))
def test_renamed_elements_and_attributes(number, first, second):
    data = CORPUS[number]
    words = list(re.finditer(rb"(?<=[<\s])[a-z]+(?=[\s=>/])", data))
    one, two = (words[min(int(x * len(words)), len(words) - 1)] for x in (first, second))
    read(data[: one.start()] + two[0] + data[one.end() :])
