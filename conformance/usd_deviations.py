"""Tests of Newton's own suite about USD that newtonlite does not pass, each with its reason. Writes docs/usd_deviations.md.

    python -m conformance usd_deviations RESULT.json

The file is what the script of ``../shared/conformance`` writes with ``--out`` for ``--files 'test_import_usd*' 'test_*usd*'
test_schema_resolver``. Every test that did not pass needs a row of ``REASONS``; without one, this says so and fails.
"""

import argparse
import re
from collections import Counter
from pathlib import Path

from benchmarks.scenes import ROOT
from conformance.newton_deviations import read

PAGE = ROOT / "docs" / "usd_deviations.md"
BESIDE = "not rigid bodies: meshes of tetrahedra, splats, the camera that draws tiles"
REASONS = (
    (BESIDE, r"TestTetMesh|gaussian|SensorTiledCamera"),
    (
        "UsdPhysics: a PhysicsJoint leaves the axes free that no LimitAPI bounds; Newton locks them",
        r"from_d6_joint|joint_api_d6",
    ),
    ("joints whose bodies are in the other order are turned over; Newton refuses them", r"reversed_joint"),
    ("a tree without articulation root moves freely, by a base of its own; Newton's finalize refuses it", r"non_articulated"),
    ("MuJoCo's equalities stay equalities of the solver, with their softness; Newton makes joints of them", r"weld_frames|mimic_enabled"),
    ("stages are scaled to metres, so there is nothing to warn of", r"non_unit_linear_unit"),
    ("a sphere under unequal scale is an ellipsoid; Newton takes the largest radius and warns", r"non_uniform_scale_warns"),
    ("a distance joint is a tendon with limits between two sites; Newton's solver drops it", r"distance_joint"),
    ("meshSimplification keeps the collider's mesh, which needs no picture beside it", r"cube_cylinder"),
    ("a tendon without path is refused, with the place; Newton keeps it and its solver leaves it out", r"empty_fixed_tendon"),
    ("the test expects rounding of float32 that newtonlite does not have: it computes inertias in float64", r"non_symmetric_inertia"),
    ("sites of the solver's model have the names of the scene, without a number behind", r"indexed_wraps"),
    ("a deprecated name is still there, with a warning", r"joint_stiffness_damping"),
)  # fmt: skip
"""Reason, and the pattern of test and message it stands for; the first that fits counts."""


def reason_of(test: str, message: str) -> str:
    """Why a test does not pass; '' where no row fits."""
    return next((reason for reason, pattern in REASONS if re.search(pattern, f"{test} {message}")), "")


def page(failed: dict[str, str], passed: Counter) -> str:
    """The page: what passes by file, and the tests under their reasons."""
    beside = [test for test, message in failed.items() if reason_of(test, message) == BESIDE]
    every, good = sum(passed.values()) + len(failed), sum(passed.values())
    lines = [
        "# Newton's own tests about USD",
        "",
        "Which of Newton 1.8's tests about USD (public interface, the half that is open) newtonlite does not pass, and why. Made by",
        "`python -m conformance usd_deviations RESULT.json`; `../shared/conformance/README.md` says how results are made.",
        "",
        f"{good} of {every} pass; of the {every - len(beside)} about rigid bodies {good}, {100.0 * good / (every - len(beside)):.0f} %.",
        "",
        "| file | pass | of |",
        "|---|---|---|",
    ]
    files = Counter(test.split(".")[0] for test in failed)
    lines += [f"| {file} | {passed[file]} | {passed[file] + files[file]} |" for file in sorted({*passed, *files})]
    for reason, _ in REASONS:
        tests = sorted(test for test, message in failed.items() if reason_of(test, message) == reason)
        if tests:
            lines += ["", f"## {reason[:1].upper()}{reason[1:]}", "", *(f"- `{test}`" for test in tests)]
    return "\n".join(lines) + "\n"


def main(argv=None) -> int:
    """Write the page; 1 where a test has no reason."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", type=Path)
    failed, passed = read(parser.parse_args(argv).results)
    bare = {test: message for test, message in failed.items() if not reason_of(test, message)}
    for test, message in sorted(bare.items()):
        print(f"no reason: {test}: {message[:150]}")
    if bare:
        return 1
    PAGE.write_text(page(failed, passed))
    print(page(failed, passed).splitlines()[5])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
