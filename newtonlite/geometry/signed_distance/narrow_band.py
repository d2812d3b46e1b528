"""Narrow band: the blocks of a grid near the surface, found from large cubes to single blocks."""

from collections.abc import Callable

import numpy as np

LEVELS = 4
"""Number of times that the cubes of the search are halved."""

ROUNDING = 1.0e-5
"""Of the distances met, what float32 may have added or taken away."""

AT_ONCE = 1 << 16


def cubes_within(cubes: np.ndarray, side: int, counts: np.ndarray) -> np.ndarray:
    """The eight halves [n, 3] of cubes (their first blocks) with ``side`` blocks along each edge, but for those outside
    the table.
    """
    half = side // 2
    corners = half * np.stack(np.meshgrid(*[(0, 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    parts = (cubes[:, None] + corners).reshape(-1, 3)
    return parts[(parts < counts).all(axis=1)]


def is_closed(indices: np.ndarray) -> bool:
    """Whether every edge of the triangles ``indices`` [3 n] is met as often one way as the other, so that inside and
    outside are apart.
    """
    corners = np.asarray(indices, np.int64).reshape(-1, 3)
    ways = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    key = ways.min(axis=1) * (ways.max(initial=0) + 1) + ways.max(axis=1)
    _, edge = np.unique(key, return_inverse=True)
    return not np.bincount(edge, np.sign(ways[:, 1] - ways[:, 0])).any()


def near_blocks(
    distance: Callable,
    reach: Callable | None,
    low: np.ndarray,
    width: float,
    counts: np.ndarray,
    band: tuple,
    refuse: Callable,
) -> np.ndarray:
    """Whether the distance is within ``band`` somewhere in each block, [n] with x fastest.

    ``distance`` gives signed distances at points [n, 3]; ``reach`` how far the surface is, where the sign may change
    elsewhere too (None: it does not). The table has ``counts`` blocks of ``width`` from corner ``low``. ``refuse`` is
    called, as they become known, with numbers of blocks that are near, and of those close enough to the surface to be
    so on one side of it, which are looked at one by one; it raises where they are too many. Cubes of which either is
    true as a whole count at once.
    """
    near = np.zeros(int(counts.prod()), bool)
    half = 0.5 * np.sqrt(3.0) * width
    side = 1 << LEVELS
    cubes = np.stack(np.meshgrid(*(np.arange(0, n, side) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3)
    while side > 1:
        middle = (reach or distance)(low + width * (cubes + 0.5 * side))
        around = half * (side - 1) + ROUNDING * (
            abs(middle) + half * side
        )  # from the middle of a cube to those of its blocks
        inside = (middle + around - half <= band[1]) & (middle - around + half >= band[0])
        outside = (middle - around - half > band[1]) | (middle + around + half < band[0])
        blocks, one_sided = np.minimum(counts - cubes, side).prod(axis=1), np.zeros(len(cubes), bool)
        if reach is not None:
            inside &= -middle - around + half >= band[0]
            outside = middle - around - half > max(band[1], -band[0])
            one_sided = middle + around - half <= max(band[1], -band[0])
        refuse(int(blocks[inside].sum()), int(blocks[one_sided].sum()))
        cubes = cubes_within(cubes[~outside], side, counts)
        side //= 2
    count, parts = 0, max(1, -(-len(cubes) // AT_ONCE))
    refuse(0, len(cubes) if reach is not None else 0)
    for k in range(parts):  # every one a sample of them all
        blocks = cubes[k::parts]
        middle = distance(low + width * (blocks + 0.5))
        blocks = blocks[(middle + half >= band[0]) & (middle - half <= band[1])]
        count += len(blocks)
        refuse(count, 0)
        near[blocks @ [1, counts[0], counts[0] * counts[1]]] = True
    return near
