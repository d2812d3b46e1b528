"""Lists of dofs with dry friction and joints with limits."""

import numpy as np


def derive(mj) -> dict:
    """Dofs with dry friction and joints with limits."""
    friction = np.flatnonzero(np.asarray(mj.dof_frictionloss) > 0)
    limit = np.flatnonzero(np.asarray(mj.jnt_limited))
    return {
        "friction_dof": friction,
        "limit_jnt": limit,
        "nfriction": len(friction),
        "nlimit": len(limit),
        "rows_joint": len(friction) + 2 * len(limit),
    }
