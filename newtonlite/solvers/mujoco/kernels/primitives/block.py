"""Block: 16 columns of a matrix row or 16 constraint rows, the unit in which one lane's vectors work.

Rows over dofs and arrays over constraint rows have room for whole blocks.  ``block`` fields (``efc_block``,
``dof_block``, ``tendon_block``, ``H_block``) count in them: first block in use, and last one + 1.
"""

import warp as wp

BLOCK = 16
"""Numbers of a block: one AVX-512 register of floats, half a cache line."""


@wp.func
def whole_blocks(n: int) -> int:
    """A count rounded up to whole blocks."""
    return (n + BLOCK - 1) / BLOCK * BLOCK
