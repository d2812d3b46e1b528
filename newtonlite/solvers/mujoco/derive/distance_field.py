"""Distance fields of geoms: plugins and their attributes, or octrees of meshes."""

import numpy as np

from newtonlite.core.mujoco import MjtGeom
from newtonlite.core.plugins import parameters

ATTRIBUTES = 5


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
    used = bool((roots >= 0).any())
    return {
        "nfieldseed": int(mj.opt.sdf_initpoints) if len(fields) else 0,
        "geom_fieldslot": slots,
        "geom_fieldprm": numbers,
        "geom_octroot": roots,
        **octrees(mj, used),
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
