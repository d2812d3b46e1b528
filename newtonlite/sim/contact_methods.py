"""Contact methods of a model: collision pairs, contact buffers, collision."""

import warnings
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.doors import open_door
from newtonlite.core.enums import AttributeAssignment, ShapeFlags
from newtonlite.core.errors import ModelError, NewtonDeprecationWarning, external
from newtonlite.sim.contacts import Contacts
from newtonlite.sim.pairs import colliding_pairs
from newtonlite.sim.state import State, warn_of_request


class ContactMethods:
    """The part of ``Model`` that is about contacts."""

    rigid_contact_max: int | None = None
    """Rows of ``contacts()`` as set, or those of the pipeline made last; None: as many as ``contact_capacity`` says."""
    soft_contact_max: int | None = None
    """Capacity for contacts of particles in ``contacts()``, 0 where None; nothing fills it."""
    _collision_pipeline: Any = None

    def contacts(self, collision_pipeline: Any = None) -> Contacts:
        """Contact buffer, which ``collide`` or a solver's ``update_contacts`` fills: as many as fit the pipeline, if one
        is given. Deprecated: ``CollisionPipeline.contacts`` makes it, or ``Contacts``.
        """
        _deprecated("contacts()", "make a CollisionPipeline and call its contacts()")
        return self._contact_buffer(collision_pipeline)

    def _contact_buffer(self, collision_pipeline: Any) -> Contacts:
        """An empty buffer for a pipeline's contacts, with custom attributes of contacts; for a solver's where None."""
        most = collision_pipeline.rigid_contact_max if collision_pipeline else self.contact_capacity
        own = collision_pipeline.has_patches if collision_pipeline else self._has_soft_shapes
        asked = self._requested_contacts
        mode = collision_pipeline.contact_matching if collision_pipeline else "disabled"
        report = collision_pipeline is not None and collision_pipeline.contact_report
        contacts = Contacts(
            most,
            (collision_pipeline or self).soft_contact_max or 0,
            device=self.device,
            requested_attributes=asked,
            per_contact_shape_properties=own,
            contact_matching=mode != "disabled",
            contact_report=report,
        )
        contacts.contact_matching_mode = mode
        self._hand_out(contacts, AttributeAssignment.CONTACT, False)
        return contacts

    def collide(
        self,
        state: State,
        contacts: Contacts | None = None,
        *,
        collision_pipeline: Any = None,
        enable_rigid_soft_full_surface_contact: bool = False,
    ) -> Contacts:
        """The contacts of the shapes at the poses ``state.body_q``, in ``contacts`` (new ones when None).

        They are found by the pipeline given, else by that of the call before, else by ``CollisionPipeline(model)``.
        Deprecated: ``CollisionPipeline.collide`` does it.
        """
        _deprecated("collide()", "make a CollisionPipeline and call its collide(state, contacts)")
        if enable_rigid_soft_full_surface_contact:
            raise ModelError("Model.collide: enable_rigid_soft_full_surface_contact is not supported; leave it out")
        self._collision_pipeline = collision_pipeline or self._collision_pipeline
        if self._collision_pipeline is None:
            self._collision_pipeline = open_door("CollisionPipeline")(self)
        if contacts is None:
            contacts = self._contact_buffer(self._collision_pipeline)
        self._collision_pipeline.collide(state, contacts)
        return contacts

    @property
    def contact_max(self) -> int | None:
        """Rows of contacts of shapes and of particles together, None before both are known."""
        if self.rigid_contact_max is None or self.soft_contact_max is None:
            return None
        return self.rigid_contact_max + self.soft_contact_max

    @cached_property
    def _has_soft_shapes(self) -> bool:
        flags = self.shape_flags.numpy() if self.shape_count else np.zeros(0, int)
        return bool((flags & ShapeFlags.HYDROELASTIC).any())

    @property
    def contact_capacity(self) -> int:
        """Rows of ``contacts()``: ``rigid_contact_max`` where it is set, else ten contacts for every shape that
        collides.
        """
        if self.rigid_contact_max is not None:
            return self.rigid_contact_max
        if self.shape_count == 0:
            return 0
        return max(1000, 10 * int(np.count_nonzero(self.shape_flags.numpy() & ShapeFlags.COLLIDE_SHAPES)))

    def request_contact_attributes(self, *attributes: str) -> None:
        """Have contacts carry extra arrays: ``force``. Deprecated: observables of a solver have them."""
        warn_of_request("Model.request_contact_attributes")
        Contacts.validate_extended_attributes(attributes)
        self._requested_contacts.update(attributes)

    def get_requested_contact_attributes(self) -> set[str]:
        """Contact attributes that were requested beyond the usual ones."""
        return set(self._requested_contacts)

    def shape_collision_filter_pairs_array(self) -> np.ndarray:
        """Pairs of shapes ``[n, 2]`` that are excluded from collision, smaller index first, sorted, each once."""
        return self._filter_pairs

    @property
    def shape_collision_filter_pairs(self) -> set[tuple[int, int]]:
        """Pairs of shapes that are excluded from collision."""
        return set(map(tuple, self._filter_pairs.tolist()))

    def shape_collision_filter_mask(self, pairs: np.ndarray) -> np.ndarray:
        """For each of the pairs ``[n, 2]`` whether it is excluded from collision."""
        pairs = np.sort(np.asarray(pairs, dtype=np.int64).reshape(-1, 2), axis=1)
        known = self._filter_pairs.astype(np.int64)
        return np.isin(pairs[:, 0] * self.shape_count + pairs[:, 1], known[:, 0] * self.shape_count + known[:, 1])

    def shape_collision_filter_contains(self, shape_a: int, shape_b: int) -> bool:
        """Whether two shapes are excluded from collision."""
        return bool(self.shape_collision_filter_mask(np.array([[shape_a, shape_b]]))[0])

    @cached_property
    def _filter_pairs(self) -> np.ndarray:
        return np.unique(np.sort(self._filters.array(), axis=1), axis=0)

    @cached_property
    def shape_contact_pairs(self) -> wp.array:
        """Pairs of shapes ``[n]`` (vec2i) that may collide, by worlds, groups, bodies and filters; made when first
        read.
        """
        return wp.array(colliding_pairs(self), dtype=wp.vec2i, device=self.device)

    @property
    def shape_contact_pair_count(self) -> int:
        """Number of pairs of shapes that may collide."""
        return len(self.shape_contact_pairs)


def _deprecated(name: str, successor: str) -> None:
    """Warn the caller outside of newtonlite that a method of the model is deprecated."""
    text = f"Model.{name} is deprecated; {successor}"
    warnings.warn(text, NewtonDeprecationWarning, stacklevel=external())
