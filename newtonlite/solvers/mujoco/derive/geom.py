"""Geom pairs that may touch, and the contacts they can make."""

import numpy as np

from newtonlite.solvers.mujoco.derive.sensor import sensor_geom_pairs
from newtonlite.geometry.contact.convex.ground import MOST_GROUND_HITS
from newtonlite.solvers.mujoco.enums import BOX, CAPSULE, CYLINDER, ELLIPSOID, HFIELD, MESH, PLANE, SPHERE
from newtonlite.solvers.mujoco.kernels.collide.candidates import CONVEX, candidate_pairs


def derive(mj) -> dict:
    """Candidates, how many there are with boxes, most contacts they can make, most dimensions one contact can have."""
    pairs = candidate_pairs(mj)
    types = np.asarray(mj.geom_type)[np.asarray(pairs["cand_geom"], int).reshape(-1, 2)]
    dims = [1, *np.asarray(mj.geom_condim), *np.asarray(mj.pair_dim)]
    return {
        **pairs,
        "ncandidate": len(pairs["cand_pairid"]),
        "ncell": len(pairs["cand_cell"]),
        "nboxpair": np.sum((types[:, 0] != PLANE) & (types[:, 1] == BOX)),
        "nground": np.sum(types[:, 0] == HFIELD),
        "nconvexpair": sum(tuple(t) in CONVEX for t in types.tolist()) + len(sensor_geom_pairs(mj)),
        "max_contacts": most_contacts(types).sum(),
        "max_condim": max(dims),
    }


def most_contacts(types) -> np.ndarray:
    """Most contacts that pairs of geom types ``[n, 2]``, lower type first, can have."""
    round_ = (types == SPHERE).any(1) | (types == ELLIPSOID).any(1)
    faces = np.isin(types, (CYLINDER, BOX, MESH))
    cases = [(types == HFIELD).any(1), (types == (BOX, BOX)).all(1), round_, (types == CAPSULE).any(1), faces.any(1)]
    return np.select(cases, [MOST_GROUND_HITS, 8, 1, 2, 4], default=1)
