"""Mutate model files and read them: each must end in a model or in an error with a place, soon. Writes
docs/import_fuzz.md.

    python -m conformance fuzz_import [--cases 20000] [--seed 0] [--rows FILE]

The corpus are the small models of the tests and, where they are there, the small files of ../shared/assets. A case
flips bytes, changes an attribute, cuts or repeats a part, renames, swaps in a part of another file, or nests deeper;
what can still be read is finalized and compiled. ``--rows`` keeps how cases ended in a file, and goes on from it. What
breaks is written to ``out/fuzz`` and belongs into tests/importers/crashes.
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path

from benchmarks.scenes import ASSETS, ROOT
from newtonlite.core.errors import ModelError
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness.mutate import SLOW, Uncompiled, judge, mutate

PAGE = ROOT / "docs" / "import_fuzz.md"
FAILED = ROOT / "out" / "fuzz"
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


FORMATS = {"mjcf": (mjcf, "tests/models/*.xml", "*.xml"), "urdf": (urdf, "tests/models/urdf/*.urdf", "*.urdf")}


def corpus(kind: str = "mjcf") -> list[bytes]:
    """The files of a format that are mutated."""
    _, own, real = FORMATS[kind]
    paths = sorted(ROOT.glob(own)) + (sorted((ASSETS / kind).rglob(real)) if ASSETS.is_dir() else [])
    return [p.read_bytes() for p in paths if p.stat().st_size < LARGEST]


def sweep(kind: str, cases: int, seed: int, first: int = 0):
    """Cases of a format, one after the other: number, how it ended, processor time [s], the file."""
    files, read = corpus(kind), FORMATS[kind][0]
    for number in range(first, cases):
        data = mutate(random.Random(f"{kind} {seed} {number}"), files)
        start = time.process_time()
        ended = judge(read, data)
        yield number, ended, time.process_time() - start, data


def main() -> int:
    """Sweep, keep what broke, and write the page."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cases", type=int, default=20_000, help="cases of each format (%(default)s)")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--rows", type=Path, help="keep how cases ended in this file, and go on from it")
    arguments.add_argument(
        "--seconds", type=float, default=float("inf"), help="stop after so long; --rows then has what was done"
    )
    args = arguments.parse_args()
    kept = json.loads(args.rows.read_text()) if args.rows and args.rows.is_file() else {}
    start = time.perf_counter()
    for kind in FORMATS:
        row = kept.setdefault(
            kind, {"done": 0, "read": 0, "refused": 0, "broken": [], "longest": 0.0, "files": len(corpus(kind))}
        )
        for number, ended, spent, data in sweep(kind, args.cases, args.seed, row["done"]):
            row["done"], row["longest"] = number + 1, max(row["longest"], spent)
            if ended in ("read", "refused"):
                row[ended] += 1
            else:
                keep(kind, number, ended, data, row)
            if time.perf_counter() - start > args.seconds:
                break
        if args.rows:
            args.rows.write_text(json.dumps(kept))
        print(
            f"{kind}: {row['done']} cases, {row['read']} read, {row['refused']} refused, {len(row['broken'])} broke; longest {row['longest']:.2f} s",
            flush=True,
        )
    PAGE.write_text(page(kept, args.seed))
    return 1 if any(row["broken"] for row in kept.values()) else 0


def keep(kind: str, number: int, ended: str, data: bytes, row: dict) -> None:
    """Remember a case that broke."""
    row["broken"].append(ended[:200])
    FAILED.mkdir(parents=True, exist_ok=True)
    (FAILED / f"{number}.{'xml' if kind == 'mjcf' else 'urdf'}").write_bytes(data)
    print(f"{kind} {number}: {ended}"[:300], flush=True)


def page(kept: dict, seed: int) -> str:
    """The page as Markdown."""
    lines = [
        "# Fuzzing the importers",
        "",
        f"Written by `python -m conformance fuzz_import --seed {seed}`: mutations of the small models of the tests and of real ones",
        "(`tests/harness/mutate.py`). What is still a model is finalized and compiled. A case broke where it crashed, took more than",
        f"{SLOW:g} s of processor time, recursed too deep, or failed without file, line and column (where a scene that was read cannot be",
        "compiled: without the name of what is in the way); `tests/importers/crashes` has what once broke.",
        "",
        "| format | files | cases | refused | read and compiled | broke | longest [s of processor time] |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {kind} | {r['files']} | {r['done']} | {r['refused']} | {r['read']} | {len(r['broken'])} | {r['longest']:.2f} |"
        for kind, r in kept.items()
    ]
    lines += ["", *(f"- {kind}: {ended}" for kind, r in kept.items() for ended in r["broken"])]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
