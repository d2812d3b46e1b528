"""Solver references from stiffness and damping in force space: MuJoCo's (timeconst, dampratio).

A limit or contact that MuJoCo softens by the inverse weight ``w`` of what it holds and by its impedance ``d`` has
stiffness ``k / (w (1 - d))``. Scaling the wanted gains by ``w (1 - d)`` makes it ``ke`` [N/m], whatever the masses are.
The kernel form is ``kernels.state_io.external_contacts.force_space``.
"""

import numpy as np

DEFAULT_SOLREF = (0.02, 1.0)
DEFAULT_SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)


def solref_from_gains(ke, kd, factor=1.0) -> np.ndarray:
    """(timeconst [s], dampratio) [..., 2] of gains scaled by ``factor``; the default where a gain is not positive.

    Positive on purpose: MuJoCo then bounds timeconst by two time steps, which its direct form (negative) would evade.
    """
    ke, kd, factor = np.broadcast_arrays(ke, kd, factor)
    usable = (ke > 0) & (kd > 0) & (factor > 0)
    k, b = np.where(usable, ke * factor, 1.0), np.where(usable, kd * factor, 1.0)
    solref = np.stack([2.0 / b, b / (2.0 * np.sqrt(k))], axis=-1)
    return np.where(usable[..., None], solref, DEFAULT_SOLREF)
