"""Rods: bending and torsion between the edges of lines."""

import numpy as np

from newtonlite.solvers.mujoco.compile.flexes.scene import SceneFlex


def rod_records(flex: SceneFlex, places: np.ndarray) -> np.ndarray:
    """Number of records, then the records."""
    return np.zeros(0)
