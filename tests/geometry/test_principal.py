"""Principal axes on the device, beside those of the compiler."""

import numpy as np
import warp as wp

from newtonlite.geometry.principal import principal, principal_double
from newtonlite.math import quat
from tests.tolerance import assert_close


@wp.kernel
def axes_of(tensor: wp.array[wp.mat33d], moments: wp.array[wp.vec3d], quat: wp.array[wp.vec4d]):
    """Principal moments and axes of tensors."""
    i = wp.tid()
    found, axes = principal_double(tensor[i])
    moments[i] = found
    quat[i] = axes


def tensors() -> np.ndarray:
    """Tensors of all orders of moments, some equal, with products of inertia of all sizes."""
    rng = np.random.default_rng(0)
    turn = quat.matrix(quat.normalized(rng.normal(size=(60, 4))))
    moments = rng.uniform(1.0, 2.0, (60, 3))
    moments[20:30, 0] = moments[20:30, 1]
    turned = turn @ (moments[:, :, None] * np.eye(3)) @ np.swapaxes(turn, -1, -2)
    turned[30:] = moments[30:, :, None] * np.eye(3) + 10.0 ** rng.uniform(-9, -2, (30, 1, 1)) * turned[30:]
    return 0.5 * (turned + np.swapaxes(turned, -1, -2))


def test_both_forms_choose_the_same_axes():
    given = tensors()
    moments, quat = (
        wp.zeros(len(given), dtype=wp.vec3d, device="cpu"),
        wp.zeros(len(given), dtype=wp.vec4d, device="cpu"),
    )
    wp.launch(axes_of, len(given), inputs=[wp.array(given, dtype=wp.mat33d, device="cpu"), moments, quat], device="cpu")
    want = [principal(tensor) for tensor in given]
    assert_close(moments.numpy(), [m for m, _ in want], "compiled")
    distinct = np.arange(len(given)) // 10 != 2
    assert_close(quat.numpy()[distinct], np.array([q for _, q in want])[distinct], "compiled")
