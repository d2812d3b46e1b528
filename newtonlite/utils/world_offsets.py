"""World offsets: a grid on which copies of a scene stand beside each other."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonlite.core.types import Axis
from newtonlite.sim.builder.worlds import grid


def compute_world_offsets(world_count: int, spacing: Sequence[float], up_axis: Any = None) -> np.ndarray:
    """Places [world_count, 3] of worlds on a grid with ``spacing`` [m] along each axis, 0 for none, about the origin.

    Along ``up_axis`` they start at 0, so that none is below the ground.
    """
    step = np.asarray(spacing, float)
    if world_count <= 0 or not step.any():
        return np.zeros((max(0, world_count), 3), np.float32)
    return grid(world_count, step, None if up_axis is None else int(Axis.from_any(up_axis))).astype(np.float32)
