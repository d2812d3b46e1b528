"""Arrays that are made when they are read: entries of matrices that the engine keeps with all of their columns."""

import warp as wp

from newtonlite.mjwarp import sparsity
from newtonlite.mjwarp.sparse_kernels import factor_inertia, gather_entries


def new_array(d, last, shape: tuple, dtype) -> wp.array:
    """The array of last time, or a new one of zeros."""
    return wp.zeros((d.nworld, *shape), dtype=dtype, device=d.engine.device) if last is None else last


def entries(d, last, name: str, kept: sparsity.Pattern, matrix: str = "") -> wp.array:
    """Entries of a matrix that the engine keeps with all of its columns, under another name than the pattern's if given."""
    out = new_array(d, last, (len(kept.colind),), float)
    if out.size:
        at = [d.kept_index(f"{name}_{which}", getattr(kept, which)) for which in ("rows", "colind")]
        wp.launch(gather_entries, out.shape, [d.engine.arrays[matrix or name], *at, out], device=out.device)
    return out


def factor(d, kept: sparsity.Pattern, pair: tuple) -> None:
    """``L' D L`` in place of entries like those of ``M``, and one over the diagonal of D."""
    at = [d.kept_index(f"M_{which}", getattr(kept, which)) for which in ("rownnz", "rowadr", "colind")]
    wp.launch(factor_inertia, d.nworld, [d.engine.model.nv, *at, *pair], device=pair[0].device)
