"""Groups of contacts of flexes, in MuJoCo's order: what may touch what, and the elements that take part."""

import numpy as np

from newtonlite.core.mujoco import MjtDisableBit, MjtGeom
from newtonlite.geometry.contact.convex.hfield import MOST_GROUND_HITS
from newtonlite.geometry.contact.element.triangle import MOST_ELEMENT_HITS
from newtonlite.solvers.mujoco.derive.box_order import box_order
from newtonlite.solvers.mujoco.derive.ipc import asks, is_kept_apart, keeps_apart, surfaces
from newtonlite.solvers.mujoco.derive.ragged import flattened, padded, starts
from newtonlite.solvers.mujoco.derive.rod_records import is_flat

VERTICES, FIELD, CLOSED_FORM, CONVEX, OTHER_FLEX, SELF, SWEEP = range(7)
NO_SELF, NARROW, BVH, SAP, AUTO = range(5)
"""mjtFlexSelf."""
BLOCK = 16
"""Elements in a box of elements."""
BORDER = 1e-6
"""Distance, in cells, up to which a vertex is on the border between two."""
LEFT = 50
"""Contacts of a reduced pair that stay (mjMAXCONPAIR)."""
MOST_BOX_HITS = 8
"""Hits of two boxes at most."""
PAIRED = (OTHER_FLEX, SELF)
"""Kinds of groups whose elements are found by blocks of both sides."""
NEAR_BLOCKS = 32
"""Near blocks of a block, on average, that fit; what has more meets all of the other flex."""
NONE = {
    "nflexgroup": 0,
    "nflexconvex": 0,
    "nflexfield": 0,
    "nflexground": 0,
    "nflextree": 0,
    "nflexpassive": 0,
    "nflexspringy": 0,
    "nflexpair": 0,
    "nflexsweep": 0,
    "nflexreduce": 0,
    "nflexactive": 0,
    "nflexblock": 0,
    "nflexnear": 0,
    "nflexpairblock": 0,
    "nflexnearblock": 0,
    "nflexsweepelem": 0,
    "nflexsweepside": 0,
    "nflexsweepplace": 0,
    "nflexreducehit": 0,
    "nelementhit": 0,
    "nflexselfcell": 0,
    "most_flexcontacts": 0,
}
"""Sizes of a model without contacts of flexes."""


