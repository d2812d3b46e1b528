"""Distance fields of geoms: plugins and their attributes, or octrees of meshes."""

import numpy as np

from newtonlite.core.mujoco import MjtGeom, MjtSensor
from newtonlite.core.plugins import parameters
from newtonlite.solvers.mujoco.derive.box_order import box_order

ATTRIBUTES = 5
MOST_POINTS = 50
"""Points of a mesh in a field that are looked at."""


def derive(mj) -> dict:
    """Slot and attributes of each geom's plugin, the root of its octree; -1 for none. The octrees that geoms use."""
    n = int(mj.ngeom)
    fields = np.flatnonzero(np.asarray(mj.geom_type) == MjtGeom.SDF)
    slots, numbers, roots = np.full(n, -1), np.zeros((n, ATTRIBUTES)), np.full(n, -1)
    for g in fields:
        instance = int(mj.geom_plugin[g])
        if instance >= 0:
            found = parameters(mj, instance)
            slots[g], numbers[g, : len(found)] = int(mj.plugin[instance]), found
        else:
            roots[g] = int(mj.mesh_octadr[int(mj.geom_dataid[g])])
    if MjtSensor.TACTILE in np.asarray(getattr(mj, "sensor_type", ())):  # which feels meshes that have one too
        kinds, data = np.asarray(mj.geom_type), np.asarray(mj.geom_dataid)
        meshes = np.flatnonzero((kinds == MjtGeom.MESH) & (data >= 0))
        roots[meshes] = np.asarray(mj.mesh_octadr, int)[data[meshes]]
    used = bool((roots >= 0).any())
    seeds, faces = int(mj.opt.sdf_initpoints) if len(fields) else 0, mesh_faces(mj, len(fields) > 0)
    return {
        "nfieldseed": seeds,
        "nfieldpoint": max(seeds, MOST_POINTS if faces["nfieldface"] else 0),
        **faces,
        "geom_fieldslot": slots,
        "geom_fieldprm": numbers,
        "geom_octroot": roots,
        **octrees(mj, used),
    }


def mesh_faces(mj, wanted: bool) -> dict:
    """Corners of the faces of the meshes of geoms that collide, each mesh once, and which of them are a geom's."""
    kinds, data = np.asarray(mj.geom_type), np.asarray(mj.geom_dataid)
    collides = (np.asarray(mj.geom_contype) != 0) | (np.asarray(mj.geom_conaffinity) != 0)
    geoms = np.flatnonzero(wanted & collides & (kinds == MjtGeom.MESH) & (data >= 0))
    corners, first, count, end = [np.zeros((0, 3, 3))], np.zeros(len(kinds), int), np.zeros(len(kinds), int), 0
    for mesh in np.unique(data[geoms]):
        vert = np.asarray(mj.mesh_vert, float).reshape(-1, 3)[int(mj.mesh_vertadr[mesh]) :]
        own = vert[
            np.asarray(mj.mesh_face, int).reshape(-1, 3)[int(mj.mesh_faceadr[mesh]) :][: int(mj.mesh_facenum[mesh])]
        ]
        corners.append(own[box_order(own.min(axis=1), own.max(axis=1))])
        users = geoms[data[geoms] == mesh]
        first[users], count[users], end = end, len(own), end + len(own)
    return {
        "nfieldface": end,
        "fieldface_corner": np.concatenate(corners),
        "geom_fieldfaceadr": first,
        "geom_fieldfacenum": count,
    }


def octrees(mj, used: bool) -> dict:
    """The octrees of all meshes, where a geom uses one."""
    n = int(getattr(mj, "noct", 0)) if used else 0
    return {
        "noct": n,
        "oct_child": np.asarray(mj.oct_child, int).reshape(-1, 8) if n else np.zeros((0, 8), int),
        "oct_box": np.asarray(mj.oct_aabb, float).reshape(-1, 2, 3) if n else np.zeros((0, 2, 3)),
        "oct_corner": np.asarray(mj.oct_coeff, float).reshape(-1, 8) if n else np.zeros((0, 8)),
    }
