"""Mutate model files and read them: each must end in a model or in an error with a place, soon. Writes
docs/import_fuzz.md.

    python -m conformance fuzz_import [--cases 20000] [--files 3000] [--seed 0]

The corpus are the small models of the tests and, where they are there, the small ones of the collection. A case
flips bytes, changes an attribute, cuts or repeats a part, renames, swaps in a part of another file, or nests deeper;
what can still be read is finalized and compiled. ``--files`` is the number of cases of each kind of file beside models
(``fuzz_files.py``): there bytes, numbers and words change, and parts go, repeat, or come from another. What breaks is written to ``out/fuzz`` and belongs into
tests/importers/crashes.
"""

import random
import time
from pathlib import Path

from conformance.collection.models import models
from conformance.collection.places import ROOT
from conformance.fuzz_files import KINDS
from conformance.sweep import FAULT, Sweep, table
from newtonlite.core.errors import ModelError
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness.mutate import SLOW, Uncompiled, judge, mutate
from tests.harness.mutate_bytes import LARGE, judge_bytes, mutate_bytes

FAILED = ROOT / "out" / "fuzz"
BATCH = 500
"""Cases of a row."""
LARGEST = 12_000
"""Most bytes of a file that is mutated."""


def mjcf(text: str) -> None:
    """Read MJCF into a builder, finalize, compile."""
    builder = ModelBuilder()
    builder.add_mjcf(text)
    compiled(builder.finalize(device="cpu"))


def urdf(text: str) -> None:
    """Read URDF by both conventions and finalize; by MuJoCo's also compile: by Newton's a link may wait for a mass."""
    for convention in ("newton", "mujoco"):
        builder = ModelBuilder()
        builder.add_urdf(text, convention=convention)
        model = builder.finalize(device="cpu")
    compiled(model)


def compiled(model) -> None:
    """Compile a scene; what is wrong with it is marked as found only then."""
    try:
        compile_model(model)
    except ModelError as problem:
        raise Uncompiled(str(problem)) from problem


FORMATS = {"mjcf": (mjcf, "tests/models/*.xml"), "urdf": (urdf, "tests/models/urdf/*.urdf")}


def corpus(kind: str = "mjcf") -> list[bytes]:
    """The files of a format that are mutated."""
    _, own = FORMATS[kind]
    paths = sorted({*ROOT.glob(own), *(Path(entry["file"]) for entry in models(kind).values())})
    return [p.read_bytes() for p in paths if p.stat().st_size < LARGEST]


def batches(cases: int, files: int, seed: int) -> dict[str, list]:
    """Cases in rows: format, first and last + 1."""
    counts = dict.fromkeys(FORMATS, cases) | dict.fromkeys(KINDS, files)
    return {
        f"{kind} {first:06}": [kind, first, min(first + BATCH, count)]
        for kind, count in counts.items()
        for first in range(0, count, BATCH)
    }


def one_case(kind: str, corpus: list[bytes], rng: random.Random) -> tuple[bytes, str]:
    """A mutated file, and how it ended."""
    if kind in FORMATS:
        data = mutate(rng, corpus)
        return data, judge(FORMATS[kind][0], data)
    data = mutate_bytes(rng, corpus)
    return data, judge_bytes(KINDS[kind].read, data, KINDS[kind].place)


def judge_batch(batch: list, cases: int, files: int, seed: int) -> dict:
    """How the cases of a row ended, and the longest processor time [s]."""
    kind, first, last = batch
    files = corpus(kind) if kind in FORMATS else KINDS[kind].corpus()
    row = {"done": last - first, "read": 0, "refused": 0, "broken": [], "longest": 0.0, "files": len(files)}
    for number in range(first, last):
        start = time.process_time()
        data, ended = one_case(kind, files, random.Random(f"{kind} {seed} {number}"))
        row["longest"] = max(row["longest"], time.process_time() - start)
        if ended in ("read", "refused"):
            row[ended] += 1
        else:
            row["broken"].append(ended[:200])
            FAILED.mkdir(parents=True, exist_ok=True)
            (FAILED / f"{number}.{kind.replace(' ', '_')}").write_bytes(data)
    return row | {"verdict": "broke" if row["broken"] else "held"}


def page(rows: list[dict], cases: int, files: int, seed: int) -> str:
    """The page as Markdown."""
    lines = [
        "# Fuzzing the importers",
        "",
        f"Written by `python -m conformance fuzz_import --seed {seed}`: mutations of the small models of the tests and of real ones",
        "(`tests/harness/mutate.py`). What is still a model is finalized and compiled. A case broke where it crashed, took more than",
        f"{SLOW:g} s of processor time, recursed too deep, or failed without file, line and column (where a scene that was read cannot be",
        "compiled: without the name of what is in the way); `tests/importers/crashes` has what once broke. Of the other kinds",
        "(`conformance/fuzz_files.py`) meshes are read by URDF, by MJCF where that knows them, and alone; what broke there also grew by",
        f"{LARGE >> 20} MiB or more, or failed with an error that is not the package's, or has no place.",
        "",
        *table("format", "files", "cases", "refused", "read and compiled", "broke", "longest [s of processor time]"),
    ]
    broken = []
    for kind in (*FORMATS, *KINDS):
        own = [row for row in rows if row["model"].rpartition(" ")[0] == kind and "done" in row]
        done, refused, read = (sum(row[key] for row in own) for key in ("done", "refused", "read"))
        ended = [text for row in own for text in row["broken"]]
        broken += [f"- {kind}: {text}" for text in ended]
        longest, files = (max((row[key] for row in own), default=0) for key in ("longest", "files"))
        lines.append(f"| {kind} | {files} | {done} | {refused} | {read} | {len(ended)} | {longest:.2f} |")
    return "\n".join([*lines, "", *broken]).rstrip() + "\n"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "import_fuzz.md",
    batches,
    judge_batch,
    page,
    lambda row: str(row.get("broken") or row.get("note", "")),
    options={"cases": 20_000, "files": 3_000, "seed": 0},
    fails=("broke", FAULT),
    needs=ROOT,
)
