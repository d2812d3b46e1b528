"""Speed of soft bodies: every MJCF model of the collection that has flexes against MuJoCo's Batch, at 1, 16 and 64 worlds.

    python -m benchmarks flexes [--only cloth]

Measured as in ``collection``. Writes docs/flex_speed.md.
"""

from benchmarks.collection import ratio_table, ratios
from conformance.collection.models import named
from conformance.collection.places import ROOT
from conformance.lockstep_flexes import MODELS
from conformance.sweep import FAULT, Sweep, grouped, table

WORLDS = (1, 16, 64)
PREPARE = 10.0
"""Seconds for the states of a batch: slow models have fewer distinct ones."""
SHOWN = 3
"""Kernels of a model on the page."""
REASONS: dict[str, str] = {}
"""Why models are slower than MuJoCo."""


def line(row: dict) -> str:
    """Ratios in one line, and the kernels that take most."""
    most = ", ".join(f"{name} {share:.2f}" for name, share in list(row.get("kernels", {}).items())[:SHOWN])
    return (
        ", ".join(f"{worlds}: {ratio}" for worlds, ratio in row.get("ratio", {}).items()) + f" {most}"
        if most
        else row["note"]
    )


def page(rows: list[dict]) -> str:
    """The page, from the slowest to the fastest."""
    measured = [row for row in rows if row["verdict"] == "measured"]
    out = [
        "# Speed of soft bodies",
        "",
        f"Written by `python -m benchmarks flexes`: {len(measured)} of {len(MODELS)} models with flexes measured. Ratio of the speed of `newtonlite.mjwarp.step`",
        "to that of `mujoco.batch.Batch` (CPU time, one thread each, in turn, mixed states); above 1 `newtonlite` is faster.",
        "",
        *ratio_table(measured, WORLDS),
    ]
    few = [f"{row['model']} ({row['distinct']})" for row in measured if "distinct" in row]
    if few:
        out += ["", f"Of slow models batches are of fewer distinct states, those of {PREPARE:g} s: {', '.join(few)}."]
    out += ["", *table("model", *map(str, WORLDS), "us of a step, ours and MuJoCo's", "kernels that take most")]
    for row in sorted(measured, key=lambda row: min(row["ratio"].values())):
        cells = [f"{row['ratio'][str(w)]:.2f}" if str(w) in row["ratio"] else "" for w in WORLDS]
        last = list(row["ratio"])[-1]
        most = ", ".join(f"{name} {100 * share:.0f} %" for name, share in list(row.get("kernels", {}).items())[:SHOWN])
        both = f"{row['ours_us'][last]:.0f}, {row['mujoco_us'][last]:.0f}"
        out.append(f"| {row['model']} | {' | '.join(cells)} | {both} | {most} |")
    slower = [row["model"] for row in measured if min(row["ratio"].values()) < 1]
    if slower:
        out += ["", "## Slower than MuJoCo", "", *table("model", "why")]
        out += [f"| {name} | {REASONS.get(name, 'not looked into')} |" for name in slower]
    rest = [row for row in rows if row["verdict"] != "measured"]
    if rest:
        out += ["", "## Not measured", "", *grouped(rest, room=6)]
    return "\n".join(out) + "\n"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "flex_speed.md",
    lambda: named(MODELS),
    lambda path: ratios(path, WORLDS, PREPARE),
    page,
    line,
    fails=(FAULT,),
)
