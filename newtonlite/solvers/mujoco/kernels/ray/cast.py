"""Ray casting against the geoms of a world."""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.ray.heightfield import HeightGrid, ray_heightfield
from newtonlite.geometry.ray.primitive import ray_primitive
from newtonlite.geometry.ray.shapes import MISS, miss
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.ray.boxes import passed, place_boxes, slopes
from newtonlite.solvers.mujoco.kernels.ray.field import ray_field
from newtonlite.solvers.mujoco.kernels.ray.mesh import ray_mesh

ALL_GROUPS = 63
LAST_GROUP = 5


@wp.struct
class Sight:
    """First hit of a ray: the distance in units of its direction (-1: nothing), the geom, the outward normal there."""

    dist: float
    geom: int
    normal: wp.vec3


@wp.func
def grid_of(m: ModelFields, world: int, g: int) -> HeightGrid:
    """The height field of a geom."""
    h = m.geom_ray[world, g]
    grid = HeightGrid()
    grid.data = m.rayfield_data
    grid.adr = m.rayfield_adr[h]
    grid.nrow = m.rayfield_shape[h][0]
    grid.ncol = m.rayfield_shape[h][1]
    grid.size = m.rayfield_size[h]
    return grid


@wp.func
def ray_geom(m: ModelFields, world: int, g: int, o: wp.vec3, v: wp.vec3, best: float) -> wp.vec4:
    """A ray in the frame of geom ``g``; hits beyond ``best`` may be left out."""
    kind = m.geom_type[g]
    answer = miss()
    if m.nraymesh > 0 and kind == MjtGeom.MESH:
        if m.geom_ray[world, g] >= 0:  # else the geom has no mesh in this world
            answer = ray_mesh(m, m.geom_ray[world, g], o, v, best)
    elif m.nrayhfield > 0 and kind == MjtGeom.HFIELD:
        answer = ray_heightfield(grid_of(m, world, g), o, v)
    elif m.nraysdf > 0 and kind == MjtGeom.SDF:
        answer = ray_field(m, world, g, o, v)
    else:
        answer = ray_primitive(kind, m.geom_size[world, g], o, v)
    return answer


@wp.func
def is_seen(m: ModelFields, g: int, exclude: int, groups: int, fixed: int) -> bool:
    """Whether a ray that ignores body ``exclude``, other groups than the bits of ``groups`` and fixed geoms, meets geom
    ``g``.
    """
    if m.geom_bodyid[g] == exclude or m.geom_seen[g] == 0:
        return False
    if fixed == 0 and m.geom_fixed[g] != 0:
        return False
    return (groups & (1 << wp.clamp(m.geom_group[g], 0, LAST_GROUP))) != 0


@wp.func
def cast(
    m: ModelFields, d: DataFields, world: int, o: wp.vec3, v: wp.vec3, exclude: int, groups: int, fixed: int
) -> Sight:
    """The nearest geom on the ray ``o + t v``."""
    seen = Sight()
    seen.dist = MISS
    seen.geom = -1
    inverse = slopes(v)
    g = int(0)
    while g < m.ngeom:
        by = int(0)
        if m.nraybox > 0:
            by = passed(m, d, world, g, o, inverse, seen.dist)
        if by == 0 and is_seen(m, g, exclude, groups, fixed):
            mat = d.geom_xmat[world, g]
            turn = wp.transpose(mat)
            answer = ray_geom(m, world, g, turn * (o - d.geom_xpos[world, g]), turn * v, seen.dist)
            if answer[0] < seen.dist:
                seen.dist = answer[0]
                seen.geom = g
                seen.normal = mat * wp.vec3(answer[1], answer[2], answer[3])
        g += wp.max(by, 1)
    if seen.geom < 0:
        seen.dist = -1.0
    return seen


@wp.func
def cast_rays(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """The caller's rays."""
    place_boxes(m, d, world, lane, nlane)
    for i in range(lane, d.ray_pnt.shape[1], nlane):
        seen = cast(
            m,
            d,
            world,
            d.ray_pnt[world, i],
            d.ray_vec[world, i],
            d.ray_exclude[world, i],
            d.ray_filter[world, 0],
            d.ray_filter[world, 1],
        )
        d.ray_dist[world, i] = seen.dist
        d.ray_geomid[world, i] = seen.geom
        d.ray_normal[world, i] = seen.normal
    sync()
