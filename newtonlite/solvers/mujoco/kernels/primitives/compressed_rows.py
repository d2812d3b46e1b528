"""Products of compressed sparse rows (CSR): entries of a row side by side, and the same entries by columns.

A column may occur more than once in a row, but for ``merge_columns``. Sums go through a row's or column's entries in their order, so that results
depend neither on lanes nor on other worlds.
"""

import warp as wp

from newtonlite.core.native import header
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, A2, I1

native = header(__file__)


@wp.func_native(native("csr_mul"))
def csr_mul(
    J: A2, rownnz: I1, rowadr: I1, rowsuper: I1, colind: I1, x: A1, y: A1, world: int, nrow: int, lane: int, nlane: int
):
    """``y = J x`` over ``nrow`` rows, of which ``rowsuper[r]`` follow row ``r`` with the same columns, side by side."""
    ...


@wp.func_native(native("csr_mul_t"))
def csr_mul_t(
    J: A2,
    rownnz: I1,
    rowadr: I1,
    rowsuper: I1,
    colind: I1,
    JT: A1,
    JT_rowadr: I1,
    JT_colind: I1,
    f: A1,
    y: A1,
    world: int,
    nrow: int,
    n: int,
    lane: int,
    nlane: int,
):
    """``y = J' f`` over ``nrow`` rows and ``n`` columns, with zeros in the pad of ``y``: by rows on one lane, by columns in a
    team.
    """
    ...


@wp.func_native(native("csr_transpose"))
def csr_transpose(
    J: A2,
    rownnz: I1,
    rowadr: I1,
    colind: I1,
    JT: A1,
    JT_rowadr: I1,
    JT_colind: I1,
    world: int,
    nrow: int,
    n: int,
    lane: int,
    nlane: int,
):
    """The entries of ``nrow`` rows by ``n`` columns, those of a column in the order of rows."""
    ...


@wp.func_native(native("merge_columns"))
def merge_columns(J: A2, rownnz: I1, rowadr: I1, colind: I1, world: int, row: int, nrow: int):
    """Rows from ``row`` on, ``nrow`` with the same columns and side by side, with each of these once and without those in
    which all have a 0; they begin where they did, side by side again. One lane.
    """
    ...
