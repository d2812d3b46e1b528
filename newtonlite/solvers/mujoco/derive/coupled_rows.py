"""Entries of the effective inertia between trees, of models in which it is stored sparse (docs/decisions/0041): rows by dofs,
and the trees that these tie, for the order of the Hessian.

They follow from the model alone: an element, a bending edge, a cell or a hinge couples all dofs that move its points, a
tendon or an actuator those that it acts on, a twist joint the next one.
"""

from collections.abc import Iterator

import numpy as np

from newtonlite.solvers.mujoco.derive import coupling, sparse
from newtonlite.solvers.mujoco.derive.actuator import chain
from newtonlite.solvers.mujoco.derive.flex_forces import bending_edges, cell_nodes, stretch_elements
from newtonlite.solvers.mujoco.derive.flex_rods import rod_chains, rod_hinges


def derive(mj) -> dict:
    """Rows of entries, and neighbours of each part of the Hessian; nothing where the inertia has whole blocks of columns."""
    nv, on = int(mj.nv), sparse.takes_sparse(mj) and sparse.couples_sparse(mj)
    if not on:
        wide = sparse.takes_sparse(mj)
        first = np.zeros(nv + 1 if wide else 0, int)
        return {
            "nefmrow": 0,
            "ncoupled": 0,
            "coupled_rowadr": first,
            "nsparsepart1": len(first),
            "npartlink": 0,
            "part_linkadr": first,
        }
    parts = sparse.profile_trees(mj, True)
    pairs = coupled_pairs(mj, parts)
    rows, columns = pairs // nv, pairs % nv
    links = linked_parts(parts, rows, columns)
    count = parts["npart"]
    return {
        "nefmrow": nv,
        "ncoupled": len(pairs),
        "coupled_rowadr": np.searchsorted(rows, np.arange(nv + 1)),
        "coupled_colind": columns,
        "nsparsepart1": count + 1,
        "npartlink": len(links),
        "part_linkadr": np.searchsorted(links // count, np.arange(count + 1)),
        "part_link": links % count,
    }


def linked_parts(parts: dict, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Pairs of parts that entries tie, as ``first npart + second`` in rising order; none of roots, which are in the border."""
    part, carries = parts["dof_part"], parts["part_carries"] == 1
    first, second = part[rows], part[columns]
    apart = (first != second) & ~carries[first] & ~carries[second]
    return np.unique(first[apart] * parts["npart"] + second[apart])


def coupled_pairs(mj, parts: dict) -> np.ndarray:
    """Pairs of dofs that are coupled and not of one part, nor of a branch and a stem that carries it, as ``i nv + j`` in
    rising order.
    """
    nv = int(mj.nv)
    found = [body_pairs(mj)]
    for dofs in ({*dofs} for dofs in (*coupling.driven(mj), *twist_pairs(mj))):
        listed = np.array(sorted(dofs), int)
        found.append((listed[:, None] * nv + listed).ravel())
    pairs = np.unique(np.concatenate(found))
    part, root = parts["dof_part"], parts["part_root"]
    low, high = np.sort([part[pairs // nv], part[pairs % nv]], axis=0)
    while (above := high > low).any():  # up the stems, which come before what they carry
        high = np.where(above, root[high], high)
    return pairs[high != low]


def body_pairs(mj) -> np.ndarray:
    """Pairs of dofs that move points of one element, as ``i nv + j``."""
    # pairs of bodies, each once, then the dofs of both chains
    nbody, nv = int(mj.nbody), int(mj.nv)
    codes = [(group[:, :, None] * nbody + group[:, None, :]).ravel() for group in element_bodies(mj)]
    pairs = np.unique(np.concatenate([np.zeros(0, int), *codes]))
    chains = {int(b): np.array(sorted(chain(mj, int(b))), int) for b in np.unique(pairs // nbody)}
    return np.concatenate(
        [np.zeros(0, int)]
        + [
            (chains[a][:, None] * nv + chains[b]).ravel()
            for a, b in zip((pairs // nbody).tolist(), (pairs % nbody).tolist())
        ]
    )


def element_bodies(mj) -> Iterator[np.ndarray]:
    """Bodies that carry the points of everything elastic: arrays ``[elements, points]``, of as many points each."""
    if not coupling.is_coupled(mj) or not int(getattr(mj, "nflex", 0)):
        return
    groups: dict = {}
    for points in element_points(mj):
        groups.setdefault(len(points), []).append(points)
    carriers = np.concatenate([np.asarray(mj.flex_vertbodyid, int), np.asarray(mj.flex_nodebodyid, int).ravel()])
    for group in groups.values():
        yield np.maximum(carriers[np.array(group, int)], 0)


def element_points(mj) -> Iterator[list]:
    """Points, vertices and then nodes, of each element, bending edge, cell and hinge."""
    edges, first = np.asarray(mj.flex_edge, int).reshape(-1, 2), np.asarray(mj.flex_vertadr, int)
    for element in stretch_elements(mj):
        yield np.unique(edges[element["edges"]] + first[element["flex"]]).tolist()
    for found in (*bending_edges(mj), *(c for c in cell_nodes(mj) if not c["held"]), *rod_hinges(mj)):
        yield list(found["points"])


def twist_pairs(mj) -> list:
    """Dofs of twist joints of edges that follow each other."""
    if not coupling.is_coupled(mj) or not int(getattr(mj, "nflex", 0)):
        return []
    found = []
    for c in rod_chains(mj):
        dofs = [int(mj.jnt_dofadr[e["joint"]]) if e["joint"] >= 0 else -1 for e in c["edges"]]
        found += [pair for pair in zip(dofs[:-1], dofs[1:]) if min(pair) >= 0]
    return found
