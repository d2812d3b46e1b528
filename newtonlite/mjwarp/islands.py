"""Islands on request, and as a host ``mujoco.MjData`` lists them."""

import sys

import numpy as np

from newtonlite.solvers.mujoco import pipeline

FIELDS = ("nisland", "tree_island", "dof_island", "efc_island")
"""Arrays of the data that are computed when they are read, from the constraint rows there are."""


def find_islands(d) -> None:
    """Fill the arrays named in ``FIELDS``; StateError for data that does not keep its rows."""
    for name in FIELDS:
        getattr(d.engine, name)
    d.run(d.engine.model, "island", pipeline.ISLANDS)


def islands_into(result, d, world: int) -> None:
    """Write one world's islands into a host ``mujoco.MjData`` that holds its contacts and rows."""
    count = int(d.nisland.numpy()[world])
    nefc = int(d.engine.nefc.numpy()[world])
    tree, dof = d.tree_island.numpy()[world], d.dof_island.numpy()[world]
    nidof = int((dof >= 0).sum())
    if count != result.nisland or nidof != result.nidof or count and result.efc_island.size != nefc:
        sys.modules["mujoco"]._functions._realloc_island(result, nisland=count, nidof=nidof)
    if count:
        kind = np.digitize(np.arange(nefc), np.cumsum([result.ne, result.nf]))
        for name, values in island_lists(tree, dof, d.efc_island.numpy()[world, :nefc], kind, count).items():
            getattr(result, name)[: len(values)] = values


def island_lists(tree, dof, efc, kind, count: int) -> dict:
    """MuJoCo's lists of islands: members, sizes and where each begins among trees, dofs and rows sorted by island.

    ``kind`` is 0 for equality rows, 1 for friction rows, 2 for others; within an island rows are sorted by it.
    """
    islands = np.arange(count)
    size = lambda member: (member[:, None] == islands).sum(0)
    begin = lambda sizes: np.cumsum(sizes) - sizes
    last = lambda member: np.where(member < 0, count, member)
    trees, dofs = np.argsort(last(tree), kind="stable"), np.argsort(last(dof), kind="stable")
    rows = np.lexsort((np.arange(len(efc)), kind, efc))
    nv, nefc = size(dof), size(efc)
    return {
        "tree_island": tree,
        "island_ntree": size(tree),
        "island_itreeadr": begin(size(tree)),
        "map_itree2tree": trees,
        "dof_island": dof,
        "island_nv": nv,
        "island_idofadr": begin(nv),
        "island_dofadr": np.array([np.argmax(dof == i) for i in islands], int),
        "map_dof2idof": np.argsort(dofs),
        "map_idof2dof": dofs,
        "efc_island": efc,
        "island_ne": size(efc[kind == 0]),
        "island_nf": size(efc[kind == 1]),
        "island_nefc": nefc,
        "island_iefcadr": begin(nefc),
        "map_efc2iefc": np.argsort(rows),
        "map_iefc2efc": rows,
    }
