"""Contact matcher: matches contacts from one call to the next with the kernels of ``contact_matching``."""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import warp as wp

from newtonlite.collide.contact_matching import (
    CurrentContacts,
    PreviousContacts,
    add_to_mask,
    keep_matched_points,
    list_changes,
    list_pairs,
    nearest_previous,
    remember,
    report_changes,
    resolve_claims,
)
from newtonlite.collide.contact_rows import contact_arrays
from newtonlite.core.errors import ModelError, StateError

MODES = ("disabled", "latest", "sticky")


class Matcher:
    """Fills ``rigid_contact_match_index`` of contacts, and ``rigid_contact_new_indices`` and
    ``rigid_contact_broken_indices`` where they have them.

    ``capacity``: contacts at most. ``reach`` [m] is how far a contact's middle may go from one call to the next, ``same``
    the least cosine of its normals. With ``sticky`` contacts that are matched and touch keep points and normal. Nothing
    waits for the device.
    """

    def __init__(self, model: Any, capacity: int, reach: float, same: float, sticky: bool):
        self.device, self.capacity, self.reach, self.same, self.sticky = (
            model.device,
            capacity,
            float(reach),
            float(same),
            sticky,
        )
        self.size = max(1, capacity)
        self.past, self.now = PreviousContacts(), CurrentContacts()
        p, now, n = self.past, self.now, self.size
        p.count, p.frame, p.taken = self._make(1), self._make(2), self._make(n)
        p.forget = wp.zeros(model.world_count + 1, dtype=bool, device=self.device)
        p.shape_world, p.shape_body = model.shape_world, model.shape_body
        for name in ("place", "point0", "point1", "offset0", "offset1", "normal"):
            setattr(p, name, self._make(n, wp.vec3))
        now.place, now.wanted, now.far = self._make(n, wp.vec3), self._make(n), self._make(n, float)
        for one in (p, now):  # a sort needs twice the memory
            one.pair, one.row = self._make(2 * n, wp.int64), self._make(2 * n)
        self._reported = [self._make(n) for _ in range(3)]
        self._numbers: WeakKeyDictionary = WeakKeyDictionary()

    def _make(self, size: int, dtype: Any = int) -> wp.array:
        return wp.zeros(size, dtype=dtype, device=self.device)

    def _launch(self, kernel: Any, *inputs: Any) -> None:
        wp.launch(kernel, dim=self.size, inputs=inputs, device=self.device)

    def match(self, contacts: Any, body_q: wp.array) -> None:
        """Match what ``contacts`` hold at the poses ``body_q``; StateError unless they were made for it."""
        if not contacts.contact_matching or contacts.rigid_contact_max != self.capacity:
            raise StateError(
                "CollisionPipeline.collide: contacts are matched from call to call; make them with the pipeline's contacts()"
            )
        if not contacts.rigid_contact_max:
            return
        p, now = self.past, self.now
        now.rows, now.count, now.body_q, now.index = (
            contact_arrays(contacts),
            contacts.rigid_contact_count,
            body_q,
            contacts.rigid_contact_match_index,
        )
        number = self._numbers.setdefault(contacts, len(self._numbers) + 1)
        self._launch(list_pairs, p, now)
        wp.utils.radix_sort_pairs(now.pair, now.row, self.size)
        self._launch(nearest_previous, p, now, self.reach, self.same)
        self._launch(resolve_claims, p, now, number, contacts.rigid_contact_match_generation)
        if self.sticky:
            self._launch(keep_matched_points, p, now, self.reach)
        if contacts.contact_report:
            self._report(contacts)
        self._launch(remember, p, now, number, contacts.contact_generation)
        p.forget.zero_()

    def _report(self, contacts: Any) -> None:
        """List what is new and what is gone."""
        new, broken, slot = self._reported
        broken.zero_()
        self._launch(report_changes, self.past, self.now, new, broken)
        for flags, name in ((new, "new"), (broken, "broken")):
            wp.utils.array_scan(flags, slot, inclusive=False)
            listed, count = (getattr(contacts, f"rigid_contact_{name}_{what}") for what in ("indices", "count"))
            self._launch(list_changes, flags, slot, listed, count)

    def reset(self, world_mask: Any = None) -> None:
        """Match nothing with what was found so far: in the worlds of ``world_mask`` bool [world_count + 1], whose last
        stands for shapes that are in all worlds, or in all where it is None. ModelError for a mask of another kind.
        """
        p = self.past
        if world_mask is None:
            p.count.zero_()
            p.frame.zero_()
            p.forget.zero_()
            return
        if isinstance(world_mask, np.ndarray | list | tuple) and np.asarray(world_mask).dtype == bool:
            world_mask = wp.array(np.asarray(world_mask), dtype=bool, device=self.device)
        if (
            not isinstance(world_mask, wp.array)
            or world_mask.dtype != wp.bool
            or world_mask.shape != p.forget.shape
            or world_mask.device != self.device
        ):
            raise ModelError(
                f"CollisionPipeline.reset_contact_matching world_mask: give booleans [{p.forget.shape[0]}] on {self.device}"
            )
        wp.launch(add_to_mask, dim=p.forget.shape[0], inputs=[world_mask, p.forget], device=self.device)
