"""Mutations of real USD files: every one imports or is refused with a located error, soon, and a refused one leaves the
builder alone. Writes docs/usd_fuzz.md.

    python -m conformance usd_fuzz [--mutations 2000] [--seed 0]

Each file's mutations run in a process of their own, so that a crash inside OpenUSD is seen as one. What breaks is
written to ``out/usd_fuzz`` and belongs into tests/importers/usd.
"""

import random
import re
import tempfile
import time
from functools import cache
from pathlib import Path

import numpy as np

from conformance.collection.models import named
from conformance.collection.places import ROOT
from conformance.sweep import FAULT, Sweep, table
from newtonlite.core.errors import Error
from newtonlite.sim.builder import ModelBuilder

FAILED = ROOT / "out" / "usd_fuzz"
FILES = (
    "newton_tests/four_link_chain_articulation.usda",
    "newton_tests/mjc_schema_import.usda",
    "newton_tests/site_actuator_mjc.usda",
    "newton_tests/cube_cylinder.usda",
    "newton_tests/humanoid_mjc.usda",
    "newton_tests/revolute_articulation.usda",
    "newton_tests/kamino/basics/box_pendulum.usda",
    "newton_tests/cartpole_mjc.usda",
    "newton_tests/pendulum_revolute_vs_d6.usda",
    "newton_tests/negative_scale_cube.usda",
    "newton_tests/simple_articulation_with_mesh.usda",
    "newton_tests/kamino/basics/boxes_hinged.usda",
    "newton_tests/kamino/testing/joints/test_joint_d6_6dof_actuated.usda",
    "newton_examples/cartpole.usda",
    "newton_examples/sensor_contact_scene.usda",
    "newton_examples/palletizer_scene.usda",
    "openusd_physics/usdPhysicsGroupFiltering.usda",
    "openusd_physics/usdPhysicsDistanceJoint.usda",
    "openusd_physics/usdPhysicsJoints.usda",
    "openusd_physics/usdPhysicsBoxOnQuad.usda",
)
NUMBERS = (
    "nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "1e30",
    "1e308",
    "1e-300",
    "-3.5",
    "7",
    "2147483647",
    "-0.0001",
    "90",
    "1000000",
)
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(e-?\d+)?(?![\w.])")
PATH = re.compile(r"<[^<>\n]*>")
QUOTED = re.compile(r'"[^"\n]*"')
SLOW = 10.0
ENDS = {"read": "built", "refused": "refused"}
"""Ends of an import as it should be, and their columns."""


