"""Label matching of sensors."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonlite.core.enums import ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.sim.selection.labels import matching


def match_labels(labels: Sequence[str], pattern: Any, where: str) -> list[int]:
    """Indices of what a pattern means, in order, or a list of indices as it is; ModelError where that is nothing."""
    found = matching(list(labels), pattern, where)
    if not isinstance(pattern, str | re.Pattern) and all(isinstance(item, int | np.integer) for item in pattern):
        found = [int(item) for item in pattern]
    if not found:
        raise ModelError(f"{where}: {pattern!r} matches none of {len(labels)} labels")
    return found


def match_sites(model: Any, pattern: Any, where: str) -> list[int]:
    """Shapes that a pattern means; ModelError for one that is no site."""
    found = match_labels(model.shape_label, pattern, where)
    flags = model.shape_flags.numpy()
    for shape in found:
        if not flags[shape] & ShapeFlags.SITE:
            raise ModelError(f"{where}: shape '{model.shape_label[shape]}' is no site; add it with add_site")
    return found


def both(a: Sequence[int], b: Sequence[int], where: str) -> tuple[np.ndarray, np.ndarray]:
    """Two lists of equal length; one entry stands for all."""
    if len(b) not in (1, len(a)):
        raise ModelError(f"{where}: {len(b)} references for {len(a)} frames; give one, or as many")
    return np.array(a, np.int32), np.array(list(b) * len(a) if len(b) == 1 else b, np.int32)
