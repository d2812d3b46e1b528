"""Tests of MuJoCo Warp's own suite that newtonlite.mjwarp does not pass, each with its reason. Writes
docs/mjwarp_deviations.md.

    python -m conformance mjwarp_deviations RESULT.json ...

The files are what the script of ``../shared/conformance`` writes with ``--out``; of a test in several of them the last
counts. Reasons stand in docs/deviations/mjwarp.toml. A test that does not pass and has none, or that passes and has
one, is printed, and the command fails.
"""

import argparse
import json
from collections import Counter
from pathlib import Path

import tomllib

from benchmarks.scenes import ROOT
from conformance.sweep import table

REASONS = ROOT / "docs" / "deviations" / "mjwarp.toml"
PAGE = ROOT / "docs" / "mjwarp_deviations.md"


def read(paths: list[Path]) -> dict[str, str]:
    """Outcome of every test."""
    return {test: entry["outcome"] for path in paths for test, entry in json.loads(path.read_text())["tests"].items()}


def unaccounted(outcomes: dict[str, str], reasons: dict[str, list[dict]]) -> list[str]:
    """Tests that do not pass without a reason, and those with one that pass, as lines to print."""
    listed = Counter(test for kind in reasons.values() for entry in kind for test in entry["tests"])
    lines = [f"{count} reasons: {test}" for test, count in listed.items() if count > 1]
    for test, outcome in sorted(outcomes.items()):
        if outcome not in ("passed", "skipped") and test not in listed:
            lines.append(f"no reason: {test}")
        elif outcome == "passed" and test in listed:
            lines.append(f"passes: {test}")
    return lines + [f"not run: {test}" for test in sorted(listed) if test not in outcomes]


def page(outcomes: dict[str, str], reasons: dict[str, list[dict]]) -> str:
    """The page: what passes by file, reasons, and every test under its own."""
    apart = {test for entry in reasons["apart"] for test in entry["tests"]}
    counted = {test: outcome for test, outcome in outcomes.items() if test not in apart}
    passed = Counter(test.split(".")[0] for test, outcome in counted.items() if outcome == "passed")
    files = Counter(test.split(".")[0] for test in counted)
    share = 100.0 * sum(passed.values()) / len(counted)
    lines = [
        "# Deviations from MuJoCo Warp",
        "",
        "What of MuJoCo Warp's own tests (core files, public interface and types, the half that is open) newtonlite.mjwarp does not pass, and why.",
        "Made by `python -m conformance mjwarp_deviations RESULT.json ...` from `docs/deviations/mjwarp.toml`; `../shared/conformance/README.md` says how",
        "results are made. Flexes, plugins, rendering and the integrator `discrete`, which are not there, are counted apart.",
        "",
        f"{sum(passed.values())} of {len(counted)} pass, {share:.1f} %; {len(apart)} are apart.",
        "",
        *table("reason", "tests"),
        *(f"| {entry['reason']} | {len(entry['tests'])} |" for entry in reasons["deviation"]),
        *(f"| apart: {entry['reason']} | {len(entry['tests'])} |" for entry in reasons["apart"]),
        "",
        *table("file", "pass", "of"),
        *(f"| {file} | {passed[file]} | {files[file]} |" for file in sorted(files)),
    ]
    for kind in ("deviation", "apart"):
        for entry in reasons[kind]:
            lines += ["", f"## {entry['reason'][:1].upper()}{entry['reason'][1:]}", ""]
            lines += [f"- `{test}`" for test in sorted(entry["tests"])]
    return "\n".join(lines) + "\n"


def main(argv=None) -> int:
    """Write the page; 1 where reasons and results do not agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", type=Path)
    outcomes = read(parser.parse_args(argv).results)
    reasons = tomllib.loads(REASONS.read_text())
    wrong = unaccounted(outcomes, reasons)
    print(*wrong, sep="\n")
    if wrong:
        return 1
    PAGE.write_text(page(outcomes, reasons))
    print(f"{PAGE}: {len(outcomes)} tests")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
