"""Geom pairs that may touch, and the contacts they can make."""

import numpy as np

from newtonlite.solvers.mujoco.enums import BOX, CAPSULE, CYLINDER, PLANE
from newtonlite.solvers.mujoco.kernels.collide.candidates import candidate_pairs


def derive(mj) -> dict:
    """Candidates, how many there are with boxes, most contacts they can make, most dimensions one contact can have."""
    pairs = candidate_pairs(mj)
    types = np.asarray(mj.geom_type)[np.asarray(pairs["cand_geom"], int).reshape(-1, 2)]
    most = np.select(
        [(types == (BOX, BOX)).all(1), types[:, 1] == BOX, types[:, 1] == CYLINDER, (types == CAPSULE).any(1)], [8, 4, 4, 2], default=1
    )
    dims = [1, *np.asarray(mj.geom_condim), *np.asarray(mj.pair_dim)]
    return {
        **pairs,
        "ncandidate": len(pairs["cand_pairid"]),
        "ncell": len(pairs["cand_cell"]),
        "nboxpair": np.sum((types[:, 0] != PLANE) & (types[:, 1] == BOX)),
        "max_contacts": most.sum(),
        "max_condim": max(dims),
    }
