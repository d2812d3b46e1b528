"""Speed over the collection: every MJCF model of the real robots against MuJoCo's Batch, at several numbers of worlds.

    python -m benchmarks collection [--sample 10] [--most 512] [--workers 1]

The engine as ``SolverMuJoCo`` and environments run it, ``mjwarp.step``, which leaves every intermediate result per world, and
MuJoCo's have one thread, go in turn in one process, from mixed states and with one random control held; medians of their
CPU time count, which other processes disturb least. A row has the kernels that most of our time at 64 worlds goes to (without gangs), and
how long a first step takes from the compiled model on, with kernels of all features (``newtonlite warmup``).
``--sample N`` takes every N-th model: every tenth takes some minutes, and says how much the figures of README.md moved
(``again`` in ``conformance/figures.py``). Rows are kept as in ``python -m conformance``, so a run that was cut off goes on.
"""

import os
import time
from statistics import median

from conformance.collection.models import files
from conformance.collection.places import ROOT
from conformance.sweep import Sweep, grouped, one_line, table
from conformance.verify import OWN

WORLDS = (1, 64, 512, 4096)
ROUNDS, BUDGET = 5, 0.15
"""Rounds, and about how many seconds one of both may take; larger batches are left out where two steps take ten times
as long.
"""
LARGE = 100_000
"""Most vertices of a model's meshes."""
HEAP = "one island of hundreds of dofs by conjugate gradients: the last step is Newton's here, whose factor is most of the time"
REASONS = {
    "mjwarp_test/convex_collision/box100.xml": HEAP,
    "mujoco_test/engine/collision_convex/perf/box.xml": HEAP,
    "mujoco_model/adhesion/sand_castle.xml": HEAP,
    "mujoco_test/benchmark/flag.xml": "a tree of 304 dofs, most of which are on branches of their own: rows of its inertia are stored and factored whole",
}
"""Why models are slower than MuJoCo."""
PROFILED, SHOWN, SLOWEST = 64, 3, 12
"""Worlds of which the kernels are timed, how many of these are on the page, and models there, the slowest."""


def cases(sample: int, most: int) -> dict:
    """Real models that are files of their own."""
    found = [(name, file) for name, file in files(nmeshvert=LARGE).items() if not name.startswith(OWN)]
    return dict(found[:: max(1, sample)])


def judge(path: str, sample: int, most: int) -> dict:
    """Ratios of speed at every number of worlds up to ``most``."""
    return ratios(path, tuple(worlds for worlds in WORLDS if worlds <= most))


def ratios(path: str, counts: tuple[int, ...], prepare: float = 0.0) -> dict:
    """Ratios of speed at numbers of worlds, as far as there is time, with the kernels that take most.

    ``engine`` has those of the engine, ``ratio`` those of ``mjwarp.step``. With ``prepare``, batches have as many distinct
    states as are rolled out in about so many seconds (``distinct``).
    """
    from newtonlite.cli.bench import measure
    from newtonlite.cli.bench.workload import DISTINCT, HORIZON
    from newtonlite.core.errors import CapacityError, Error

    row: dict = {kind: {} for kind in ("engine", "ratio", "engine_us", "ours_us", "mujoco_us")}
    row["first_s"] = round(first_step(path), 2)
    steps, distinct = 20, DISTINCT
    for k, worlds in enumerate(counts):
        try:
            found = measure(
                path, "mixed", worlds, steps, ("engine", "mujoco"), ROUNDS, device="cpu", threads=1, distinct=distinct
            )
        except CapacityError as problem:
            if not k:
                return {"verdict": "refused", "note": one_line(problem)}
            row["no_room"] = worlds  # smaller batches are measured all the same
            break
        except Error as problem:
            return {"verdict": "refused", "note": one_line(problem)}
        ours, engine, theirs = found["results"]
        if ours["overflows"] or (ours["bad"] and not theirs["bad"]):
            return {"verdict": "failed", "note": "worlds overflowed, or went bad where none of MuJoCo's did"}
        key = str(worlds)
        row["engine"][key] = round(engine["steps_per_cpu_second"] / theirs["steps_per_cpu_second"], 3)
        row["ratio"][key] = round(theirs["ratio"]["cpu"], 3)
        row["ours_us"][key] = round(1e6 / ours["steps_per_cpu_second"], 2)
        row["engine_us"][key] = round(1e6 / engine["steps_per_cpu_second"], 2)
        row["mujoco_us"][key] = round(1e6 / theirs["steps_per_cpu_second"], 2)
        if prepare and not k:
            distinct = max(1, min(DISTINCT, int(prepare / (HORIZON * row["engine_us"][key] * 1e-6))))
        if distinct < worlds:
            row["distinct"] = distinct
        spent = worlds * row["mujoco_us"][key] * 1e-6
        following = spent * counts[min(k + 1, len(counts) - 1)] / worlds
        steps = max(2, min(100, int(BUDGET / following)))
        if 2 * following > 10 * BUDGET:
            break
    row["kernels"] = profiled_shares(path, distinct)
    return row | {"verdict": "measured", "note": line(row)}


def first_step(file) -> float:
    """Seconds from the compiled model to the end of the first step of one world."""
    from newtonlite.cli.simulation import compile_file
    from newtonlite.solvers.mujoco.data import make_data
    from newtonlite.solvers.mujoco.executor.schedule import Schedule
    from newtonlite.solvers.mujoco.model import put_model

    mj, policy = compile_file(file), os.environ.get("NEWTONLITE_KERNELS", "")
    os.environ["NEWTONLITE_KERNELS"] = "general"
    try:
        began = time.perf_counter()
        m = put_model(mj, 1, device="cpu")
        Schedule(m, make_data(m, 1), threads=1).step()
        return time.perf_counter() - began
    finally:
        os.environ["NEWTONLITE_KERNELS"] = policy


