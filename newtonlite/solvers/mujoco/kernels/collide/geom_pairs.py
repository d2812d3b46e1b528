"""Candidate geom pairs: the list of pairs that may ever collide, in the order in which MuJoCo lists contacts."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtDisableBit, MjtGeom
from newtonlite.geometry.contact.colliders import ANALYTIC

TYPE_NAMES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")

CELL = 16
"""Geoms that the sweep compares at once."""

OWN = frozenset(row.types for row in ANALYTIC)
"""Pairs of geom types, lower type first, with a collider of their own."""

CONVEX_TYPES = (MjtGeom.SPHERE, MjtGeom.CAPSULE, MjtGeom.ELLIPSOID, MjtGeom.CYLINDER, MjtGeom.BOX, MjtGeom.MESH)

FIELD_TYPES = (MjtGeom.SPHERE, MjtGeom.CAPSULE, MjtGeom.ELLIPSOID, MjtGeom.CYLINDER, MjtGeom.BOX, MjtGeom.SDF)
"""Types that touch distance fields by a field of their own."""

CONVEX = (
    frozenset(
        {(a, b) for a in CONVEX_TYPES for b in CONVEX_TYPES if a <= b}
        | {(MjtGeom.PLANE, MjtGeom.MESH)}
        | {(MjtGeom.HFIELD, b) for b in CONVEX_TYPES}
        | {(a, MjtGeom.SDF) for a in (MjtGeom.PLANE, MjtGeom.MESH, *FIELD_TYPES)}
    )
    - OWN
)
"""Pairs of types that take the general convex collider, or need hulls."""

COLLIDERS = OWN | CONVEX

NEVER = frozenset(
    {
        (MjtGeom.PLANE, MjtGeom.PLANE),
        (MjtGeom.PLANE, MjtGeom.HFIELD),
        (MjtGeom.HFIELD, MjtGeom.HFIELD),
        (MjtGeom.HFIELD, MjtGeom.SDF),
    }
)
"""Pairs of types that do not collide in MuJoCo either."""


def candidate_pairs(mj) -> dict[str, np.ndarray]:
    """Candidates of a compiled model (or a ``mujoco.MjModel``), ``n`` of them:

    ``cand_geom [n, 2]`` with the lower geom type first, ``cand_pairid [n]`` the explicit ``<pair>`` or -1, and their
    ``cells`` for the sweep.

    Sorted by body pair, explicit pairs first, then by geoms. Two bodies get candidates unless they are welded together,
    neither can move, one is the other's parent (the world as a parent excepted), or an ``<exclude>`` names them; two
    geoms need matching contype and conaffinity, and must not be a row of ``mj.geom_exclude``, if there is one. Explicit
    pairs skip all that, and replace the geoms' own candidate.

    ``mj.geom_pairs`` [n, 2], if there is one, says it all instead: these geoms may touch, and no others.

    Raises ModelError for a pair of types that has no collider.
    """
    body = np.asarray(mj.geom_bodyid, dtype=np.int64)
    explicit = np.stack([np.asarray(mj.pair_geom1), np.asarray(mj.pair_geom2)], axis=1).astype(np.int64).reshape(-1, 2)
    apart = np.asarray(getattr(mj, "geom_exclude", np.zeros((0, 2))), np.int64).reshape(-1, 2)
    stated = getattr(mj, "geom_pairs", None)
    dynamic = _filtered_pairs(mj, body) if stated is None else np.asarray(stated, np.int64).reshape(-1, 2)
    dynamic = _without(dynamic, np.concatenate([explicit, apart]), len(body))
    geom = np.concatenate([explicit, dynamic])
    pairid = np.concatenate([np.arange(len(explicit)), np.full(len(dynamic), -1)])
    geom = lower_type_first(mj, geom)
    kept = _contact_order(geom, pairid, body, by_type=not int(mj.opt.disableflags) & MjtDisableBit.MIDPHASE)
    kept = kept[_with_colliders(mj, geom[kept])]
    geom, pairid = geom[kept], pairid[kept]
    return {"cand_geom": geom.astype(np.int32), "cand_pairid": pairid.astype(np.int32), **cells(geom, pairid)}


def cells(geom, pairid) -> dict[str, np.ndarray]:
    """Candidates by cell: one geom against ``CELL`` others whose places in ``cell_geom`` (the geoms of all candidates)
    follow each other; each explicit pair, at the end, in a cell of its own.

    ``cand_cell [ncell, 4]`` (place of the geom, first place of the others, a bit for each other that is a candidate with
    it, where in ``cand_of_cell`` the cell's candidates begin) and ``cand_of_cell [n]``, candidates by cell.
    """
    members, places = np.unique(geom, return_inverse=True)
    one, other = places.reshape(-1, 2).T
    order = np.lexsort((other, one, pairid * (pairid >= 0), pairid >= 0))
    one, other, explicit = one[order], other[order], pairid[order] >= 0
    new = np.diff(one, prepend=-1) | np.diff(other // CELL, prepend=-1)
    starts = np.flatnonzero(explicit | (new != 0))
    masks = np.bitwise_or.reduceat(1 << other % CELL, starts) if len(order) else starts
    table = np.stack([one[starts], other[starts] // CELL * CELL, masks, starts], axis=1)
    arrays = {"cell_geom": members, "cand_cell": table, "cand_of_cell": order}
    return {name: array.astype(np.int32) for name, array in arrays.items()}


def welded_groups(mj) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Welded groups of bodies: the group that each is welded to, the group which that hangs on, and whether it moves.

    With ``mj.bodies_apart`` every body is a group that moves. Bodies that the writer of the state moves
    (``mj.body_prescribed``) do not: no force does.
    """
    if getattr(mj, "bodies_apart", False):
        alone = np.arange(int(mj.nbody))
        return alone, np.full(len(alone), -1), np.ones(len(alone), bool)
    weld = np.asarray(mj.body_weldid)
    anchor = weld[np.asarray(mj.body_parentid)[weld]]
    prescribed = np.asarray(getattr(mj, "body_prescribed", np.zeros(len(weld))), bool)
    return weld, anchor, (weld != 0) & (np.asarray(mj.body_dofnum)[weld] > 0) & ~prescribed[weld]


def _filtered_pairs(mj, body) -> np.ndarray:
    """Geom pairs ``[n, 2]`` that pass MuJoCo's filters, lower geom first."""
    weld, anchor, moves = welded_groups(mj)
    check_parents = not int(mj.opt.disableflags) & MjtDisableBit.FILTERPARENT
    contype = np.asarray(mj.geom_contype).astype(np.int64)
    conaffinity = np.asarray(mj.geom_conaffinity).astype(np.int64)
    excluded = np.asarray(mj.exclude_signature).astype(np.int64)
    groups, found = weld[body], [np.zeros((0, 2), np.int64)]
    for g in range(len(body) - 1):
        other = np.arange(g + 1, len(body))
        b1, b2, w1, w2 = body[g], body[other], groups[g], groups[other]
        keep = (w1 != w2) & (moves[b1] | moves[b2])
        keep &= ((contype[g] & conaffinity[other]) | (contype[other] & conaffinity[g])) != 0
        if check_parents:
            keep &= (w1 == 0) | (w2 == 0) | ((w1 != anchor[w2]) & (w2 != anchor[w1]))
        keep &= ~np.isin((np.minimum(b1, b2) << 16) + np.maximum(b1, b2), excluded)
        found.append(np.stack([np.full(keep.sum(), g), other[keep]], axis=1))
    return np.concatenate(found)


def _without(pairs, taken, ngeom) -> np.ndarray:
    """``pairs`` that are not among ``taken``, whichever geom is named first."""
    key = pairs.min(axis=1, initial=ngeom) * ngeom + pairs.max(axis=1, initial=0)
    return pairs[~np.isin(key, taken.min(axis=1, initial=ngeom) * ngeom + taken.max(axis=1, initial=0))]


def _contact_order(geom, pairid, body, by_type: bool) -> np.ndarray:
    """Sorting by lower body, higher body, explicit pairs as numbered, then geoms as they stand in the pair; not
    ``by_type``, which is without MuJoCo's midphase, by the lower body's geom, then the higher body's.
    """
    bodies = np.sort(body[geom], axis=1)
    rank = np.where(pairid >= 0, pairid, len(pairid))
    if not by_type:
        geom = np.where(body[geom[:, :1]] > body[geom[:, 1:]], geom[:, ::-1], geom)
    return np.lexsort((geom[:, 1], geom[:, 0], rank, bodies[:, 1], bodies[:, 0]))


def lower_type_first(mj, geom) -> np.ndarray:
    """Geom pairs [n, 2] turned so that the lower type comes first."""
    kind = np.asarray(mj.geom_type)[geom]
    return np.where((kind[:, :1] > kind[:, 1:]), geom[:, ::-1], geom)


def _with_colliders(mj, geom) -> np.ndarray:
    """Mask of the pairs that have a collider; raises for those that ought to."""
    kind = np.asarray(mj.geom_type)[geom]
    types, which = np.unique(kind, axis=0, return_inverse=True)
    has = np.array([tuple(t) in COLLIDERS for t in types.tolist()], dtype=bool)
    missing = [i for i, t in enumerate(types.tolist()) if tuple(t) not in COLLIDERS | NEVER]
    if missing:
        example = geom[np.flatnonzero(which.reshape(-1) == missing[0])[0]]
        pairs = ", ".join("-".join(TYPE_NAMES[k] for k in types[i]) for i in missing)
        raise ModelError(
            f"geoms {_name(mj, example[0])} and {_name(mj, example[1])}: no collider for {pairs}; change a geom's type, or "
            "keep such geoms apart with contype/conaffinity or <contact><exclude>"
        )
    return has[which.reshape(-1)] if len(geom) else np.zeros(0, bool)


def _name(mj, geom) -> str:
    """A geom's name in quotes, or its number."""
    names = getattr(mj, "names_geom", None)
    name = names[geom] if names is not None else mj.geom(int(geom)).name
    return f"{name!r}" if name else f"#{geom}"
