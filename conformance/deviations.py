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

from conformance.sweep import table

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

    def text(self, results: list[Result]) -> str:
        """The page as Markdown: what passes by file, reasons by weight, and every test under its own."""
        reasons: dict[str, list[str]] = {}
        for result in results:
            if result.failed:
                reasons.setdefault(self.reason_of(result), []).append(result.test)
        order = sorted(reasons, key=lambda reason: (reason in self.apart, -len(reasons[reason]), reason))
        apart = {test for reason in order if reason in self.apart for test in reasons[reason]}
        counted = [result for result in results if result.test not in apart and (result.passed or result.failed)]
        of = Counter(file_of(result) for result in counted)
        passed = Counter(file_of(result) for result in counted if result.passed)
        share = 100.0 * passed.total() / max(1, of.total())
        lines = [
            f"# {self.title}",
            "",
            *self.about,
            HOW,
            "",
            f"{passed.total()} of {of.total()} pass, {share:.1f} %; {len(apart)} are apart.",
            "",
            *table("reason", "tests"),
            *(f"| {'apart: ' * (reason in self.apart)}{reason} | {len(reasons[reason])} |" for reason in order),
            "",
            *table("file", "pass", "of"),
            *(f"| {file} | {passed[file]} | {of[file]} |" for file in sorted(of)),
        ]
        for reason in order:
            lines += ["", f"## {reason[:1].upper()}{reason[1:]}", ""]
            lines += [f"- `{test}`" for test in sorted(reasons[reason])]
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
        self.path.write_text(self.text(results))
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
