"""Where contacts differ from MuJoCo's, and whether that is a tie: whether MuJoCo's own change when the pose moves by a
millionth.
"""

from dataclasses import dataclass, replace

import numpy as np

from tests.harness.contact_poses import Poses, turn
from tests.tolerance import tolerance

NUDGE = 1e-6  # of the size, and in radians
FARTHER = 1e-5  # of poses that differ it is said whether MuJoCo's contacts change so far on
NUDGES = (12, 400)  # many only where few show nothing


@dataclass
class Verdict:
    """What became of ``n`` poses."""

    n: int
    touching: int  # poses with contacts
    ties: list  # poses that differ, and where MuJoCo differs from itself a nudge further on
    different: list  # (pose, what differs) of the others
    worst: dict  # largest error of each quantity over poses that do not differ


def errors(got, want, p: Poses, w: int) -> dict:
    """Errors of pose ``w``: of the distances and positions by the size, of the normals; infinite where the numbers of
    contacts differ.
    """
    if got.count[w] != want.count[w]:
        return {"count": np.inf}
    order, n, size = matched(got, want, w), want.count[w], p.scale()[w]
    off = lambda one, two: np.abs(one - two).max(initial=0.0)
    return {
        "hit_distance": off(got.dist[w, order], want.dist[w, :n]) / size,
        "hit_normal": off(got.frame[w, order, 0], want.frame[w, :n, 0]),
        "position": off(got.pos[w, order], want.pos[w, :n]) / size,
    }


def matched(got, want, w: int) -> list:
    """For each of MuJoCo's contacts of pose ``w``, the nearest of ours that is not taken yet."""
    free = list(range(got.count[w]))
    order = []
    for i in range(want.count[w]):
        nearest = min(free, key=lambda k: np.linalg.norm(got.pos[w, k] - want.pos[w, i]))
        free.remove(nearest)
        order.append(nearest)
    return order


def too_far(found: dict, position: str | None) -> str:
    """What is off by more than the tests allow, or nothing. ``position`` names the tolerance of positions; None:
    numbers and distances alone.
    """
    if position is None:
        found = {name: value for name, value in found.items() if name in ("count", "hit_distance")}
    limits = {"count": "hit_distance", "position": position}
    over = [f"{name} {value:.1e}" for name, value in found.items() if not value <= tolerance(limits.get(name, name))]
    return ", ".join(over)


def some(p: Poses, rows) -> Poses:
    """Some of the poses."""
    return replace(p, **{name: values[rows] for name, values in vars(p).items()})


def nudged(p: Poses, w: int, count: int, far: float, seed: int = 0) -> Poses:
    """Pose ``w`` many times over, the second shape moved and turned by up to ``far``."""
    rng = np.random.default_rng(seed)
    q = some(p, np.full(count, w))
    for i in range(count):
        axis = rng.standard_normal(3)
        q.pos2[i] += far * q.scale()[i] * rng.uniform(-1, 1, 3)
        q.mat2[i] = turn(axis / np.linalg.norm(axis), far * rng.uniform(-1, 1)) @ q.mat2[i]
    return q


def is_tie(p: Poses, w: int, want, oracle, position: str | None, far: float = NUDGE) -> bool:
    """Whether MuJoCo's contacts of pose ``w`` differ from those of the same pose nudged. ``oracle(poses, rows)``
    collides.
    """
    for count in NUDGES:
        q = nudged(p, w, count, far)
        again = oracle(q, np.full(count, w))
        itself = replace(
            want, **{name: np.repeat(values[w : w + 1], count, axis=0) for name, values in vars(want).items()}
        )
        if any(too_far(errors(itself, again, q, i), position) for i in range(count)):
            return True
    return False


def judge(p: Poses, got, want, oracle, position: str | None = "hit_position") -> Verdict:
    """Compare all poses; ``oracle(poses, rows)`` gives MuJoCo's contacts of poses made from these rows; ``position`` as
    in ``too_far``.
    """
    verdict = Verdict(len(p), int((want.count > 0).sum()), [], [], {})
    for w in range(len(p)):
        found = errors(got, want, p, w)
        text = too_far(found, position)
        if not text:
            for name, value in found.items():
                verdict.worst[name] = max(verdict.worst.get(name, 0.0), float(value))
        elif is_tie(p, w, want, oracle, position):
            verdict.ties.append(w)
        else:
            verdict.different.append(
                (w, text + ("; changes within 1e-5" if is_tie(p, w, want, oracle, position, FARTHER) else ""))
            )
    return verdict


def touching(p: Poses, want, seed: int = 3) -> Poses:
    """The poses moved along the normal of their first contact until they just touch, or overlap by or are apart by a
    little.

    ``want`` are contacts found with a cutoff that reaches; poses without one stay.
    """
    rng = np.random.default_rng(seed)
    q = some(p, np.arange(len(p)))
    for w in np.flatnonzero(want.count > 0):
        k = int(np.nanargmin(want.dist[w]))
        gap = rng.choice([-1e-2, -1e-3, -1e-4, -1e-5, 1e-4, 1e-3, 0.5 * p.cutoff[w]]) * (1.0 if p.cutoff[w] else -1.0)
        q.pos2[w] += (gap - want.dist[w, k]) * want.frame[w, k, 0]
    q.pos2[:] = q.pos2.astype(np.float32)
    return q
