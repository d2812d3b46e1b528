"""Rows of comparisons: one JSON line per model below ``conformance/results``, with what it was found with.

A run adds a row to ``out/NAME.jsonl`` as soon as it is found, so that a run that was cut off goes on; when it ends, its
rows take their places in ``conformance/results/NAME.jsonl``, which belongs to the project.
"""

import datetime
import json
import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from conformance.collection.places import ROOT

RESULTS = ROOT / "conformance" / "results"
RUNNING = ROOT / "out"
ORACLES = ("newtonlite", "mujoco", "warp-lang", "numpy")
"""Distributions whose versions a row has."""
PAGE = "page"
"""``sources`` of rows that were read from a page of the time before rows were kept."""
LONG = 4
"""Digits that numbers of rows keep."""


class Rows:
    """The rows of one comparison."""

    def __init__(self, name: str):
        self.file = RESULTS / f"{name}.jsonl"
        self.running = RUNNING / f"{name}.jsonl"

    def all(self) -> dict[str, dict]:
        """Rows by model; of several the last one."""
        return read(self.file) | read(self.running)

    def add(self, row: dict) -> dict:
        """Keep a row of this run."""
        self.running.parent.mkdir(parents=True, exist_ok=True)
        with self.running.open("a") as lines:
            lines.write(line(row))
        return row

    def settle(self, dropped: set[str] = frozenset()) -> None:
        """Rows of the run take their places among the others, by name, without those that are dropped."""
        rows = self.all()
        if not rows:
            return
        write(self.file, [rows[name] for name in sorted(rows) if name not in dropped])
        self.running.unlink(missing_ok=True)


def read(file: Path) -> dict[str, dict]:
    """Rows of a file by model; of several the last one."""
    lines = file.read_text().splitlines() if file.is_file() else []
    return {row["model"]: row for row in map(json.loads, lines)}


def write(file: Path, rows: list[dict]) -> None:
    """Write rows, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(".part")
    beside.write_text("".join(map(line, rows)))
    beside.replace(file)


def line(row: dict) -> str:
    """A row as a line."""
    return json.dumps(shortened(row), default=float) + "\n"


def shortened(value):
    """A value with numbers of a few digits."""
    if isinstance(value, dict):
        return {key: shortened(inside) for key, inside in value.items()}
    if isinstance(value, list | tuple):
        return [shortened(inside) for inside in value]
    return float(f"{value:.{LONG}g}") if isinstance(value, float) else value


def provenance(sources: str, options: dict) -> dict:
    """What a row is found with: digest of the code, options, versions, machine and day."""
    return {
        "sources": sources,
        "options": options,
        "versions": versions(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "date": datetime.date.today().isoformat(),
    }


@cache
def versions() -> str:
    """Versions of what is compared."""
    found = []
    for name in ORACLES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)
