"""Pictures of the cameras, and what the rays of those with colours meet."""

import warp as wp

from newtonlite.solvers.mujoco.render.rays import TILE, CameraTable, RayTable, row_of
from newtonlite.solvers.mujoco.render.scene import RenderPoses


@wp.struct
class Pictures:
    """Pictures of all cameras, one after the other [nworld, n]; the first pixel of each, -1 where it is not rendered."""

    depth: wp.array2d[float]
    seg: wp.array2d[wp.vec2i]
    normal: wp.array2d[wp.vec3]
    rgb: wp.array2d[wp.uint32]
    depth_adr: wp.array[int]
    seg_adr: wp.array[int]
    normal_adr: wp.array[int]
    rgb_adr: wp.array[int]
    zfar: float
    culling: int


@wp.struct
class ColourHits:
    """Hits of the rays of colour pictures [nworld, pixels of such pictures]: distance (negative: nothing), number among
    the rendered geoms, normal in the world, triangle and the weights of its first two corners; a bit for each light that
    does not reach it, and the sum of the samples so far.
    """

    dist: wp.array2d[float]
    geom: wp.array2d[int]
    normal: wp.array2d[wp.vec3]
    face: wp.array2d[int]
    corner: wp.array2d[wp.vec2]
    dark: wp.array2d[wp.uint32]
    sum: wp.array2d[wp.vec3]


@wp.struct
class TileView:
    """A tile of a camera in a world: first column and row, width and height of the picture, row and first number among
    the rays, first pixel among those with colours (-1: the camera has none), and the camera's number in the model.
    """

    world: int
    x: int
    y: int
    size: wp.vec2i
    row: int
    ray: int
    first: int
    camera: int


@wp.func
def tile_view(c: CameraTable, r: RayTable, out: Pictures, world: int, tile: int) -> TileView:
    """A tile by its number."""
    v = TileView()
    k = c.tile[tile][0]
    v.world = world
    v.x = c.tile[tile][1]
    v.y = c.tile[tile][2]
    v.size = c.size[k]
    v.row = row_of(world, r.way.shape[0])
    v.ray = c.start[k]
    v.first = out.rgb_adr[k]
    v.camera = c.id[k]
    return v


@wp.func
def pixel_of(v: TileView, j: int) -> int:
    """Number in the picture of a tile's pixel, counted by rows; -1 beyond the picture's rim."""
    x = v.x + j % TILE
    y = v.y + j // TILE
    if x >= v.size[0] or y >= v.size[1]:
        return -1
    return y * v.size[0] + x


@wp.func
def point_of(v: TileView, r: RayTable, p: RenderPoses, h: ColourHits, pixel: int) -> wp.vec3:
    """Point where the ray of a pixel meets a surface, in the world."""
    far = h.dist[v.world, v.first + pixel]
    at = r.offset[v.row, v.ray + pixel] + far * r.way[v.row, v.ray + pixel]
    return p.cam_xpos[v.world, v.camera] + p.cam_xmat[v.world, v.camera] * at
