"""What solvers leave of the gradient of the constraint problem, beside MuJoCo, over real and own models. Writes docs/residuals.md.

    python -m benchmarks.residuals [--only humanoid]

Newton, conjugate gradients and Gauss-Seidel, with the tolerance and iterations of each file, in 20 states of every model that has
constraint rows (tests/solvers/mujoco/optimality.py).
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from benchmarks.parity import PAGE, models
from benchmarks.scenes import ASSETS
from newtonlite.core.errors import Error
from newtonlite.solvers.mujoco import variants
from tests import oracle
from tests.solvers.mujoco.optimality import measured
from tests.solvers.mujoco.stagewise import Truth
from tests.tolerance import tolerance

SOLVERS = {"Newton": oracle.NEWTON, "CG": oracle.CG, "PGS": oracle.PGS}
STATES = 20
MOST_DOFS = 60
PAGE = PAGE.parent / "residuals.md"


def sources(only: str) -> dict:
    """Names and files of own models, and of real ones that are not too large."""
    own = {name: oracle.MODELS / f"{name}.xml" for name in oracle.model_names() if only in name}
    real = [m for m in models(only) if m["kind"] == "model" and 0 < m.get("nv", 0) <= MOST_DOFS]
    return own | {m["path"].removeprefix("mjcf/"): ASSETS / m["path"] for m in real}


def judge(file: Path, solver: int) -> dict | None:
    """Residuals of a model, or None where there is nothing to solve or the engine or MuJoCo do not simulate it."""
    mj = oracle.compile_xml(file)
    mj.opt.solver = solver
    try:
        truth = Truth(mj, oracle.gentle_states(mj, STATES))
        if not any(data.nefc for data in truth.datas):
            return None
        return measured(mj, truth)
    except (Error, RuntimeError):
        return None


def page(rows: list[tuple]) -> str:
    """The table as Markdown, the worst first, and counts of each solver."""
    lines = [
        "# What solvers leave, beside MuJoCo", "",
        f"Written by `make residuals`: {STATES} states of each model with constraint rows and up to {MOST_DOFS} dofs, own and real, with the",
        "tolerance and iterations of its file. A residual is the length of the gradient M x - qfrc_smooth - J' f(J x - aref), taken in float64",
        "on MuJoCo's own rows, in units of what one rounding to float32 of all the terms it is a sum of would leave. *MuJoCo* is that of its",
        "own answer, rounded to float32. *Stopped* counts states at the limit of iterations, ours and MuJoCo's.", "",
        "| solver | models | states | as good as MuJoCo or 4 roundings | stopped | MuJoCo stopped | stopped where MuJoCo converged |",
        "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for name in SOLVERS:
        found = [f for _, s, f in rows if s == name]
        good = sum(int(is_good(f).sum()) for f in found)
        counts = [sum(int(f[k].sum()) for f in found) for k in ("stopped", "their_stopped")]
        alone = sum(int((f["stopped"] & ~f["their_stopped"]).sum()) for f in found)
        total = sum(len(f["ours"]) for f in found)
        lines.append(f"| {name} | {len(found)} | {total} | {100 * good / max(total, 1):.1f} % | {counts[0]} | {counts[1]} | {alone} |")
    lines += ["", "| model | solver | median | MuJoCo | worst | MuJoCo | stopped |", "|---|---|---|---|---|---|---|"]
    for model, name, f in sorted(rows, key=lambda row: -(row[2]["ours"].max() / max(row[2]["rounded"].max(), 1.0))):
        cells = [f"{size(f[who]):.1e}" for size in (np.median, np.max) for who in ("ours", "rounded")]
        lines.append(f"| {model} | {name} | {' | '.join(cells)} | {f['stopped'].sum()}, {f['their_stopped'].sum()} |")
    return "\n".join(lines) + "\n"


def is_good(found: dict) -> np.ndarray:
    """States in which the engine leaves no more than MuJoCo's answer in float32, or than roundings."""
    return found["ours"] <= np.maximum(tolerance("residual"), found["rounded"])


def main() -> int:
    """Measure, write, and fail where a solver stops at its limit and MuJoCo's does not."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="", help="models whose path holds this text; the page is then not written")
    args = arguments.parse_args()
    if not ASSETS.is_dir():
        print("needs the folder of real robots beside the project", file=sys.stderr)
        return 2
    variants.specialise = False
    oracle.be_quiet()
    rows = []
    for model, file in sources(args.only).items():
        for name, solver in SOLVERS.items():
            found = judge(file, solver)
            if found is None:
                break
            rows.append((model, name, found))
            print(f"{found['ours'].max():9.1e} {found['rounded'].max():9.1e} {name:7} {model}", flush=True)
    if not args.only:
        PAGE.write_text(page(rows))
    return int(any((f["stopped"] & ~f["their_stopped"]).any() for _, _, f in rows))


if __name__ == "__main__":
    sys.exit(main())
