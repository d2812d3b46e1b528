"""Order in which MuJoCo goes through a tree of boxes: halves by the longest axis of the box about them, the upper half first."""

import numpy as np


def box_order(low: np.ndarray, high: np.ndarray, leaf: int = 1) -> np.ndarray:
    """Boxes [n], by their corners ``low`` and ``high`` [n, 3], in the order of the leaves of the tree of their halves; within a
    leaf of up to ``leaf`` boxes by number.
    """
    middle, found, left = (low + high) / 2, [], [np.arange(len(low))]
    while left:
        part = left.pop()
        if len(part) <= leaf:
            found += sorted(part.tolist())
            continue
        # of axes that are equally long, up to rounding, the first; of equal centres the lower box
        axis = int(np.argmax(np.round(high[part].max(axis=0) - low[part].min(axis=0), 9)))
        part = part[np.lexsort((part, middle[part, axis]))]
        left += [part[: len(part) // 2], part[len(part) // 2 :]]
    return np.array(found, int)
