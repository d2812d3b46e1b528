"""Tests of MuJoCo Warp's own suite that newtonlite.mjwarp does not pass, each with its reason. Writes
docs/mjwarp_deviations.md.

    python -m conformance mjwarp_deviations RESULT.json ...

The files are what the script of ``../shared/conformance`` writes with ``--out``. Reasons stand in
docs/deviations/mjwarp.toml. A test that does not pass and has none, or that passes and has one, is printed, and the
command fails.
"""

from collections import Counter

import tomllib

from conformance.collection.places import ROOT
from conformance.deviations import Page, Result

REASONS = ROOT / "docs" / "deviations" / "mjwarp.toml"


def page(reasons: dict[str, list[dict]]) -> Page:
    """The page of reasons that list their tests."""
    listed = {test: entry["reason"] for kind in reasons.values() for entry in kind for test in entry["tests"]}
    count = Counter(test for kind in reasons.values() for entry in kind for test in entry["tests"])

    def stale(results: list[Result]) -> list[str]:
        passed = {result.test for result in results if result.passed}
        return [
            *(f"{number} reasons: {test}" for test, number in count.items() if number > 1),
            *(f"passes: {test}" for test in sorted(passed & listed.keys())),
            *(f"not run: {test}" for test in sorted(listed.keys() - {result.test for result in results})),
        ]

    return Page(
        ROOT / "docs" / "mjwarp_deviations.md",
        "Deviations from MuJoCo Warp",
        (
            "What of MuJoCo Warp's own tests (core files, public interface and types, the half that is open) newtonlite.mjwarp does not pass, and why.",
            "Made by `python -m conformance mjwarp_deviations RESULT.json ...` from `docs/deviations/mjwarp.toml`. Soft bodies, plugins and rendering, as far",
            "as they are not there, are apart.",
        ),
        lambda result: listed.get(result.test, ""),
        apart=frozenset(entry["reason"] for entry in reasons["apart"]),
        stale=stale,
    )


def main() -> int:
    """Write the page; 1 where reasons and results do not agree."""
    return page(tomllib.loads(REASONS.read_text())).main()
