"""Hinges of shells of cells: bending between faces of the grid that share an edge."""

import numpy as np

from newtonlite.solvers.mujoco.compile.flexes.scene import SceneFlex


def hinge_records(flex: SceneFlex, node0: np.ndarray) -> np.ndarray:
    """Their number, then 10 numbers each: both faces, middle of the edge in either, stiffness, reference of the normals."""
    return np.zeros(0)
