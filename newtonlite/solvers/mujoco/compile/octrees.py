"""Octrees: the distance fields of meshes whose geoms are of type sdf without a plugin."""

import numpy as np

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.field.octree_build import build_octree
from newtonlite.geometry.disk_cache import kept


def compile_octrees(m) -> None:
    """Fill ``oct_*`` and ``mesh_octadr`` (-1 for meshes without an octree)."""
    used = sorted({int(m.geom_dataid[g]) for g in np.flatnonzero(m.geom_type == MjtGeom.SDF) if m.geom_plugin[g] < 0})
    address, found, first = np.full(m.nmesh, -1), [], 0
    for mesh in used:
        vertices = m.mesh_vert[m.mesh_vertadr[mesh] :][: m.mesh_vertnum[mesh]]
        faces = m.mesh_face[m.mesh_faceadr[mesh] :][: m.mesh_facenum[mesh]]
        make = lambda vertices=vertices, faces=faces: build_octree(vertices, faces)
        found.append(kept("balanced_octree", (vertices, faces), make))
        address[mesh] = first
        first += len(found[-1]["child"])
    m.noct = first
    m.set(mesh_octadr=address)
    for name, of, shape in (
        ("oct_child", "child", (0, 8)),
        ("oct_aabb", "box", (0, 6)),
        ("oct_coeff", "corner", (0, 8)),
    ):
        parts = [tree[of].reshape(-1, shape[1]) for tree in found]
        setattr(m, name, np.concatenate([np.zeros(shape, np.int32 if of == "child" else float), *parts]))
