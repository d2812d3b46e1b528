"""Taxels: mesh vertices at which tactile sensors measure."""

import numpy as np

from newtonlite.core.mujoco import MjtSensor


def derive(mj) -> dict:
    """For each taxel its sensor, its number, and how many the sensor has; where it is in the geom, and its two
    tangents.
    """
    kind = np.asarray(getattr(mj, "sensor_type", ()), int)
    places, points, tangents = [], [], []
    for s in np.flatnonzero(kind == MjtSensor.TACTILE):
        mesh = int(mj.sensor_objid[s])
        first, count = int(mj.mesh_vertadr[mesh]), int(mj.mesh_vertnum[mesh])
        places += [(s, k, count) for k in range(count)]
        points.append(np.asarray(mj.mesh_vert)[first : first + count])
        tangents.append(_tangents(mj, mesh, count))
    felt = bool(places) or MjtSensor.PLUGIN in kind
    weld = np.asarray(mj.body_weldid)[np.asarray(mj.geom_bodyid, int)] if felt else np.zeros(0, int)
    return {
        "ntaxel": len(places),
        "ntaxelgeom": len(weld),
        "taxel": np.array(places, int).reshape(-1, 3),
        "taxel_pos": np.concatenate(points) if points else np.zeros((0, 3)),
        "taxel_tangent": np.concatenate(tangents) if tangents else np.zeros((0, 2, 3)),
        "geom_weldid": weld,
    }


def _tangents(mj, mesh: int, count: int) -> np.ndarray:
    """Second and third normal of each vertex of a mesh that has three; zero, and so unfelt, in others."""
    if hasattr(mj, "mesh_tangent"):  # our own compiled model
        first = int(mj.mesh_vertadr[mesh])
        return mj.mesh_tangent[first : first + count]
    if int(mj.mesh_normalnum[mesh]) != 3 * count:
        return np.zeros((count, 2, 3))
    first = int(mj.mesh_normaladr[mesh])
    return np.asarray(mj.mesh_normal)[first : first + 3 * count].reshape(count, 3, 3)[:, 1:]
