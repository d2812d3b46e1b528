"""Sweep and prune tables: filters by geom in place of a list of candidate pairs."""

import numpy as np

from newtonlite.core.errors import CapacityError
from newtonlite.core.mujoco import MjtDisableBit, MjtGeom
from newtonlite.solvers.mujoco.kernels.collide.geom_pairs import NEVER, lower_type_first, welded_groups

MOST_BODIES = 2**15
MOST_GEOMS = 2**15  # of one body


def sweep_lists(mj) -> dict:
    """Values of the ``sap_`` fields. Raises CapacityError for more bodies, or geoms of one body, than an order of
    contacts has bits for.
    """
    body = np.asarray(mj.geom_bodyid, np.int64)
    weld, anchor, moves = welded_groups(mj)
    first = np.searchsorted(body, np.arange(int(mj.nbody)))
    local = np.arange(len(body)) - first[body]
    if int(mj.nbody) > MOST_BODIES or local.max(initial=0) >= MOST_GEOMS:
        raise CapacityError(
            f"{mj.nbody} bodies, one with {local.max(initial=0) + 1} geoms: the broad phase orders up to {MOST_BODIES} of each"
        )
    checked = not int(mj.opt.disableflags) & MjtDisableBit.FILTERPARENT
    hangs_on = np.where(checked & (weld != 0) & (anchor != 0), anchor, -1)
    masks = [
        np.asarray(getattr(mj, name)).astype(np.int64).astype(np.int32) for name in ("geom_contype", "geom_conaffinity")
    ]
    meets = np.flatnonzero((masks[0] | masks[1]) != 0)
    explicit = np.stack([np.asarray(mj.pair_geom1), np.asarray(mj.pair_geom2)], axis=1).astype(np.int64).reshape(-1, 2)
    apart = _apart(mj, body, meets, explicit)
    kinds = np.sort(np.asarray(mj.geom_type)[explicit], axis=1)
    never = np.array([tuple(k) in NEVER for k in kinds.tolist()], bool).reshape(-1, 1)
    return {
        "sap_geom": meets,
        "sap_filter": np.stack([2 * weld[body] + moves[body], hangs_on[body], *masks], axis=1),
        "sap_body": np.stack([body, local], axis=1),
        "sap_first": first,
        "sap_excluded": apart,
        "sap_pair": np.where(never, -1, lower_type_first(mj, explicit)),
        "nsap": len(meets),
        "nprunegeom": len(body),
        "nprunebody": int(mj.nbody),
        "nprunepart": len(apart),
        "nprunepair": len(explicit),
    }


def no_sweep() -> dict:
    """The same where candidates are listed."""
    names = ("nsap", "nprunegeom", "nprunebody", "nprunepart", "nprunepair")
    lists = ("sap_geom", "sap_filter", "sap_body", "sap_first", "sap_excluded", "sap_pair")
    return {**dict.fromkeys(lists), **dict.fromkeys(names, 0)}


def _apart(mj, body, meets, explicit) -> np.ndarray:
    """Geom pairs [n, 2] that excludes, explicit pairs and ``mj.geom_exclude`` take out, lower geom first, sorted."""
    found = [explicit, np.asarray(getattr(mj, "geom_exclude", np.zeros((0, 2))), np.int64).reshape(-1, 2)]
    for signature in np.asarray(mj.exclude_signature).astype(np.int64).tolist():
        one, two = (meets[body[meets] == b] for b in (signature >> 16, signature & 0xFFFF))
        found.append(np.stack(np.meshgrid(one, two), axis=-1).reshape(-1, 2))
    return np.unique(np.sort(np.concatenate(found), axis=1), axis=0)


def pair_types(mj) -> np.ndarray:
    """Pairs of geom types [n, 2], lower type first, that may collide, masks and bodies aside."""
    meets = (np.asarray(mj.geom_contype) | np.asarray(mj.geom_conaffinity)) != 0
    kinds = np.unique(np.asarray(mj.geom_type)[meets])
    dynamic = [(a, b) for a in kinds for b in kinds if a <= b and b > MjtGeom.HFIELD]
    explicit = np.sort(np.asarray(mj.geom_type)[np.stack([mj.pair_geom1, mj.pair_geom2], axis=1).astype(int)], axis=1)
    return np.array([*dynamic, *explicit], int).reshape(-1, 2)


def pair_bound(mj) -> int:
    """An upper bound of how many candidates there are: geoms that move, with every geom."""
    meets = (np.asarray(mj.geom_contype) | np.asarray(mj.geom_conaffinity)) != 0
    moving = int((welded_groups(mj)[2][np.asarray(mj.geom_bodyid, int)] & meets).sum())
    return moving * (int(meets.sum()) - moving) + moving * (moving - 1) // 2
