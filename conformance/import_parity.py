"""Every real MJCF model: is what newtonlite compiles from it what MuJoCo compiles, field by field? Writes
docs/import_parity.md.

    python -m conformance import_parity [--only humanoid]

The way is that of a user: ``ModelBuilder.add_mjcf``, ``finalize``, ``compile_model``. A model is *equal* where no field
differs by more than 1e-6, relative; *refused* where newtonlite says by name what it does not do. Where a mesh has
(nearly) equal principal moments rounding decides about its axes, and *symmetric* says that only what depends on them
differs, no more than that explains.
"""

import math
from pathlib import Path

from conformance.collection.models import files
from conformance.collection.places import ROOT
from conformance.sweep import Sweep, counts, exceptions, grouped, left_out, one_line, table
from newtonlite.core.errors import Error
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests import oracle
from tests.harness import import_fields
from tests.tolerance import tolerance

SLOW = ("100_humanoids", "perf/smooth", "pick_clutter", "scene_clutter")
"""Models of thousands of bodies, which say nothing that smaller ones do not."""


def cases() -> dict[str, str]:
    """Files of every MJCF model that is meant to be loaded by itself."""
    return {name: path for name, path in files().items() if not any(word in path for word in SLOW)}


def judge(path: str) -> dict:
    """The row of one model."""
    builder = ModelBuilder()
    try:
        builder.add_mjcf(path)
        ours = compile_model(builder.finalize(device="cpu", skip_all_validations=True))
    except Error as problem:
        return {"verdict": "refused", "note": one_line(problem)}
    reference = oracle.compile_xml(Path(path))
    errors = {name: e for name, e in import_fields.compare(reference, ours).items() if not math.isnan(e)}
    name, worst = max(errors.items(), key=lambda item: item[1])
    different, turned = import_fields.differences(reference, ours, tolerance("compiled"))
    row = {"verdict": "equal", "worst": f"{name} {worst:.0e}" if worst > 0 else "none"}
    if different:
        row |= {"verdict": "symmetric" if turned else "different", "note": ", ".join(sorted(different)[:6])}
    return row


def page(rows: list[dict]) -> str:
    """The table as Markdown, what is equal first."""
    lines = [
        "# Parity of the importer with MuJoCo over real models",
        "",
        f"Written by `make parity-import`: {len(rows)} MJCF models, read into a builder, finalized, compiled, and compared with MuJoCo 4.0.0's",
        "model in float64, field by field (`tests/harness/import_fields.py` says which and how). Equal means that no field is off by more than",
        "1e-6, relative. Of meshes with nearly equal principal moments rounding chooses the axes; *symmetric* says that only what",
        "depends on that choice differs, by no more than it explains.",
        "",
        counts(rows),
        "",
        *table("model", "verdict", "worst field", "note"),
    ]
    shown = exceptions(rows, calm=("equal", "refused"))
    lines += [
        f"| {row['model']} | {row['verdict']} | {row.get('worst', '')} | {row.get('note', '')} |" for row in shown
    ]
    lines += left_out(rows, shown, ("equal", "refused"))
    lines += ["", *grouped([row for row in rows if row["verdict"] == "refused"])]
    return "\n".join(lines) + "\n"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "import_parity.md",
    files,
    judge,
    page,
    lambda row: f"{row.get('worst', '')}  {row.get('note', '')}",
)
