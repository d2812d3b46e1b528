"""Layout of the shown worlds: a grid, side by side, as many as one wants to see."""

import numpy as np


class WorldLayout:
    """Layout of the shown worlds, each moved by an offset.

    ``shown`` [k] worlds in the order of the grid; ``offsets`` [world_count + 1, 3] [m], the last for what is global.
    """

    def __init__(self, world_count: int, spacing):
        self.world_count = max(world_count, 1)
        self.spacing = vector(spacing)
        self.choose(None)

    def choose(self, worlds) -> None:
        """Show these worlds; all of them where None. ValueError for a world that is not there."""
        worlds = np.arange(self.world_count) if worlds is None else np.unique(np.asarray(list(worlds), int))
        if len(worlds) and not (0 <= worlds[0] and worlds[-1] < self.world_count):
            raise ValueError(f"worlds {worlds[0]} to {worlds[-1]} were chosen of {self.world_count}; count from 0")
        self.shown = worlds
        self.place()

    def spread(self, spacing) -> None:
        """Put neighbours ``spacing`` [m] apart: along x and y, or along each axis of a vector [3] that is not 0."""
        self.spacing = vector(spacing)
        self.place()

    def place(self) -> None:
        """Lay the shown worlds out in rows, as square as can be, about the origin."""
        self.offsets = np.zeros((self.world_count + 1, 3), np.float32)
        self.offsets[self.shown] = grid(len(self.shown), self.spacing)
        self.is_shown = np.zeros(self.world_count + 1, bool)
        self.is_shown[self.shown] = True
        self.is_shown[-1] = True

    @property
    def extent(self) -> float:
        """Distance from the middle to the outermost worlds [m]."""
        return float(np.abs(self.offsets).max(initial=0.0))


def vector(spacing) -> np.ndarray:
    """[3] the distance of neighbours along each axis; one number is for x and y."""
    spacing = np.array([spacing, spacing, 0.0] if np.ndim(spacing) == 0 else list(spacing), float)
    if spacing.shape != (3,) or not np.isfinite(spacing).all():
        raise ValueError(f"spacing: expected a distance, or one along each of three axes, got {spacing.tolist()}")
    return spacing


def grid(count: int, spacing: np.ndarray) -> np.ndarray:
    """[count, 3] places of a grid along the axes whose spacing is not 0, about the origin but not below it."""
    axes = np.flatnonzero(spacing)
    places = np.zeros((count, 3), np.float32)
    if not len(axes) or not count:
        return places
    side, number = int(np.ceil(round(count ** (1.0 / len(axes)), 9))), np.arange(count)
    for axis in axes:
        places[:, axis] = (number if axis == axes[-1] else number % side) * spacing[axis]
        number = number // side
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    return places - np.where(np.arange(3) < 2, middle, 0.0).astype(np.float32)


def worlds_named(text: str, world_count: int) -> list[int] | None:
    """The worlds that a text like ``0, 4-7`` means; None for ``all``. ValueError says what is expected."""
    if text.strip().lower() in ("", "all"):
        return None
    chosen: set[int] = set()
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        first, last = natural_number(low), natural_number(high if dash else low)
        if first is None or last is None:
            raise ValueError(f"worlds {text[:80]!r}: expected all, or numbers and ranges like 0, 4-7")
        if not first <= last < world_count:
            raise ValueError(f"worlds {text[:80]!r}: there are worlds 0 to {world_count - 1}")
        chosen |= {*range(first, last + 1)}
    return sorted(chosen)


def natural_number(text: str) -> int | None:
    """The whole number that a text of up to nine ASCII digits is; None for another text."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None
