"""Ragged lists: lists of lists as one flat list with offsets, and padding of rows."""

import numpy as np

from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK


def starts(groups) -> np.ndarray:
    """First index of each group in the flat list, and the end of the last."""
    return np.concatenate([[0], np.cumsum([len(g) for g in groups])]).astype(int)


def flattened(groups) -> np.ndarray:
    """All groups one after the other."""
    return np.array([i for g in groups for i in g], int)


def padded(n: int) -> int:
    """``n`` rounded up to whole vector registers."""
    return max(BLOCK, (n + BLOCK - 1) // BLOCK * BLOCK)
