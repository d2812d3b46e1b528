"""Poses of two shapes: anywhere near each other, aligned, or tilted a little about a common axis.

Everything but the orientations is rounded to float32, so that both sides start from the same numbers.
"""

import itertools
from dataclasses import dataclass
from functools import cache

import numpy as np

NUMBERS = {"plane": 0, "sphere": 2, "capsule": 3, "ellipsoid": 4, "cylinder": 5, "box": 6, "mesh": 7}
KINDS = ("random", "aligned", "tilted", "aligned and alike")
TILTS = (1e-3, 1e-2, 0.1, 0.5, 0.9)


@dataclass
class Poses:
    """``n`` poses of a shape 1 and a shape 2; sizes as MuJoCo has them, ``cutoff`` the distance of the farthest hits."""

    pos1: np.ndarray  # [n, 3]
    mat1: np.ndarray  # [n, 3, 3]
    size1: np.ndarray  # [n, 3]
    pos2: np.ndarray
    mat2: np.ndarray
    size2: np.ndarray
    cutoff: np.ndarray  # [n]

    def __len__(self):
        return len(self.cutoff)

    def scale(self) -> np.ndarray:
        """Size of the larger shape, [n]."""
        return np.maximum(self.size1.max(axis=1), self.size2.max(axis=1))


@cache
def quarter_turns() -> np.ndarray:
    """The 24 rotations of a cube, [24, 3, 3]."""
    found = []
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            found.append(np.eye(3)[list(order)] * np.array(signs)[:, None])
    return np.array([m for m in found if np.linalg.det(m) > 0])


def turn(axis, angle) -> np.ndarray:
    """Rotation about a unit axis."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def random_turn(rng) -> np.ndarray:
    """A rotation drawn evenly."""
    q, r = np.linalg.qr(rng.standard_normal((3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


def extent(shape: str, size) -> float:
    """Radius of a ball around the shape; zero for a plane."""
    return {
        "plane": 0.0,
        "sphere": size[0],
        "capsule": size[0] + size[1],
        "ellipsoid": max(size),
        "cylinder": np.hypot(size[0], size[1]),
        "box": np.linalg.norm(size),
        "mesh": 0.2,
    }[shape]


def poses(first: str, second: str, kind: str, n: int, seed: int = 5) -> Poses:
    """``n`` poses, from deep inside each other to just beyond the cutoff."""
    rng = np.random.default_rng(seed)
    rows = [one_pose(first, second, kind, rng) for _ in range(n)]
    columns = [np.array(column, float) for column in zip(*rows, strict=True)]
    rounded = [c if c.ndim == 3 else c.astype(np.float32).astype(float) for c in columns]
    return Poses(*rounded)


def one_pose(first: str, second: str, kind: str, rng):
    """(pos1, mat1, size1, pos2, mat2, size2, cutoff)."""
    size1, size2 = rng.uniform(0.05, 0.3, 3), rng.uniform(0.05, 0.3, 3)
    if kind == "aligned and alike":
        size2 = size1
    mat1, mat2, toward = orientations(kind, rng)
    cutoff = rng.choice([0.0, 0.02, 0.1])
    reach = extent(first, size1) + extent(second, size2) + cutoff
    if first == "plane":
        normal = mat1[:, 2]
        toward = normal + 0.5 * (toward - toward @ normal * normal)
    pos1 = rng.uniform(-1, 1, 3)
    apart = rng.uniform(0.0 if rng.random() < 0.1 else 0.2, 1.0)
    return pos1, mat1, size1, pos1 + apart * reach * toward, mat2, size2, cutoff


def orientations(kind: str, rng):
    """(mat1, mat2, unit vector from shape 1 toward shape 2)."""
    away = rng.standard_normal(3)
    away /= np.linalg.norm(away)
    if kind == "random":
        return random_turn(rng), random_turn(rng), away
    turns = quarter_turns()
    mat1, mat2 = turns[rng.integers(24)], turns[rng.integers(24)]
    if kind == "tilted":
        mat2 = mat2 @ turn(np.eye(3)[rng.integers(3)], rng.choice(TILTS))
    if rng.random() < 0.7:
        along = mat1[:, rng.integers(3)] * rng.choice([-1, 1])
        away = along + 0.3 * away * (rng.random() < 0.5)
    return mat1, mat2, away / np.linalg.norm(away)
