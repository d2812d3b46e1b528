"""Generated code: headers that are put before what Warp generates, and take the place of parts of it.

They know how Warp writes array access and loops (docs/reference/warp_contract.md), and are left out where that is not
known; results have the same bits without them.
"""

from pathlib import Path

from newtonlite.core import warp_internals

FOLDER = Path(__file__).parent
# Warp's access lets an index count from the end, and any stride; its addresses are much of what a stage computes
ARRAY_ACCESS, RANGE_LOOP = (
    (FOLDER / name).read_text(encoding="utf-8") for name in ("array_access.h", "cpu/range_loop.h")
)


def cpu_preamble() -> str:
    """Headers before the code of a CPU kernel."""
    return ARRAY_ACCESS + RANGE_LOOP if warp_internals.used() else ""


def cuda_preamble() -> str:
    """Headers before the code of a GPU kernel."""
    return ARRAY_ACCESS if warp_internals.used() else ""
