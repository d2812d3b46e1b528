"""Sweeps: cases that are judged one by one, their rows kept as they are found, and the page that is written from them.

A module of this folder that has ``SWEEP`` is a command:

    python -m conformance NAME [--only TEXT] [--again] [--workers N] [--out PAGE]

Every row is a line of ``out/NAME.jsonl`` as soon as it is found. A case is judged again where the sources changed since
its row was kept, where the options are others, or with ``--again``; so a run that was cut off goes on where it was. The
page is written when every case has a row; with ``--only``, rows of other cases stay as they are.
"""

import argparse
import hashlib
import json
import multiprocessing
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.scenes import ASSETS, ROOT

KEPT = ROOT / "out"
FAULT = "fault"
RENEWED = 40
"""Cases of a worker process, after which another one takes its place."""


@dataclass(frozen=True)
class Sweep:
    """One comparison over many cases.

    ``judge(case, **options)`` gives a row: a dict of JSON values with a ``verdict``. ``cases(**options)`` names the
    cases; what it gives for a name must be JSON or a path. ``page(rows, **options)`` is Markdown, ``line(row)`` what is
    printed of a row after its verdict and name. With ``seconds``, cases run in processes of their own, and one that
    dies or takes longer is a fault. ``options`` are numbers with their defaults, ``fails`` the verdicts with which the
    command fails.
    """

    module: str
    page_file: Path
    cases: Callable[..., Mapping[str, Any]]
    judge: Callable[..., dict]
    page: Callable[..., str]
    line: Callable[[dict], str] = lambda row: row.get("note", "")
    seconds: float | None = None
    options: Mapping[str, int] = field(default_factory=dict)
    fails: tuple[str, ...] = ("different", FAULT)
    needs: Path = ASSETS

    @property
    def name(self) -> str:
        """Name of the command."""
        return self.module.rpartition(".")[2]

    @property
    def rows_file(self) -> Path:
        """Where rows are kept."""
        return KEPT / f"{self.name}.jsonl"

    # rows

    def kept(self) -> dict[str, dict]:
        """Rows of earlier runs, by case; of several the last one."""
        if not self.rows_file.is_file():
            return {}
        rows = [json.loads(line) for line in self.rows_file.read_text().splitlines()]
        return {row["model"]: row for row in rows}

    def row(self, name: str, case: Any, options: dict) -> dict:
        """The row of one case, in this process, whatever happens."""
        began = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = self.judge(case, **options)
        except Exception as problem:  # the sweep goes on; the page shows the fault
            found = {"verdict": FAULT, "note": f"{type(problem).__name__}: {one_line(problem)}"}
        return self.marked(name, options, found | {"took": round(time.perf_counter() - began, 1)})

    def marked(self, name: str, options: dict, found: dict) -> dict:
        """A row with its case, and what it was found with."""
        return {"model": name, **found, "sources": sources(self.module), "options": options}

    def keep(self, row: dict) -> dict:
        """Add a row to the file."""
        self.rows_file.parent.mkdir(parents=True, exist_ok=True)
        with self.rows_file.open("a") as lines:
            lines.write(json.dumps(row, default=float) + "\n")
        return row

    def run(self, cases: Mapping[str, Any], options: dict, workers: int = 1):
        """Judge cases and keep their rows, one after the other, in the order of the cases."""
        if self.seconds is None:
            for name, case in cases.items():
                yield self.keep(self.row(name, case, options))
            return
        with multiprocessing.get_context("spawn").Pool(workers, maxtasksperchild=RENEWED) as pool:
            waiting = {
                name: pool.apply_async(row_in_worker, (self.module, name, case, options))
                for name, case in cases.items()
            }
            for name, job in waiting.items():
                try:
                    row = job.get(self.seconds)
                except multiprocessing.TimeoutError:
                    note = f"took more than {self.seconds:g} s"
                    row = self.marked(name, options, {"verdict": FAULT, "note": note})
                yield self.keep(row)

    # the command

    def main(self) -> int:
        """Sweep, write the page, and fail where a verdict says so."""
        parser = argparse.ArgumentParser(
            description=import_module(self.module).__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        parser.add_argument("--only", default="", help="cases whose name holds this text")
        parser.add_argument("--again", action="store_true", help="judge cases anew whose rows are kept")
        parser.add_argument("--workers", type=int, default=2, help="processes, where cases run in their own")
        parser.add_argument("--out", type=Path, default=self.page_file, help="the page (%(default)s)")
        for option, default in self.options.items():
            parser.add_argument(f"--{option}", type=int, default=default, help="(%(default)s)")
        args = parser.parse_args()
        if not self.needs.exists():
            print(f"needs {self.needs.relative_to(ROOT.parent)} beside the project", file=sys.stderr)
            return 2
        options = {option: getattr(args, option) for option in self.options}
        cases, rows = self.cases(**options), self.kept()
        fresh = {
            name
            for name, row in rows.items()
            if row["sources"] == sources(self.module) and row["options"] == options and not args.again
        }
        todo = {name: case for name, case in cases.items() if args.only in name and name not in fresh}
        for row in self.run(todo, options, args.workers):
            rows[row["model"]] = row
            print(f"{row['verdict']:<12} {row.get('took', ''):>6} {row['model']}  {self.line(row)}", flush=True)
        return self.report([rows[name] for name in cases if name in rows], len(cases), options, args.out)

    def report(self, rows: list[dict], count: int, options: dict, out: Path) -> int:
        """Write the page where all cases have rows, and say what was found; the exit code."""
        verdicts = Counter(row["verdict"] for row in rows)
        if len(rows) == count:
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(self.page(rows, **options))
        else:
            print(f"{count - len(rows)} of {count} cases have no row yet; {out.name} is written when all have")
        print(", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common()))
        return int(any(verdicts[verdict] for verdict in self.fails))


def row_in_worker(module: str, name: str, case: Any, options: dict) -> dict:
    """A row, in a worker process."""
    return import_module(module).SWEEP.row(name, case, options)


@cache
def sources(module: str) -> str:
    """Digest of what a row of a sweep depends on: the package, the helpers of tests, and the sweep itself."""
    files = [p for ending in ("*.py", "*.h") for p in sorted((ROOT / "newtonlite").rglob(ending))]
    files += [*sorted((ROOT / "tests" / "harness").rglob("*.py")), *sorted((ROOT / "tests").glob("*.py"))]
    files.append(ROOT / f"{module.replace('.', '/')}.py")
    return hashlib.sha256(b"".join(p.read_bytes() for p in files)).hexdigest()[:16]


def models(kind: str = "mjcf", **limits: float) -> dict[str, dict]:
    """What the manifest of real robots says of the files of a format, by path below the format's folder; ``limits`` are
    the largest values of numbers that it has, such as ``nmeshvert``.
    """
    found = json.loads((ASSETS / "MANIFEST.json").read_text())["models"]
    chosen = [m for m in found if m["format"] == kind and all(m.get(key, 0) <= most for key, most in limits.items())]
    return {m["path"].removeprefix(f"{kind}/"): m for m in sorted(chosen, key=lambda m: m["path"])}


def complete(entries: Mapping[str, dict]) -> dict[str, str]:
    """Paths of the entries that are models by themselves, below the folder of assets."""
    return {name: entry["path"] for name, entry in entries.items() if entry["kind"] == "model"}


def one_line(problem: Exception) -> str:
    """An error in one line without bars, and without the path in front of a file's name."""
    text = re.sub(r"\S*/(?=[\w.-]+\.\w+)", "", " ".join(str(problem).split()))
    return text.replace("|", "/")[:160]


def counts(rows: list[dict], order: tuple[str, ...] = ()) -> str:
    """How many rows have each verdict, in an order or the most frequent first."""
    verdicts = Counter(row["verdict"] for row in rows)
    known = order or tuple(verdict for verdict, _ in verdicts.most_common())
    return ", ".join(f"**{verdicts[verdict]} {verdict}**" for verdict in known if verdicts[verdict]) + "."


def sorted_by_verdict(rows: list[dict], order: tuple[str, ...] = ()) -> list[dict]:
    """Rows by verdict, in an order or the most frequent first, then by name."""
    known = order or tuple(verdict for verdict, _ in Counter(row["verdict"] for row in rows).most_common())
    return sorted(rows, key=lambda row: (known.index(row["verdict"]), row["model"]))


def table(*heads: str) -> list[str]:
    """The first two lines of a table in Markdown."""
    return ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
