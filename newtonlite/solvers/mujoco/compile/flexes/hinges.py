"""Hinges of shells of cells: bending between faces of the grid that share an edge.

A hinge compares the unit normals of two faces at the middle of their edge with those of the reference, turned with the faces.
"""

import numpy as np

from newtonlite.solvers.mujoco.compile.flexes.bending import rigidity
from newtonlite.solvers.mujoco.compile.flexes.cells import FACES, cell_grid
from newtonlite.solvers.mujoco.compile.flexes.scene import SceneFlex


def hinge_records(flex: SceneFlex, node0: np.ndarray) -> np.ndarray:
    """Their number, then 10 numbers each: both faces, the middle of the edge in either (from 0 to 1 along the axes of the
    face), stiffness D L / H [N m], and the difference of the normals at the reference.
    """
    grid, D = cell_grid(flex, node0), rigidity(flex)
    size, starts = grid.size / np.array(grid.cells), face_starts(grid.cells)
    found = []
    for axis, u, v in FACES:
        for upper in (0, 1):
            for place in np.ndindex(grid.cells[u], grid.cells[v]):
                here = face_number(starts, grid.cells, axis, upper, place)
                for along in (0, 1):
                    for side in (0, 1):
                        other = neighbour(grid.cells, axis, upper, place, along, side)
                        there = face_number(starts, grid.cells, *other)
                        if here < there:
                            record = edge_record(size, axis, upper, along, side, other[0], D)
                            found.append([here, there, *record])
    return np.concatenate([[len(found)], np.array(found, float).ravel()])


def face_starts(cells) -> dict[tuple[int, int], int]:
    """Number of the first face of each side (axis, upper), the lower side of an axis before the upper."""
    starts, count = {}, 0
    for axis, u, v in FACES:
        for upper in (0, 1):
            starts[axis, upper] = count
            count += cells[u] * cells[v]
    return starts


def face_number(starts: dict, cells, axis: int, upper: int, place) -> int:
    """Number of a face at a place on its side, whose second axis is the fastest."""
    return starts[axis, upper] + place[0] * cells[FACES[axis][2]] + place[1]


def neighbour(cells, axis: int, upper: int, place, along: int, side: int) -> tuple[int, int, tuple[int, int]]:
    """The face (axis, upper, place) beyond one of the four edges of a face: on its own side, or about the corner."""
    axes = FACES[axis][1:]
    step = list(place)
    step[along] += 1 if side else -1
    if 0 <= step[along] < cells[axes[along]]:
        return axis, upper, (step[0], step[1])
    other = axes[along]
    cell = {axis: upper * (cells[axis] - 1), axes[1 - along]: place[1 - along]}
    return other, side, (cell[FACES[other][1]], cell[FACES[other][2]])


def edge_record(size: np.ndarray, axis: int, upper: int, along: int, side: int, other: int, D: float) -> list[float]:
    """Middle of the edge in both faces, stiffness, and difference of the normals, which point along their axes."""
    across, edge = FACES[axis][1 + along], FACES[axis][2 - along]
    here, there = [0.5, 0.5], [0.5, 0.5]
    here[along] = float(side)
    if other == axis:
        there[along] = 1.0 - side
        width = size[across]
    else:
        there[FACES[other][1:].index(axis)] = float(upper)
        width = 0.5 * (size[across] + size[axis])
    normals = np.zeros(3)
    normals[axis] += 1.0
    normals[other] -= 1.0
    return [*here, *there, D * size[edge] / width, *normals]
