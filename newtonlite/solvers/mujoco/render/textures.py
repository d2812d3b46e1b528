"""Textures of a scene as one array of pixels, and their colours at a point: bilinear, repeated; cubes by direction.

A cube's six sides stand one below the other, in OpenGL's order: right, left, up, down, front, back.
"""

import sys
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtTexture

FLAT = wp.constant(int(MjtTexture["2D"]))


@wp.struct
class Textures:
    """Pixels of all textures, RGBA in the bytes from the lowest; of each its kind, first pixel, width and height."""

    pixel: wp.array(dtype=wp.uint32)
    kind: wp.array(dtype=int)
    start: wp.array(dtype=int)
    size: wp.array(dtype=wp.vec2i)


def texture_pixels(mj: Any, texture: int) -> np.ndarray:
    """Pixels [height, width, channels] of a texture of a compiled model (or a ``mujoco.MjModel``).

    A MjModel may keep the name of a file alone; its package, which the caller has loaded, reads it.
    """
    start = int(mj.tex_adr[texture])
    shape = tuple(int(getattr(mj, f"tex_{name}")[texture]) for name in ("height", "width", "nchannel"))
    if start < 0:
        load = getattr(sys.modules.get("mujoco"), "mj_loadTexture", None)
        if load is None:
            raise ModelError(f"texture {texture}: the model has its file's name and not its pixels; embed them")
        return np.asarray(load(mj, texture)[0])
    return np.asarray(mj.tex_data, np.uint8).ravel()[start : start + int(np.prod(shape))].reshape(shape)


def packed(pixels: np.ndarray) -> np.ndarray:
    """Pixels as unsigned integers: grey gets three equal colours, opacity is full where there is none."""
    rgba = np.full((*pixels.shape[:2], 4), 255, np.uint8)
    channels = pixels.shape[2]
    rgba[..., : max(channels, 3) if channels != 2 else 3] = pixels[..., :1] if channels < 3 else pixels
    return rgba.reshape(-1, 4).view(np.uint32).ravel()


def textures_of(mj: Any, wanted: bool, device: Any) -> Textures:
    """Textures of a model; with ``wanted`` False the table is empty."""
    count = int(getattr(mj, "ntex", 0)) if wanted else 0
    images = [texture_pixels(mj, i) for i in range(count)]
    t = Textures()
    parts = [packed(image) for image in images]
    t.pixel = wp.array(np.concatenate([np.zeros(0, np.uint32), *parts]), dtype=wp.uint32, device=device)
    t.kind = wp.array(np.asarray([int(mj.tex_type[i]) for i in range(count)], np.int32), dtype=int, device=device)
    t.start = wp.array(np.cumsum([0, *map(len, parts)])[:-1].astype(np.int32), dtype=int, device=device)
    sizes = np.array([image.shape[1::-1] for image in images], np.int32).reshape(-1, 2)
    t.size = wp.array(sizes, dtype=wp.vec2i, device=device)
    return t


def skybox_of(mj: Any) -> int:
    """Number of the texture of the sky, -1 where a model has none."""
    kinds = np.asarray(getattr(mj, "tex_type", ()), int)
    found = np.flatnonzero(kinds == MjtTexture.SKYBOX)
    return int(found[0]) if len(found) else -1


@wp.func
def texel(t: Textures, at: int) -> wp.vec3:
    """Colour of a pixel, 0 to 255."""
    p = t.pixel[at]
    return wp.vec3(
        float(p & wp.uint32(255)), float((p >> wp.uint32(8)) & wp.uint32(255)), float((p >> wp.uint32(16)) & wp.uint32(255))
    )


@wp.func
def wrapped(i: int, n: int, repeat: bool) -> int:
    """A column or row within a picture: repeated, or that of the rim."""
    if repeat:
        if i < 0:
            return i + n
        if i >= n:
            return i - n
        return i
    return wp.clamp(i, 0, n - 1)


@wp.func
def sample(t: Textures, first: int, size: wp.vec2i, uv: wp.vec2, repeat: bool) -> wp.vec3:
    """Colour 0 to 1 at (u, v), from 0 to 1 across a picture: between the middles of four pixels."""
    x = uv[0] * float(size[0]) - 0.5
    y = uv[1] * float(size[1]) - 0.5
    fx = wp.floor(x)
    fy = wp.floor(y)
    a = x - fx
    b = y - fy
    left = wrapped(int(fx), size[0], repeat)
    right = wrapped(int(fx) + 1, size[0], repeat)
    above = first + wrapped(int(fy), size[1], repeat) * size[0]
    below = first + wrapped(int(fy) + 1, size[1], repeat) * size[0]
    top = (1.0 - a) * texel(t, above + left) + a * texel(t, above + right)
    bottom = (1.0 - a) * texel(t, below + left) + a * texel(t, below + right)
    return ((1.0 - b) * top + b * bottom) * (1.0 / 255.0)


@wp.func
def flat_colour(t: Textures, texture: int, uv: wp.vec2) -> wp.vec3:
    """Colour of a picture at (u, v), repeated without end."""
    inside = wp.vec2(uv[0] - wp.floor(uv[0]), uv[1] - wp.floor(uv[1]))
    return sample(t, t.start[texture], t.size[texture], inside, True)


@wp.func
def cube_colour(t: Textures, texture: int, way: wp.vec3) -> wp.vec3:
    """Colour of a cube in a direction, whose axes are those of OpenGL: x right, y up, z towards the viewer's back."""
    x = wp.abs(way[0])
    y = wp.abs(way[1])
    z = wp.abs(way[2])
    side = int(0)
    s = float(0.0)
    v = float(0.0)
    if x >= y and x >= z:
        side = wp.where(way[0] > 0.0, 0, 1)
        s = wp.where(way[0] > 0.0, -way[2], way[2]) / x
        v = -way[1] / x
    elif y >= z:
        side = wp.where(way[1] > 0.0, 2, 3)
        s = way[0] / y
        v = wp.where(way[1] > 0.0, way[2], -way[2]) / y
    elif z > 0.0:
        side = wp.where(way[2] > 0.0, 4, 5)
        s = wp.where(way[2] > 0.0, way[0], -way[0]) / z
        v = -way[1] / z
    size = t.size[texture]
    # a picture that is no column of six is the same on each side
    high = size[1] // 6
    first = t.start[texture]
    if high * 6 == size[1] and high == size[0]:
        first += side * high * size[0]
    else:
        high = size[1]
    return sample(t, first, wp.vec2i(size[0], high), wp.vec2(0.5 * s + 0.5, 0.5 * v + 0.5), False)
