"""Open surfaces: winding numbers say what is inside; they are whole for a surface without holes."""

import numpy as np

from newtonlite.geometry.flex.cells import CellGrid
from newtonlite.geometry.flex.open_surfaces import cell_points, winding
from newtonlite.geometry.flex.shells import box_elements, project, shell
from tests.tolerance import tolerance

CUBE = shell((3, 3, 3), closed=True)
POINTS = np.concatenate([np.zeros((1, 3)), project("box", CUBE, (0.1, 0.1, 0.1))])
FACES = box_elements(CUBE, solid=True)[:, 1:]


def outward() -> np.ndarray:
    """Triangles of the cube, all turned alike."""
    corners = POINTS[FACES]
    inward = np.linalg.det(corners) < 0
    return np.where(inward[:, None], FACES[:, [0, 2, 1]], FACES)


def test_a_closed_surface_winds_once_around_what_is_inside():
    low, high = POINTS.min(0), POINTS.max(0)
    asked = np.array([low + 0.3 * (high - low), high + 0.1, low - 0.2])
    np.testing.assert_allclose(np.abs(winding(asked, POINTS[outward()])), [1, 0, 0], atol=tolerance("compiled"))


def test_a_cube_without_some_triangles_still_has_all_its_points_inside():
    around = CellGrid.around(POINTS, (2, 1, 1), 1)
    found = cell_points(around, POINTS, outward()[3:], np.ones(2, bool))
    assert found.inside.mean() > 0.9
    assert found.reached.all()
