"""Sparsity patterns of MuJoCo's matrices: rows of ``M``, of tendon Jacobians and of actuator moments."""

from typing import NamedTuple

import numpy as np

from newtonlite.core.mujoco import MjtJacobian
from newtonlite.solvers.mujoco.derive.tendon import tendon_dofs

MOST_DENSE = 32
"""Degrees of freedom up to which MuJoCo Warp has dense rows where the model does not choose; MuJoCo has them up to 59."""


def is_sparse(source) -> bool:
    """Whether MuJoCo Warp has the constraint Jacobian by its entries: as the model says, or because it is large."""
    choice = int(source.opt.jacobian)
    return choice == MjtJacobian.SPARSE or choice == MjtJacobian.AUTO and int(source.nv) > MOST_DENSE


class Pattern(NamedTuple):
    """Entries of each row, where they begin, and their columns, ascending."""

    rownnz: np.ndarray
    rowadr: np.ndarray
    colind: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """Row of every entry."""
        return np.repeat(np.arange(len(self.rownnz), dtype=np.int32), self.rownnz)

    @property
    def diagonal(self) -> np.ndarray:
        """Last entry of every row."""
        return self.rowadr + self.rownnz - 1


def pattern(rows: list) -> Pattern:
    """The pattern whose rows have these columns."""
    count = np.array([len(row) for row in rows], np.int32)
    columns = [column for row in rows for column in row]
    return Pattern(count, (np.cumsum(count) - count).astype(np.int32), np.array(columns, np.int32))


def _given(source, prefix: str) -> Pattern:
    return Pattern(*(np.array(getattr(source, f"{prefix}_{name}"), np.int32) for name in Pattern._fields))


def inertia(source) -> Pattern:
    """Lower triangle of ``M``: a dof and its ancestors; dofs of which MuJoCo knows that they are alone have their
    diagonal only.
    """
    return _given(source, "M") if hasattr(source, "M_rownnz") else ancestors(source)


def ancestors(source) -> Pattern:
    """Every dof with its ancestors."""
    parent, rows = np.asarray(source.dof_parentid), []
    for i in range(int(source.nv)):
        rows.append([*(rows[parent[i]] if parent[i] >= 0 else ()), i])
    return pattern(rows)


def tendons(source) -> Pattern:
    """Dofs that change the length of each tendon."""
    if hasattr(source, "ten_J_rownnz"):
        return _given(source, "ten_J")
    return pattern([sorted(tendon_dofs(source, t)) for t in range(int(source.ntendon))])


def entries(values, kept: Pattern) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, column and value of every entry; rows need not follow each other without gaps."""
    number = kept.rownnz
    at = np.repeat(kept.rowadr, number) + np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
    return kept.rows, kept.colind[at], np.ravel(values)[at]


def dense(values, kept: Pattern, columns: int) -> np.ndarray:
    """A matrix from its entries."""
    out = np.zeros((len(kept.rownnz), columns))
    rows, cols, found = entries(values, kept)
    out[rows, cols] = found
    return out


def factored(values, kept: Pattern) -> np.ndarray:
    """Entries of ``L' D L`` of worlds ``[nworld, entries]`` in the same pattern: L has a unit diagonal, D lies on it."""
    out = np.zeros(np.shape(values))
    for world, found in enumerate(np.asarray(values, float)):
        L, D = dense(found, kept, len(kept.rownnz)), found[kept.diagonal]
        np.fill_diagonal(L, 1.0)
        out[world] = (L.T @ (D[:, None] * L))[kept.rows, kept.colind]
    return out
