"""Sparse rows and sparse inertia of an engine as dense matrices."""

import numpy as np

from newtonlite.mjwarp import sparsity


def dense_rows(engine) -> np.ndarray:
    """``efc_J [nworld, njmax, nv]`` of sparse rows; entries of one dof are added up."""
    names = ("efc_J", "efc_J_rownnz", "efc_J_rowadr", "efc_J_colind", "nefc")
    J, nnz, adr, col, nefc = (getattr(engine.d, name).numpy() for name in names)
    found = np.zeros((engine.nworld, nnz.shape[1], engine.mj.nv))
    for w in range(engine.nworld):
        for r in range(nefc.reshape(-1)[w]):
            entries = slice(adr[w, r], adr[w, r] + nnz[w, r])
            np.add.at(found[w, r], col[w, entries], J[w, 0, entries])
    return found


def dense_inertia(engine) -> np.ndarray:
    """``M [nworld, nv, nv]``: the entries of the trees."""
    nv, width = engine.mj.nv, engine.m.nMcol
    flat = engine.d.M.numpy().reshape(engine.nworld, -1)
    tree = np.asarray(engine.mj.dof_treeid)
    rows, cols = np.nonzero(tree[:, None] == tree[None])
    found = np.zeros((engine.nworld, nv, nv))
    found[:, rows, cols] = flat[:, rows * width + cols]
    return found


def dense_tendons(engine) -> np.ndarray:
    """``ten_J [nworld, ntendon, nv]``: the entries of the dofs that move each tendon, tendon by tendon."""
    kept = sparsity.tendons(engine.mj)
    found = np.zeros((engine.nworld, len(kept.rownnz), engine.mj.nv))
    found[:, kept.rows, kept.colind] = engine.d.ten_J.numpy().reshape(engine.nworld, -1)[:, : len(kept.colind)]
    return found


SPARSE = {"M": dense_inertia, "efc_J": dense_rows, "ten_J": dense_tendons}
