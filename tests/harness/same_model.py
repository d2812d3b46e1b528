"""Two compiled models, field by field, where meshes may turn within their frames as long as their points stay."""

import numpy as np

from tests.harness.import_fields import compare, error
from tests.tolerance import tolerance

FRAMES = {"geom": ("pos", "quat", "size", "aabb", "rbound"), "site": ("pos", "quat", "size")}
"""Fields that for meshes follow their own axes, which are undetermined where moments are nearly equal."""
MESH = 7
NOT_KEPT = ("tex_colorspace", "mesh_vert", "mesh_pos", "mesh_quat", "mesh_scale")
"""Textures made by formula come back from files; meshes are compared by their points."""


def field_errors(model, back) -> dict[str, float]:
    """The error of each field, and of the points of mesh geoms; NaN where one of the models has none."""
    errors = compare(model, back)
    if model.nmesh:
        for kind, names in FRAMES.items():
            plain = np.asarray(getattr(model, f"{kind}_type")) != MESH
            for name in (f"{kind}_{n}" for n in names):
                if hasattr(back, name) and np.isfinite(errors.get(name, np.inf)):
                    errors[name] = error(
                        np.asarray(getattr(model, name))[plain], np.asarray(getattr(back, name))[plain]
                    )
        one, two = mesh_points(model), mesh_points(back)
        size = max(np.abs(one).max(initial=0.0), 1e-9)
        errors["mesh points"] = float(np.abs(one - two).max(initial=0.0)) / size if one.shape == two.shape else np.inf
        errors = {name: value for name, value in errors.items() if name not in NOT_KEPT}
    return {name: value for name, value in errors.items() if name != "tex_colorspace" and not np.isnan(value)}


def differences(model, back) -> dict[str, float]:
    """The fields that are not the same."""
    return {name: value for name, value in field_errors(model, back).items() if value > tolerance("compiled")}


def mesh_points(model) -> np.ndarray:
    """The vertices of all mesh geoms [n, 3] in the frames of their bodies."""
    found = [np.zeros((0, 3))]
    for g in np.flatnonzero(np.asarray(model.geom_type) == MESH):
        mesh = int(model.geom_dataid[g])
        start = int(model.mesh_vertadr[mesh])
        w, x, y, z = model.geom_quat[g]
        turn = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
        vertices = np.asarray(model.mesh_vert[start : start + int(model.mesh_vertnum[mesh])])
        found.append(vertices @ np.transpose(turn) + model.geom_pos[g])
    return np.concatenate(found)
