"""Terrain blocks and grids of them. Every block covers ``[0, size]`` [m] in x and y; its ground is at z = 0."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.geometry import heightmap_mesh, tessellate
from newtonlite.geometry.tessellate import Triangles

DEEP = 1.0
"""Thickness [m] of the ground."""


def flat(size: np.ndarray, height: float = 0.0) -> Triangles:
    """A rectangle at a height [m]; no thickness."""
    vertices, triangles = tessellate.plane(*size)
    return vertices + [*(0.5 * size), height], triangles


def pyramid_stairs(
    size: np.ndarray, step_width: float = 0.5, step_height: float = 0.1, platform_width: float = 1.0
) -> Triangles:
    """Rings of steps that rise to a platform in the middle, two steps above the one that touches it [m]."""
    check_positive("pyramid_stairs", step_width=step_width, step_height=step_height, platform_width=platform_width)
    room("pyramid_stairs", size, platform_width)
    fitting = int(((size.min() - platform_width) / (2.0 * step_width)) + 1.0e-9)
    parts = [block(0.5 * size, size, -step_height, 0.0)]
    for ring in range(fitting + 1):
        outer = size - 2.0 * ring * step_width
        if outer.min() > platform_width * (1.0 + 1.0e-9):
            parts += frame(0.5 * size, outer, np.minimum(step_width, 0.5 * outer), 0.0, (ring + 1) * step_height)
    parts.append(block(0.5 * size, np.full(2, platform_width), 0.0, (fitting + 2) * step_height))
    return tessellate.join(parts)


def random_grid(
    size: np.ndarray,
    grid_width: float = 0.5,
    grid_height_range: tuple[float, float] = (-0.15, 0.15),
    platform_width: float | None = None,
    seed: int | None = None,
) -> Triangles:
    """Square columns, each with its own height [m] drawn between two; ``platform_width`` changes nothing."""
    check_positive("random_grid", grid_width=grid_width, grid_height_range=DEEP + min(grid_height_range))
    count = (size / grid_width + 1.0e-9).astype(int)
    room("random_grid", size * (1.0 + 1.0e-9), grid_width)
    heights = np.random.default_rng(seed).uniform(*grid_height_range, size=count)
    square = np.full(2, float(grid_width))
    return tessellate.join(
        [block((np.array(at) + 0.5) * square, square, -DEEP, z) for at, z in np.ndenumerate(heights)]
    )


def wave(size: np.ndarray, wave_amplitude: float = 0.3, wave_frequency: float = 2.0, resolution: int = 50) -> Triangles:
    """A product of sines, ``wave_frequency`` half waves along each side, of ``resolution`` points a side; no thickness."""
    check_positive("wave", resolution=resolution - 1)
    unit = np.linspace(0.0, 1.0, resolution)
    sine = np.sin(wave_frequency * np.pi * unit)
    return tessellate.height_grid(size[0] * unit, size[1] * unit, wave_amplitude * np.outer(sine, sine))


def box(size: np.ndarray, box_height: float = 0.5, platform_width: float = 1.5) -> Triangles:
    """A box [m] on the ground."""
    check_positive("box", box_height=box_height, platform_width=platform_width)
    room("box", size, platform_width)
    parts = [block(0.5 * size, size, -DEEP, 0.0), block(0.5 * size, np.full(2, platform_width), 0.0, box_height)]
    return tessellate.join(parts)


def gap(size: np.ndarray, gap_width: float = 0.8, platform_width: float = 1.2) -> Triangles:
    """A platform in the middle with a gap around it [m], bottomless."""
    check_positive("gap", gap_width=gap_width, platform_width=platform_width)
    inner = platform_width + 2.0 * gap_width
    room("gap", size, inner)
    platform = block(0.5 * size, np.full(2, platform_width), -DEEP, 0.0)
    return tessellate.join([*frame(0.5 * size, size, 0.5 * (size - inner), -DEEP, 0.0), platform])


def heightfield(
    size: np.ndarray,
    heightfield: np.ndarray | None = None,
    center_x: float | None = None,
    center_y: float | None = None,
    ground_z: float = 0.0,
) -> Triangles:
    """Heights [nx, ny] [m] as a solid; flat where none are given. The centre is the block's, unless given."""
    if heightfield is None:
        return flat(size)
    centre = [0.5 * s if c is None else c for s, c in zip(size, (center_x, center_y), strict=True)]
    return heightmap_mesh.solid(heightfield, size, tuple(centre), ground_z)


