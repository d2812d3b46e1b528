"""Textures of a scene as one array of pixels, and their colours at a point: bilinear, repeated; cubes by direction.

A texture is kept at several sizes (mipmaps), each half of the one before, and looked up between the two whose pixels
are as large as the picture's: far away, colours are means, as in OpenGL's pictures.

A cube's six sides stand one below the other, in OpenGL's order: right, left, up, down, front, back.
"""

import sys
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtTexture

FLAT = wp.constant(int(MjtTexture["2D"]))
SIDES = 6
LEVELS = 12
"""Sizes that a texture has, at most."""


@wp.struct
class Textures:
    """Pixels of all textures, RGBA in the bytes from the lowest; of each its kind, width, height and number of sides, one
    below the other; first pixel of each level [ntex, LEVELS], and the number of levels.
    """

    pixel: wp.array[wp.uint32]
    kind: wp.array[int]
    size: wp.array[wp.vec3i]
    start: wp.array2d[int]
    levels: wp.array[int]


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


def rgba(pixels: np.ndarray) -> np.ndarray:
    """Pixels [height, width, 4]: grey gets three equal colours, opacity is full where there is none."""
    found = np.full((*pixels.shape[:2], 4), 255, np.uint8)
    channels = pixels.shape[2]
    found[..., : 4 if channels == 4 else 3] = pixels[..., :1] if channels < 3 else pixels
    return found


def pyramid(sides: np.ndarray, most: int) -> list[np.ndarray]:
    """Sides [n, height, width, 4] at their size, half of it, a quarter and so on, at most so many."""
    found = [sides]
    while len(found) < most and max(found[-1].shape[1:3]) > 1:
        big = found[-1].astype(np.uint16)
        rows, columns = (max(n // 2, 1) for n in big.shape[1:3])
        tall, wide = (min(n, 2) for n in big.shape[1:3])
        blocks = big[:, : rows * tall, : columns * wide].reshape(len(big), rows, tall, columns, wide, 4)
        found.append(((blocks.sum(axis=(2, 4)) + tall * wide // 2) // (tall * wide)).astype(np.uint8))
    return found


def textures_of(mj: Any, wanted: bool, mipmaps: bool, device: Any) -> Textures:
    """Textures of a model, with ``mipmaps`` at all sizes; with ``wanted`` False the table is empty."""
    count, parts, first = int(getattr(mj, "ntex", 0)) if wanted else 0, [np.zeros(0, np.uint32)], 0
    sizes, starts, levels = (
        np.zeros((count, 3), np.int32),
        np.zeros((count, LEVELS), np.int32),
        np.zeros(count, np.int32),
    )
    for i in range(count):
        image = rgba(texture_pixels(mj, i))
        # a cube's picture that is no column of six is the same on each side
        cube = int(mj.tex_type[i]) != FLAT and image.shape[0] == SIDES * image.shape[1]
        sides = image.reshape(SIDES if cube else 1, -1, *image.shape[1:])
        sizes[i] = sides.shape[2], sides.shape[1], len(sides)
        for level, part in enumerate(pyramid(sides, LEVELS if mipmaps else 1)):
            starts[i, level], levels[i] = first, level + 1
            parts.append(np.ascontiguousarray(part).reshape(-1, 4).view(np.uint32).ravel())
            first += len(parts[-1])
    t, kinds = Textures(), np.asarray([int(mj.tex_type[i]) for i in range(count)], np.int32)
    t.pixel = wp.array(np.concatenate(parts), dtype=wp.uint32, device=device)
    t.kind, t.size = wp.array(kinds, dtype=int, device=device), wp.array(sizes, dtype=wp.vec3i, device=device)
    t.start, t.levels = wp.array(starts, dtype=int, device=device), wp.array(levels, dtype=int, device=device)
    return t


def skybox_of(mj: Any) -> int:
    """Number of the texture of the sky, -1 where a model has none."""
    kinds = np.asarray(getattr(mj, "tex_type", ()), int)
    found = np.flatnonzero(kinds == MjtTexture.SKYBOX)
    return int(found[0]) if len(found) else -1


@wp.struct
class TextureSheet:
    """A texture: its number, kind, (width, height, sides) and levels. Functions that look one up are given this and the arrays that
    they read, and not the table of all: what is called more than once is given copies.
    """

    id: int
    kind: int
    size: wp.vec3i
    levels: int


@wp.func
def sheet_of(t: Textures, texture: int) -> TextureSheet:
    """A texture by its number."""
    s = TextureSheet()
    s.id = texture
    s.kind = t.kind[texture]
    s.size = t.size[texture]
    s.levels = t.levels[texture]
    return s


@wp.func
def texel(pixel: wp.array[wp.uint32], at: int) -> wp.vec3:
    """Colour of a pixel, 0 to 255."""
    p = pixel[at]
    return wp.vec3(
        float(p & wp.uint32(255)),
        float((p >> wp.uint32(8)) & wp.uint32(255)),
        float((p >> wp.uint32(16)) & wp.uint32(255)),
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
def sample(pixel: wp.array[wp.uint32], first: int, size: wp.vec2i, uv: wp.vec2, repeat: bool) -> wp.vec3:
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
    top = (1.0 - a) * texel(pixel, above + left) + a * texel(pixel, above + right)
    bottom = (1.0 - a) * texel(pixel, below + left) + a * texel(pixel, below + right)
    return ((1.0 - b) * top + b * bottom) * (1.0 / 255.0)


@wp.func
def at_level(
    pixel: wp.array[wp.uint32], start: wp.array2d[int], s: TextureSheet, level: int, side: int, uv: wp.vec2
) -> wp.vec3:
    """Colour of one of a texture's sizes; pictures repeat, the sides of cubes end at their rims."""
    wide = wp.max(s.size[0] >> level, 1)
    high = wp.max(s.size[1] >> level, 1)
    first = start[s.id, level] + wp.min(side, s.size[2] - 1) * wide * high
    return sample(pixel, first, wp.vec2i(wide, high), uv, s.kind == FLAT)


@wp.func
def between_levels(
    pixel: wp.array[wp.uint32], start: wp.array2d[int], s: TextureSheet, side: int, uv: wp.vec2, spread: float
) -> wp.vec3:
    """Colour where a pixel of the picture covers ``spread`` of the texture's pixels across."""
    most = s.levels - 1
    level = float(0.0)
    if most > 0 and spread > 1.0:
        level = wp.min(wp.log2(spread), float(most))
    low = wp.min(int(level), most)
    part = level - float(low)
    rgb = at_level(pixel, start, s, low, side, uv)
    if part > 0.0:
        rgb = (1.0 - part) * rgb + part * at_level(pixel, start, s, wp.min(low + 1, most), side, uv)
    return rgb


@wp.func
def flat_colour(
    pixel: wp.array[wp.uint32], start: wp.array2d[int], s: TextureSheet, uv: wp.vec2, spread: float
) -> wp.vec3:
    """Colour of a picture at (u, v), repeated without end."""
    inside = wp.vec2(uv[0] - wp.floor(uv[0]), uv[1] - wp.floor(uv[1]))
    return between_levels(pixel, start, s, 0, inside, spread)


@wp.func
def cube_colour(
    pixel: wp.array[wp.uint32], start: wp.array2d[int], sheet: TextureSheet, way: wp.vec3, spread: float
) -> wp.vec3:
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
    return between_levels(pixel, start, sheet, side, wp.vec2(0.5 * s + 0.5, 0.5 * v + 0.5), spread)
