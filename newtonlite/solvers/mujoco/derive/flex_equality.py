"""Tables of equality constraints of flexes: edges and cells that they hold, their rows, and trees that they tie."""

import numpy as np

from newtonlite.core.mujoco import MjtEq
from newtonlite.solvers.mujoco.derive.flex_forces import cell_nodes
from newtonlite.solvers.mujoco.derive.ragged import flattened, starts

KINDS = (MjtEq.FLEX, MjtEq.FLEXSTRAIN)


def derive(mj) -> dict:
    """Edges that rows hold, flex after flex; of each constraint its first edge or its cell; pairs of trees tied by it."""
    kinds = np.asarray(mj.eq_type, int).reshape(int(mj.neq))
    held = np.isin(kinds, KINDS)
    if not held.any():
        sizes = dict.fromkeys(("nflexrow", "nflexstrain", "nflexlink", "nflexlink1"), 0)
        return {**sizes, "eq_flexrow": np.full(len(kinds), -1), "eq_flexcell": np.full(len(kinds), -1)}
    edges = [row_edges(mj, f) for f in range(int(mj.nflex))]
    first, cells = starts(edges), numbered_cells(mj)
    row, cell, links = np.full(len(kinds), -1), np.full(len(kinds), -1), [[] for _ in kinds]
    for k in np.flatnonzero(held):
        f = int(mj.eq_obj1id[k])
        if kinds[k] == MjtEq.FLEX:
            row[k], links[k] = first[f], tree_pairs(mj, edges[f])
        else:
            cell[k] = cells.get((f, cell_number(mj, k)), -1)
            links[k] = chain([int(mj.body_treeid[b]) for b in cell_bodies(mj, cell[k])])
    return {
        "nflexrow": len(flattened(edges)) if (kinds == MjtEq.FLEX).any() else 0,
        "nflexstrain": int((kinds == MjtEq.FLEXSTRAIN).sum()),
        "nflexlink": sum(map(len, links)),
        "nflexlink1": len(kinds) + 1,
        "flexrow_edge": flattened(edges) if (kinds == MjtEq.FLEX).any() else np.zeros(0, int),
        "eq_flexrow": row,
        "eq_flexcell": cell,
        "eq_linkadr": starts(links),
        "eq_link": np.array([pair for pairs in links for pair in pairs], int).reshape(-1, 2),
    }


def row_count(mj, k: int) -> int:
    """Rows of a constraint of a flex."""
    f = int(mj.eq_obj1id[k])
    if mj.eq_type[k] == MjtEq.FLEX:
        return len(row_edges(mj, f))
    cells = cell_nodes(mj)
    at = numbered_cells(mj).get((f, cell_number(mj, k)))
    return (
        0 if at is None else int(np.asarray(mj.flex_stiffness).reshape(-1, int(mj.nflexstiffness))[0, cells[at]["adr"]])
    )


def row_edges(mj, f: int) -> list:
    """Edges of a flex, of all flexes, whose lengths are held: between two bodies that some dof moves."""
    first = int(mj.flex_edgeadr[f])
    if mj.flex_interp[f]:
        return []
    edges = range(first, first + int(mj.flex_edgenum[f]))
    return [e for e in edges if not mj.flexedge_rigid[e] and mj.flexedge_J_rownnz[e]]


def numbered_cells(mj) -> dict:
    """Place in the list of cells of each (flex, number of the cell within it)."""
    return {(c["flex"], c["cell"]): i for i, c in enumerate(cell_nodes(mj))}


def cell_number(mj, k: int) -> int:
    """Number of the cell, or of the face of a shell, that a constraint of strain names."""
    f = int(mj.eq_obj1id[k])
    i, j, layer = (int(x) for x in np.asarray(mj.eq_data).reshape(-1, int(mj.neq), 12)[0, k, :3])
    _, cy, cz = (int(n) for n in mj.flex_cellnum[f])
    return i if mj.flex_interp[f] < 0 else (i * cy + j) * cz + layer


def cell_bodies(mj, c: int) -> list:
    """Bodies of the nodes of a cell of the list."""
    if c < 0:
        return []
    return [int(mj.flex_nodebodyid[p - int(mj.nflexvert)]) for p in cell_nodes(mj)[c]["points"]]


def tree_pairs(mj, edges: list) -> list:
    """Pairs of trees that edges tie, each once."""
    found = {}
    for e in edges:
        ends = np.asarray(mj.flex_edge)[e] + int(mj.flex_vertadr[edge_flex(mj, e)])
        found[tuple(int(mj.body_treeid[mj.flex_vertbodyid[v]]) for v in ends)] = True
    return list(found)


def edge_flex(mj, e: int) -> int:
    """Flex of an edge."""
    return int(np.searchsorted(np.asarray(mj.flex_edgeadr), e, side="right") - 1)


def chain(trees: list) -> list:
    """Pairs that tie trees to each other, one after the other; a single one to itself."""
    moved = list(dict.fromkeys(t for t in trees if t >= 0))
    return [(a, b) for a, b in zip(moved, moved[1:], strict=False)] or [(t, t) for t in moved]


def tied_trees(mj, k: int) -> list:
    """Lowest and highest of the trees that a constraint of a flex ties."""
    f = int(mj.eq_obj1id[k])
    if mj.eq_type[k] == MjtEq.FLEX:
        trees = [t for pair in tree_pairs(mj, row_edges(mj, f)) for t in pair]
    else:
        at = numbered_cells(mj).get((f, cell_number(mj, k)), -1)
        trees = [int(mj.body_treeid[b]) for b in cell_bodies(mj, at)]
    moved = sorted(t for t in trees if t >= 0)
    return [moved[0], moved[-1]] if moved else [-1, -1]
