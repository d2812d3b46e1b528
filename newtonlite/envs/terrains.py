"""Terrains: tiles of rough ground in one height field, columns by kind, rows by difficulty, with places to start from.

A kind is a function ``kind(tile, difficulty, rng)`` that returns heights ``[n, n]`` [m]; ``KINDS`` has them by name.
``Terrain`` puts tiles side by side, in the place of a model's plane.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.geometry.heightfield import Heightfield

DEPTH = 0.5  # of the ground below its lowest point [m]


class Tile(NamedTuple):
    """A square: its points along a side, their distance [m], and the width of the flat middle [m]."""

    n: int
    cell: float
    middle: float

    def coordinates(self) -> tuple:
        """(x, y) of the points from the middle, ``[n, n]`` each, rows along y."""
        axis = (np.arange(self.n) - (self.n - 1) / 2) * self.cell
        return np.meshgrid(axis, axis)

    def ring(self) -> np.ndarray:
        """Distance from the flat middle, in squares."""
        x, y = self.coordinates()
        return np.maximum(np.maximum(np.abs(x), np.abs(y)) - self.middle / 2, 0.0)


def between(low: float, high: float, difficulty: float) -> float:
    """A number that grows with the difficulty, 0 to 1."""
    return low + (high - low) * difficulty


def flat(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """Flat ground."""
    return np.zeros((tile.n, tile.n))


def pyramid_stairs(tile: Tile, difficulty: float, rng, up: bool = True, width: float = 0.4) -> np.ndarray:
    """Steps up to the middle."""
    steps = np.ceil(tile.ring() / width)
    height = between(0.02, 0.18, difficulty) * (steps.max() - steps)
    return height if up else height - height.max()


def inverted_pyramid_stairs(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """Steps down to the middle."""
    return -pyramid_stairs(tile, difficulty, rng)


def random_stairs(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """Steps of random height up to the middle."""
    steps = np.ceil(tile.ring() / 0.4).astype(int)
    rises = rng.uniform(0.3, 1.0, steps.max() + 1) * between(0.04, 0.2, difficulty)
    heights = np.concatenate([np.cumsum(rises[::-1])[::-1][1:], [0.0]])
    return heights[steps]


def open_stairs(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """Steps up to the middle with gaps between them."""
    ring = tile.ring()
    height = pyramid_stairs(tile, difficulty, rng, width=0.5)
    gap = (ring > 0) & (ring % 0.5 < tile.cell)
    return np.where(gap, np.maximum(height - between(0.1, 0.3, difficulty), height.min()), height)


def random_grid(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """Blocks of random height."""
    return _apart(tile, _blocks(tile, 0.45, rng, between(0.02, 0.2, difficulty)))


def tilted_grid(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """Blocks that each lean another way."""
    x, y = tile.coordinates()
    size = 0.6
    i, j = (np.floor((a - a.min()) / size + 1e-9).astype(int) for a in (x, y))
    slopes = rng.uniform(-1, 1, (2, i.max() + 1, j.max() + 1)) * between(0.05, 0.4, difficulty)
    off = [(a - a.min()) - (k + 0.5) * size for a, k in ((x, i), (y, j))]
    return _apart(tile, slopes[0][i, j] * off[0] + slopes[1][i, j] * off[1])


def stepping_stones(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """Stones of random height with gaps between them."""
    x, y = tile.coordinates()
    pitch, gap = between(0.9, 0.5, difficulty), between(0.1, 0.25, difficulty)
    stone = ((x - x.min()) % pitch > gap) & ((y - y.min()) % pitch > gap)
    heights = _blocks(tile, pitch, rng, between(0.0, 0.08, difficulty))
    return _apart(tile, np.where(stone, heights, -0.5), keep_height=True)


def narrow_beams(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """Beams that lead away from the middle, over a pit."""
    x, y = tile.coordinates()
    angle, half = np.arctan2(y, x), between(0.3, 0.1, difficulty)
    nearest = np.round(angle / (np.pi / 4)) * (np.pi / 4)
    beam = np.abs(np.hypot(x, y) * np.sin(angle - nearest)) <= half
    return _apart(tile, np.where(beam, 0.0, -0.5), keep_height=True)


def random_spread(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """Boxes of random place, size and height."""
    x, y = tile.coordinates()
    height = np.zeros_like(x)
    reach = x.max()
    for _ in range(60):
        cx, cy = rng.uniform(-reach, reach, 2)
        wx, wy = rng.uniform(0.15, 0.5, 2)
        inside = (np.abs(x - cx) < wx) & (np.abs(y - cy) < wy)
        height[inside] = np.maximum(height[inside], rng.uniform(0.3, 1.0) * between(0.03, 0.2, difficulty))
    return _apart(tile, height)


def nested_rings(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """Rings around the middle, every other one raised."""
    raised = np.floor(tile.ring() / 0.5).astype(int) % 2 == 1
    return np.where(raised, between(0.03, 0.2, difficulty), 0.0)


def pyramid_sloped(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """A slope up to the middle."""
    ring = tile.ring()
    return between(0.05, 0.6, difficulty) * (ring.max() - ring)


def random_uniform(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """Ground that is rough at random, over a decimetre or two."""
    coarse = rng.uniform(-1, 1, (tile.n // 2 + 2, tile.n // 2 + 2)) * between(0.01, 0.08, difficulty)
    return _apart(tile, _stretched(coarse, tile.n))


def wave(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """Waves both ways."""
    x, y = tile.coordinates()
    k = 2 * np.pi / (tile.n * tile.cell) * 3
    return _apart(tile, between(0.02, 0.2, difficulty) * 0.5 * (np.sin(k * x) + np.cos(k * y)))


def discrete_obstacles(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """Boxes and pits of a few heights."""
    x, y = tile.coordinates()
    height, reach, most = np.zeros_like(x), x.max(), between(0.04, 0.25, difficulty)
    for _ in range(40):
        cx, cy = rng.uniform(-reach, reach, 2)
        wx, wy = rng.uniform(0.2, 0.8, 2)
        height[(np.abs(x - cx) < wx) & (np.abs(y - cy) < wy)] = rng.choice([-1.0, -0.5, 0.5, 1.0]) * most
    return _apart(tile, height)


def perlin_noise(tile: Tile, difficulty: float, rng) -> np.ndarray:
    """Hills of several sizes, by gradient noise (Perlin 1985)."""
    height = np.zeros((tile.n, tile.n))
    for octave, cells in enumerate((3, 6, 12)):
        height += _gradient_noise(tile.n, cells, rng) / 2**octave
    return _apart(tile, between(0.05, 0.4, difficulty) * height)


def _gradient_noise(n: int, cells: int, rng) -> np.ndarray:
    angle = rng.uniform(0, 2 * np.pi, (cells + 1, cells + 1))
    place = np.linspace(0, cells, n, endpoint=False)
    i = place.astype(int)
    f = place - i
    fade = f**3 * (f * (6 * f - 15) + 10)
    total = np.zeros((n, n))
    for a in (0, 1):
        for b in (0, 1):
            turn = angle[np.ix_(i + a, i + b)]
            dot = np.cos(turn) * (f[:, None] - a) + np.sin(turn) * (f[None] - b)
            total += dot * np.where(a, fade, 1 - fade)[:, None] * np.where(b, fade, 1 - fade)[None]
    return total


def _blocks(tile: Tile, size: float, rng, height: float) -> np.ndarray:
    x, y = tile.coordinates()
    i, j = (np.floor((a - a.min()) / size + 1e-9).astype(int) for a in (x, y))
    return (rng.uniform(-1, 1, (i.max() + 1, j.max() + 1)) * height)[i, j]


def _stretched(coarse: np.ndarray, n: int) -> np.ndarray:
    """Values between those of a coarse grid."""
    place = np.linspace(0, len(coarse) - 1.001, n)
    i = place.astype(int)
    f = place - i
    rows = coarse[i] * (1 - f)[:, None] + coarse[i + 1] * f[:, None]
    return rows[:, i] * (1 - f) + rows[:, i + 1] * f


def _apart(tile: Tile, height: np.ndarray, keep_height: bool = False) -> np.ndarray:
    """Heights with a flat middle, at the mean of what it replaces, or at zero."""
    inside = tile.ring() <= 0
    return np.where(inside, 0.0 if keep_height else np.clip(height[inside].mean(), height.min(), height.max()), height)


KINDS = {
    f.__name__: f
    for f in (
        flat,
        pyramid_stairs,
        inverted_pyramid_stairs,
        random_grid,
        random_spread,
        open_stairs,
        random_stairs,
        stepping_stones,
        narrow_beams,
        tilted_grid,
        nested_rings,
        pyramid_sloped,
        random_uniform,
        wave,
        discrete_obstacles,
        perlin_noise,
    )
}


@dataclass
class Terrain:
    """Tiles of ``size`` [m]: a column for each of ``kinds`` (names, or functions of one's own), ``rows`` of rising
    difficulty, a flat border around.

    ``heights`` ``[ny, nx]`` [m], columns of tiles along y, rows along x; ``origins`` ``[rows, kinds, 3]`` the middles
    of the tiles; ``patches`` ``[rows, kinds, n, 3]`` flat places to start from. ``max_init_level``: the highest row
    that worlds start in.
    """

    kinds: tuple = tuple(KINDS)
    rows: int = 5
    size: float = 8.0
    cell: float = 0.1
    border: float = 4.0
    middle: float = 1.6
    seed: int = 0
    max_init_level: int | None = None
    patch_count: int = 8
    patch_radius: float = 0.3
    patch_roughness: float = 0.05

    def __post_init__(self):
        n = round(self.size / self.cell)
        if self.rows < 1 or not self.kinds or n < 8:
            raise ModelError(
                f"Terrain: {self.rows} rows of {len(self.kinds)} kinds with {n} points a side; expected at least 1, 1 and 8"
            )
        kinds = [self._kind(k) for k in self.kinds]
        tile, edge = Tile(n, self.cell, self.middle), round(self.border / self.cell)
        self.heights = np.zeros((len(kinds) * n + 2 * edge, self.rows * n + 2 * edge))
        self.origins, self.patches = (
            np.zeros((self.rows, len(kinds), 3)),
            np.zeros((self.rows, len(kinds), self.patch_count, 3)),
        )
        self.half = np.array([(s - 1) * self.cell / 2 for s in self.heights.shape[::-1]])  # along x, y
        for row in range(self.rows):
            for column, kind in enumerate(kinds):
                rng = np.random.default_rng([self.seed, row, column])
                made = np.asarray(kind(tile, row / max(1, self.rows - 1), rng), float)
                y, x = edge + column * n, edge + row * n
                self.heights[y : y + n, x : x + n] = made
                corner = np.array([x, y]) * self.cell - self.half
                self.origins[row, column] = [*(corner + (n - 1) / 2 * self.cell), made[n // 2, n // 2]]
                self.patches[row, column] = self._flat_patches(made, corner, rng)

    def _kind(self, kind):
        if callable(kind):
            return kind
        if kind not in KINDS:
            raise ModelError(f"Terrain: no kind is called {kind!r}; there are: {', '.join(KINDS)}")
        return KINDS[kind]

    def _flat_patches(self, made: np.ndarray, corner: np.ndarray, rng) -> np.ndarray:
        """Places around which the ground differs little; the middle where there are none."""
        from scipy.ndimage import maximum_filter, minimum_filter

        width = 2 * round(self.patch_radius / self.cell) + 1
        rough = maximum_filter(made, width) - minimum_filter(made, width)
        edge = width // 2
        inner = np.zeros_like(made, bool)
        inner[edge:-edge, edge:-edge] = True
        found = np.argwhere((rough <= self.patch_roughness) & inner)
        if not len(found):
            found = np.array([[len(made) // 2, len(made) // 2]])
        y, x = found[rng.integers(len(found), size=self.patch_count)].T
        return np.column_stack([x * self.cell + corner[0], y * self.cell + corner[1], made[y, x]])

    def heightfield(self) -> Heightfield:
        """The ground as a height field around the origin."""
        field = Heightfield(self.heights, *self.heights.shape, hx=self.half[0], hy=self.half[1])
        field.base = DEPTH
        return field
