"""The part of docs/benchmarks.md about scenes of contacts, from benchmarks/results/collision.json.

python -m benchmarks collision_page
"""

import json
import sys

from benchmarks.scenes import RESULTS
from conformance.collection.places import ROOT

RECORDS = RESULTS / "collision.json"
PAGE = ROOT / "docs" / "benchmarks.md"
START, END = "### Contacts\n", "### Broad phase\n"
WHAT = {
    "box_stack": "six boxes, two balls",
    "ten_boxes": "ten boxes on each other",
    "hundred_meshes": "100 free meshes, most of which still fall",
    "settled_meshes": "the same as a pile that was at rest, shaken a little",
    "quadruped_on_hills": "a quadruped on a height field",
}


def table(head: str, rows: list[str]) -> str:
    """A table in Markdown, from cells between bars."""
    columns = head.count("|") + 1
    return "\n".join([f"| {head} |", "|" + "---|" * columns, *(f"| {row} |" for row in rows)]) + "\n"


def speeds(race: dict, key: str) -> tuple[float, float]:
    """Steps in a second, of newtonlite and of its opponent; an opponent that failed has none."""
    ours, other = race["results"]
    return ours[key], float("nan") if other["failed"] else other[key]


def cells(race: dict, key: str) -> str:
    """Both speeds, and how many times as fast newtonlite is."""
    ours, other = speeds(race, key)
    shown = "failed | -" if other != other else f"{other:,.0f} | {ours / other:.2f}"
    return f"{ours:,.0f} | {shown}"


def contacts(known: dict) -> str:
    """Text of the part."""
    scenes = {name: known[name] for name in WHAT if name in known}
    some = next(iter(scenes.values()))["one_core"]
    versions = ", ".join(
        f"{name} {some['versions'][name]}" for name in ("mujoco", "warp-lang") if name in some["versions"]
    )
    when = max(record["one_core"]["when"] for record in scenes.values())[:10]
    text = [
        f"{START}\n`python -m benchmarks collision` writes this part. Last on {when}, {some['machine']}, {versions}; medians of {some['rounds']} rounds in turn.\n",
        "Steps per second of CPU time on one core, and of the clock on all:\n",
        table(
            "scene | worlds | newtonlite | MuJoCo C | times | all cores | MuJoCo C | times",
            [
                f"{name}: {WHAT[name]} | {r['one_core']['worlds']} | {cells(r['one_core'], 'steps_per_cpu_second')} | {cells(r['all_cores'], 'steps_per_second')}"
                for name, r in scenes.items()
            ],
        ),
        "Beside MuJoCo Warp, whose CPU kernels have one thread and are for debugging, over few worlds and steps (per second of CPU time):\n",
        table(
            "scene | worlds | newtonlite | MuJoCo Warp | times",
            [
                f"{name} | {r['mujoco_warp']['worlds']} | {cells(r['mujoco_warp'], 'steps_per_cpu_second')}"
                for name, r in scenes.items()
            ],
        ),
        "Collision alone, from the poses of the geoms, CPU time of one world; and the memory of a world of `memory_report`: what is kept of it from step to step,\n"
        "and scratch, which there is once for each core:\n",
        table(
            "scene | contacts | newtonlite [us] | MuJoCo C [us] | times | kept [kB] | scratch [kB]",
            [
                f"{name} | {c['ncon']:.0f} | {c['newtonlite_us']:.1f} | {c['mujoco_us']:.1f} | {c['mujoco_us'] / c['newtonlite_us']:.2f} | "
                f"{m['kept'] / 1000:.1f} | {m['scratch'] / 1000:.1f}"
                for name, c, m in ((n, r["collision"], r["memory"]) for n, r in scenes.items())
            ],
        ),
    ]
    if "convex_cost" in known:
        text.append(convex_cost(known["convex_cost"]))
    return "\n".join(text) + "\n"


def convex_cost(record: dict) -> str:
    """What convex pairs cost a model that has none."""
    without, other = record["results"]
    more = [s for s in other["stages"] if s not in without["stages"]]
    return (
        "A model without convex pairs has neither their stages nor their scratch: its kernel is made without them (`variants.py`, "
        "`tests/solvers/mujoco/kernels/collide/test_convex.py`).\n"
        f"A humanoid's step takes {1e6 / without['steps_per_cpu_second']:.2f} us of CPU time and {without['scratch'] / 1000:.1f} kB of scratch; with an ellipsoid that it cannot "
        f"reach, which adds {' and '.join(f'`{s}`' for s in more) or 'no stage'}, {1e6 / other['steps_per_cpu_second']:.2f} us and {other['scratch'] / 1000:.1f} kB.\n"
    )


def write_page(known: dict) -> None:
    """Put the part in its place in docs/benchmarks.md."""
    page = PAGE.read_text()
    head, rest = page.split(START, 1)
    PAGE.write_text(head + contacts(known) + END + rest.split(END, 1)[1])


if __name__ == "__main__":
    write_page(json.loads(RECORDS.read_text()))
    sys.exit(0)
