"""Cut cells: integrals over a body are those of its parts, whatever cells it is cut into."""

import numpy as np
import pytest

from newtonlite.geometry.flex.cells import CellGrid, whole_masses
from newtonlite.geometry.flex.cut_cells import OUTSIDE, cell_parts, fills, gradient_forms, node_shares, whole_form
from newtonlite.geometry.flex.grids import grid
from newtonlite.geometry.flex.shells import box_elements, project, shell
from tests.tolerance import tolerance

BALL = shell((5, 5, 5), closed=True)
POINTS = np.concatenate([np.zeros((1, 3)), project("ellipsoid", BALL, (0.1, 0.2, 0.15))])
SOLID = box_elements(BALL, solid=True)
INWARD = np.linalg.det(POINTS[SOLID[:, 1:]])[:, None] < 0
SURFACE = np.where(INWARD, SOLID[:, [1, 3, 2]], SOLID[:, 1:])
CLOSE = tolerance("compiled")


@pytest.mark.parametrize("cells", [(1, 1, 1), (2, 1, 3), (3, 3, 3)])
@pytest.mark.parametrize("elements", [SOLID, SURFACE], ids=["tetrahedra", "surface"])
def test_parts_of_a_body_have_its_volume_and_lie_in_their_cells(cells, elements):
    around = CellGrid.around(POINTS, cells, 1)
    parts = cell_parts(around, POINTS, elements)
    whole = cell_parts(CellGrid.around(POINTS, (1, 1, 1), 1), POINTS, SOLID)
    assert parts.volumes.sum() == pytest.approx(whole.volumes.sum(), rel=CLOSE)
    place = (parts.corners - around.low) / around.size * cells
    own = np.stack(np.unravel_index(parts.cells, cells), -1)[:, None]
    assert (place > own - CLOSE).all() and (place < own + 1 + CLOSE).all()


@pytest.mark.parametrize("order", [1, 2])
def test_a_block_that_fills_its_grid_has_the_integrals_of_whole_cells(order):
    points, elements = grid(3, (3, 2, 3), (0.1, 0.2, 0.3))
    around = CellGrid.around(points, (2, 1, 1), order)
    parts = cell_parts(around, points, elements)
    assert fills(around, parts)
    shares, touched = node_shares(around, parts)
    np.testing.assert_allclose(shares / around.size.prod(), whole_masses(around), atol=CLOSE)
    assert touched.all()
    form = whole_form(around)
    np.testing.assert_allclose(gradient_forms(around, parts), [form, form], atol=CLOSE * np.abs(form).max())


def test_forces_of_a_cut_cell_have_no_sum_and_what_is_outside_is_soft():
    around = CellGrid.around(POINTS, (1, 1, 1), 1)
    parts = cell_parts(around, POINTS, SOLID)
    form = gradient_forms(around, parts)[0].reshape(8, 3, 8, 3)
    assert np.abs(form.sum(2)).max() < CLOSE * np.abs(form).max()
    inside = parts.volumes.sum() / around.size.prod()
    slopes = np.einsum("iaib->ab", form)
    assert OUTSIDE < slopes[0, 0] / np.einsum("iaib->ab", whole_form(around).reshape(8, 3, 8, 3))[0, 0] < 1.0
    assert 0.4 < inside < 0.6
