"""Rod records: the hinges of a one-dimensional flex in ``flex_bending``, and what kind of rod they make."""

import numpy as np

RECORD = 10
SECTION = 9
"""Place of the half width of a box section, negative where the section lies across; 0: a round section."""


def records(mj, f: int) -> np.ndarray:
    """Records ``[hinges, 10]`` of a flex; none where it is no rod."""
    adr = int(mj.flex_bendingadr[f])
    if mj.flex_dim[f] != 1 or mj.flex_interp[f] or mj.flex_rigid[f] or adr < 0:
        return np.zeros((0, RECORD))
    numbers = np.asarray(mj.flex_bending).reshape(-1, int(mj.nflexbending))[0]
    return numbers[adr + 1 : adr + 1 + RECORD * int(numbers[adr])].reshape(-1, RECORD)


def is_chain(rows: np.ndarray) -> bool:
    """Whether hinges follow each other along an open line, and something tells their edges' sides apart."""
    line = (rows[:, 3] < 0).all() and (rows[1:, :2] == rows[:-1, 1:3]).all()
    closed = rows[0, 0] in (rows[-1, 1], rows[-1, 2])
    return bool(line and not closed and ((rows[:, 7] >= 0).any() or rows[:, (5, SECTION)].any()))


def is_flat(mj, f: int) -> bool:
    """Whether a flex is a rod of box section, whose edges collide as boxes."""
    rows = records(mj, f)
    return bool(len(rows) and is_chain(rows) and rows[:, SECTION].any())
