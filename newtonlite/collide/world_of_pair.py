"""World of a pair of shapes."""

import numpy as np
import warp as wp


def row_of_shape(model) -> np.ndarray:
    """Number of each shape's world [nshape]; -1 for shapes that are in all worlds, 0 for all shapes of a scene that is
    one world.
    """
    if model.world_count <= 1:
        return np.zeros(model.shape_count, np.int32)
    return model.shape_world.numpy().astype(np.int32)


def row_count(model) -> int:
    """Worlds, and where there are several one row more, the last, for pairs of shapes that are in all worlds."""
    return 1 if model.world_count <= 1 else model.world_count + 1


def owners(row: np.ndarray, count: int, pairs: np.ndarray) -> np.ndarray:
    """World of each of ``pairs`` [n, 2], by ``row_of_shape`` and ``row_count``."""
    return row[pairs].max(axis=1) % count


@wp.func
def owner_of(row: wp.array[int], a: int, b: int) -> int:
    """World of a pair, by what ``row_of_shape`` says of its shapes; ``row`` has one entry more, the number of the last
    world.
    """
    own = wp.max(row[a], row[b])
    return wp.where(own >= 0, own, row[row.shape[0] - 1])
