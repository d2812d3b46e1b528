"""Contact finder: one collision method for a list of pairs, from poses to candidates to rows of a ``Contacts``."""

from typing import Any

import warp as wp

from newtonlite.collide.contact_budget import Offer
from newtonlite.collide.contact_reduction import CAPACITY, CandidateBuffer, FoundContacts
from newtonlite.collide.contact_rows import ContactRows, list_found, offer_found
from newtonlite.collide.scene import SceneShapes
from newtonlite.collide.speculative import Approach

MOST_KEPT = 48
"""Contacts of a pair after they are reduced."""

WORKERS = 256
"""Pairs that a GPU looks at together; a CPU takes one after the other."""


class Finder:
    """Contact finder: ``kernel`` finds the contacts of the pairs that ``near`` lists; ``size`` is how many there may be.

    ``scratch`` makes what the kernel needs besides, for a number of workers; ``kept`` is how many contacts a pair may
    have. ``reduce`` False keeps all that fit, and counts the others in column ``kind`` of what is lost.
    """

    def __init__(
        self,
        shapes: SceneShapes,
        near: Any,
        kernel: Any,
        kind: int,
        device,
        *,
        scratch: Any = None,
        kept: int = MOST_KEPT,
        reduce: bool = True,
    ):
        self.shapes, self.near, self.kernel, self.kind, self.device, self.few = (
            shapes,
            near,
            kernel,
            kind,
            device,
            int(reduce),
        )
        make = lambda n: wp.zeros(n, dtype=int, device=device)
        self.workers = 1 if device.is_cpu else min(WORKERS, near.size)
        kept = kept if reduce else CAPACITY
        self.heap = self._rows(CandidateBuffer(), (self.workers, 2 * CAPACITY if not reduce else CAPACITY))
        for name in ("key", "mark"):
            setattr(self.heap, name, make((self.workers, self.heap.dist.shape[1])))
        self.heap.deepest_only = int(not reduce)
        self.found = self._rows(FoundContacts(), (near.size, kept))
        self.found.count, self.found.dropped, self.heap.dropped = make(near.size), make(near.size), make(self.workers)
        self.size = near.size * kept
        self.scratch = [scratch(self.workers, device)] if scratch else []

    def _rows(self, owner, shape):
        for name, dtype in (("dist", float), ("pos", wp.vec3), ("normal", wp.vec3), ("area", float)):
            setattr(owner, name, wp.zeros(shape, dtype=dtype, device=self.device))
        return owner

    def _launch(self, kernel, dim, *inputs) -> None:
        wp.launch(kernel, dim=dim, inputs=inputs, device=self.device)

    def find(self, first: int, ahead: Approach, offer: Offer, lost: wp.array) -> None:
        """Offer what there is at the poses that the shapes have, and ``ahead`` of them, in the entries from number ``first``
        on; ``lost`` grows by what did not fit.
        """
        n = self.near
        n.find(lost)
        self._launch(
            self.kernel,
            self.workers,
            self.shapes,
            n.pairs,
            n.count,
            self.few,
            self.workers,
            self.heap,
            *self.scratch,
            self.found,
        )
        self._launch(
            offer_found,
            self.found.dist.shape,
            self.shapes,
            ahead,
            n.pairs,
            n.count,
            self.found,
            n.owner,
            self.kind,
            first,
            offer,
            lost,
        )

    def list(self, first: int, offer: Offer, rows: ContactRows) -> None:
        """Write the rows of those that stay."""
        self._launch(list_found, self.found.dist.shape, self.shapes, self.near.pairs, self.found, first, offer, rows)
