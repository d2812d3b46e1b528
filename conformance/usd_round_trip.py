"""MJCF written as USD and read back, over the real models: every field of the compiled model before and after.

    python -m conformance usd_round_trip --collection ../shared [--only TEXT] [--part 0/4] [--json rows.json]

A field counts as equal within 1e-6, relative to numbers above 1. Compared as in conformance/usd_mjcf.py, without what
says where a number came from (``ORIGINS``), places of massless bodies, and friction of what collides with nothing.
"""

import argparse
import json
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from conformance.usd_mjcf import fields
from newtonlite.core.errors import Error

NEAR = 1e-6
LARGEST = 60_000
"""Most mesh vertices of a model that is swept."""
ORIGINS = ("tendon_slack", "geom_sized", "jnt_tuned", "nhistory")
"""Fields that say which word of the file gave a number, and buffers of sensors, which are not written."""
RELATIVE = 14
"""Column of equalities that says whether a weld's relative pose is that of the file."""


def models(collection: Path, only: str) -> list[str]:
    """Paths of the MJCF models, below the folder of assets."""
    manifest = json.loads((collection / "assets/MANIFEST.json").read_text())["models"]
    found = [m for m in manifest if m["format"] == "mjcf" and m["kind"] == "model"]
    return sorted(m["path"] for m in found if only in m["path"] and m.get("nmeshvert", 0) <= LARGEST)


def compiled(add):
    """The compiled model of what ``add`` adds to a builder."""
    import newtonlite
    from newtonlite.solvers.mujoco.compile import compile_model

    builder = newtonlite.ModelBuilder()
    add(builder)
    return compile_model(builder.finalize(device="cpu"))


def judge(path: Path, folder: Path) -> dict:
    """The row of one model: not read from MJCF, refused by the writer, not read back, or its worst field."""
    from newtonlite.exporters.usd import save_usd

    try:
        model = compiled(lambda b: b.add_mjcf(str(path), on_unsupported="warn"))
    except Error as problem:
        return {"verdict": "not read from MJCF", "note": " ".join(str(problem).split())[:140]}
    try:
        written = save_usd(model, folder / "model.usdc")
    except Error as problem:
        return {"verdict": "refused", "note": " ".join(str(problem).split())[:140]}
    try:
        options = {"joint_ordering": "authored", "only_load_enabled_joints": False}
        back = compiled(lambda b: b.add_usd(str(written), **options))
    except Error as problem:
        return {"verdict": "not read back", "note": " ".join(str(problem).split())[:140]}
    worst, name = max(differences(back, model))
    return {"verdict": "equal" if worst <= NEAR else "different", "worst": float(worst), "field": name}


def differences(back, model) -> list[tuple[float, str]]:
    """The error of each field."""
    found = [(0.0, "")]
    for name, (a, b) in fields(back, model).items():
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


def main() -> int:
    """Sweep; fail where a model differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collection", type=Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--part", default="0/1", help="every so many models from so many on")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    first, step = (int(n) for n in args.part.split("/"))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in models(args.collection, args.only)[first::step]:
            began = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows.append({"model": path} | judge(args.collection / "assets" / path, Path(folder)))
            last = rows[-1]
            worst = f"{last.get('worst', '')} {last.get('field', last.get('note', ''))}"
            print(f"{last['verdict']:<10} {path} {worst} {time.process_time() - began:.1f}s", flush=True)
            if args.json:
                args.json.write_text(json.dumps(rows, indent=1))
    verdicts = Counter(row["verdict"] for row in rows)
    print(", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common()))
    return 1 if verdicts["different"] or verdicts["not read back"] else 0


if __name__ == "__main__":
    sys.exit(main())
