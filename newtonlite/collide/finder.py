"""One way of finding contacts, for a list of pairs: from poses to rows of a ``Contacts``."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.collide.heap import ROOM, Found, Heap
from newtonlite.collide.near import boxes_meet, list_near
from newtonlite.collide.rows import ROWS, Rows, begin, count_found, list_found
from newtonlite.collide.scene import Shapes

MOST_KEPT = 48
"""Contacts of a pair after they are reduced."""

WORKERS = 256
"""Pairs that a GPU looks at together; a CPU takes one after the other."""


class Finder:
    """Finds the contacts of ``pairs`` [n, 2] by ``kernel`` and lists them behind the rows that are in use.

    ``scratch`` makes what the kernel needs besides, for a number of workers; ``kept`` is how many contacts a pair may have. ``pairs_max`` is
    how many pairs may be near each other at once (None: all); others are counted in ``lost_pairs``. ``reduce`` False keeps all for which there
    is room.
    """

    def __init__(
        self, shapes: Shapes, pairs: np.ndarray, kernel: Any, device, *, scratch: Any = None, kept: int = MOST_KEPT, reduce: bool = True,
        pairs_max: int | None = None,
    ):  # fmt: skip
        self.shapes, self.kernel, self.device, self.few = shapes, kernel, device, int(reduce)
        make = lambda n, dtype=int: wp.zeros(n, dtype=dtype, device=device)  # noqa: E731
        self.pairs = wp.array(pairs.astype(np.int32), dtype=wp.vec2i, device=device)
        self.size = len(pairs) if pairs_max is None else max(1, min(len(pairs), int(pairs_max)))
        self.workers = 1 if device.is_cpu else min(WORKERS, self.size)
        self.meet, self.slot, self.near = make(len(pairs)), make(len(pairs)), make(self.size)
        self.near_count, self.start, self.base = make(1), make(self.size), make(1)
        self.lost_pairs = make(1)
        kept = kept if reduce else ROOM
        self.heap = self._rows(Heap(), (self.workers, 2 * ROOM if not reduce else ROOM))
        for name in ("key", "mark"):
            setattr(self.heap, name, make((self.workers, self.heap.dist.shape[1])))
        self.found = self._rows(Found(), (self.size, kept))
        self.found.count = make(self.size)
        self.scratch = [scratch(self.workers, device)] if scratch else []

    def _rows(self, owner, shape):
        for name, dtype in (("dist", float), ("pos", wp.vec3), ("normal", wp.vec3), ("area", float)):
            setattr(owner, name, wp.zeros(shape, dtype=dtype, device=self.device))
        return owner

    def _launch(self, kernel, dim, *inputs) -> None:
        wp.launch(kernel, dim=dim, inputs=inputs, device=self.device)

    def find(self, contacts, lost: wp.array) -> None:
        """Append rows to ``contacts`` for the poses that the shapes have; those without room are added to ``lost[0]``."""
        rows = Rows()
        for name in ROWS:
            array = getattr(contacts, f"rigid_contact_{name}")
            setattr(rows, name, array if array is not None else wp.zeros(0, dtype=float, device=self.device))
        count = contacts.rigid_contact_count
        self._launch(boxes_meet, len(self.pairs), self.shapes, self.pairs, self.meet)
        wp.utils.array_scan(self.meet, self.slot, inclusive=False)
        self._launch(list_near, len(self.pairs), self.meet, self.slot, self.near, self.near_count, self.lost_pairs)
        self._launch(self.kernel, self.workers, self.shapes, self.pairs, self.near, self.near_count, self.few, self.workers, self.heap, *self.scratch, self.found)
        self._launch(begin, self.size, self.near_count, self.found, count, self.base)
        wp.utils.array_scan(self.found.count, self.start, inclusive=False)
        most = contacts.rigid_contact_max
        if most:
            self._launch(list_found, self.found.dist.shape, self.shapes, self.pairs, self.near, self.near_count, self.found, self.start, self.base, rows)
        self._launch(count_found, 1, self.found, self.near_count, self.start, most, self.base, count, lost)
