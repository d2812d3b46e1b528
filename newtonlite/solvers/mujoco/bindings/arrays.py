"""Rows and words of arrays, with or without a dimension of worlds in front."""

import math

import numpy as np

NONE = np.zeros(0, int)


def where(rows, chosen) -> np.ndarray:
    """``rows`` where ``chosen``, else -1."""
    return np.where(chosen, rows, -1)


def words_of(rows, width: int) -> np.ndarray:
    """Words of vectors of a width at some rows."""
    return (np.asarray(rows, int)[:, None] * width + np.arange(width)).ravel()


def per_world(values, world: tuple, rank: int) -> np.ndarray:
    """A copy of an array of a rank, with the dimension of worlds where it or ``world`` has one."""
    values = np.asarray(values)
    wide = np.broadcast_shapes(values.shape[: values.ndim - rank], world)
    return np.array(np.broadcast_to(values, wide + values.shape[values.ndim - rank :]))


def with_rows(old, rank: int, rows, at: int, values) -> np.ndarray:
    """A copy of an array [..., n, ...] with ``values`` [..., rows, width] in some rows, from column ``at`` on."""
    world = np.broadcast_shapes(old.shape[: old.ndim - rank], values.shape[:-2])
    shape = old.shape[old.ndim - rank :]
    out = np.array(np.broadcast_to(old, world + shape), float).reshape(*world, shape[0], math.prod(shape[1:]))
    out[..., rows, at : at + values.shape[-1]] = values
    return out.reshape(world + shape)
