"""Collision schedule: when a solver that owns a collision pipeline runs it within a step."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from newtonlite.core.errors import ModelError, StateError


class CollisionSlot(IntEnum):
    """Kinds of collision detection that a solver schedules."""

    RIGID = 0
    SOFT_SELF_CONTACT = 1


class CollisionFrequencyType(IntEnum):
    """Moment of detection: never, before a step, before and after its start, in iterations, or as the solver decides."""

    NONE = 0
    PRE_INIT = 1
    PRE_POST_INIT = 2
    ITERATIONS = 3
    AUTO = 4


class CollisionScheduleMethods:
    """The part of ``SolverBase`` that is about a pipeline of its own. SolverMuJoCo has none: it collides in its stages."""

    CollisionSlot, CollisionFrequencyType = CollisionSlot, CollisionFrequencyType
    supports_collision_pipeline = False
    """Whether a class of solvers runs a pipeline itself."""
    collision_pipeline: Any = None
    contacts: Any = None
    """Contacts of the solver's own pipeline, None without one."""

    def _own_pipeline(self, model: Any, pipeline: Any, frequency: Mapping | None, kinds: Mapping | None) -> None:
        """Take a pipeline, and when it runs. ModelError for solvers that run none, and for one of another model."""
        name = type(self).__name__
        if pipeline is not None and not self.supports_collision_pipeline:
            raise ModelError(f"{name}: it runs no collision_pipeline; call collide, and pass the contacts to step")
        if pipeline is not None and pipeline.model is not model:
            raise ModelError(f"{name} collision_pipeline: is of another model; make one of the solver's")
        if pipeline is not None:
            self.collision_pipeline, self.contacts = pipeline, pipeline.contacts()
        self._frequency = dict.fromkeys(CollisionSlot, 1)
        self._frequency_type = dict.fromkeys(CollisionSlot, CollisionFrequencyType.AUTO)
        self.set_collision_frequency(collision_frequency=frequency, collision_frequency_type=kinds)

    @property
    def collision_frequency(self) -> dict[CollisionSlot, int]:
        """Iterations between two detections, of slots that detect in iterations."""
        return dict(self._frequency)

    @property
    def collision_frequency_type(self) -> dict[CollisionSlot, CollisionFrequencyType]:
        """Detection of each slot."""
        return dict(self._frequency_type)

    def set_collision_frequency(
        self, *, collision_frequency: Mapping | None = None, collision_frequency_type: Mapping | None = None
    ) -> None:
        """Change when the next steps detect; slots that are not named stay as they are.

        Raises ModelError for frequencies below 1, for detection without a pipeline, and for detection in iterations by
        a pipeline that does not match contacts.
        """
        numbers = {CollisionSlot(slot): int(n) for slot, n in (collision_frequency or {}).items()}
        low = [slot.name for slot, n in numbers.items() if n < 1]
        if low:
            raise ModelError(f"collision_frequency[{low[0]}] must be >= 1; give a number of iterations")
        kinds = self._frequency_type | {
            CollisionSlot(slot): CollisionFrequencyType(kind) for slot, kind in (collision_frequency_type or {}).items()
        }
        rigid = kinds[CollisionSlot.RIGID]
        if self.collision_pipeline is None and rigid not in (CollisionFrequencyType.NONE, CollisionFrequencyType.AUTO):
            raise ModelError(
                f"collision_frequency_type: {rigid.name} requires a solver-owned pipeline; pass collision_pipeline, or call collide yourself"
            )
        if rigid == CollisionFrequencyType.ITERATIONS and self.collision_pipeline.contact_matching == "disabled":
            raise ModelError(
                "collision_frequency_type: ITERATIONS requires contact matching; make the pipeline with contact_matching='latest'"
            )
        self._frequency, self._frequency_type = self._frequency | numbers, kinds

    def _default_collision_frequency_type(self, slot: CollisionSlot) -> CollisionFrequencyType:
        """Meaning of AUTO for a slot; solvers may override it."""
        owned = slot == CollisionSlot.RIGID and self.collision_pipeline is not None
        return CollisionFrequencyType.PRE_INIT if owned else CollisionFrequencyType.NONE

    def _resolved_collision_frequency_type(self, slot: CollisionSlot) -> CollisionFrequencyType:
        """Detection of a slot, AUTO resolved."""
        kind = self._frequency_type[slot]
        return self._default_collision_frequency_type(slot) if kind == CollisionFrequencyType.AUTO else kind

    def _resolve_step_contacts(self, contacts: Any) -> Any:
        """The contacts of a step: those passed, or the pipeline's; StateError for both."""
        if self.collision_pipeline is None:
            return contacts
        if contacts is not None:
            raise StateError(
                "step contacts: must be None when the solver owns a collision pipeline; it fills solver.contacts"
            )
        return self.contacts

    def _run_rigid_collision(self, state: Any, dt: float | None = None) -> None:
        """Fill the contacts by the solver's own pipeline."""
        self.collision_pipeline.collide(state, self.contacts, dt=dt)
