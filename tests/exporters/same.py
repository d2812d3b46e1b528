"""Two models of MuJoCo, field by field, where meshes may turn within their frames as long as their points stay."""

import numpy as np

from tests.importers.fields import compare
from tests.tolerance import tolerance

FRAMES = ("mesh_pos", "mesh_quat", "geom_pos", "geom_quat", "geom_size", "geom_aabb", "geom_rbound", "site_pos", "site_quat")
"""Fields that follow the axes of meshes."""
MESH = 7
NOT_KEPT = ("tex_colorspace", "mesh_vert")
"""Textures made by formula come back from files; points of meshes are compared in their bodies."""


def field_errors(model, back) -> dict[str, float]:
    """The error of each field, and of the points of mesh geoms."""
    errors = compare(model, back)
    if model.nmesh:
        one, two = mesh_points(model), mesh_points(back)
        size = max(np.abs(one).max(initial=0.0), 1.0)
        errors["mesh points"] = float(np.abs(one - two).max(initial=0.0)) / size if one.shape == two.shape else np.inf
    return {name: error for name, error in errors.items() if name not in NOT_KEPT and not np.isnan(error)}


def differences(model, back) -> dict[str, float]:
    """The fields that are not the same."""
    errors = field_errors(model, back)
    limits = {name: tolerance("mesh frame" if model.nmesh and name in FRAMES else "compiled") for name in errors}
    return {name: error for name, error in errors.items() if error > limits[name]}


def mesh_points(model) -> np.ndarray:
    """The vertices of all mesh geoms [n, 3] in the frames of their bodies."""
    found = [np.zeros((0, 3))]
    for g in np.flatnonzero(np.asarray(model.geom_type) == MESH):
        mesh = int(model.geom_dataid[g])
        start = int(model.mesh_vertadr[mesh])
        w, x, y, z = model.geom_quat[g]
        turn = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]  # fmt: skip
        vertices = np.asarray(model.mesh_vert[start : start + int(model.mesh_vertnum[mesh])])
        found.append(vertices @ np.transpose(turn) + model.geom_pos[g])
    return np.concatenate(found)
