"""Figures of README.md and docs/figures.md, taken from rows: each stands between two marks, of which the first says what it is.

    <!-- figure: parity equal -->310<!-- end -->

A figure is a sweep and a verdict (how many rows have it), or one of ``OTHERS``. ``python -m conformance claims --pages``
writes them; a test of the house fails where they and the rows disagree.
"""

import re
from collections import Counter
from collections.abc import Callable
from statistics import median

from conformance.collection.places import ROOT
from conformance.rows import Rows, read

FILES = ROOT / "README.md", ROOT / "docs" / "figures.md"
MARK = re.compile(r"(<!-- figure: ([^>]*?) -->)(.*?)(<!-- end -->)", re.DOTALL)


def found(sweep: str) -> list[dict]:
    """Rows of a sweep."""
    return list(read(Rows(sweep).file).values())


def ratio(worlds: int) -> str:
    """The median ratio of the engine's speed to MuJoCo's over the collection."""
    return f"{median(r['engine'][str(worlds)] for r in found('collection') if str(worlds) in r.get('engine', {})):.2f}"


def states() -> str:
    """States in which residuals were measured, over all solvers."""
    return f"{sum(s['states'] for row in found('residuals') for s in row.get('solvers', {}).values()):,}"


def again() -> list[dict]:
    """Rows of the collection that were measured on the last day that some were."""
    measured = [row for row in found("collection") if "512" in row.get("ratio", {})]
    last = max(row["date"] for row in measured)
    return [row for row in measured if row["date"] == last]


OTHERS: dict[str, Callable[[], str]] = {
    "residuals states": states,
    "collection again": lambda: str(len(again())),
    "collection again date": lambda: again()[0]["date"],
    "collection again engine": lambda: f"{median(row['engine']['512'] for row in again()):.2f}",
    "collection again ratio": lambda: f"{median(row['ratio']['512'] for row in again()):.2f}",
    **{f"collection ratio {worlds}": lambda worlds=worlds: ratio(worlds) for worlds in (1, 64, 512, 4096)},
}
"""Figures that are no counts of verdicts."""


def figure(name: str) -> str:
    """A figure by the name that its mark has."""
    if name in OTHERS:
        return OTHERS[name]()
    sweep, _, verdict = name.partition(" ")
    rows = found(sweep)
    if not rows:
        raise KeyError(f"figure {name!r}: no rows of {sweep}")
    return str(len(rows) if verdict == "rows" else Counter(row["verdict"] for row in rows)[verdict])


def written(text: str) -> str:
    """A text with its figures as the rows have them."""
    return MARK.sub(lambda mark: f"{mark[1]}{figure(mark[2])}{mark[4]}", text)


def put() -> None:
    """Write the figures into the files that have some."""
    for file in FILES:
        text = file.read_text()
        if (new := written(text)) != text:
            file.write_text(new)
