"""Digest of trajectories: one SHA-256 that depends on what every world did, not on how worlds and steps were cut.

Each world has a chain: its link is the SHA-256 of the link before and of the rows of the next ``LEAF`` control steps, as
bytes. The digest of a job is the SHA-256 of the last links of all worlds, in the order of their numbers.
"""

import hashlib

import numpy as np

LEAF = 16
"""Control steps that one link covers; chunks begin at multiples of it."""
SIZE = 32


def first_links(worlds: int) -> np.ndarray:
    """Links ``[worlds, 32]`` before any step."""
    return np.zeros((worlds, SIZE), np.uint8)


def extend(links: np.ndarray, rows: np.ndarray) -> None:
    """Take rows ``[steps, worlds, n]`` into the chains: from a multiple of ``LEAF`` on, and to one, or to the end."""
    steps, worlds = rows.shape[:2]
    for start in range(0, steps, LEAF):
        leaf = np.ascontiguousarray(rows[start : start + LEAF].transpose(1, 0, 2)).reshape(worlds, -1)
        cells = leaf.view(np.uint8).reshape(worlds, -1)
        for world in range(worlds):
            link = hashlib.sha256(links[world])
            link.update(cells[world])
            links[world] = np.frombuffer(link.digest(), np.uint8)


def of_links(links: np.ndarray) -> str:
    """The digest of worlds whose chains end so, in hexadecimal."""
    return hashlib.sha256(np.ascontiguousarray(links)).hexdigest()


def of_arrays(arrays: dict) -> str:
    """SHA-256 of arrays by name: names, types, shapes and bytes."""
    total = hashlib.sha256()
    for name in sorted(arrays):
        value = np.ascontiguousarray(arrays[name])
        total.update(f"{name} {value.dtype.str} {list(np.shape(arrays[name]))};".encode())
        total.update(value)
    return total.hexdigest()
