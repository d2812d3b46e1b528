"""Lists of MuJoCo Warp's model that its own kernels walk and programs look things up in: pairs of geoms, dofs above a body, taxels.
The engine has lists of its own (``derive``); these are made from the host model when they are read.
"""

import numpy as np

from newtonlite.core.mujoco import MjtDisableBit, MjtObj, MjtSensor

SKIPPED, FREE = -2, -1
"""In place of the number of a ``<pair>``: geoms that never touch, and those that are no such pair."""
DISTANCES = (MjtSensor.GEOMDIST, MjtSensor.GEOMNORMAL, MjtSensor.GEOMFROMTO)


def geom_pairs(mj) -> np.ndarray:
    """All pairs of geoms ``[n, 2]``, the lower number first."""
    return np.stack(np.triu_indices(int(mj.ngeom), k=1), axis=1)


def place_of_pair(mj, a, b):
    """Row of a pair in ``geom_pairs``."""
    i, j = np.minimum(a, b), np.maximum(a, b)
    return i * (2 * int(mj.ngeom) - i - 3) // 2 + j - 1


def pair_ids(mj) -> np.ndarray:
    """Of each pair of geoms ``[n, 2]``: the number of its ``<pair>``, ``FREE`` or ``SKIPPED``; and its place among those whose
    distance a sensor asks for, or -1.
    """
    first, second = geom_pairs(mj).T
    ids = np.where(may_touch(mj, first, second), FREE, SKIPPED)
    ids[place_of_pair(mj, np.asarray(mj.pair_geom1, int), np.asarray(mj.pair_geom2, int))] = np.arange(int(mj.npair))
    measured = np.full(len(ids), -1)
    asked = list(dict.fromkeys(measured_pairs(mj)))
    measured[asked] = np.arange(len(asked))
    return np.stack((ids, measured), axis=1)


def may_touch(mj, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether geoms collide by their bits and bodies: bodies that are welded together, that both have no dofs, that are
    parent and child, or that are excluded do not.
    """
    pick = lambda values, i: np.asarray(values)[i]
    body = np.asarray(mj.geom_bodyid)
    weld = np.asarray(mj.body_weldid)[body]
    parent = np.asarray(mj.body_weldid)[np.asarray(mj.body_parentid)[weld]]
    a, b = weld[first], weld[second]

    bits = (pick(mj.geom_contype, first) & pick(mj.geom_conaffinity, second)) | (
        pick(mj.geom_contype, second) & pick(mj.geom_conaffinity, first)
    )
    still = (pick(mj.body_dofnum, a) == 0) & (pick(mj.body_dofnum, b) == 0)
    filtered = not int(mj.opt.disableflags) & MjtDisableBit.FILTERPARENT
    family = filtered & (a != 0) & (b != 0) & ((a == parent[second]) | (b == parent[first]))
    excluded = np.isin((body[first] << 16) + body[second], np.asarray(mj.exclude_signature))
    return (bits != 0) & (a != b) & ~still & ~family & ~excluded


def sensor_kinds(mj) -> np.ndarray:
    """Type of each sensor; compiled models without sensors have no array of them."""
    return np.asarray(mj.sensor_type) if int(mj.nsensor) else np.zeros(0, int)


def measured_pairs(mj) -> list[int]:
    """Rows of ``geom_pairs`` whose distance sensors ask for, in the sensors' order."""
    found = []
    for s in np.flatnonzero(np.isin(sensor_kinds(mj), DISTANCES)):
        sides = (mj.sensor_objtype[s], mj.sensor_objid[s]), (mj.sensor_reftype[s], mj.sensor_refid[s])
        first, second = (geoms_of(mj, int(kind), int(i)) for kind, i in sides)
        found += [int(place_of_pair(mj, a, b)) for a in first for b in second]
    return found


def geoms_of(mj, kind: int, i: int) -> range:
    """A geom, or those of a body."""
    if kind == MjtObj.BODY:
        return range(int(mj.body_geomadr[i]), int(mj.body_geomadr[i] + mj.body_geomnum[i]))
    return range(i, i + 1)


def included(mj) -> np.ndarray:
    """Whether a pair of geoms is looked at: it may touch, or a sensor asks for its distance."""
    ids = pair_ids(mj)
    return (ids[:, 0] > SKIPPED) | (ids[:, 1] >= 0)


def dofs_above(mj) -> np.ndarray:
    """Whether a dof moves a body ``[nbody, nv]``."""
    found = np.zeros((int(mj.nbody), int(mj.nv)), int)
    for b in range(1, int(mj.nbody)):
        found[b] = found[mj.body_parentid[b]]
        found[b, mj.body_dofadr[b] : mj.body_dofadr[b] + mj.body_dofnum[b]] = 1
    return found


def levels(mj) -> list[np.ndarray]:
    """Bodies by how many bodies are above them."""
    depth = np.zeros(int(mj.nbody), int)
    for b in range(1, int(mj.nbody)):
        depth[b] = depth[mj.body_parentid[b]] + 1
    return [np.flatnonzero(depth == k) for k in range(depth.max() + 1)]


def taxels(mj) -> np.ndarray:
    """Sensor, and vertex of its mesh, of each taxel ``[nsensortaxel, 2]``."""
    found = [
        (s, int(mj.mesh_vertadr[mj.sensor_objid[s]]) + k)
        for s in np.flatnonzero(sensor_kinds(mj) == MjtSensor.TACTILE)
        for k in range(int(mj.mesh_vertnum[mj.sensor_objid[s]]))
    ]
    return np.array(found, dtype=int).reshape(-1, 2)


def tactile_welds(mj) -> np.ndarray:
    """Bodies, each for all that are welded to it, that have tactile sensors."""
    tactile = np.flatnonzero(sensor_kinds(mj) == MjtSensor.TACTILE)
    geoms = np.array([mj.sensor_refid[s] for s in tactile], dtype=int)
    return np.unique(np.asarray(mj.body_weldid)[np.asarray(mj.geom_bodyid)[geoms]])


def tactile_numbers(mj) -> np.ndarray:
    """Place of each body in ``tactile_welds``, or -1."""
    found = np.full(int(mj.nbody), -1)
    welds = tactile_welds(mj)
    found[welds] = np.arange(len(welds))
    return found
