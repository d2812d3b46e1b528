"""Nodes of interpolation of a flexcomp: a grid over the bounding box of its points, with the masses of their bodies."""

import math
from dataclasses import dataclass

import numpy as np

from newtonlite.core.limits import most
from newtonlite.geometry.flex.cells import CellGrid, shell_nodes, whole_masses
from newtonlite.geometry.flex.cut_cells import cell_parts, fills, is_flat, node_shares, surface_cells
from newtonlite.importers.mjcf.flexcomp.shapes import FlexShape
from newtonlite.importers.mjcf.read import Node


@dataclass
class FlexNodes:
    """Numbers of nodes along the axes, their places [n, 3] in the parent's frame, the last axis fastest, their shares
    in the mass, which of them move nothing, and which cells have a part of a solid (None: a shell, whose faces all have).
    """

    count: tuple[int, int, int]
    places: np.ndarray
    masses: np.ndarray
    idle: np.ndarray
    touched: np.ndarray | None = None


def node_counts(values: dict, order: int, node: Node) -> tuple[int, ...]:
    """Nodes along the axes; ParseError for numbers of cells that make none, or too many."""
    if min(values["cellcount"]) < 1:
        raise node.error("cellcount cannot be 0 in any dimension when interpolation order > 0", "cellcount")
    numbers = math.prod(values["cellcount"]) * (3 * (order + 1) ** 3) ** 2  # the stiffness of all cells
    if numbers > most("numbers"):
        raise node.error(f"{numbers} numbers of stiffness; at most {most('numbers')} are made", "cellcount")
    return tuple(order * cells + 1 for cells in values["cellcount"])


def flex_nodes(shape: FlexShape, values: dict, elasticity: dict, order: int, node: Node) -> FlexNodes:
    """The nodes of a flexcomp whose points are posed; ParseError where those lie in a plane of the grid."""
    grid = CellGrid.around(shape.points, values["cellcount"], order)
    if grid.size.min() <= 0:
        raise node.error(
            "flex grid rotation R0 is not orthonormal: the points lie in a plane; interpolate solids", "dof"
        )
    if elasticity.get("elastic2d", 0):
        on_face = shell_nodes(grid.count)
        shares = on_face * (whole_masses(grid) if order == 2 else 1.0)
        return FlexNodes(grid.count, grid.nodes(), shares, ~on_face)
    return FlexNodes(grid.count, grid.nodes(), *solid_masses(grid, shape))


def solid_masses(grid: CellGrid, shape: FlexShape) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shares [n] of the nodes in the mass of a solid, which of them have no cell that it touches, and the cells it does."""
    parts = cell_parts(grid, shape.points, shape.elements)
    if fills(grid, parts):
        return whole_masses(grid), np.zeros(len(grid.nodes()), bool), np.ones(len(grid.cell_nodes()), bool)
    if is_flat(grid, parts):
        touched = surface_cells(grid, shape.points, shape.elements)
        shares = whole_masses(grid, touched)
    else:
        shares, touched = node_shares(grid, parts)
    idle = np.ones(len(shares), bool)
    idle[grid.cell_nodes()[touched]] = False
    return shares, idle, touched
