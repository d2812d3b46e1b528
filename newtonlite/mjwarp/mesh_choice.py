"""Meshes that differ between worlds: ``geom_dataid`` with a row for each, and the hulls and trees of triangles that follow.

Where a geom stands in its body, its size and bounds, and the masses of bodies are parameters of their own, which the caller
sets with it, as in MuJoCo Warp.
"""

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtGeom
from newtonlite.solvers.mujoco.assigned import host_numbers
from newtonlite.solvers.mujoco.derive import hull, ray


def chosen_meshes(m, value) -> np.ndarray:
    """``geom_dataid`` [nworld, ngeom] of a value that was assigned; ModelError for what no geom can have."""
    rows = np.atleast_2d(host_numbers("model.geom_dataid", value, wp.int32)).astype(np.int32)
    host = np.asarray(m.source.geom_dataid)
    if rows.ndim != 2 or rows.shape[1] != len(host) or not len(rows):
        raise ModelError(f"model.geom_dataid: expected shape (nworld, {len(host)}), got {rows.shape}")
    mesh = np.asarray(m.source.geom_type) == MjtGeom.MESH
    other = ~mesh & (rows != host).any(axis=0)
    if other.any():
        raise ModelError(
            f"model.geom_dataid: geom {int(np.argmax(other))} is no mesh; only meshes differ between worlds"
        )
    wrong = ((rows < -1) | (rows >= int(m.source.nmesh))) & mesh
    if wrong.any():
        found = int(rows[wrong][0])
        raise ModelError(
            f"model.geom_dataid: there is no mesh {found}; give 0 to {int(m.source.nmesh) - 1}, or -1 for none"
        )
    if (rows[:, mesh] < 0).any() and (np.asarray(m.source.geom_type) == MjtGeom.HFIELD).any():
        raise ModelError(
            "model.geom_dataid: a geom without a mesh beside a height field is not supported; move it away"
        )
    return rows


def spread_meshes(m) -> None:
    """Write where hulls, their boxes and trees of triangles are in each world."""
    for name, rows in hull.by_geom(*hull.hulls_of(m.source), m.source).items():
        m.set(name, rows)
    if m.sizes["nraygeom"]:
        m.set("geom_ray", ray.ray_rows(m.source))
