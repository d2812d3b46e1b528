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

    With layers, see-through surfaces and a mirror, a ray goes on where it has met one: from a distance along it, as seen
    in the plane of the mirror (normal and offset; 0: none), with a share of the pixel's colour, 0 where it has ended.
    """

    dist: wp.array2d[float]
    geom: wp.array2d[int]
    normal: wp.array2d[wp.vec3]
    face: wp.array2d[int]
    corner: wp.array2d[wp.vec2]
    dark: wp.array2d[wp.uint32]
    sum: wp.array2d[wp.vec3]
    passed: wp.array2d[float]
    mirror: wp.array2d[wp.vec4]
    weight: wp.array2d[float]


@wp.struct
class ViewRay:
    """A ray in the world: origin and direction of length 1."""

    origin: wp.vec3
    way: wp.vec3


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
def tile_view(c: CameraTable, r: RayTable, out: Pictures, mask: wp.array[bool], world: int, tile: int) -> TileView:
    """A tile by its number; one without colours in a world that ``mask`` lacks (none: it has all)."""
    v = TileView()
    k = c.tile[tile][0]
    v.world = world
    v.x = c.tile[tile][1]
    v.y = c.tile[tile][2]
    v.size = c.size[k]
    v.row = row_of(world, r.way.shape[0])
    v.ray = c.start[k]
    v.first = out.rgb_adr[k]
    if mask.shape[0] > 0:
        if not mask[world]:
            v.first = -1
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
def mirror_of(v: TileView, h: ColourHits, pixel: int) -> wp.vec4:
    """Plane of the mirror in which the ray of a pixel sees; 0 for none."""
    if h.mirror.shape[0] == 0:
        return wp.vec4()
    return h.mirror[v.world, v.first + pixel]


@wp.func
def is_mirror(plane: wp.vec4) -> bool:
    """Whether there is a mirror."""
    return plane[0] != 0.0 or plane[1] != 0.0 or plane[2] != 0.0


@wp.func
def mirrored(plane: wp.vec4, x: wp.vec3, far: float) -> wp.vec3:
    """Image of a point (``far`` 1) or of a direction (0) in a mirror."""
    n = wp.vec3(plane[0], plane[1], plane[2])
    return x - 2.0 * (wp.dot(n, x) - far * plane[3]) * n


@wp.func
def ray_of(v: TileView, r: RayTable, p: RenderPoses, pixel: int, mirror: wp.vec4) -> ViewRay:
    """The ray of a pixel, as seen in a mirror."""
    ray = ViewRay()
    pose = p.cam_xmat[v.world, v.camera]
    ray.origin = p.cam_xpos[v.world, v.camera] + pose * r.offset[v.row, v.ray + pixel]
    ray.way = pose * r.way[v.row, v.ray + pixel]
    if is_mirror(mirror):
        ray.origin = mirrored(mirror, ray.origin, 1.0)
        ray.way = mirrored(mirror, ray.way, 0.0)
    return ray


@wp.func
def seen_in(mirror: wp.vec4, way: wp.vec3) -> wp.vec3:
    """Image of a direction where there is a mirror."""
    if is_mirror(mirror):
        return mirrored(mirror, way, 0.0)
    return way


@wp.func
def point_of(v: TileView, r: RayTable, p: RenderPoses, h: ColourHits, pixel: int) -> wp.vec3:
    """Point where the ray of a pixel meets a surface, in the world."""
    ray = ray_of(v, r, p, pixel, mirror_of(v, h, pixel))
    return ray.origin + h.dist[v.world, v.first + pixel] * ray.way


@wp.func
def on_plane(ray: ViewRay, at: wp.vec3, normal: wp.vec3) -> wp.vec3:
    """Point where another ray of the camera meets the plane of a hit; far along it where it does not."""
    sink = -wp.dot(ray.way, normal)
    return ray.origin + ray.way * (wp.dot(ray.origin - at, normal) / wp.max(sink, 1.0e-3))


@wp.func
def bytes_of(rgb: wp.vec3) -> wp.uint32:
    """A colour as MuJoCo Warp packs it: blue in the lowest byte, opacity, which is full, in the highest."""
    r = wp.uint32(rgb[0] * 255.0)
    g = wp.uint32(rgb[1] * 255.0)
    b = wp.uint32(rgb[2] * 255.0)
    return (wp.uint32(255) << wp.uint32(24)) | (r << wp.uint32(16)) | (g << wp.uint32(8)) | b
