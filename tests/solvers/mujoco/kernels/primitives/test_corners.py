"""Lower and higher coordinates of two points."""

import numpy as np
import warp as wp

from newtonlite.solvers.mujoco.kernels.primitives.corners import higher, lower


@wp.kernel(module="unique", enable_backward=False)
def corners(a: wp.array[wp.vec3], b: wp.array[wp.vec3], low: wp.array[wp.vec3], high: wp.array[wp.vec3]):
    i = wp.tid()
    low[i] = lower(a[i], b[i])
    high[i] = higher(a[i], b[i])


def test_corners_are_numpys_and_ignore_what_is_no_number_in_the_second(device):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 40, 3)).astype(np.float32)
    b[7] = a[7]
    b[9, 1] = np.nan
    points = [wp.array(p, dtype=wp.vec3, device=device) for p in (a, b, a, b)]
    wp.launch(corners, len(a), points[:2], points[2:], device=device)
    assert np.array_equal(points[2].numpy(), np.fmin(a, b))
    assert np.array_equal(points[3].numpy(), np.fmax(a, b))