def profiled_shares(file, distinct: int) -> dict[str, float]:
    """``kernel_shares`` for PROFILED worlds of so many ``distinct`` states, or as many as there is room for."""
    from newtonlite.core.errors import CapacityError

    worlds = PROFILED
    while worlds > 1:
        try:
            return kernel_shares(file, worlds, distinct)
        except CapacityError:
            worlds //= 4
    return {}


def kernel_shares(file, worlds: int, distinct: int) -> dict[str, float]:
    """Share of a step's CPU time by kernel, from the largest, each run for all worlds before the next one, and none in
    gangs.
    """
    import warp as wp

    from newtonlite.cli.bench.workload import make_workload
    from newtonlite.cli.simulation import compile_file
    from newtonlite.solvers.mujoco.data import make_data
    from newtonlite.solvers.mujoco.executor.schedule import UNBOUND, Schedule
    from newtonlite.solvers.mujoco.model import put_model

    mj = compile_file(file)
    work = make_workload(file, mj, "mixed", worlds, 1, device="cpu", distinct=distinct)
    m = put_model(mj, worlds, device="cpu")
    d = make_data(m, worlds, scratch="per_world")
    for target, source in ((d.qpos, work.qpos), (d.qvel, work.qvel), (d.ctrl, work.control[0])):
        target.numpy()[:, : source.shape[1]] = source
    schedule = Schedule(m, d, mode="staged", threads=1)
    shard = schedule.shards[0][0]
    calls = []
    for program in schedule.programs["step"]:
        rounds, made = program.calls(lambda o, name: shard.array(o, name, UNBOUND), worlds, wp.get_device("cpu"))
        entered = (kernel for kernels, _ in rounds for kernel, _ in kernels)
        calls += [("solvers, by islands" if isinstance(k, tuple) else k.name, made[k]) for k in entered]
    spent = dict.fromkeys((name for name, _ in calls), 0.0)
    for _ in range(2 * ROUNDS):
        for name, call in calls:
            began = time.process_time()
            call.launch()
            spent[name] += time.process_time() - began
    total = sum(spent.values()) or 1.0
    return {name: round(s / total, 3) for name, s in sorted(spent.items(), key=lambda item: -item[1])}


def line(row: dict) -> str:
    """Ratios of the engine in one line."""
    return ", ".join(f"{worlds}: {ratio}" for worlds, ratio in row.get("engine", {}).items()) or row.get("note", "")


def ratio_table(measured: list[dict], worlds) -> list[str]:
    """Table of the ratios over all models, by what is called and the number of worlds."""
    out = [*table("what", "worlds", "models", "median", "lowest", "below 1")]
    for name, kind in (("engine", "engine"), ("`mjwarp.step`", "ratio")):
        for count in map(str, worlds):
            found = sorted(row[kind][count] for row in measured if count in row.get(kind, {}))
            if found:
                below = sum(ratio < 1 for ratio in found)
                out.append(f"| {name} | {count} | {len(found)} | {median(found):.2f} | {found[0]:.2f} | {below} |")
    return out


def page(rows: list[dict], sample: int, most: int) -> str:
    """The page, from the worst to the best."""
    measured = [row for row in rows if row["verdict"] == "measured"]
    out = [
        "# Speed over the collection",
        "",
        "Ratio of the speed of `newtonlite` to that of `mujoco.batch.Batch` (CPU time, one thread each, in turn, mixed states); above 1 `newtonlite` is faster.",
        "The engine is what `SolverMuJoCo` and the environments run: intermediate results stay in the cache. `newtonlite.mjwarp.step` leaves every one of them per world, to be read. Rows of 24 November have the engine alone; the others have both, from the same race. In rows of before 29 November the states of 1 and 64 worlds are those of the first moments of a rollout, of one world its start; in later ones of the whole rollout.",
        f"`python -m benchmarks collection --sample {sample} --most {most}`: {len(measured)} of {len(rows)} models measured.",
        "",
        *ratio_table(measured, WORLDS),
    ]
    out += ["", *table("model", *map(str, WORLDS), "us at 512, the engine's and MuJoCo's", "kernels that take most")]
    slowest = sorted(measured, key=lambda row: row["engine"].get("512", min(row["engine"].values())))
    for row in slowest[:SLOWEST]:
        cells = [f"{row['engine'][str(w)]:.2f}" if str(w) in row["engine"] else "" for w in WORLDS]
        both = f"{row['engine_us']['512']}, {row['mujoco_us']['512']}" if "512" in row["engine"] else ""
        most = ", ".join(f"{name} {100 * share:.0f} %" for name, share in list(row.get("kernels", {}).items())[:SHOWN])
        out.append(f"| {row['model']} | {' | '.join(cells)} | {both} | {most} |")
    no_room = [f"{row['model']} ({row['no_room']})" for row in measured if "no_room" in row]
    if no_room:
        out += [
            "",
            f"Without room for the largest batch, all of whose rows and contacts `mjwarp.step` keeps: {', '.join(no_room)}.",
        ]
    waits = sorted(row["first_s"] for row in measured if row["first_s"] != "")
    if waits:
        out += ["", f"A first step takes {median(waits):.2f} s in the median and {waits[-1]:.2f} s at most."]
    slower = [row["model"] for row in measured if row["engine"].get("512", 1) < 1]
    if slower:
        out += ["", "## Slower than MuJoCo at 512 worlds", "", *table("model", "why")]
        out += [f"| {name} | {REASONS.get(name, 'not looked into')} |" for name in slower]
    rest = [row for row in rows if row["verdict"] != "measured"]
    if rest:
        out += ["", "## Not measured", "", *grouped(rest, room=6)]
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
