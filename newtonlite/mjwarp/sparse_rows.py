"""Constraint Jacobian by its entries, as MuJoCo Warp has it for all but small models, and with all of its columns."""

from typing import NamedTuple

import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def spread_entries(
    nefc: wp.array[int],
    rownnz: wp.array2d[int],
    rowadr: wp.array2d[int],
    colind: wp.array2d[int],
    entries: wp.array3d[float],
    J: wp.array3d[float],
):
    """A row from its entries, of which several of one column are summed."""
    world, r = wp.tid()
    if r < nefc[world]:
        first = rowadr[world, r]
        for k in range(first, first + rownnz[world, r]):
            i = colind[world, k]
            J[world, r, i] = J[world, r, i] + entries[world, 0, k]


def dense_rows(e) -> wp.array:
    """``efc_J [nworld, njmax, nv]`` of an engine's data with sparse rows: a copy, zero beyond the last row."""
    J = wp.zeros((e.nworld, e.njmax, e.model.nv), dtype=float, device=e.device)
    inputs = [e.nefc, e.efc_J_rownnz, e.efc_J_rowadr, e.efc_J_colind, e.efc_J]
    wp.launch(spread_entries, (e.nworld, e.njmax), inputs, [J], device=e.device)
    return J


@wp.kernel(enable_backward=False)
def gather_row(
    nefc: wp.array[int],
    J: wp.array3d[float],
    nv: int,
    rownnz: wp.array2d[int],
    rowadr: wp.array2d[int],
    colind: wp.array3d[int],
    entries: wp.array3d[float],
):
    """Entries of a row that are not zero, of a row with all of its columns; each row has room for all."""
    world, r = wp.tid()
    if r < nefc[world]:
        first = r * nv
        n = int(0)
        for i in range(nv):
            if J[world, r, i] != 0.0:
                colind[world, 0, first + n] = i
                entries[world, 0, first + n] = J[world, r, i]
                n += 1
        rowadr[world, r] = first
        rownnz[world, r] = n


@wp.kernel(enable_backward=False)
def merge_entries(
    nefc: wp.array[int],
    own_rownnz: wp.array2d[int],
    own_rowadr: wp.array2d[int],
    own_colind: wp.array2d[int],
    own: wp.array3d[float],
    rownnz: wp.array2d[int],
    rowadr: wp.array2d[int],
    colind: wp.array3d[int],
    entries: wp.array3d[float],
):
    """Entries of a row of which no two are of one column, of entries among which there may be several."""
    world, r = wp.tid()
    if r < nefc[world]:
        first = own_rowadr[world, r]
        n = int(0)
        for k in range(first, first + own_rownnz[world, r]):
            # where this column is already, the last place if nowhere
            at = int(first)
            while at < first + n and colind[world, 0, at] != own_colind[world, k]:
                at += 1
            if at == first + n:
                colind[world, 0, at] = own_colind[world, k]
                entries[world, 0, at] = 0.0
                n += 1
            entries[world, 0, at] = entries[world, 0, at] + own[world, 0, k]
        rowadr[world, r] = first
        rownnz[world, r] = n


class RowEntries(NamedTuple):
    """Entries of rows: ``J`` and ``J_colind`` ``[nworld, 1, entries]``, of row r from ``J_rowadr[world, r]`` on, as many as
    ``J_rownnz[world, r]``.
    """

    J: wp.array
    J_rownnz: wp.array
    J_rowadr: wp.array
    J_colind: wp.array


def entries_of(e, J: wp.array | None) -> RowEntries:
    """Rows of an engine's data by their entries, each column of a row once; from ``J [nworld, njmax, columns]`` where the
    engine keeps all columns.
    """
    room = e.efc_J_colind.shape[1] if J is None else e.njmax * e.model.nv
    made = RowEntries(
        wp.zeros((e.nworld, 1, room), dtype=float, device=e.device),
        wp.zeros((e.nworld, e.njmax), dtype=int, device=e.device),
        wp.zeros((e.nworld, e.njmax), dtype=int, device=e.device),
        wp.zeros((e.nworld, 1, room), dtype=int, device=e.device),
    )
    if J is None:
        kernel, given = merge_entries, [e.efc_J_rownnz, e.efc_J_rowadr, e.efc_J_colind, e.efc_J]
    else:
        kernel, given = gather_row, [J, e.model.nv]
    written = [made.J_rownnz, made.J_rowadr, made.J_colind, made.J]
    wp.launch(kernel, (e.nworld, e.njmax), [e.nefc, *given], written, device=e.device)
    return made


def no_entries(e) -> RowEntries:
    """Arrays of entries of a model whose rows are shown with all of their columns: empty."""
    index = [wp.zeros((e.nworld, *shape), dtype=int, device=e.device) for shape in ((0,), (0,), (0, 0))]
    return RowEntries(wp.zeros((e.nworld, 0, 0), dtype=float, device=e.device), *index)
