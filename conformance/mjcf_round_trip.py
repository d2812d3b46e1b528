"""What we write, read by MuJoCo, over the real models: every field of its model before and after.

    python -m conformance mjcf_round_trip [--only TEXT]

Writes docs/mjcf_round_trip.md.
"""

from pathlib import Path

from conformance.collection.models import files
from conformance.collection.places import ROOT
from conformance.sweep import FAULT, Sweep, counts, exceptions, grouped, left_out, one_line, table
from newtonlite.core.errors import Error
from newtonlite.exporters.mjcf import write_mjcf
from tests import oracle
from tests.harness.same_model import field_errors
from tests.tolerance import tolerance

LARGEST = 60_000
"""Most mesh vertices of a model that is swept."""


def judge(path: str) -> dict:
    """The row of one model: refused by the writer, or the worst field after a round trip."""
    try:
        model = oracle.compile_xml(Path(path))
    except ValueError as problem:
        return {"verdict": "not read by MuJoCo", "note": one_line(problem)}
    try:
        back = oracle.compile_xml(*write_mjcf(model))
    except Error as problem:
        return {"verdict": "refused", "note": one_line(problem)}
    except ValueError as problem:
        return {"verdict": "not read back", "note": one_line(problem)}
    errors = field_errors(model, back)
    worst = max(errors, key=lambda name: errors[name])
    equal = errors[worst] <= tolerance("compiled")
    return {"verdict": "equal" if equal else "different", "worst": errors[worst], "field": worst}


def page(rows: list[dict]) -> str:
    """The table as Markdown, what agrees first."""
    lines = [
        "# MJCF round trip: written by newtonlite, read by MuJoCo",
        "",
        f"Written by `python -m conformance mjcf_round_trip`: {len(rows)} models of up to {LARGEST:,} mesh vertices, compiled by MuJoCo 4.0.0,",
        f"written by `newtonlite.exporters.mjcf`, and compiled again. The worst field; up to {tolerance('compiled'):g} counts as equal. Meshes are",
        "compared by their points in the frames of their bodies: axes of nearly equal moments follow the rounding of vertices. Colour spaces",
        "of textures made by formula are not compared.",
        "",
        counts(rows),
        "",
        *table("model", "verdict", "worst error", "field or reason"),
    ]
    shown = exceptions(rows, calm=("equal", "refused"))
    for row in shown:
        worst = f"{row['worst']:.0e}" if "worst" in row else ""
        lines.append(f"| {row['model']} | {row['verdict']} | {worst} | {row.get('field', row.get('note', ''))} |")
    lines += left_out(rows, shown, ("equal", "refused"))
    lines += ["", *grouped([row for row in rows if row["verdict"] == "refused"])]
    return "\n".join(lines) + "\n"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "mjcf_round_trip.md",
    lambda: files(nmeshvert=LARGEST),
    judge,
    page,
    lambda row: f"{row.get('worst', '')} {row.get('field', row.get('note', ''))}",
    fails=("different", "not read back", FAULT),
)