BLOCKS: dict[str, Callable[..., Triangles]] = {
    "flat": flat,
    "pyramid_stairs": pyramid_stairs,
    "random_grid": random_grid,
    "wave": wave,
    "box": box,
    "gap": gap,
    "heightfield": heightfield,
}
"""Types by name; all but the last are the default."""


def grid(shape: tuple[int, int], size: np.ndarray, types: Any, params: dict, seed: int | None) -> Triangles:
    """``shape`` (rows, columns) blocks of ``size`` [2], types in turn; see ``Mesh.create_terrain``."""
    rows, columns = shape
    check_positive("grid_size", rows=rows, columns=columns)
    types = list(BLOCKS)[:-1] if types is None else list(types) if isinstance(types, list | tuple) else [types]
    if not types or not all(callable(kind) or kind in BLOCKS for kind in [*types, *params]):
        raise ModelError(
            f"Mesh.create_terrain: types {[*types, *params]}; known are {', '.join(BLOCKS)}, and functions"
        )
    rng, parts = np.random.default_rng(seed), []
    for place in range(rows * columns):
        kind = types[place % len(types)]
        given = dict(params.get(kind, {}))
        if kind == "random_grid" and seed is not None:
            given.setdefault("seed", int(rng.integers(0, 2**32)))
        vertices, triangles = make(kind, size, given)
        row, column = divmod(place, columns)
        parts.append(
            (np.asarray(vertices) + [column * size[0], row * size[1], 0.0], np.asarray(triangles).reshape(-1, 3))
        )
    return tessellate.join(parts)


def make(kind: Any, size: np.ndarray, given: dict) -> Triangles:
    """One block. Raises ModelError for arguments that its type lacks."""
    if callable(kind):
        return kind(tuple(size.tolist()), **given)
    unknown = given.keys() - inspect.signature(BLOCKS[kind]).parameters.keys() | given.keys() & {"size"}
    if unknown:
        raise ModelError(f"Mesh.create_terrain {kind}: no argument {', '.join(sorted(unknown))}")
    return BLOCKS[kind](size, **given)


def block(centre: np.ndarray, size: np.ndarray, low: float, high: float) -> Triangles:
    """A box over a rectangle [2], between two heights."""
    vertices, triangles = tessellate.box(0.5 * np.array([*size, high - low]), True)
    return vertices + [*centre, 0.5 * (low + high)], triangles


def frame(centre: np.ndarray, outer: np.ndarray, width: np.ndarray, low: float, high: float) -> list[Triangles]:
    """Four boxes around a rectangle: ``outer`` [2] sides, ``width`` [2] across x and y."""
    away = 0.5 * (outer - width)
    along_x, along_y = np.array([outer[0], width[1]]), np.array([width[0], outer[1] - 2.0 * width[1]])
    parts = [block(centre + [0.0, s * away[1]], along_x, low, high) for s in (1, -1)]
    if along_y[1] > 0.0:
        parts += [block(centre + [s * away[0], 0.0], along_y, low, high) for s in (1, -1)]
    return parts


def check_positive(kind: str, **values: float) -> None:
    """ModelError where a value is not finite and positive."""
    for name, value in values.items():
        if not 0.0 < value < np.inf:
            raise ModelError(f"Mesh.create_terrain {kind}: {name} leaves {value:g}; it has to be positive")


def room(kind: str, size: np.ndarray, needed: float) -> None:
    """ModelError where a block is no larger than what it holds."""
    if not min(size) > needed:
        raise ModelError(
            f"Mesh.create_terrain {kind}: {needed:g} m do not fit into a block of {size.tolist()} m; make it larger"
        )