def derive(mj) -> dict:
    """Groups, active elements, and sizes of what is found by them."""
    if not getattr(mj, "nflex", 0):
        return dict(NONE)
    groups = contact_groups(mj)
    active = [active_elements(mj, f) for f in range(int(mj.nflex))]
    number = np.array([len(a) for a in active])
    blocks = -(-number // BLOCK)
    kinds = np.array([g[0] for g in groups], int)
    paired = bool(np.isin(kinds, PAIRED).any())
    grounds = [g for g in groups if g[0] == CONVEX and mj.geom_type[g[1]] == MjtGeom.HFIELD]
    swept = [number[g[2]] for g in groups if g[0] == SWEEP]
    found = {name: [g[k] for g in groups] for k, name in enumerate(("kind", "other", "flex", "body"))}
    begins, reduces = pair_marks(mj, groups)
    passive = sum(is_passive(mj, group) for group in groups)
    own = [f for kind, _, f, _ in groups if kind in (SELF, SWEEP) and int(mj.flex_interp[f])]
    reduced: dict = {}
    for group in groups:
        if is_reduced(mj, group):
            pair = pair_of(group)
            reduced[pair] = reduced.get(pair, 0) + most_hits(mj, group, number)
    return {
        **{f"flexgroup_{name}": values for name, values in found.items()},
        "flexgroup_begins": begins,
        "flexgroup_reduces": reduces,
        "nflexgroup": len(groups),
        "nflexconvex": int(np.isin(kinds, (CONVEX, OTHER_FLEX, SELF, SWEEP)).sum()),
        "nflexfield": int((kinds == FIELD).sum()),
        "nflexground": len(grounds),
        **trees(mj, active, kinds),
        "flexelem_rank": element_ranks(mj, active),
        "nflexpassive": passive,
        "nflexspringy": int(mj.nflex) if passive else 0,
        "flex_nodefree": free_nodes(mj) if passive else np.zeros(0, int),
        "nflexpair": int((kinds >= OTHER_FLEX).sum()),
        "nflexsweep": len(swept),
        "nflexreduce": int(np.sum(reduces)),
        "flexactive_elem": flattened(active),
        "flexactive_adr": starts(active)[:-1],
        "flexactive_num": number,
        "nflexactive": int(number.sum()),
        "flexblock_adr": np.cumsum(blocks) - blocks,
        "nflexblock": int(blocks.sum()) if groups else 0,
        "flexelem_vert": element_vertices(mj),
        "nflexselfcell": int(mj.nflexvert) if own else 0,
        "flexvert_cells": vertex_cells(mj) if own else np.zeros((0, 6), int),
        "nflexnear": 2 * max([BLOCK, *number, *np.asarray(mj.flex_vertnum, int)]) if groups else 0,
        "nflexpairblock": int(blocks.sum()) if paired else 0,
        "nflexnearblock": NEAR_BLOCKS * int(blocks.sum()) if paired else 0,
        "nflexsweepelem": max(swept, default=0),
        "nflexsweepside": 6 if swept else 0,
        "nflexsweepplace": padded(int(max(swept))) + BLOCK if swept else 0,
        "nflexreducehit": max(reduced.values(), default=0),
        "nelementhit": (MOST_GROUND_HITS if grounds else MOST_ELEMENT_HITS) if groups else 0,
        "most_flexcontacts": min(sum(most_hits(mj, g, number) for g in groups), 2**24),
    }


def active_elements(mj, f: int) -> np.ndarray:
    """Elements of a flex, of all flexes, that take part in collision: of tetrahedra those of the outer layers."""
    elements = np.arange(int(mj.flex_elemnum[f])) + int(mj.flex_elemadr[f])
    if int(mj.flex_dim[f]) < 3:
        return elements
    return elements[np.asarray(mj.flex_elemlayer)[elements] < int(mj.flex_activelayers[f])]


def element_vertices(mj) -> np.ndarray:
    """Vertices [nflexelem, 4] of all elements, of all flexes; beyond the last the last again."""
    found = np.zeros((int(mj.nflexelem), 4), int)
    for f in range(int(mj.nflex)):
        n = int(mj.flex_dim[f]) + 1
        first, count, data = int(mj.flex_elemadr[f]), int(mj.flex_elemnum[f]), int(mj.flex_elemdataadr[f])
        own = np.asarray(mj.flex_elem, int)[data : data + n * count].reshape(count, n) + int(mj.flex_vertadr[f])
        found[first : first + count] = own[:, [*range(n), *[n - 1] * (4 - n)]]
    return found


def vertex_cells(mj) -> np.ndarray:
    """Lowest and highest cell [nflexvert, 6] that each vertex is in, by axes; on a border there are two."""
    found = np.zeros((int(mj.nflexvert), 6), int)
    for f in range(int(mj.nflex)):
        own = slice(int(mj.flex_vertadr[f]), int(mj.flex_vertadr[f]) + int(mj.flex_vertnum[f]))
        cells = np.maximum(np.asarray(mj.flex_cellnum[f], int), 1)
        place = np.asarray(mj.flex_vert0, float)[own] * cells
        low, high = np.floor(place - BORDER), np.floor(place + BORDER)
        found[own] = np.clip(np.hstack((low, high)), 0, [*(cells - 1), *(cells - 1)]).astype(int)
    return found


def trees(mj, active: list, kinds: np.ndarray) -> dict:
    """Active elements in the order of trees of boxes, and the place of each there, where groups ask for them. Distance
    fields need every element in MuJoCo's order, pairs of flexes neighbours side by side.
    """
    exact = bool((kinds == FIELD).any())
    if not exact and not np.isin(kinds, PAIRED).any():
        return {"nflextree": 0, "flextree_elem": np.zeros(0, int), "flextree_place": np.zeros(0, int)}
    orders = [tree_order(mj, a, 1 if exact else BLOCK) for a in active]
    return {
        "nflextree": sum(map(len, orders)),
        "flextree_elem": flattened([a[order].tolist() for a, order in zip(active, orders)]),
        "flextree_place": flattened([np.argsort(order).tolist() for order in orders]),
    }


def element_ranks(mj, active: list) -> np.ndarray:
    """Place [nflexelem] of an element among those of its flex: the first of two that touch is the one with the lower place.
    Where a tree of boxes finds them it is that in the tree.
    """
    ranks = np.arange(int(mj.nflexelem))
    for f, elements in enumerate(active):
        kind = int(mj.flex_selfcollide[f])
        if self_kind(mj, f) == SELF and kind != NARROW and len(elements):
            ranks[elements[tree_order(mj, elements, 1)]] = np.arange(len(elements))[
                ::-1
            ]  # upper halves come first there
    return ranks


def tree_order(mj, elements: np.ndarray, leaf: int) -> np.ndarray:
    """Places of a flex's elements in the order in which MuJoCo goes through its tree of boxes at qpos0, down to leaves."""
    corners = element_points(mj)[elements]
    return box_order(corners.min(axis=1), corners.max(axis=1), leaf)


def element_points(mj) -> np.ndarray:
    """Positions [nflexelem, 4, 3] of the vertices of elements at qpos0, from a corner of the box about their flex [m]."""
    flexes = np.repeat(np.arange(int(mj.nflex)), np.asarray(mj.flex_vertnum, int))
    places = np.asarray(mj.flex_vert0, float) * 2 * np.asarray(mj.flex_size, float).reshape(-1, 3)[flexes]
    return places[element_vertices(mj)]


def contact_groups(mj) -> list:
    """(kind, geom or first flex, flex, body) of everything that may touch a flex: for each body its geoms with each flex,
    planes first; pairs of flexes; flexes with themselves. Without what the flag ipc keeps apart.
    """
    bits = [np.asarray(getattr(mj, f"flex_{name}"), int) for name in ("contype", "conaffinity")]
    meet = lambda one, two: bool((one[0] & two[1]) | (two[0] & one[1]))
    own = list(zip(*bits))
    geoms = [(int(a), int(b)) for a, b in zip(mj.geom_contype, mj.geom_conaffinity)]
    flexes, found = range(int(mj.nflex)), []
    apart = set(surfaces(mj)) if keeps_apart(mj) else set()
    for b in range(int(mj.nbody)):
        for f in flexes:
            first = int(mj.body_geomadr[b])
            near = [g for g in range(first, first + int(mj.body_geomnum[b])) if meet(geoms[g], own[f])]
            near = [g for g in near if not (f in apart and is_kept_apart(mj, g))]
            if not (rigid_in_place(mj, f) and not moves(mj, b)):
                found += geom_groups(mj, near, f, b)
    nbody = int(mj.nbody)
    for f in flexes:
        for other in range(f + 1, int(mj.nflex)):
            if (
                meet(own[f], own[other])
                and not {f, other} <= apart
                and not (rigid_in_place(mj, f) and rigid_in_place(mj, other))
            ):
                found.append((OTHER_FLEX, f, other, nbody))
    return found + [
        (self_kind(mj, f), f, f, nbody) for f in flexes if own[f][0] & own[f][1] and self_kind(mj, f) and f not in apart
    ]


def geom_groups(mj, geoms: list, f: int, b: int) -> list:
    """Groups of a body's geoms with a flex. Planes and distance fields come first; without a middle
    phase the order is that of geoms, and distance fields touch nothing, as in MuJoCo."""
    kinds = [collider(int(mj.geom_type[g]), int(mj.flex_dim[f])) for g in geoms]
    found = [(kind, g, f, b) for kind, g in zip(kinds, geoms) if kind is not None]
    if int(mj.opt.disableflags) & MjtDisableBit.MIDPHASE:
        return [group for group in found if group[0] != FIELD]
    return sorted(found, key=lambda group: group[0] not in (VERTICES, FIELD))


def collider(kind: int, dim: int) -> int | None:
    """Kind of the group of a geom type and elements of a dimension; None: they do not collide."""
    if kind == MjtGeom.PLANE:
        return VERTICES
    if kind in (MjtGeom.SPHERE, MjtGeom.CAPSULE) or (kind == MjtGeom.BOX and dim < 3):
        return CLOSED_FORM
    if kind == MjtGeom.SDF:
        return FIELD if dim == 2 else None
    return CONVEX


def self_kind(mj, f: int) -> int:
    """Kind of the group of a flex with itself; 0: it does not collide."""
    kind = int(mj.flex_selfcollide[f])
    if kind == NO_SELF or int(mj.flex_rigid[f]):
        return 0
    if kind == SAP or (kind == AUTO and int(mj.flex_dim[f]) < 3):
        return SWEEP
    return SELF


def moves(mj, b: int) -> bool:
    """Whether a body, or one that it is welded to, has joints."""
    return int(mj.body_weldid[b]) != 0 and int(mj.body_dofnum[mj.body_weldid[b]]) > 0


def rigid_in_place(mj, f: int) -> bool:
    """Whether all vertices of a flex are on one body that does not move."""
    return bool(mj.flex_rigid[f]) and not moves(mj, int(mj.flex_vertbodyid[int(mj.flex_vertadr[f])]))


def is_passive(mj, group: tuple) -> bool:
    """Whether the contacts of a group are springs: those of a passive flex with what does not move, or with a flex."""
    kind, other, f, body = group
    if kind < OTHER_FLEX:
        return is_springy(mj, f) and int(mj.body_weldid[body]) == 0
    return is_springy(mj, f) or (kind == OTHER_FLEX and is_springy(mj, other))


def is_springy(mj, f: int) -> bool:
    """Whether contacts of a flex are springs: of those that ask for it all but rigid ones and lines; none under the flag ipc."""
    return not asks(mj) and bool(mj.flex_passive[f]) and not mj.flex_rigid[f] and int(mj.flex_dim[f]) > 1


def free_nodes(mj) -> np.ndarray:
    """Nodes [nflex] on bodies with three dofs."""
    free = np.asarray(mj.body_dofnum, int)[np.asarray(mj.flex_nodebodyid, int)] == 3
    first, count = np.asarray(mj.flex_nodeadr, int), np.asarray(mj.flex_nodenum, int)
    return np.array([free[max(a, 0) : max(a, 0) + n].sum() for a, n in zip(first, count)], int)


def is_reduced(mj, group: tuple) -> bool:
    """Whether the contacts of a group are reduced to 50: those of rigid and interpolated flexes, of two flexes if both are."""
    kind, other, f, _ = group
    hard = lambda flex: bool(mj.flex_rigid[flex]) or int(mj.flex_interp[flex]) != 0
    return hard(f) and (kind != OTHER_FLEX or hard(other))


def pair_of(group: tuple) -> tuple:
    """Pair of a body and a flex, or of two flexes, that a group is a part of."""
    kind, other, f, body = group
    return (kind, other, f) if kind >= OTHER_FLEX else (VERTICES, body, f)


def pair_marks(mj, groups: list) -> tuple[list, list]:
    """Marks of the groups that begin a pair of body and flex, or of two flexes, and of those that end one whose contacts are
    reduced.
    """
    pairs = [pair_of(group) for group in groups]
    begins = [k == 0 or pairs[k] != pairs[k - 1] for k in range(len(pairs))]
    ends = [*begins[1:], True] if pairs else []
    return begins, [last and is_reduced(mj, g) for last, g in zip(ends, groups)]


def most_hits(mj, group: tuple, number: np.ndarray) -> int:
    """Most contacts of a group; of two flexes as many as there is hardly ever."""
    kind, other, f, _ = group
    flat = is_flat(mj, f)
    if kind == VERTICES:
        return int(mj.flex_vertnum[f]) * (2 if flat else 1)
    if kind == CLOSED_FORM:
        return int(number[f]) * {1: MOST_BOX_HITS if flat else 2, 2: MOST_ELEMENT_HITS, 3: 1}[int(mj.flex_dim[f])]
    if kind == FIELD:
        return min(int(number[f]), LEFT)
    if kind == CONVEX:
        return int(number[f]) * (MOST_GROUND_HITS if mj.geom_type[other] == MjtGeom.HFIELD else 1)
    return 8 * int(number[f] + number[other])
