"""Row store: where Jacobian entries of constraint rows are kept, dense or sparse; all kinds of rows write through it.

Dense, row ``r`` is ``efc_J[r]`` over all dofs, of which the blocks in ``efc_block[r]`` are in use. Sparse (``nsparse``),
it is a stretch of entries ``(efc_J_colind, efc_J)`` from ``efc_J_rowadr[r]`` on, ``efc_J_rownnz[r]`` of them: compressed
sparse row, as in MuJoCo, but that entries are in the order in which they are written and that a dof may have several, whose
sum is meant. Whoever writes a row reserves its entries (``reserve_entries``), opens it (``open_rows``), and puts every
entry at a place of its own (``put``): the chain of the first body, then that of the second. Rows of contacts have every dof
once in the end (``merge_entries``).
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.compressed_rows import (
    csr_mul,
    csr_mul_t,
    csr_transpose,
    merge_columns,
)
from newtonlite.solvers.mujoco.kernels.primitives.dense import rows_mul, rows_mul_t, zero_rows
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def chain_length(m: ModelFields, b: int) -> int:
    """Dofs that move body ``b``."""
    return m.chain_adr[b + 1] - m.chain_adr[b]


@wp.func
def place_of_body(m: ModelFields, d: DataFields, world: int, row: int, b: int, sign: float) -> int:
    """Offset from a place in ``chain_dof`` to that of the entry in a sparse row of two bodies: ``sign`` 1 for the first of
    them, whose entries are at the beginning, -1 for the second, at the end.
    """
    if m.nsparse > 0:
        if sign > 0.0:
            return -m.chain_adr[b]
        return d.efc_J_rownnz[world, row] - m.chain_adr[b + 1]
    return 0


@wp.func
def reserve_entries(d: DataFields, world: int, row: int, nrow: int, adr: int, width: int):
    """Sparse rows from ``row`` on have ``width`` entries each, of the same dofs, the first of them at ``adr``. One lane."""
    # rows that follow with the same dofs are counted in rowsuper, so that products take them together
    for r in range(nrow):
        d.efc_J_rowsuper[world, row + r] = nrow - 1 - r
        d.efc_J_rowadr[world, row + r] = adr + r * width
        d.efc_J_rownnz[world, row + r] = width


@wp.func
def entries_reserved(m: ModelFields, d: DataFields, world: int) -> int:
    """Entries of sparse rows that are reserved so far."""
    if m.nsparse > 0:
        return d.nJ[world]
    return 0


@wp.func
def keep_entries(m: ModelFields, d: DataFields, world: int, count: int):
    """So many entries of sparse rows are reserved. One lane."""
    if m.nsparse > 0:
        d.nJ[world] = count


@wp.func
def append_entries(m: ModelFields, d: DataFields, world: int, row: int, nrow: int, width: int):
    """``reserve_entries`` behind all that are reserved so far. One lane, row after row."""
    # one after the other, so that places follow from the order of rows alone
    if m.nsparse > 0:
        adr = d.nJ[world]
        reserve_entries(d, world, row, nrow, adr, width)
        d.nJ[world] = adr + nrow * width


@wp.func
def open_rows(m: ModelFields, d: DataFields, world: int, row: int, nrow: int, blocks: wp.vec4i, lane: int, nlane: int):
    """Clear dense rows in their blocks; sparse ones get all their entries by ``put``."""
    # dense rows are sums: the blocks that they use begin at 0, all others are never read
    if m.nsparse == 0:
        zero_rows(d.efc_J, world, row, nrow, blocks[0], blocks[1], lane, nlane)
        zero_rows(d.efc_J, world, row, nrow, blocks[2], blocks[3], lane, nlane)
        for r in range(lane, nrow, nlane):
            d.efc_block[world, row + r] = blocks


@wp.func
def put(m: ModelFields, d: DataFields, world: int, row: int, place: int, i: int, value: float):
    """Add ``value`` to the entry of dof ``i``; a sparse row has it at ``place`` among its entries."""
    # a sparse row keeps every contribution as an entry of its own; a dense one sums them
    if m.nsparse > 0:
        e = d.efc_J_rowadr[world, row] + place
        d.efc_J_colind[world, e] = i
        d.efc_J[world, 0, e] = value
    else:
        d.efc_J[world, row, i] = d.efc_J[world, row, i] + value


@wp.func
def merge_entries(m: ModelFields, d: DataFields, world: int, row: int, nrow: int):
    """Sparse rows of a constraint, all written: every dof once, and none whose entries are all 0. One lane."""
    # a Hessian costs entries squared; whoever writes counts dofs by chains, which have ancestors in common
    if m.nsparse > 0:
        merge_columns(d.efc_J, d.efc_J_rownnz, d.efc_J_rowadr, d.efc_J_colind, world, row, nrow)


@wp.func
def jacobian_mul(
    m: ModelFields, d: DataFields, x: wp.array2d[float], y: wp.array2d[float], world: int, lane: int, nlane: int
):
    """``y = J x`` over all rows."""
    if m.nsparse > 0:
        csr_mul(
            d.efc_J,
            d.efc_J_rownnz,
            d.efc_J_rowadr,
            d.efc_J_rowsuper,
            d.efc_J_colind,
            x,
            y,
            world,
            d.nefc[world],
            lane,
            nlane,
        )
    else:
        rows_mul(d.efc_J, d.efc_block, x, y, world, d.nefc[world], lane, nlane)


@wp.func
def jacobian_mul_t(
    m: ModelFields, d: DataFields, f: wp.array2d[float], y: wp.array2d[float], world: int, lane: int, nlane: int
):
    """``y = J' f`` over all rows."""
    if m.nsparse > 0:
        csr_mul_t(
            d.efc_J,
            d.efc_J_rownnz,
            d.efc_J_rowadr,
            d.efc_J_rowsuper,
            d.efc_J_colind,
            d.efc_JT,
            d.efc_JT_rowadr,
            d.efc_JT_colind,
            f,
            y,
            world,
            d.nefc[world],
            m.nv,
            lane,
            nlane,
        )
    else:
        rows_mul_t(d.efc_J, d.efc_block, f, y, world, d.nefc[world], lane, nlane)


@wp.func
def transpose_rows(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """The entries of sparse rows by dofs, once all rows are written."""
    # J' f gathers by dofs, in the order of rows: no sums that depend on lanes
    if m.nsparse > 0:
        csr_transpose(
            d.efc_J,
            d.efc_J_rownnz,
            d.efc_J_rowadr,
            d.efc_J_colind,
            d.efc_JT,
            d.efc_JT_rowadr,
            d.efc_JT_colind,
            world,
            d.nefc[world],
            m.nv,
            lane,
            nlane,
        )
        sync()
