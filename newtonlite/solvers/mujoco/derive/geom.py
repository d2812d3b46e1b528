"""Geom pairs: candidates of the broad phase, and the number of contacts each can make."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtEnableBit, MjtGeom, MjtObj, MjtWrap
from newtonlite.geometry.contact.convex.hfield import MOST_GROUND_HITS
from newtonlite.solvers.mujoco.derive.sap import no_sweep, pair_bound, pair_types, sweep_lists
from newtonlite.solvers.mujoco.derive.sensor import sensor_geom_pairs
from newtonlite.solvers.mujoco.kernels.collide.distance_field import MOST_FIELD_HITS
from newtonlite.solvers.mujoco.kernels.collide.geom_pairs import COLLIDERS, CONVEX, NEVER, candidate_pairs

BROAD_PHASES = ("auto", "nxn", "sap")

MOST_LISTED = {"cpu": 2_000_000, "gpu": 20_000}
"""Candidates above which sweeping pays; ``python -m benchmarks broadphase`` measures it."""


def derive(mj, broadphase: str = "auto", kind: str = "cpu") -> dict:
    """Candidates, or what sweeps find them with; how many there are with boxes; most contacts, most dimensions one
    contact can have. ``kind`` of device: ``"cpu"`` or ``"gpu"``.

    Raises ModelError for an unknown broad phase.
    """
    if broadphase not in BROAD_PHASES:
        raise ModelError(f"broadphase: {broadphase!r}; expected one of {', '.join(map(repr, BROAD_PHASES))}")
    found = swept(mj) if sweeps(mj, broadphase, kind) else list_candidates(mj)
    dims = [1, *np.asarray(mj.geom_condim), *np.asarray(mj.pair_dim), *np.asarray(getattr(mj, "flex_condim", ()))]
    sweep = sizes_of_sweep(mj)
    return {**found, **sweep, "max_condim": max(dims), **needed_poses(mj, found["cand_geom"])}


def sizes_of_sweep(mj) -> dict:
    """Whether contacts are foreseen (flag ``speculative``), and for how many geoms."""
    on = int(bool(int(mj.opt.enableflags) & MjtEnableBit.SPECULATIVE))
    return {"nspeculative": on, "nsweptgeom": on * len(mj.geom_type)}


def needed_poses(mj, candidates) -> dict:
    """Order of geoms in which those come first that touch others (``candidates`` [n, 2], or None for all that may; all that may where there are flexes), that
    tendons wrap around, or that sensors name; and how many these are.
    """
    needed = np.zeros(len(mj.geom_type), bool)
    if candidates is None or getattr(mj, "nflex", 0):
        needed |= (np.asarray(mj.geom_contype) != 0) | (np.asarray(mj.geom_conaffinity) != 0)
        needed[np.asarray([*mj.pair_geom1, *mj.pair_geom2], int)] = True
    if candidates is not None:
        needed[np.asarray(candidates, int).ravel()] = True
    if mj.nwrap:
        needed[np.asarray(mj.wrap_objid, int)[np.isin(mj.wrap_type, (MjtWrap.SPHERE, MjtWrap.CYLINDER))]] = True
    if getattr(mj, "nsensor", 0):
        for kind, id in ((mj.sensor_objtype, mj.sensor_objid), (mj.sensor_reftype, mj.sensor_refid)):
            named = np.asarray(id, int)[np.asarray(kind) == MjtObj.GEOM]
            needed[named[named >= 0]] = True
    return {"geom_order": np.argsort(~needed, kind="stable"), "nneededgeom": needed.sum()}


def sweeps(mj, broadphase: str, kind: str) -> bool:
    """Whether candidates are too many to list. Those that the caller states are listed in any case, as are types
    without a collider.
    """
    if getattr(mj, "geom_pairs", None) is not None or broadphase == "nxn":
        return False
    known = all(tuple(t) in COLLIDERS | NEVER for t in pair_types(mj).tolist())
    return known and len(mj.geom_type) > 0 and (broadphase == "sap" or pair_bound(mj) > MOST_LISTED[kind])


def list_candidates(mj) -> dict:
    """A list of all candidates."""
    pairs = candidate_pairs(mj)
    types = np.asarray(mj.geom_type)[np.asarray(pairs["cand_geom"], int).reshape(-1, 2)]
    lengths = {"ncandidate": "cand_pairid", "ncell": "cand_cell", "ncellgeom": "cell_geom"}
    sizes = {size: len(pairs[name]) for size, name in lengths.items()}
    return {**no_sweep(), **pairs, **sizes, **type_counts(mj, types), "max_contacts": most_contacts(types).sum()}


def swept(mj) -> dict:
    """Filters geom by geom, and no list."""
    types = pair_types(mj)
    empty = {
        "cand_geom": None,
        "cand_pairid": None,
        "cand_cell": None,
        "cand_of_cell": None,
        "cell_geom": None,
        "ncandidate": 0,
        "ncell": 0,
        "ncellgeom": 0,
    }
    most = min(pair_bound(mj) + len(mj.pair_geom1), 2**24) * most_contacts(types).max(initial=0)
    return {**empty, **sweep_lists(mj), **type_counts(mj, types), "max_contacts": most}


def type_counts(mj, types) -> dict:
    """Numbers of pairs that each collider is for, from pairs of types [n, 2], lower type first; pairs of sensors count
    too where they use a collider.
    """
    sensed = np.asarray(mj.geom_type)[sensor_geom_pairs(mj)]
    measured = np.concatenate([types, sensed])
    return {
        "nboxpair": np.sum((types[:, 0] != MjtGeom.PLANE) & (types[:, 1] == MjtGeom.BOX)),
        "nroundpair": np.sum(
            np.isin(measured[:, 0], (MjtGeom.PLANE, MjtGeom.SPHERE))
            & np.isin(measured[:, 1], (MjtGeom.ELLIPSOID, MjtGeom.CYLINDER))
        ),
        "nhfieldpair": np.sum(types[:, 0] == MjtGeom.HFIELD),
        "nhfielddeep": bool(getattr(mj, "ground_deepest", False)) and bool((types[:, 0] == MjtGeom.HFIELD).any()),
        "nfieldpair": np.sum((types[:, 1] == MjtGeom.SDF) & (types[:, 0] != MjtGeom.PLANE)),
        "nconvexpair": sum(tuple(t) in CONVEX for t in types.tolist()) + len(sensed),
    }


def most_contacts(types) -> np.ndarray:
    """Most contacts that pairs of geom types ``[n, 2]``, lower type first, can have."""
    round_ = (types == MjtGeom.SPHERE).any(1) | (types == MjtGeom.ELLIPSOID).any(1)
    faces = np.isin(types, (MjtGeom.CYLINDER, MjtGeom.BOX, MjtGeom.MESH, MjtGeom.SDF))
    fields = (types[:, 1] == MjtGeom.SDF) & (types[:, 0] != MjtGeom.PLANE)
    cases = [
        fields,
        (types == MjtGeom.HFIELD).any(1),
        (types == (MjtGeom.BOX, MjtGeom.BOX)).all(1),
        round_,
        (types == MjtGeom.CAPSULE).any(1),
        faces.any(1),
    ]
    return np.select(cases, [MOST_FIELD_HITS, MOST_GROUND_HITS, 8, 1, 2, 4], default=1)
