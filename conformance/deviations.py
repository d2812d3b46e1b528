"""Deviations from a peer: tests of its own suite that newtonlite does not pass, each with its reason, as a page.

The results are what the script of ``../shared/conformance`` writes with ``--out``; of a test in several of them the last
counts. A page is written only where every test that does not pass has a reason.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conformance.collection.places import ROOT
from conformance.pages import table
from conformance.rows import Rows, provenance, write

PEER = "tests of the peer"
MOST_REASONS, MOST_FILES = 26, 8
"""Lines of a page's tables."""
HOW = "`../shared/conformance/README.md` says how results are made."


@dataclass(frozen=True)
class Result:
    """Outcome of one test, ``passed``, ``skipped`` or another word, and its message in one line."""

    test: str
    outcome: str
    message: str = ""

    @property
    def passed(self) -> bool:
        """Whether it counts as passed."""
        return self.outcome == "passed"

    @property
    def failed(self) -> bool:
        """Whether it needs a reason."""
        return self.outcome not in ("passed", "skipped")


@dataclass(frozen=True)
class Page:
    """A page of deviations.

    ``reason_of`` gives the reason of a result, '' where there is none. Tests whose reason is in ``apart`` are listed but
    not counted. ``stale(results)`` are lines about reasons that no longer fit.
    """

    path: Path
    title: str
    about: tuple[str, ...]
    reason_of: Callable[[Result], str]
    apart: frozenset[str] = frozenset()
    stale: Callable[[list[Result]], list[str]] = lambda results: []

    @property
    def kept(self) -> Rows:
        """Where the rows of files and of tests that do not pass are."""
        return Rows(self.path.stem)

    def rows(self, results: list[Result]) -> list[dict]:
        """A row for every file, with what passes of it, and one for every test that does not pass, with its reason."""
        found = [
            {"model": result.test, "verdict": "apart" if reason in self.apart else "not passed", "reason": reason}
            for result in results
            if result.failed and (reason := self.reason_of(result)) is not None
        ]
        apart = {row["model"] for row in found if row["verdict"] == "apart"}
        counted = [result for result in results if result.test not in apart and (result.passed or result.failed)]
        of = Counter(file_of(result) for result in counted)
        passed = Counter(file_of(result) for result in counted if result.passed)
        return [
            {"model": file, "verdict": "file", "passed": passed[file], "of": of[file]} for file in sorted(of)
        ] + found

    def text(self, rows: list[dict]) -> str:
        """The page as Markdown: reasons by weight, and files of which not all passes."""
        files = [row for row in rows if row["verdict"] == "file"]
        passed, of = (sum(row[key] for row in files) for key in ("passed", "of"))
        reasons = Counter((row["verdict"], row["reason"]) for row in rows if row["verdict"] != "file")
        order = sorted(reasons, key=lambda found: (found[0] == "apart", -reasons[found], found))
        shown = order if len(order) <= MOST_REASONS else [found for found in order if reasons[found] > 1][:MOST_REASONS]
        rest = [found for found in order if found not in shown]
        fallen = sorted((row for row in files if row["passed"] < row["of"]), key=lambda row: row["passed"] - row["of"])
        apart = sum(number for (verdict, _), number in reasons.items() if verdict == "apart")
        lines = [
            f"# {self.title}",
            "",
            *self.about,
            HOW,
            "",
            f"{passed} of {of} pass, {100.0 * passed / max(1, of):.1f} %; {apart} are apart. Each test is a row of",
            f"`{self.kept.file.relative_to(ROOT).as_posix()}`, with its reason.",
            "",
            *table("reason", "tests"),
            *(f"| {'apart: ' * (found[0] == 'apart')}{found[1]} | {reasons[found]} |" for found in shown),
            *([f"| {len(rest)} other reasons | {sum(reasons[found] for found in rest)} |"] if rest else []),
            "",
            f"All passes in {len(files) - len(fallen)} of {len(files)} files; most is missing in:",
            "",
            *table("file", "pass", "of"),
            *(f"| {row['model']} | {row['passed']} | {row['of']} |" for row in fallen[:MOST_FILES]),
        ]
        return "\n".join(lines) + "\n"

    def wrong(self, results: list[Result]) -> list[str]:
        """Tests without a reason, and reasons that no longer fit, as lines to print."""
        bare = [result for result in results if result.failed and not self.reason_of(result)]
        return [f"no reason: {result.test}: {result.message[:150]}" for result in bare] + self.stale(results)

    def main(self) -> int:
        """Write the page; 1 where reasons and results do not agree."""
        parser = argparse.ArgumentParser(description=self.title)
        parser.add_argument("results", nargs="+", type=Path)
        results = read(parser.parse_args().results)
        wrong = self.wrong(results)
        print(*wrong, sep="\n")
        if wrong:
            return 1
        rows = self.rows(results)
        found = provenance(PEER, {})
        write(self.kept.file, sorted(({**row, **found} for row in rows), key=lambda row: row["model"]))
        self.path.write_text(self.text(rows))
        print(f"{self.path}: {len(results)} tests")
        return 0


def file_of(result: Result) -> str:
    """The file of a test."""
    return result.test.split(".")[0]


def read(paths: list[Path]) -> list[Result]:
    """Results of every test, in the order of their names."""
    entries = {test: entry for path in paths for test, entry in json.loads(path.read_text())["tests"].items()}
    return [
        Result(test, entry["outcome"], " ".join(entry.get("msg", "").split()))
        for test, entry in sorted(entries.items())
    ]


def by_pattern(rows: tuple[tuple[str, str], ...]) -> Callable[[Result], str]:
    """Reasons by rows of a reason and a pattern of test and message; the first that fits counts."""

    def reason_of(result: Result) -> str:
        text = f"{result.test} {result.message}"
        return next((reason for reason, pattern in rows if re.search(pattern, text)), "")

    return reason_of
