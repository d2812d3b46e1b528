"""Sweeps: cases that are judged one by one, their rows kept as they are found, and the page that is written from them.

A module of this folder that has ``SWEEP`` is a command:

    python -m conformance NAME [--only TEXT] [--again] [--workers N] [--out PAGE]

Every row is kept as soon as it is found (``conformance/rows.py``). A case is judged again where the code it depends on
changed since, where the options are others, or with ``--again``; so a run that was cut off goes on where it was. With
``--only``, rows of other cases stay as they are. The page is written from all rows, those of models that are not at
hand here among them.
"""

import argparse
import multiprocessing
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from conformance.collection.places import ROOT
from conformance.pages import counts, exceptions, grouped, left_out, natural, one_line, sorted_by_verdict, table
from conformance.rows import Rows, provenance
from conformance.sources import sources

__all__ = ["FAULT", "Sweep", "counts", "exceptions", "grouped", "left_out", "one_line", "sorted_by_verdict", "table"]

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
    command fails. ``needs`` is a folder without which there are no cases, ``peers`` packages that it runs; rows
    that do not ``settle`` are of this run alone.
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
    needs: Path = ROOT
    peers: tuple[str, ...] = ()
    settles: bool = True

    @property
    def name(self) -> str:
        """Name of the command."""
        return self.module.rpartition(".")[2]

    @property
    def rows(self) -> Rows:
        """Where rows are kept."""
        return Rows(self.name)

    # rows

    def found(self, case: Any, options: dict) -> dict:
        """What is found of one case, in this process, whatever happens."""
        began = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = self.judge(case, **options)
        except Exception as problem:  # the sweep goes on; the page shows the fault
            found = {"verdict": FAULT, "note": f"{type(problem).__name__}: {one_line(problem)}"}
        return found | {"took": round(time.perf_counter() - began, 1)}

    def marked(self, name: str, options: dict, found: dict) -> dict:
        """A row with its case, and what it was found with."""
        return {"model": name, **found, **provenance(sources(self.module), options)}

    def run(self, cases: Mapping[str, Any], options: dict, workers: int = 1):
        """Judge cases and keep their rows, one after the other, in the order of the cases."""
        if self.seconds is None:
            for name, case in cases.items():
                yield self.rows.add(self.marked(name, options, self.found(case, options)))
            return
        with multiprocessing.get_context("spawn").Pool(workers, maxtasksperchild=RENEWED) as pool:
            waiting = {
                name: pool.apply_async(found_in_worker, (self.module, case, options)) for name, case in cases.items()
            }
            for name, job in waiting.items():
                try:
                    found = job.get(self.seconds)
                except multiprocessing.TimeoutError:
                    found = {"verdict": FAULT, "note": f"took more than {self.seconds:g} s"}
                yield self.rows.add(self.marked(name, options, found))

    # the command

    def main(self, arguments: list[str] | None = None) -> int:
        """Sweep, write the page, and fail where a verdict says so. Arguments are those of the command line."""
        parser = argparse.ArgumentParser(
            description=import_module(self.module).__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        parser.add_argument("--only", default="", help="cases whose name holds this text")
        parser.add_argument("--again", action="store_true", help="judge cases anew whose rows are kept")
        parser.add_argument(
            "--check", action="store_true", help="print failures alone; leave page and rows as they are"
        )
        parser.add_argument("--workers", type=int, default=2, help="processes, where cases run in their own")
        parser.add_argument("--out", type=Path, default=self.page_file, help="the page (%(default)s)")
        for option, default in self.options.items():
            parser.add_argument(f"--{option}", type=int, default=default, help="(%(default)s)")
        args = parser.parse_args(arguments)
        if lacking := self.lacking():
            print(f"needs {lacking}", file=sys.stderr)
            return 2
        options = {option: getattr(args, option) for option in self.options}
        cases, rows = self.cases(**options), self.rows.all()
        fresh = set() if args.again else self.fresh(rows, options)
        todo = {name: case for name, case in cases.items() if args.only in name and name not in fresh}
        for row in self.run(todo, options, args.workers):
            rows[row["model"]] = row
            if args.check and row["verdict"] not in self.fails:
                continue
            print(f"{row['verdict']:<12} {row.get('took', ''):>6} {row['model']}  {self.line(row)}", flush=True)
        gone = rows.keys() - cases.keys() if args.again and not args.only else set()
        rows = {name: row for name, row in rows.items() if name not in gone}
        if not args.check:
            self.put(rows, gone, options, args.out)
        return self.report([rows[name] for name in cases if args.only in name and name in rows])

    def lacking(self) -> str:
        """What a run needs and is not there; empty where all is."""
        if not self.needs.exists():
            return f"{self.needs.relative_to(ROOT.parent)} beside the project"
        absent = [name for name in self.peers if find_spec(name) is None]
        return f"the package {absent[0]}" if absent else ""

    def fresh(self, rows: dict[str, dict], options: dict) -> set[str]:
        """Cases whose rows are of the code as it is now, and of these options."""
        now = sources(self.module)
        return {name for name, row in rows.items() if row["sources"] == now and row["options"] == options}

    def put(self, rows: dict[str, dict], gone: set[str], options: dict, out: Path) -> None:
        """Write the rows of the run among the others, and the page."""
        if self.settles:
            self.rows.settle(gone)
        text = self.text(rows, options)
        if text is not None:
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(text)

    def report(self, rows: list[dict]) -> int:
        """Say what was found of the cases that were asked for; the exit code."""
        verdicts = Counter(row["verdict"] for row in rows)
        print(", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common()) or "no case")
        return int(any(verdicts[verdict] for verdict in self.fails))

    def text(self, rows: dict[str, dict], options: dict) -> str | None:
        """The page of rows, with where they are and of which days; None without rows."""
        if not rows:
            return None
        days = sorted({row["date"] for row in rows.values()})
        place = self.rows.file.relative_to(ROOT).as_posix() if self.rows.file.is_relative_to(ROOT) else self.rows.file
        days_text = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
        page = self.page([rows[name] for name in sorted(rows, key=natural)], **options)
        return f"{page.rstrip()}\n\nRows: `{place}`, {len(rows)} of {days_text}.\n" if self.settles else page


def found_in_worker(module: str, case: Any, options: dict) -> dict:
    """What is found of a case, in a worker process."""
    return import_module(module).SWEEP.found(case, options)
