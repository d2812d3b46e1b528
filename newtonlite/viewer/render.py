"""Renderer: rays through each pixel, averaged light, tone mapping."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.geometry.kinds import SHEET
from newtonlite.viewer.camera import Camera
from newtonlite.viewer.light import HORIZON, LIFT, SUN, lit, sky, tiles
from newtonlite.viewer.scene import RayScene, Stage, first_hit

kernel_module(__name__)

BAND = 16
HAZE = wp.constant(0.018)
ALIKE = wp.constant(0.06)  # difference of the first rays of a pixel, in their brightness, that needs no others
GOLDEN = wp.constant(wp.vec2(0.7548776662, 0.5698402910))


@wp.struct
class CameraView:
    """A camera and the size of its picture."""

    origin: wp.vec3
    right: wp.vec3
    up: wp.vec3
    forward: wp.vec3
    pixel: float
    width: int
    height: int
    side: int


@wp.func
def fraction(x: float) -> float:
    """The part behind the point."""
    return x - wp.floor(x)


@wp.func
def dither(row: int, column: int) -> float:
    """A number of [0, 1) for each pixel, far from those of its neighbours (Jimenez's interleaved gradient noise)."""
    return fraction(52.9829189 * fraction(0.06711056 * float(column) + 0.00583715 * float(row)))


@wp.func
def mirrored(scene: RayScene, p: wp.vec3, n: wp.vec3, direction: wp.vec3) -> wp.vec3:
    """Reflection of a polished floor: its mirror image, faint from above, stronger at a slant (Schlick)."""
    away = direction - 2.0 * wp.dot(direction, n) * n
    share = 0.05 + 0.5 * wp.pow(1.0 - wp.max(wp.dot(away, n), 0.0), 5.0)
    seen = first_hit(scene, p + LIFT * n, away)
    if seen.shape < 0:
        return share * sky(away)
    bright = 0.25 + 0.55 * wp.max(wp.dot(seen.normal, SUN), 0.0)
    return share * bright * wp.cw_mul(scene.color[seen.shape], wp.vec3(1.6, 1.5, 1.4))


@wp.func
def radiance(scene: RayScene, origin: wp.vec3, direction: wp.vec3, pixel: float, u: float, v: float) -> wp.vec3:
    """Light that comes along a ray from the camera."""
    seen = first_hit(scene, origin, direction)
    if seen.shape < 0:
        return sky(direction)
    p = origin + seen.t * direction
    color = scene.color[seen.shape]
    gloss = float(0.16)
    if scene.kind[seen.shape] == SHEET:
        slant = wp.max(-wp.dot(seen.normal, direction), 0.02)
        local = wp.transform_point(wp.transform_inverse(scene.pose[seen.shape]), p)
        color = tiles(local, pixel * seen.t / slant)
        gloss = 0.03
    light = lit(scene, p, seen.normal, direction, color, gloss, u, v)
    if scene.kind[seen.shape] == SHEET:
        light = light + mirrored(scene, p, seen.normal, direction)
    thick = 1.0 - wp.exp(-wp.pow(HAZE * seen.t, 2.0))
    return wp.lerp(light, HORIZON, thick)


@wp.func
def shown(x: float) -> float:
    """Light to screen: a soft shoulder (Hable's filmic curve as Narkowicz fits it), then the sRGB exponent."""
    y = 0.66 * x
    curve = (y * (2.51 * y + 0.03)) / (y * (2.43 * y + 0.59) + 0.14)
    return 255.0 * wp.pow(wp.clamp(curve, 0.0, 1.0), 1.0 / 2.2) + 0.5


@wp.func
def sample(scene: RayScene, view: CameraView, row: int, column: int, k: int) -> wp.vec3:
    """Light of one of the side x side rays of a pixel: a row of them across its diagonal first, then the others."""
    i = k % view.side
    j = (i + k / view.side) % view.side
    x = (float(column) + (float(i) + 0.5) / float(view.side) - 0.5 * float(view.width)) * view.pixel
    y = (0.5 * float(view.height) - float(row) - (float(j) + 0.5) / float(view.side)) * view.pixel
    direction = wp.normalize(view.forward + x * view.right + y * view.up)
    n = float(i + j * view.side)
    u = fraction(dither(row, column) + n * GOLDEN[0])
    v = fraction(dither(row + 47, column + 17) + n * GOLDEN[1])
    return radiance(scene, view.origin, direction, view.pixel, u, v)


@wp.kernel
def draw(scene: RayScene, view: CameraView, first_row: int, image: wp.array3d[wp.uint8]):
    """One pixel: rays across its diagonal, and where these differ the others of side x side."""
    row, column = wp.tid()
    row = first_row + row
    count = view.side
    total = sample(scene, view, row, column, 0)
    least = total
    most = total
    for k in range(1, view.side):
        light = sample(scene, view, row, column, k)
        total += light
        least = wp.min(least, light)
        most = wp.max(most, light)
    apart = most - least
    if wp.max(apart[0], wp.max(apart[1], apart[2])) > ALIKE * (most[0] + most[1] + most[2]):
        count = view.side * view.side
        for k in range(view.side, count):
            total += sample(scene, view, row, column, k)
    light = total / float(count)
    for c in range(3):
        image[row, column, c] = wp.uint8(shown(light[c]))


def render(stage: Stage, camera: Camera, width: int = 1280, height: int = 720, side: int = 3) -> np.ndarray:
    """A picture [height, width, 3] uint8 of ``stage``, with up to side² rays through each pixel: so many where
    its first ``side`` differ. The same input, the same bits.
    """
    if min(width, height, side) < 1:
        raise ValueError(f"a picture needs at least one pixel and one ray, got {width} x {height}, side {side}")
    image = wp.zeros((height, width, 3), dtype=wp.uint8, device=stage.device)
    view = _view(camera, width, height, side)
    wp.load_module(__name__, device=stage.device)
    if stage.device.is_cuda:
        _draw_rows(stage, view, image, 0, height)
    else:
        _draw_in_bands(stage, view, image)
    return image.numpy()


def _view(camera: Camera, width: int, height: int, side: int) -> CameraView:
    view = CameraView()
    view.origin = wp.vec3(*camera.position)
    view.right, view.up, view.forward = (wp.vec3(*axis) for axis in camera.axes())
    view.pixel = 2.0 * float(np.tan(np.radians(camera.fov) / 2)) / height
    view.width, view.height, view.side = width, height, side
    return view


def _draw_rows(stage: Stage, view: CameraView, image, first: int, count: int) -> None:
    wp.launch(draw, dim=(count, view.width), inputs=[stage.scene, view, first, image], device=stage.device)


def _draw_in_bands(stage: Stage, view: CameraView, image) -> None:
    """On the CPU a launch uses one core and lets go of Python meanwhile: a thread a core, taking the next few rows in
    turn.
    """
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for band in [
            pool.submit(_draw_rows, stage, view, image, first, min(BAND, view.height - first))
            for first in range(0, view.height, BAND)
        ]:
            band.result()
