"""Wide models: time and memory of cloths and heaps of 300 to 2,700 dofs, beside MuJoCo's Batch.

    python -m benchmarks wide [--rounds 5]

Both have one thread and go in turn in one process, from mixed states; medians of their CPU time count. Rows are kept as in
``python -m conformance``, so a run that was cut off goes on.
"""

import tempfile
from pathlib import Path

from benchmarks.wide_scenes import cloth, flex_cloth, heap
from conformance.collection.places import ROOT
from conformance.sweep import Sweep, table

WORLDS = (1, 16)
SCENES = {
    "cloth, Newton": (lambda n: cloth(n, 'solver="Newton"'), (10, 20, 30)),
    "cloth, CG": (lambda n: cloth(n, 'solver="CG"'), (10, 20, 30)),
    "cloth of tendons, Newton": (lambda n: cloth(n, 'solver="Newton"', "tendon"), (20, 30)),
    "cloth of tendons, CG": (lambda n: cloth(n, 'solver="CG"', "tendon"), (20, 30)),
    "cloth, Newton, elliptic": (lambda n: cloth(n, 'solver="Newton" cone="elliptic"'), (20, 30)),
    "flex, Newton": (lambda n: flex_cloth(n, 'solver="Newton"'), (20, 30)),
    "flex, CG": (lambda n: flex_cloth(n, 'solver="CG"'), (20, 30)),
    "heap, Newton": (lambda n: heap(n, 'solver="Newton"'), (200, 450)),
}


def cases(rounds: int) -> dict:
    """Scenes, their sizes and numbers of worlds."""
    return {
        f"{title}: {size} x {worlds}": (title, size, worlds)
        for title, (_, sizes) in SCENES.items()
        for size in sizes
        for worlds in WORLDS
    }


def bytes_per_world(file: Path) -> tuple[int, float]:
    """Dofs of a model, and bytes that a world of it takes if everything is kept for it."""
    import newtonlite
    from newtonlite.solvers import SolverMuJoCo

    builder = newtonlite.ModelBuilder()
    builder.add_mjcf(str(file))
    solver = SolverMuJoCo(builder.finalize(device="cpu"))
    report = solver.memory_report()
    return int(solver.mj_model.nv), report.per_world


def judge(case: tuple, rounds: int) -> dict:
    """Microseconds of a world's step of both, their ratio, and memory."""
    from newtonlite.cli.bench import measure

    title, size, worlds = case
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scene.xml"
        file.write_text(SCENES[title][0](size))
        found = measure(file, "mixed", worlds, max(4, 40 // worlds), ("mujoco",), rounds, device="cpu", threads=1)
        nv, memory = bytes_per_world(file)
    ours, theirs = found["results"]
    if ours["failed"]:
        return {"verdict": "failed", "note": "worlds overflowed or went bad"}
    microseconds = [round(1e6 / r["steps_per_cpu_second"]) for r in (ours, theirs)]
    ratio = round(theirs["ratio"]["cpu"], 2)
    note = f"nv {nv}, {microseconds} us, {ratio}, {memory / 1e6:.2f} MB"
    return {
        "verdict": "measured",
        "nv": nv,
        "us": microseconds,
        "ratio": ratio,
        "MB": round(memory / 1e6, 2),
        "note": note,
    }


def page(rows: list[dict], rounds: int) -> str:
    """The page: a row for each scene, size and number of worlds."""
    out = [
        "# Wide models",
        "",
        f"`python -m benchmarks wide` wrote this page: CPU microseconds of a world's step, one thread, {rounds} rounds in turn with `mujoco.batch.Batch`, from mixed states;",
        "ratio above 1: `newtonlite` is faster. Memory is that of one world, and of the scratch of one thread with it.",
    ]
    out += ["", *table("scene", "worlds", "dofs", "newtonlite", "MuJoCo", "ratio", "MB")]
    for row in rows:
        name, _, worlds = row["model"].rpartition(" x ")
        us = row.get("us", ["", ""])
        numbers = row.get("nv", ""), us[0], us[1], row.get("ratio", row.get("note")), row.get("MB", "")
        out.append(f"| {name} | {worlds} | {' | '.join(map(str, numbers))} |")
    return "\n".join(out) + "\n"


SWEEP = Sweep(__name__, ROOT / "docs" / "wide.md", cases, judge, page, options={"rounds": 5}, needs=ROOT / "benchmarks")
