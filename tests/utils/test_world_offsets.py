"""Places of worlds on a grid."""

import numpy as np

from newtonlite.utils import compute_world_offsets


def test_a_grid_about_the_origin():
    found = compute_world_offsets(4, (2.0, 3.0, 0.0))
    assert found.tolist() == [[-1, -1.5, 0], [1, -1.5, 0], [-1, 1.5, 0], [1, 1.5, 0]]
    lifted = compute_world_offsets(8, (1.0, 1.0, 2.0), "z")
    assert lifted[:, 2].tolist() == [0] * 4 + [2] * 4 and np.allclose(lifted.mean(0)[:2], 0)
    assert np.allclose(compute_world_offsets(8, (1.0, 1.0, 2.0)).mean(0), 0)
    assert (compute_world_offsets(3, (0, 0, 0)) == 0).all() and compute_world_offsets(0, (1, 1, 1)).shape == (0, 3)
