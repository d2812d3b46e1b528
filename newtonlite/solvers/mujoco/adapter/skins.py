"""Skinned vertices of a scene's state, in every world."""

from typing import Any

import numpy as np

from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco.skins import skinned


def skin_vertices(solver: Any, state: Any) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [m] and unit normals of all skins in every world, each [nworld, nskinvert, 3] in single precision.

    ``solver`` is a ``SolverMuJoCo``, ``state`` a state of its model. Skin ``i`` of ``solver.mj_model`` has the vertices
    from ``skin_vertadr[i]`` on. A vertex is the mean of where its bones carry it, by their weights, moved by the skin's
    ``inflate`` along its normal. Raises StateError where worlds have different structures.
    """
    if len(solver.groups) > 1:
        raise StateError("skin_vertices: the worlds have different structures; make a solver for each")

    # the world's own frame stands still; other bodies are where the scene has them, quaternions there end with w
    bodies = solver.mjc_body_to_newton.numpy()
    poses = state.body_q.numpy().reshape(-1, 7)
    at_rest = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], np.float32)
    found = np.where((bodies >= 0)[..., None], poses[np.maximum(bodies, 0)], at_rest)
    return skinned(solver.mj_model, found[..., :3], np.roll(found[..., 3:], 1, axis=-1))