def cases(mutations: int, seed: int) -> dict[str, list]:
    """File and number of its mutations, by the file's name."""
    there = named(FILES, "usd")
    return {name: [file, mutations // len(there)] for name, file in there.items()}


def judge(case: list, mutations: int, seed: int) -> dict:
    """The row of one file: how its mutations ended, and the longest processor time [s]."""
    path, count = Path(case[0]), case[1]
    text, rng = path.read_text(), random.Random(f"{path.name} {seed}")
    row: dict = {"done": count, "built": 0, "refused": 0, "faults": [], "longest": 0.0}
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / path.name
        for number in range(count):
            changed, start = mutate(text, rng), time.process_time()
            ended = judged(changed, target, rng)
            row["longest"] = max(row["longest"], time.process_time() - start)
            if ended in ENDS:
                row[ENDS[ended]] += 1
            else:
                row["faults"].append(f"{number}: {ended[:160]}")
                FAILED.mkdir(parents=True, exist_ok=True)
                (FAILED / f"{path.stem}_{number}.usda").write_text(changed, errors="replace")
    return row | {"verdict": "broke" if row["faults"] else "held"}


def judged(text: str, target: Path, rng: random.Random) -> str:
    """How the import of a text, written to ``target``, ended: ``read``, ``refused``, or what is wrong with it."""
    target.write_text(text, errors="replace")
    builder, start = ModelBuilder(), time.process_time()
    try:
        builder.add_usd(str(target), on_unsupported=rng.choice(("raise", "warn")))
        ended = unsound(builder) or "read"
    except Error as refusal:
        ended = "refused" if state(builder) == blank() else "the builder changed"
        if "</" not in str(refusal) and target.stem not in str(refusal):
            ended = f"no place: {refusal}"
    except Exception as failure:  # anything else is what is looked for
        ended = f"{type(failure).__name__}: {failure}"
    spent = time.process_time() - start
    return f"took {spent:.1f} s" if spent > SLOW else ended


def mutate(text: str, rng: random.Random) -> str:
    """One to four changes of a text: mostly other values of the same kind, sometimes other words, lines or bytes."""
    for _ in range(rng.randint(1, 4)):
        kind = rng.randrange(10)
        lines = text.split("\n")
        here = rng.randrange(len(lines))
        if kind < 4:
            text = exchange(NUMBER, rng.choice(NUMBERS), text, rng)
        elif kind < 6:
            paths = PATH.findall(text)
            text = exchange(PATH, rng.choice([*paths, "</nowhere>", "</>"]), text, rng)
        elif kind == 6:
            text = exchange(QUOTED, rng.choice([*QUOTED.findall(text), '"X"', '""']), text, rng)
        elif kind == 7:
            lines[here] = lines[rng.randrange(len(lines))]
            text = "\n".join(lines)
        elif kind == 8:
            del lines[here]
            text = "\n".join(lines)
        else:
            at = rng.randrange(len(text))
            text = text[:at] + chr(rng.randrange(1, 127)) + text[at + 1 :]
    return text


def exchange(pattern: re.Pattern, other: str, text: str, rng: random.Random) -> str:
    """The text with one of the places that match a pattern exchanged."""
    places = list(pattern.finditer(text))
    if not places:
        return text
    place = rng.choice(places[1:] or places)
    return text[: place.start()] + other + text[place.end() :]


def state(builder) -> tuple:
    """What an import may change, to compare."""
    return (
        {name: list(map(str, column)) for name, column in builder.columns.items()},
        sorted(builder.custom_attributes),
        sorted(builder.custom_frequencies),
        dict(builder.custom_frequency_counts),
        str(builder.gravity),
        builder.up_axis,
    )


@cache
def blank() -> tuple:
    """The same of a builder that nothing was imported into."""
    return state(ModelBuilder())


def unsound(builder) -> str | None:
    """A column with a number that is not finite, or None."""
    for name, column in builder.columns.items():
        values = column.array()
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            return f"{name} has a number that is not finite"
    return None


def page(rows: list[dict], mutations: int, seed: int) -> str:
    """The page as Markdown."""
    whole = [row for row in rows if "done" in row]
    total = {key: sum(row[key] for row in whole) for key in ("done", "built", "refused")}
    lines = [
        "# Fuzzing the importer of USD",
        "",
        f"Written by `python -m conformance usd_fuzz --mutations {mutations} --seed {seed}`: numbers, paths, words, lines and characters of",
        f"{len(rows)} real files are exchanged, one to four at a time. A mutation broke where the import crashed, took more than {SLOW:g} s of",
        "processor time, left a number that is not finite, failed without the place, or failed and left the builder changed.",
        "",
        f"{total['done']} mutations, {total['built']} imported, {total['refused']} refused, {sum(len(row['faults']) for row in whole)} broke.",
        "",
        *table("file", "mutations", "imported", "refused", "broke", "longest [s of processor time]"),
    ]
    for row in whole:
        lines.append(
            f"| {row['model']} | {row['done']} | {row['built']} | {row['refused']} | {len(row['faults'])} | {row['longest']:.2f} |"
        )
    lines += ["", *(f"- {row['model']}: {text}" for row in whole for text in row["faults"])]
    lines += [f"- {row['model']}: {row['note']}" for row in rows if "done" not in row]
    return "\n".join(lines).rstrip() + "\n"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "usd_fuzz.md",
    cases,
    judge,
    page,
    lambda row: str(row.get("faults") or row.get("note", "")),
    seconds=300.0,
    options={"mutations": 2000, "seed": 0},
    fails=("broke", FAULT),
)
