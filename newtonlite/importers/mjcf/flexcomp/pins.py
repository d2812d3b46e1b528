"""Pins: which points of a flexcomp, or nodes of its interpolation, stay on the parent body."""

import numpy as np

from newtonlite.importers.mjcf.read import Node


def pinned(node: Node, count: int, grid: tuple[int, ...] | None, dim: int) -> np.ndarray:
    """The points that the pins of a flexcomp hold: bool [count].

    ``grid`` are the numbers of points along the axes by which they have places, the last one fastest; None where they
    have none. Nodes of a surface have places by two numbers as its points do, and the second axis is the fastest: the
    third number is left out, as in MuJoCo (measured).
    """
    found = np.zeros(count, bool)
    for pin in (child for child in node.children if child.tag == "pin"):
        ids = pin.values.get("id", ())
        check(pin, "id", "pinid out of range", ids, count)
        found[np.array(ids, int)] = True
        ends = pin.values.get("range", ())
        if len(ends) % 2:
            raise pin.error("Pin range number must be multiple of 2", "range")
        check(pin, "range", "pinrange out of range", ends, count)
        for first, last in zip(ends[::2], ends[1::2], strict=True):
            found[first : last + 1] = True
        pin_places(pin, found, grid, dim)
    return found


def pin_places(pin: Node, found: np.ndarray, grid: tuple[int, ...] | None, dim: int) -> None:
    """Pin by places on the grid and by ranges of them; in place."""
    places, ranges = pin.values.get("grid", ()), pin.values.get("gridrange", ())
    if not places and not ranges:
        return
    where = "grid" if places else "gridrange"
    if dim == 1:
        raise pin.error("Pin grid(range) cannot be used with dim=1", where)
    if grid is None:
        raise pin.error("Pin grid(range) can only be used with grid or interpolated", where)
    width, grid = dim, grid[:dim]
    lattice = found[: int(np.prod(grid))].reshape(grid)
    if len(places) % width:
        raise pin.error("Pin grid number must be multiple of dim", "grid")
    for at in np.array(places, int).reshape(-1, width):
        if (at < 0).any() or (at >= grid).any():
            raise pin.error("pingrid out of range", "grid")
        lattice[tuple(at)] = True
    if len(ranges) % (2 * width):
        raise pin.error("Pin grid range number of must be multiple of 2*dim", "gridrange")
    for low, high in np.array(ranges, int).reshape(-1, 2, width):
        if (np.minimum(low, high) < 0).any() or (np.maximum(low, high) >= grid).any():
            raise pin.error("pingridrange out of range", "gridrange")
        lattice[tuple(slice(a, b + 1) for a, b in zip(low, high, strict=True))] = True


def check(pin: Node, attr: str, text: str, numbers, count: int) -> None:
    """ParseError for a number of a point that there is not."""
    if numbers and not 0 <= min(numbers) <= max(numbers) < count:
        raise pin.error(f"{text}; there are {count} points", attr)
