"""Flex tables: whose a vertex, edge or element is, dofs of edges, and the nodes that a vertex is interpolated from."""

from itertools import product

import numpy as np

from newtonlite.solvers.mujoco.derive.ragged import flattened, starts

SIZES = (
    "nflex nflexnode nflexvert nflexedge nflexelem nflexelemdata nflexelemedge nflexstiffness nflexbending nJfe".split()
)
OUTSIDE = 0.02
"""Extrapolation: most that a vertex in no cell lies beyond the one that moves it, in cells."""


def derive(mj) -> dict:
    """Maps between flexes and their parts; sizes of 0 for models that know no flexes."""
    sizes = {name: int(getattr(mj, name, 0)) for name in SIZES}
    if not sizes["nflex"]:
        return {**sizes, "nflexvert1": 0, "nflexinterp": 0, "nflexweight": 0, "nflexnode1": 0, "nflexnodebody": 0}
    owner = {part: owners(mj, part) for part in ("vert", "node", "edge", "elem")}
    edges = np.asarray(mj.flex_edge, int).reshape(-1, 2) + np.asarray(mj.flex_vertadr, int)[owner["edge"]][:, None]
    side = sides(mj, edges)
    weights = [vertex_weights(mj, v, f) for v, f in enumerate(owner["vert"])]
    movers = [node_bodies(mj, n, f) for n, f in enumerate(owner["node"])]
    return {
        **sizes,
        **{f"flex_{part}flexid": found for part, found in owner.items()},
        "flexedge_vert": edges,
        "flexedge_J_side": side,
        "flexedge_shared": shared_dofs(mj, side),
        "nflexinterp": int((np.asarray(mj.flex_interp) != 0).sum()),
        "nflexvert1": sizes["nflexvert"] + 1,
        "nflexweight": sum(map(len, weights)),
        "flexvert_nodeadr": starts(weights),
        "flexvert_node": flattened([w.keys() for w in weights]),
        "flexvert_weight": np.array([x for w in weights for x in w.values()], float),
        "flex_vert0": np.asarray(mj.flex_vert0, float).reshape(-1, 3),
        "nflexnode1": sizes["nflexnode"] + 1,
        "nflexnodebody": sum(map(len, movers)),
        "flexnode_bodyadr": starts(movers),
        "flexnode_body": flattened([[b for b, _ in pairs] for pairs in movers]),
        "flexnode_share": np.array([share for pairs in movers for _, share in pairs], float),
    }


def owners(mj, part: str) -> np.ndarray:
    """Flex of each vertex, node, edge or element."""
    return np.repeat(np.arange(int(mj.nflex)), np.asarray(getattr(mj, f"flex_{part}num"), int))


def sides(mj, edges: np.ndarray) -> np.ndarray:
    """Vertices of its edge that each entry of the Jacobian moves: bit 1 the first, bit 2 the second."""
    bodies, moved = np.asarray(mj.flex_vertbodyid, int), chains(mj)
    found = np.zeros(int(mj.nJfe), int)
    dofs = np.asarray(mj.flexedge_J_colind, int)
    for e, (first, count) in enumerate(zip(mj.flexedge_J_rowadr, mj.flexedge_J_rownnz, strict=True)):
        for k in range(first, first + count):
            found[k] = sum((bit + 1) * (dofs[k] in moved[bodies[v]]) for bit, v in enumerate(edges[e]))
    return found


def shared_dofs(mj, side: np.ndarray) -> np.ndarray:
    """Entries at the beginning of each row of the Jacobian that move both vertices, as one rigid body: they are 0."""
    rows = [side[a : a + n] for a, n in zip(mj.flexedge_J_rowadr, mj.flexedge_J_rownnz, strict=True)]
    return np.array([len(row) if (row == 3).all() else int(np.argmax(row != 3)) for row in rows], int)


def chains(mj) -> list:
    """Set of the dofs that move each body."""
    found = [set() for _ in range(int(mj.nbody))]
    for b in range(1, int(mj.nbody)):
        first = int(mj.body_dofadr[b])
        found[b] = found[int(mj.body_parentid[b])] | set(range(first, first + int(mj.body_dofnum[b])))
    return found


def vertex_weights(mj, v: int, f: int) -> dict:
    """Nodes, of all flexes, that a vertex is interpolated from, with their weights; none where it has a body."""
    kind = int(mj.flex_interp[f])
    if kind == 0:
        return {}

    # the cell that the vertex is in, or the one that is to extrapolate it, and its place there
    cells, order = np.asarray(mj.flex_cellnum[f], int), abs(kind)
    place = np.asarray(mj.flex_vert0[v], float) * cells
    cell = np.clip(np.floor(place).astype(int), 0, cells - 1)
    other, least, most = int(mj.flex_vertcell[v]), 0.0, 1.0
    if other >= 0 and other != (cell[0] * cells[1] + cell[1]) * cells[2] + cell[2]:
        cell, least, most = np.array(np.unravel_index(other, cells)), -OUTSIDE, 1.0 + OUTSIDE
    along = [basis(order, x) for x in np.clip(place - cell, least, most)]

    # weights of the cell's nodes
    found: dict[int, float] = {}
    for at in product(range(order + 1), repeat=3):
        weight = along[0][at[0]] * along[1][at[1]] * along[2][at[2]]
        for n, share in moving_nodes(mj, order * cell + at, f):
            found[n] = found.get(n, 0.0) + weight * share
    return {n: w for n, w in found.items() if w != 0.0}


def moving_nodes(mj, node: np.ndarray, f: int) -> list:
    """(node, of all flexes, share) of what moves a node of a grid: itself; of a shell's inner node, which has no motion of
    its own, nodes of the surface.
    """
    last = abs(int(mj.flex_interp[f])) * np.asarray(mj.flex_cellnum[f], int)
    inner = int(mj.flex_interp[f]) < 0 and bool(((node > 0) & (node < last)).all())
    pairs = blend(node, last) if inner else [(tuple(node), 1.0)]
    first = int(mj.flex_nodeadr[f])
    return [(first + int(np.ravel_multi_index(place, last + 1)), share) for place, share in pairs]


def node_bodies(mj, n: int, f: int) -> list:
    """(body, share) of what moves node ``n`` of all flexes."""
    last = abs(int(mj.flex_interp[f])) * np.asarray(mj.flex_cellnum[f], int)
    node = np.array(np.unravel_index(n - int(mj.flex_nodeadr[f]), last + 1))
    return [(int(mj.flex_nodebodyid[i]), share) for i, share in moving_nodes(mj, node, f)]


def basis(order: int, s: float) -> tuple:
    """Lagrange polynomials of the nodes along one axis of a cell, at 0 <= s <= 1."""
    if order == 1:
        return 1.0 - s, s
    return 2.0 * (s - 0.5) * (s - 1.0), 4.0 * s * (1.0 - s), 2.0 * s * (s - 0.5)


def blend(node: np.ndarray, last: np.ndarray) -> list:
    """Transfinite interpolation of an inner node of a grid from the nodes of its surface: corners, edges and faces with
    alternating signs (Gordon and Hall 1973).
    """
    axes = [((0, 1.0 - i / n), (int(n), i / n), (int(i), -1.0)) for i, n in zip(node, last, strict=True)]
    return [
        (tuple(place for place, _ in choice), float(np.prod([share for _, share in choice])))
        for choice in list(product(*axes))[:-1]
    ]
