"""Tiles: a network sees rows of worlds in tables of one size, so that what it gives for a world does not depend on which
worlds are beside it.

A matrix product of more or fewer rows may add in another order. World w is always row ``w % TILE`` of a table of ``TILE``
rows, whoever computes it; rows of worlds that are elsewhere are zeros.
"""

import torch

TILE = 64


def by_tiles(function, first: int, *tables: torch.Tensor) -> tuple:
    """Results of ``function(*tables)``, a tuple of tensors with a row for each world, computed tile by tile. ``first`` is
    the number of the world of the first row.
    """
    count, parts = len(tables[0]), []
    for tile in range(first // TILE, (first + count - 1) // TILE + 1):
        start, end = max(first, tile * TILE), min(first + count, (tile + 1) * TILE)
        inside, own = slice(start - tile * TILE, end - tile * TILE), slice(start - first, end - first)
        padded = []
        for table in tables:
            whole = torch.zeros((TILE, *table.shape[1:]), dtype=table.dtype, device=table.device)
            whole[inside] = table[own]
            padded.append(whole)
        parts.append([result[inside] for result in function(*padded)])
    return tuple(torch.cat(column) for column in zip(*parts))
