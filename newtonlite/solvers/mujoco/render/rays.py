"""Camera rays: a direction for each pixel, and a cone about those of each tile of pixels."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtProjection

kernel_module(__name__)

TILE = wp.constant(8)
"""Pixels across a tile."""
WIDER = wp.constant(1.0e-5)
"""Rounding of the cone of a tile."""


@wp.struct
class CameraTable:
    """Cameras that are rendered [n]: their number in the model, size of the picture, number of the first pixel among all;
    tiles [ntile]: camera, first column and row.
    """

    id: wp.array[int]
    size: wp.array[wp.vec2i]
    start: wp.array[int]
    tile: wp.array[wp.vec3i]


@wp.struct
class RayTable:
    """Rays in the frames of the cameras, a row for each world or one for all: directions of length 1 and offsets of the
    origins; cones about the rays of a tile: axis and cosine, middle and radius of where they begin.
    """

    way: wp.array2d[wp.vec3]
    offset: wp.array2d[wp.vec3]
    axis: wp.array2d[wp.vec4]
    base: wp.array2d[wp.vec4]


@wp.func
def row_of(world: int, rows: int) -> int:
    """Row of a world among those of an array, which are one for all, or one for each; without a division, which takes as long as
    all else that is done with what is read.
    """
    if rows == 1:
        return 0
    if world < rows:
        return world
    return world % rows


@wp.func
def image_plane(size: wp.vec2i, fovy: float, sensor: wp.vec2, intrinsic: wp.vec4) -> wp.vec4:
    """(left, top, width, height) of the picture at distance 1; of a sensor, the part that has the picture's shape."""
    aspect = float(size[0]) / float(size[1])
    if sensor[1] == 0.0:
        half = wp.tan(0.5 * fovy * wp.pi / 180.0)
        return wp.vec4(-half * aspect, half, 2.0 * half * aspect, 2.0 * half)
    width = wp.min(sensor[0], sensor[1] * aspect)
    height = wp.min(sensor[1], sensor[0] / aspect)
    left = (intrinsic[2] - 0.5 * width) / intrinsic[0]
    top = (0.5 * height - intrinsic[3]) / intrinsic[1]
    return wp.vec4(left, top, width / intrinsic[0], height / intrinsic[1])


@wp.kernel(enable_backward=False)
def make_rays(
    c: CameraTable,
    projection: wp.array[int],
    fovy: wp.array2d[float],
    sensor: wp.array[wp.vec2],
    intrinsic: wp.array2d[wp.vec4],
    place: wp.vec2,
    r: RayTable,
):
    """Rays through a ``place`` in each pixel (0.5, 0.5: its middle), the first at the top left; cameras look along -z."""
    row, tile = wp.tid()
    k = c.tile[tile][0]
    id = c.id[k]
    size = c.size[k]
    opening = fovy[row_of(row, fovy.shape[0]), id]
    plane = image_plane(size, opening, sensor[id], intrinsic[row_of(row, intrinsic.shape[0]), id])
    if projection[id] == MjtProjection.ORTHOGRAPHIC:
        across = opening * float(size[0]) / float(size[1])
        plane = wp.vec4(-0.5 * across, 0.5 * opening, across, opening)
    # the rays of the tile, and their sum
    first = wp.vec2i(c.tile[tile][1], c.tile[tile][2])
    sum = wp.vec3()
    low = wp.vec3(1.0e30, 1.0e30, 0.0)
    high = wp.vec3(-1.0e30, -1.0e30, 0.0)
    for y in range(first[1], wp.min(first[1] + TILE, size[1])):
        for x in range(first[0], wp.min(first[0] + TILE, size[0])):
            u = plane[0] + plane[2] * (float(x) + place[0]) / float(size[0])
            v = plane[1] - plane[3] * (float(y) + place[1]) / float(size[1])
            way = wp.normalize(wp.vec3(u, v, -1.0))
            offset = wp.vec3()
            if projection[id] == MjtProjection.ORTHOGRAPHIC:
                way = wp.vec3(0.0, 0.0, -1.0)
                offset = wp.vec3(u, v, 0.0)
            r.way[row, c.start[k] + y * size[0] + x] = way
            r.offset[row, c.start[k] + y * size[0] + x] = offset
            sum += way
            low = wp.min(low, offset)
            high = wp.max(high, offset)
    # the cone about them
    axis = wp.normalize(sum)
    least = float(1.0)
    for y in range(first[1], wp.min(first[1] + TILE, size[1])):
        for x in range(first[0], wp.min(first[0] + TILE, size[0])):
            least = wp.min(least, wp.dot(axis, r.way[row, c.start[k] + y * size[0] + x]))
    middle = 0.5 * (low + high)
    r.axis[row, tile] = wp.vec4(axis[0], axis[1], axis[2], least - WIDER)
    r.base[row, tile] = wp.vec4(middle[0], middle[1], middle[2], wp.length(high - middle))
