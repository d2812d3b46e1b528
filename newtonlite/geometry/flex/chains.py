"""Chains: lines of edges one after another, from one end to the other."""

import numpy as np


def open_chain(elements: np.ndarray) -> np.ndarray | None:
    """Points [n + 1] of the one open chain that edges [n, 2] make, from the end that an edge begins with, or that they
    come upon first; None where they make none, as closed or forked lines.
    """
    flat = elements.ravel()
    points, first, degree = np.unique(flat, return_index=True, return_counts=True)
    ends = points[degree == 1]
    if len(ends) != 2 or degree.max() > 2 or len(points) != len(elements) + 1:
        return None
    leads = set(elements[:, 0].tolist())
    start = int(min(ends.tolist(), key=lambda p: (p not in leads, first[np.searchsorted(points, p)])))
    beside: dict[int, list[int]] = {}
    for a, b in elements.tolist():
        beside.setdefault(a, []).append(b)
        beside.setdefault(b, []).append(a)
    found, before = [start], -1
    while len(found) == 1 or len(beside[found[-1]]) == 2:
        here = found[-1]
        following = next(p for p in beside[here] if p != before)
        found.append(following)
        before = here
        if len(found) > len(points):
            return None
    return np.array(found) if len(found) == len(points) else None
