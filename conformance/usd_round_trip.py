"""MJCF written as USD and read back, over the real models: every field of the compiled model before and after. Writes
docs/usd_round_trip.md.

    python -m conformance usd_round_trip [--only humanoid]

A field counts as equal within 1e-6, relative to numbers above 1. Compared as in conformance/usd_mjcf.py, sensors among
it, without what says where a number came from (``ORIGINS``), places of massless bodies, and friction of what collides
with nothing. OpenUSD's validators have to find no error in what is written.
"""

import tempfile
from pathlib import Path

import numpy as np

from conformance.collection.models import files
from conformance.collection.places import ROOT
from conformance.sweep import FAULT, Sweep, counts, exceptions, grouped, left_out, one_line, table
from conformance.usd_mjcf import compiled, fields
from newtonlite.core.errors import Error
from newtonlite.exporters.usd import save_usd
from newtonlite.importers.report import Report

NEAR = 1e-6
LARGEST = 150_000
"""Most mesh vertices of a model that is swept."""
VALIDATED = 20_000
"""Most mesh vertices of a model that the validators look at."""
ORIGINS = ("tendon_slack", "geom_sized", "jnt_tuned", "actuator_lengthcomputed")
"""Fields that say which word of the file gave a number, and whether one did."""
RELATIVE = 14
"""Column of equalities that says whether a weld's relative pose is that of the file."""
KNOWN = ("Non-uniform scale is not supported for Sphere", "UsdGeomPlane collider cannot be attached")
"""What the validators say of ellipsoids and of planes on bodies, which UsdPhysics has not; MuJoCo's decoder reads them
so, as we do.
"""
BACK = {"joint_ordering": "authored", "only_load_enabled_joints": False}


def judge(path: str) -> dict:
    """The row of one model: not read from MJCF, refused by the writer, not read back, or its worst field."""
    try:
        model = compiled(lambda b: b.add_mjcf(path, on_unsupported="warn"))
    except Error as problem:
        return {"verdict": "not read from MJCF", "note": one_line(problem)}
    with tempfile.TemporaryDirectory() as folder:
        report = Report("warn")
        try:
            written = save_usd(model, Path(folder) / "model.usdc", report=report)
        except Error as problem:
            return {"verdict": "refused", "note": one_line(problem)}
        try:
            back = compiled(lambda b: b.add_usd(str(written), **BACK))
        except Error as problem:
            return {"verdict": "not read back", "note": one_line(problem)}
        messages = validated(written) if len(model.mesh_vert) <= VALIDATED else []
    worst, name = max(differences(back, model))
    lost = sorted({group.what for group in report.ignored})
    row = {"worst": float(worst), "field": name, "lost": lost, "messages": messages[:3]}
    return row | {"verdict": "different" if worst > NEAR else "invalid" if messages else "equal"}


def validated(path: Path) -> list[str]:
    """Messages of all validators of OpenUSD about a file."""
    from pxr import Usd, UsdValidation

    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    found = UsdValidation.ValidationContext(validators).Validate(Usd.Stage.Open(str(path)))
    return [error.GetMessage() for error in found if not any(text in error.GetMessage() for text in KNOWN)]


def differences(back, model) -> list[tuple[float, str]]:
    """The error of each field."""
    found = [(0.0, "")]
    for name, (a, b) in fields(back, model, sensors=True).items():
        if name in ORIGINS:
            continue
        if a.shape != b.shape:
            found.append((np.inf, name))
            continue
        keep = kept(name, model)
        a, b = (a, b) if keep is None else (a[keep], b[keep])
        if name == "equalities":
            a, b = np.delete(a, RELATIVE, 1), np.delete(b, RELATIVE, 1)
        if a.size:
            gap = np.abs(a.astype(float) - b.astype(float)) / np.maximum(1.0, np.abs(b.astype(float)))
            found.append((float(np.nanmax(np.nan_to_num(gap))), name))
    return found


def kept(name: str, model):
    """Rows of a field that mean something."""
    if name == "body_ipos":
        return np.asarray(model.body_mass) > 0
    if name == "geom_friction":
        touch = (np.asarray(model.geom_contype) != 0) | (np.asarray(model.geom_conaffinity) != 0)
        touch[np.concatenate([model.pair_geom1, model.pair_geom2]).astype(int)] = True
        return touch
    return None


def page(rows: list[dict]) -> str:
    """The page as Markdown."""
    read = [row for row in rows if row["verdict"] not in ("not read from MJCF", FAULT)]
    equal = sum(row["verdict"] == "equal" for row in read)
    lines = [
        "# MJCF written as USD and read back",
        "",
        f"Written by `python -m conformance usd_round_trip`: {len(rows)} models of up to {LARGEST:,} mesh vertices, read by `add_mjcf`, compiled,",
        f"written by `save_usd`, read by `add_usd` and compiled again. The worst field, sensors among them; up to {NEAR:g}, relative to numbers",
        "above 1, counts as equal. Names, colours, cameras, lights and textures are not compared. Files of up to",
        f"{VALIDATED:,} vertices stand all validators of OpenUSD, but for what they say of ellipsoids and of planes on bodies. Numbers of the user's",
        "own are not written.",
        "",
        counts(rows),
        "",
        f"Of the {len(read)} models that newtonlite reads, {equal} come back equal: {100.0 * equal / max(1, len(read)):.1f} %.",
        "",
        *table("model", "verdict", "worst error", "field or reason", "not written"),
    ]
    shown = exceptions(rows, calm=("equal", "not read from MJCF"))
    for row in shown:
        worst = f"{row['worst']:.0e}" if "worst" in row else ""
        messages = row.get("note") or "; ".join(row.get("messages", [])) or row.get("field", "")
        lines.append(f"| {row['model']} | {row['verdict']} | {worst} | {messages} | {', '.join(row.get('lost', []))} |")
    lines += left_out(rows, shown, ("equal", "not read from MJCF"))
    lines += ["", *grouped([row for row in rows if row["verdict"] == "not read from MJCF"])]
    return "\n".join(lines) + "\n"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "usd_round_trip.md",
    lambda: files(nmeshvert=LARGEST),
    judge,
    page,
    lambda row: f"{row.get('worst', '')} {row.get('field', row.get('note', ''))} {row.get('messages') or ''}",
    fails=("different", "invalid", "not read back", FAULT),
)
