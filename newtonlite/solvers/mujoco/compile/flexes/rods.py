"""Rods: bending and torsion between the edges of lines.

Bergou et al., Discrete Elastic Rods (2008). A vertex with two edges has a record of its own, where hinges carry the twist of
the edges, or where it is straight, or its neighbours are; two neighbours that are bent, of lines without such hinges, share
one, which keeps the angle between the planes that they bend in.
"""

import math

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.geometry.flex.chains import open_chain
from newtonlite.solvers.mujoco.compile.flexes.elements import number_edges
from newtonlite.solvers.mujoco.compile.flexes.scene import SceneFlex

STRAIGHT = 1e-4
"""Angle [rad] of two edges below which a vertex is straight."""
BOX = 1


def section(flex: SceneFlex) -> tuple[float, float, float, float]:
    """Second moments (lesser, greater) and torsional constant [m^4] of the section, and its smaller half size [m], which is
    negative where it is the first one; 0 for round ones.

    The constant of a box is Roark's closed form.
    """
    if int(flex.numbers["section"]) != BOX:
        r = float(flex.numbers["radius"])
        return math.pi * r**4 / 4.0, math.pi * r**4 / 4.0, math.pi * r**4 / 2.0, 0.0
    first, second = map(float, flex.numbers["sectionsize"])
    b, a = sorted((first, second))
    torsion = a * b**3 * (16.0 / 3.0 - 3.36 * (b / a) * (1.0 - (b / a) ** 4 / 12.0))
    moments = (4.0 * a * b**3 / 3.0, 4.0 * b * a**3 / 3.0)
    return *moments, torsion, -b if first < second else b


def rod_records(flex: SceneFlex, joints: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Number of records, then 10 numbers each; nothing where no vertex has two edges.

    ``joints`` are the hinges, by number along the chain, that twist its edges; -1: clamped. Records of one vertex:
    ``v0 v1 v2 -1 k1 k2-k1 |kb| joint kt b``; of two: ``v0 v1 v2 v3 w1 w2 |kb1| |kb2| kt cos kt sin``.
    """
    chain = open_chain(flex.elements)
    if (joints >= 0).any() and chain is not None:
        triples = np.stack([chain[:-2], chain[1:-1], chain[2:]], -1)
        records = [single(flex, t, places, int(j)) for t, j in zip(triples.tolist(), joints[1:], strict=False)]
    else:
        if int(flex.numbers["section"]) == BOX:
            raise ModelError(f"flex '{flex.name}': a box section requires an open chain with hinges of its twist")
        records = untwisted(flex, places)
    return np.concatenate([[len(records)], *records]) if records else np.zeros(0)


def untwisted(flex: SceneFlex, places: np.ndarray) -> list[np.ndarray]:
    """Records of lines without hinges: pairs of bent neighbours by their edges, then the other vertices."""
    edges = number_edges(flex.elements)[0]
    beside: dict[int, list[int]] = {}
    for a, b in edges.tolist():
        beside.setdefault(a, []).append(b)
        beside.setdefault(b, []).append(a)
    inner = {v: (near[0], v, near[1]) for v, near in beside.items() if len(near) == 2}
    bent = {v for v, triple in inner.items() if angle(triple, places) > STRAIGHT}
    pairs = [(a, b) for a, b in edges.tolist() if a in bent and b in bent]
    uses = {v: sum(v in pair for pair in pairs) for v in bent}
    found = [paired(flex, a, b, beside, uses, places) for a, b in pairs]
    return found + [single(flex, inner[v], places, -1) for v in sorted(inner) if not uses.get(v)]


def single(flex: SceneFlex, triple, places: np.ndarray, joint: int) -> np.ndarray:
    """Record of one vertex: k = E I / (l0 + l1), kt = G J / (l0 + l1)."""
    less, more, torsion, half = section(flex)
    a, v, b = triple
    lengths = np.linalg.norm(places[v] - places[a]) + np.linalg.norm(places[b] - places[v])
    young, shear = moduli(flex)
    k1, k2 = young * less / lengths, young * more / lengths
    bend = np.linalg.norm(binormal(triple, places)) if angle(triple, places) > STRAIGHT else 0.0
    return np.array([a, v, b, -1.0, k1, k2 - k1, bend, joint, shear * torsion / lengths, half])


def paired(flex: SceneFlex, a: int, b: int, beside: dict, uses: dict, places: np.ndarray) -> np.ndarray:
    """Record of two neighbours: kt = G J / 2 l along their edge, times cosine and sine of the angle between the planes."""
    before, after = (next(p for p in beside[v] if p != other) for v, other in ((a, b), (b, a)))
    along = places[b] - places[a]
    length = float(np.linalg.norm(along))
    stiff = [single(flex, t, places, -1)[4] / uses[t[1]] for t in ((before, a, b), (a, b, after))]
    one, two = binormal((before, a, b), places), binormal((a, b, after), places)
    far = [float(np.linalg.norm(x)) for x in (one, two)]
    n, m = one / far[0], two / far[1]
    torsion = moduli(flex)[1] * section(flex)[2] / (2.0 * length)
    sine = float(np.dot(along / length, np.cross(n, m)))
    return np.array([before, a, b, after, *stiff, *far, torsion * float(np.dot(n, m)), torsion * sine])


def moduli(flex: SceneFlex) -> tuple[float, float]:
    """Young's modulus and the shear modulus, that of an isotropic material where none is given [Pa]."""
    young, shear = float(flex.numbers["young"]), float(flex.numbers["shear"])
    return young, shear or young / (2.0 * (1.0 + float(flex.numbers["poisson"])))


def binormal(triple, places: np.ndarray) -> np.ndarray:
    """Curvature binormal 2 e0 x e1 / (|e0| |e1| + e0 . e1) of a vertex between two."""
    a, v, b = (places[k] for k in triple)
    e0, e1 = v - a, b - v
    return 2.0 * np.cross(e0, e1) / (np.linalg.norm(e0) * np.linalg.norm(e1) + np.dot(e0, e1))


def angle(triple, places: np.ndarray) -> float:
    """Angle [rad] between the two edges of a vertex."""
    return 2.0 * math.atan(0.5 * float(np.linalg.norm(binormal(triple, places))))
