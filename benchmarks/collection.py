"""Speed over the collection: every MJCF model of the real robots against MuJoCo's Batch, at several numbers of worlds.

    python -m benchmarks collection [--sample 10] [--most 512] [--workers 1]

Both have one thread, go in turn in one process, from mixed states and with one random control held; medians of their CPU
time count, which other processes disturb least. ``--sample N`` takes every N-th model. Rows are kept as in
``python -m conformance``, so a run that was cut off goes on.
"""

from statistics import median

from benchmarks.scenes import ASSETS, ROOT
from conformance.sweep import Sweep, complete, models, one_line, table

WORLDS = (1, 64, 512, 4096)
ROUNDS, BUDGET = 5, 0.15
"""Rounds, and about how many seconds one of both may take; larger batches are left out where two steps take ten times
as long.
"""
LARGE = 100_000
"""Most vertices of a model's meshes."""


def cases(sample: int, most: int) -> dict:
    """Models of the collection that are files of their own."""
    found = complete(models(nmeshvert=LARGE))
    return dict(list(found.items())[:: max(1, sample)])


def judge(path: str, sample: int, most: int) -> dict:
    """Ratios of speed at every number of worlds."""
    from newtonlite.cli.bench import measure
    from newtonlite.core.errors import Error

    row: dict = {"ratio": {}, "ours_us": {}, "mujoco_us": {}}
    steps = 20
    for worlds in WORLDS:
        if worlds > most:
            continue
        try:
            found = measure(ASSETS / path, "mixed", worlds, steps, ("mujoco",), ROUNDS, device="cpu", threads=1)
        except Error as problem:
            return {"verdict": "refused", "note": one_line(problem)}
        ours, theirs = found["results"]
        if ours["failed"]:
            return {"verdict": "failed", "note": "worlds overflowed or went bad"}
        key = str(worlds)
        row["ratio"][key] = round(theirs["ratio"]["cpu"], 3)
        row["ours_us"][key] = round(1e6 / ours["steps_per_cpu_second"], 2)
        row["mujoco_us"][key] = round(1e6 / theirs["steps_per_cpu_second"], 2)
        spent = worlds * row["mujoco_us"][key] * 1e-6
        following = spent * WORLDS[min(WORLDS.index(worlds) + 1, len(WORLDS) - 1)] / worlds
        steps = max(2, min(100, int(BUDGET / following)))
        if 2 * following > 10 * BUDGET:
            break
    return row | {"verdict": "measured", "note": line(row)}


def line(row: dict) -> str:
    """Ratios in one line."""
    return ", ".join(f"{worlds}: {ratio}" for worlds, ratio in row.get("ratio", {}).items()) or row.get("note", "")


def page(rows: list[dict], sample: int, most: int) -> str:
    """The page, from the worst to the best."""
    measured = [row for row in rows if row["verdict"] == "measured"]
    out = [
        "# Speed over the collection",
        "",
        "Ratio of `newtonlite`'s speed to that of `mujoco.batch.Batch` (CPU time, one thread each, in turn, mixed states); above 1 `newtonlite` is faster.",
        f"`python -m benchmarks collection --sample {sample} --most {most}`: {len(measured)} of {len(rows)} models measured.",
        "",
        *table("worlds", "models", "median", "lowest", "below 1"),
    ]
    for worlds in map(str, WORLDS):
        found = sorted(row["ratio"][worlds] for row in measured if worlds in row["ratio"])
        if found:
            below = sum(ratio < 1 for ratio in found)
            out.append(f"| {worlds} | {len(found)} | {median(found):.2f} | {found[0]:.2f} | {below} |")
    out += [
        "",
        *table("model", *(f"{worlds} world{'s' * (worlds > 1)}" for worlds in WORLDS), "us at 512, ours and MuJoCo's"),
    ]
    for row in sorted(measured, key=lambda row: row["ratio"].get("512", min(row["ratio"].values()))):
        cells = [f"{row['ratio'][str(w)]:.2f}" if str(w) in row["ratio"] else "" for w in WORLDS]
        both = f"{row['ours_us']['512']}, {row['mujoco_us']['512']}" if "512" in row["ratio"] else ""
        out.append(f"| {row['model']} | {' | '.join(cells)} | {both} |")
    rest = [row for row in rows if row["verdict"] != "measured"]
    if rest:
        out += ["", "## Not measured", "", *table("model", "verdict", "why")]
        out += [f"| {row['model']} | {row['verdict']} | {row['note']} |" for row in rest]
    return "\n".join(out) + "\n"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "speed.md",
    cases,
    judge,
    page,
    line,
    seconds=240,
    options={"sample": 1, "most": 4096},
    fails=(),
)
