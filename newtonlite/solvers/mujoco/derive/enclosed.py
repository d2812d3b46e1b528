"""Tables of ``insidesite`` sensors: shapes by sensor, and the extreme points of meshes."""

import numpy as np

from newtonlite.core.mujoco import MjtGeom, MjtObj, MjtSensor
from newtonlite.solvers.mujoco.derive.ragged import flattened, starts

FEW = 16
"""Meshes of so few vertices are taken whole."""


def derive(mj) -> dict:
    """For each such sensor its parts, (1 of a site or 0 of a geom, number), and for each part the points of its mesh,
    if it is one.
    """
    sensors = enclosing(mj)
    parts = [parts_of(mj, s) for s in sensors]
    points = [_points(mj, part) for some in parts for part in some]
    return {
        "sense_enclosed": sensors,
        "nsenseenclosed": len(sensors),
        "nsenseenclosed1": len(sensors) + 1,
        "enclosed_adr": starts(parts),
        "enclosed_part": flattened(parts).reshape(-1, 2),
        "nenclosedpart": len(points),
        "nenclosedpart1": len(points) + 1,
        "enclosed_pointadr": starts(points),
        "enclosed_point": np.concatenate([np.zeros((0, 3)), *points]),
        "nenclosedpoint": sum(map(len, points)),
    }


def enclosing(mj) -> np.ndarray:
    """Sensors that ask whether a whole thing is inside a zone."""
    kind = np.asarray(getattr(mj, "sensor_type", ()), int)
    return (
        np.flatnonzero((kind == MjtSensor.INSIDESITE) & (np.asarray(mj.sensor_intprm).reshape(-1, 3)[:, 0] != 0))
        if len(kind)
        else kind
    )


def parts_of(mj, s: int) -> list:
    """(1 of a site or 0 of a geom, number) of each shape of what sensor ``s`` watches: of a body its geoms, of an xbody
    those of its subtree.
    """
    kind, id = int(mj.sensor_objtype[s]), int(mj.sensor_objid[s])
    if kind in (MjtObj.SITE, MjtObj.GEOM):
        return [(int(kind == MjtObj.SITE), id)]
    body = np.asarray(mj.geom_bodyid, int)
    inside = np.arange(int(mj.nbody)) == id
    if kind == MjtObj.XBODY:
        for b in range(id + 1, int(mj.nbody)):
            inside[b] = inside[int(mj.body_parentid[b])]
    return [(0, int(g)) for g in np.flatnonzero(inside[body])]


def _points(mj, part: tuple) -> np.ndarray:
    """The corners of the convex hull of a mesh, [n, 3] in the geom; none for other shapes."""
    of_site, id = part
    if of_site or mj.geom_type[id] != MjtGeom.MESH:
        return np.zeros((0, 3))
    mesh = int(mj.geom_dataid[id])
    first = int(mj.mesh_vertadr[mesh])
    points = np.asarray(mj.mesh_vert, float).reshape(-1, 3)[first : first + int(mj.mesh_vertnum[mesh])]
    if len(points) <= FEW:
        return points
    from scipy.spatial import ConvexHull, QhullError  # takes long, and few models ask

    try:
        return points[ConvexHull(points).vertices]
    except QhullError:  # a flat mesh
        return points
