"""Pages that are written by commands are short, and say what the rows say; so does README.md."""

import re

import pytest

from conformance import figures
from conformance.claims import known, page
from conformance.rows import read
from tests.house.project import ROOT

MOST_LINES = 60
WRITTEN = re.compile(
    r"^(?:Written|Made|Counted) by `(?:make|python -m)|^`python -m (?:benchmarks|conformance)", re.MULTILINE
)
REFERENCE = {"docs/support.md", "docs/terms.md", "docs/usd.md", "docs/benchmarks.md", "docs/reference"}
"""What one looks up: lists of all there is, and no results."""


def generated():
    """Pages of results."""
    for path in sorted((ROOT / "docs").rglob("*.md")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(tuple(REFERENCE)) and WRITTEN.search(path.read_text()):
            yield path


def test_pages_of_results_are_short():
    long = {path.name: n for path in generated() if (n := len(path.read_text().splitlines())) > MOST_LINES}
    assert not long


@pytest.mark.parametrize("name", sorted(known()))
def test_a_page_says_what_its_rows_say(name):
    sweep = known()[name]
    rows = read(sweep.rows.file)
    if not rows:
        pytest.skip("no rows yet")
    assert sweep.page_file.read_text() == page(sweep, rows), "run: python -m conformance claims --pages"


@pytest.mark.parametrize("file", figures.FILES, ids=lambda file: file.name)
def test_figures_are_those_of_the_rows(file):
    text = file.read_text()
    assert figures.MARK.search(text)
    wrong = [
        f"{m[2]}: {m[3]}, not {figures.figure(m[2])}"
        for m in figures.MARK.finditer(text)
        if m[3] != figures.figure(m[2])
    ]
    assert not wrong, "run: python -m conformance claims --pages"


def test_every_row_says_what_it_was_found_with():
    for file in (ROOT / "conformance" / "results").glob("*.jsonl"):
        for row in read(file).values():
            assert {"model", "verdict", "sources", "options", "versions", "machine", "date"} <= row.keys(), file.name
