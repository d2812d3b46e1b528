"""Every pair of shapes over random poses beside MuJoCo's contacts. Writes docs/contact_parity.md.

    python -m conformance contact_parity [--poses 1000] [--only cylinder]

Poses are anywhere near each other, just touching, aligned, tilted a little, or aligned and alike. A pose *differs*
where the number of contacts is not MuJoCo's, or a distance, normal or position is off by more than the tests allow
(tests/tolerance.py). It is a *tie* where MuJoCo's own contacts change by as much when one shape moves and turns by a
millionth.
"""

import numpy as np

from conformance.collection.places import ROOT
from conformance.sweep import FAULT, Sweep
from tests.geometry.contact.convex.test_pairs import CONVERGED, OPTIONS
from tests.geometry.contact.convex.test_pairs import PAIRS as CONVEX
from tests.harness import colliding
from tests.harness import convex_colliding as convex
from tests.harness.contact_judge import judge, some, touching
from tests.harness.contact_poses import KINDS, poses

REACH = 1.0  # [m] beyond any pose here
HEAD = """# Contacts of pairs beside MuJoCo's

Written by `python -m conformance contact_parity`: {poses} poses of each kind for every pair of shapes that MuJoCo lets collide, but for
height fields, which scenes test. A pose *differs* where its number of contacts is not MuJoCo's, or a distance is off by more than 1e-5
of the size, a normal by more than 1e-3, or a position by more than 1e-4 of the size (1e-3 for convex pairs, whose patches are that flat).
It is a *tie* where MuJoCo's own contacts change by as much when one shape moves and turns by a millionth, in one of 400 ways: two features that are nearest,
two equal depths, an edge that lies in a face within 5 degrees or just not. Searches of round shapes are converged on both sides
(`ccd_tolerance` 1e-9, `ccd_iterations` 200). Errors are those of poses that do not differ; *changes within 1e-5*: MuJoCo's
own contacts change by as much in moves of that size.

| pair | poses | in contact | ties | differ | distance | normal | position | what differs |
|---|---|---|---|---|---|---|---|---|
"""


def sides(first: str, second: str):
    """(our collider, MuJoCo's, name of the tolerance of positions), both of poses and the rows they were made from."""
    if (first, second) in colliding.PAIRS:
        ours = lambda p, rows: colliding.collide(first, second, p)
        return ours, lambda p, rows: colliding.expected(first, second, p), "hit_position"
    solids = np.random.default_rng(1).integers(0, len(convex.SOLIDS), (100_000, 2))
    meshes = convex.meshes()
    ours = lambda p, rows: convex.collide(first, second, p, solids[rows], meshes, **CONVERGED)
    return ours, lambda p, rows: convex.expected(first, second, p, solids[rows], OPTIONS), "patch_position"


def kinds_of(first: str, second: str, oracle, count: int):
    """(kind, poses) of a pair; those that just touch come from random ones."""
    for kind in KINDS:
        yield kind, poses(first, second, kind, count)
    p = poses(first, second, "random", count, seed=9)
    far = some(p, np.arange(count))
    far.cutoff = np.full(count, REACH)
    yield "touching", touching(p, oracle(far, np.arange(count)))


def pairs(poses: int) -> dict[str, list[str]]:
    """Every pair of shapes."""
    return {"-".join(pair): list(pair) for pair in (*colliding.PAIRS, *CONVEX)}


def judge_pair(pair: list[str], poses: int) -> dict:
    """How many poses of a pair of shapes differ, and its line of the table."""
    (first, second), count = pair, poses
    ours, oracle, position = sides(first, second)
    every, rows = [], np.arange(count)
    for kind, p in kinds_of(first, second, oracle, count):
        every.append((kind, judge(p, ours(p, rows), oracle(p, rows), oracle, position)))
    total = lambda key: sum(key(v) for _, v in every)
    worst = [
        f"{max(v.worst.get(name, 0.0) for _, v in every):.0e}" for name in ("hit_distance", "hit_normal", "position")
    ]
    ties = ", ".join(f"{len(v.ties)} {kind}" for kind, v in every if v.ties)
    differ = ", ".join(
        f"{len(v.different)} {kind} ({'; '.join(text for _, text in v.different)})" for kind, v in every if v.different
    )
    n = total(lambda v: len(v.different))
    line = f"| {first}-{second} | {total(lambda v: v.n)} | {total(lambda v: v.touching)} | {total(lambda v: len(v.ties))} {f'({ties})' if ties else ''} | {n} | "
    return {"verdict": "different" if n else "equal", "differ": n, "line": f"{line}{' | '.join(worst)} | {differ} |\n"}


def page(rows: list[dict], poses: int) -> str:
    """The table of all pairs."""
    return HEAD.format(poses=poses) + "".join(row.get("line", "") for row in rows)


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "contact_parity.md",
    pairs,
    judge_pair,
    page,
    lambda row: row.get("line", row.get("note", "")).strip(),
    options={"poses": 1000},
    fails=(FAULT,),
)
