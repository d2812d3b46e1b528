"""Mutate model files and read them: each must end in a model or in an error with a place, soon. Writes docs/import_fuzz.md.

    python -m benchmarks.fuzz_import [--cases 20000] [--seed 0]

The corpus are the small models of the tests and, where they are there, the small MJCF files of ../shared/assets. A case flips
bytes, changes an attribute, cuts or repeats a part, renames, swaps in a part of another file, or nests deeper. What
breaks is written to ``out/fuzz`` and belongs into tests/importers/crashes.
"""

import argparse
import random
import re
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

from benchmarks.scenes import ASSETS, ROOT
from newtonlite.core.errors import Error, ParseError
from newtonlite.importers.mjcf import load_mjcf

PAGE = ROOT / "docs" / "import_fuzz.md"
FAILED = ROOT / "out" / "fuzz"
LARGEST = 12_000
SLOW = 5.0  # [s] of processor time
PLACE = re.compile(r"^[^:]+:\d+:\d+: ")
ATTRIBUTE = re.compile(rb'(\w+)="([^"]*)"')
ELEMENT = re.compile(rb"<\w+[^<>]*/>")
WORD = re.compile(rb"(?<=[<\s])[a-z]+(?=[\s=>/])")
VALUES = [b"", b"0", b"-1", b"1e400", b"nan", b"inf", b"1 2 3 4 5 6 7", b"9" * 400, b"1e-300", b"true", b"main", b"world", b"../../x", b"\xff",
          b"1,2", b"0x10", b"2000000000", b"1e30 1e30 1e30", b"0 0 0 0", b"mesh", b"free", b"ball", b"muscle", b"user"]  # fmt: skip


def corpus() -> list[bytes]:
    """The files that are mutated."""
    paths = sorted((ROOT / "tests" / "models").glob("*.xml"))
    if ASSETS.is_dir():
        paths += sorted(p for p in (ASSETS / "mjcf").rglob("*.xml") if p.stat().st_size < LARGEST)
    return [p.read_bytes() for p in paths if p.stat().st_size < LARGEST]


def mutate(rng: random.Random, files: list[bytes]) -> bytes:
    """One case: a file with one to three changes."""
    data = rng.choice(files)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = rng.choice(CHANGES)(rng, data, files) or data
    return data


def flip(rng, data, files):
    """Some bytes become others."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 2)):
        out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def change(rng, data, files):
    """An attribute gets another value."""
    found = list(ATTRIBUTE.finditer(data))
    if found:
        hit = rng.choice(found)
        return data[: hit.start(2)] + rng.choice(VALUES) + data[hit.end(2) :]


def cut(rng, data, files):
    """A part goes missing."""
    low, high = sorted(rng.randrange(len(data)) for _ in range(2))
    return data[:low] + data[high:] if high - low < len(data) - 1 else data


def rename(rng, data, files):
    """One word takes the place of another."""
    words = list(WORD.finditer(data))
    if words:
        one, two = rng.choice(words), rng.choice(words)
        return data[: one.start()] + two[0] + data[one.end() :]


def repeat(rng, data, files):
    """An element stands several times."""
    found = list(ELEMENT.finditer(data))
    if found:
        hit = rng.choice(found)
        return data[: hit.end()] + hit[0] * rng.randint(1, 30) + data[hit.end() :]


def graft(rng, data, files):
    """An element of another file takes the place of one of this."""
    here, there = list(ELEMENT.finditer(data)), list(ELEMENT.finditer(rng.choice(files)))
    if here and there:
        hit = rng.choice(here)
        return data[: hit.start()] + rng.choice(there)[0] + data[hit.end() :]


def nest(rng, data, files):
    """An element lies deep inside frames, replicates or bodies."""
    found = list(ELEMENT.finditer(data))
    if found:
        hit, depth = rng.choice(found), rng.choice((2, 30, 600))
        tag, attrs = rng.choice(((b"frame", b""), (b"body", b""), (b"replicate", b' count="3"')))
        return data[: hit.start()] + (b"<" + tag + attrs + b">") * depth + hit[0] + (b"</" + tag + b">") * depth + data[hit.end() :]


CHANGES = (flip, cut, rename, nest, repeat, repeat, graft, graft, graft, *[change] * 8)


def judge(data: bytes) -> str:
    """How reading ended: ``read``, ``refused``, or what is wrong with it."""
    text = data.decode("utf-8", "surrogateescape")
    text = text if text.lstrip().startswith("<") else "<" + text
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            load_mjcf(text)
        ended = "read"
    except ParseError as problem:
        ended = "refused" if PLACE.match(str(problem)) and "\n" not in str(problem) else f"no place: {problem}"
    except (Error, Exception, RecursionError) as problem:  # noqa: BLE001 - whatever escapes is what is looked for
        ended = f"{type(problem).__name__}: {problem}"
    spent = time.process_time() - start
    return ended if spent < SLOW else f"took {spent:.1f} s ({ended})"


def sweep(cases: int, seed: int) -> tuple[Counter, list[tuple[str, bytes]], float]:
    """How the cases ended, those that broke, and the longest time of one [s]."""
    rng, files, ends, broken, longest = random.Random(seed), corpus(), Counter(), [], 0.0
    for _ in range(cases):
        data = mutate(rng, files)
        start = time.process_time()
        ended = judge(data)
        longest = max(longest, time.process_time() - start)
        ends[ended if ended in ("read", "refused") else "broken"] += 1
        if ended not in ("read", "refused"):
            broken.append((ended, data))
    return ends, broken, longest


def main() -> int:
    """Sweep, keep what broke, and write the page."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cases", type=int, default=20_000)
    arguments.add_argument("--seed", type=int, default=0)
    args = arguments.parse_args()
    start = time.perf_counter()
    ends, broken, longest = sweep(args.cases, args.seed)
    FAILED.mkdir(parents=True, exist_ok=True)
    for number, (ended, data) in enumerate(broken):
        print(f"{number}: {ended}"[:300])
        (FAILED / f"{args.seed}_{number}.xml").write_bytes(data)
    counts = ", ".join(f"{number} {ended}" for ended, number in ends.most_common())
    print(f"{args.cases} cases: {counts}; longest {longest:.2f} s, {time.perf_counter() - start:.0f} s in all")
    if not broken:
        PAGE.write_text(
            "# Fuzzing the importer\n\n"
            f"Written by `python -m benchmarks.fuzz_import --cases {args.cases} --seed {args.seed}`: {args.cases} mutations of {len(corpus())} files.\n\n"
            f"{counts}; none crashed, hung, recursed too deep, or failed without file, line and column. The longest took {longest:.2f} s of processor time.\n"
        )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
