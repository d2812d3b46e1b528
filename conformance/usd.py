"""Sweep over the USD files of the collection: import, counts and masses against Newton's, finalize, compile, step.

python conformance/usd.py --collection ../shared --json sweep.json
"""

import argparse
import json
import sys
import time
import traceback
import warnings
from pathlib import Path

import numpy as np

COUNTS = ("bodies", "joints", "dofs", "shapes", "colliders", "sites")


def main() -> int:
    """Run the sweep and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--collection", type=Path, required=True, help="folder with assets/ and reference/usd_newton.json"
    )
    parser.add_argument("--match", default="", help="only entries whose name contains this")
    parser.add_argument(
        "--step", type=int, default=0, help="steps of each entry that compiles; each new structure costs compile time"
    )
    parser.add_argument("--json", type=Path, help="numbers to write")
    args = parser.parse_args()
    known = json.loads((args.collection / "reference/usd_newton.json").read_text())["entries"]
    rows = {}
    for name, entry in known.items():
        if args.match in name:
            rows[name] = look(args.collection / "assets" / name, entry, args.step)
            print(line(name, rows[name]), flush=True)
    print(summary(rows))
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    return 0


def look(path: Path, entry: dict, steps: int) -> dict:
    """What became of one entry."""
    import newtonlite
    from newtonlite.importers.report import Report

    row: dict = {}
    builder, report = newtonlite.ModelBuilder(), Report("warn")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        try:
            found = builder.add_usd(str(path), report=report, on_unsupported="warn")
        except Exception as problem:
            row["error"] = error_row("import", problem)
            return row
        row["seconds"] = round(time.process_time() - start, 3)
        row["report"] = report.lines()[1:]
        row |= compare(builder, entry)
        try:
            model = builder.finalize()
            row["finalized"] = True
            if builder.body_count:
                row |= run(model, found["physics_dt"] or 0.002, steps)
        except Exception as problem:
            row["error"] = error_row("finalize or solver", problem)
    return row


def error_row(stage: str, problem: Exception) -> str:
    """An error in one line."""
    place = traceback.extract_tb(problem.__traceback__)[-1]
    known = type(problem).__module__.startswith("newtonlite")
    return (
        f"{stage}: {problem}"
        if known
        else f"{stage}: CRASH {type(problem).__name__}: {problem} ({Path(place.filename).name}:{place.lineno})"
    )


def compare(builder, entry: dict) -> dict:
    """Counts that differ from Newton's, as (ours, Newton's), and the largest difference of mass."""
    newton = entry.get("default") or {}
    flags = np.array(list(builder.shape_flags), int) if builder.shape_count else np.zeros(0, int)
    ours = {
        "bodies": builder.body_count,
        "joints": builder.joint_count,
        "dofs": builder.joint_dof_count,
        "shapes": builder.shape_count,
        "colliders": int(((flags & 2) != 0).sum()),
        "sites": int(((flags & 8) != 0).sum()),
    }
    out = {
        "ours": ours,
        "differs": {k: (ours[k], newton[k]) for k in COUNTS if newton.get(k) is not None and ours[k] != newton[k]},
    }
    labels = {label: i for i, label in enumerate(builder.body_label)}
    worst = {"mass": 0.0, "com": 0.0, "inertia": 0.0, "pose": 0.0}
    where = {}
    for path, mass, com, inertia, pose in entry.get("body", []):
        if path not in labels:
            continue
        i = labels[path]
        xx, yy, zz, xy, xz, yz = (float(x) for x in inertia)
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        own = np.array(builder.body_inertia[i], float).reshape(3, 3)
        gaps = {
            "mass": abs(builder.body_mass[i] - mass) / max(abs(mass), 1e-9),
            "com": float(np.abs(np.array(builder.body_com[i]) - com).max()),
            "inertia": float(np.abs(own - tensor).max() / max(np.abs(tensor).max(), 1e-12)),
            "pose": float(np.abs(np.array(builder.body_q[i])[:3] - pose[:3]).max()),
        }
        for key, gap in gaps.items():
            if not gap <= worst[key]:
                worst[key], where[key] = gap, path
    limits = {"mass": 1e-5, "com": 1e-5, "inertia": 1e-4, "pose": 1e-4}
    out["mass_gaps"] = {key: (float(f"{gap:.2g}"), where[key]) for key, gap in worst.items() if gap > limits[key]}
    out["mass"] = (round(sum(builder.body_mass), 5), newton.get("mass"))
    return out


def run(model, dt: float, steps: int) -> dict:
    """Compile, and take some steps."""
    from newtonlite.solvers import SolverMuJoCo

    out: dict = {}
    if not steps:
        from newtonlite.solvers.mujoco.compile import compile_model

        compile_model(model)
        out["compiled"] = True
        return out
    solver = SolverMuJoCo(model)
    out["compiled"] = True
    one, two, control = model.state(), model.state(), model.control()
    for _ in range(steps):
        solver.step(one, two, control, None, dt)
        one, two = two, one
    out["finite"] = bool(np.isfinite(one.joint_q.numpy()).all() and np.isfinite(one.body_q.numpy()).all())
    return out


def line(name: str, row: dict) -> str:
    """One entry in one line."""
    state = row.get("error") or (
        "stepped"
        if row.get("finite")
        else "NOT FINITE"
        if row.get("finite") is False
        else "compiled"
        if row.get("compiled")
        else "finalized"
    )
    return f"{name}: {state} {row.get('seconds', '')} {row.get('differs') or ''} {row.get('mass_gaps') or ''}"


def summary(rows: dict) -> str:
    """Counts over all entries."""
    loaded = [r for r in rows.values() if "seconds" in r]
    same = [r for r in loaded if not r["differs"]]
    parts = {
        "entries": len(rows),
        "loaded": len(loaded),
        "finalized": sum(bool(r.get("finalized")) for r in loaded),
        "compiled": sum(bool(r.get("compiled")) for r in loaded),
        "stepped": sum(bool(r.get("finite")) for r in loaded),
        "with bodies": sum(r["ours"]["bodies"] > 0 for r in loaded),
        "equal counts": len(same),
        "equal masses": sum(not r["mass_gaps"] for r in loaded),
        "CPU seconds": round(sum(r["seconds"] for r in loaded), 1),
    }
    return ", ".join(f"{value} {key}" for key, value in parts.items())


if __name__ == "__main__":
    sys.exit(main())
