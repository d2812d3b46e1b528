"""Growth of a step's cost with worlds, dofs, contacts and independent trees, beside MuJoCo's Batch.

    python -m benchmarks growth [--rounds 5]

One scene grows in one number at a time. Both have one thread and go in turn in one process, from mixed states; medians
of their CPU time count. Rows are kept as in ``python -m conformance``, so a run that was cut off goes on.
"""

import tempfile
from pathlib import Path

from conformance.collection.places import ROOT
from conformance.sweep import Sweep, table
from newtonlite import models

WORLDS = 64
MODEL = "<mujoco><option timestep='.002'/><default><geom density='500'/></default><worldbody>{}</worldbody></mujoco>"


def chain(count: int) -> str:
    """One tree of ``count`` hinges, links of a tenth of a metre, without contacts."""
    link = "<body pos='0 0 {z}'><joint axis='{axis}' damping='.1'/><geom type='capsule' fromto='0 0 0 0 0 -.1' size='.01' contype='0' conaffinity='0'/>"
    links = (link.format(z=-0.1 if k else 0, axis=("1 0 0", "0 1 0")[k % 2]) for k in range(count))
    return MODEL.format("".join(links) + "</body>" * count)


def trees(count: int) -> str:
    """``count`` pendulums of two hinges beside each other, without contacts."""
    geom = "<geom type='capsule' fromto='0 0 0 0 0 -.2' size='.01' contype='0' conaffinity='0'/>"
    joint = "<joint axis='0 1 0' damping='.01'/>"
    one = f"<body pos='0 {{}} 0'>{joint}{geom}<body pos='0 0 -.2'>{joint}{geom}</body></body>"
    return MODEL.format("".join(one.format(0.1 * k) for k in range(count)))


def contacts(count: int) -> str:
    """One free body that stands on a floor on ``count`` spheres in a row."""
    feet = "".join(f"<geom size='.02' pos='{0.06 * k} {0.1 * (k % 2)} 0'/>" for k in range(count))
    return MODEL.format(f"<geom type='plane' size='0 0 1'/><body pos='0 0 .0195'><freejoint/>{feet}</body>")


def boxes(count: int) -> str:
    """``count`` free boxes that lie on a floor, four contacts each."""
    one = "<body pos='{} {} .0495'><freejoint/><geom type='box' size='.05 .05 .05'/></body>"
    return MODEL.format(
        "<geom type='plane' size='0 0 1'/>" + "".join(one.format(0.2 * (k % 8), 0.2 * (k // 8)) for k in range(count))
    )


SCENES = {
    "dofs of one tree, no contacts": (chain, (2, 4, 8, 16, 32, 64)),
    "independent trees of 2 dofs, no contacts": (trees, (1, 4, 16, 64)),
    "contacts of one free body": (contacts, (1, 4, 16, 64)),
    "free boxes on a floor, 4 contacts each": (boxes, (1, 4, 16, 64)),
}
BATCHES = {"humanoid": (1, 8, 64, 512, 4096, 16384), "cartpole": (1, 8, 64, 512, 4096, 65536)}


def cases(rounds: int) -> dict:
    """What grows and how far, as pairs of a name and a number."""
    found = {
        f"worlds of the packaged {name}: {n}": ("worlds", name, n) for name, sizes in BATCHES.items() for n in sizes
    }
    return found | {f"{title}: {n}": ("scene", title, n) for title, (_, sizes) in SCENES.items() for n in sizes}


def judge(case: tuple, rounds: int) -> dict:
    """Microseconds of a world's step of both, and their ratio."""
    from newtonlite.cli.bench import measure

    kind, name, number = case
    worlds = number if kind == "worlds" else WORLDS
    steps = max(2, min(200, 20_000 // worlds))
    with tempfile.TemporaryDirectory() as folder:
        file = models.path(name) if kind == "worlds" else Path(folder) / "scene.xml"
        if kind != "worlds":
            file.write_text(SCENES[name][0](number))
        found = measure(file, "mixed", worlds, steps, ("mujoco",), rounds, device="cpu", threads=1)
    ours, theirs = found["results"]
    if ours["failed"]:
        return {"verdict": "failed", "note": "worlds overflowed or went bad"}
    microseconds = [round(1e6 / r["steps_per_cpu_second"], 2) for r in (ours, theirs)]
    ratio = round(theirs["ratio"]["cpu"], 2)
    return {"verdict": "measured", "us": microseconds, "ratio": ratio, "note": f"{microseconds} us, {ratio}"}


def page(rows: list[dict], rounds: int) -> str:
    """The page: a table for each thing that grows."""
    out = [
        "# Growth of a step's cost",
        "",
        f"`python -m benchmarks growth` wrote this page: CPU microseconds of a world's step, one thread, {rounds} rounds in turn with `mujoco.batch.Batch`, from mixed states",
        f"({WORLDS} worlds where the number of worlds is not what grows); ratio above 1: `newtonlite` is faster.",
    ]
    out += ["", *table("what grows", "number", "newtonlite", "MuJoCo", "ratio")]
    for row in rows:
        name, _, number = row["model"].rpartition(": ")
        us = row.get("us", ["", ""])
        out.append(f"| {name} | {number} | {us[0]} | {us[1]} | {row.get('ratio', row.get('note'))} |")
    return "\n".join(out) + "\n"


SWEEP = Sweep(
    __name__, ROOT / "docs" / "growth.md", cases, judge, page, options={"rounds": 5}, needs=ROOT / "benchmarks"
)
