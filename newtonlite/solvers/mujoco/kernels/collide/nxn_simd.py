"""Broad phase over all pairs (n x n) by one CPU lane, sixteen bounding spheres at a time.

Candidates are sorted into cells: one geom against sixteen others, neighbours among those that may touch anything, with
a bit for each that is a candidate (``geom_pairs.cells``). The order of candidates is restored at the end.
"""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.core.native import header

NOT_HERE = -1
"""Return value of ``nxn_simd`` where it cannot do the work: on a GPU, in a team, with very many geoms."""

TYPES = {
    "PLANE": MjtGeom.PLANE,
    "HFIELD": MjtGeom.HFIELD,
    "SPHERE": MjtGeom.SPHERE,
    "CAPSULE": MjtGeom.CAPSULE,
    "CYLINDER": MjtGeom.CYLINDER,
    "MESH": MjtGeom.MESH,
}
native = header(__file__, **TYPES, NOT_HERE=NOT_HERE)


@wp.func_native(native("nxn_simd"))
def nxn_simd(
    cand_cell: wp.array[wp.vec4i],
    cand_of_cell: wp.array[int],
    cell_geom: wp.array[int],
    cand_pairid: wp.array[int],
    hull_box: wp.array3d[wp.vec3],
    geom_type: wp.array[int],
    geom_size: wp.array2d[wp.vec3],
    geom_rbound: wp.array2d[float],
    geom_margin: wp.array2d[float],
    geom_gap: wp.array2d[float],
    pair_margin: wp.array2d[float],
    pair_gap: wp.array2d[float],
    geom_xpos: wp.array2d[wp.vec3],
    geom_xmat: wp.array2d[wp.mat33],
    cand: wp.array2d[int],
    world: int,
    boxes: int,
) -> int:
    """Leave the near candidates in ``cand``, in order; returns how many, or NOT_HERE. ``boxes`` is not 0
    where bounding boxes are looked at.
    """
    ...
