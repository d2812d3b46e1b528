"""Solver base class."""

from collections.abc import Mapping

import warp as wp

from newtonlite.core.errors import ModelError, StateError, WrongTypeError
from newtonlite.solvers.collision_schedule import CollisionScheduleMethods
from newtonlite.solvers.observables import ObservableMethods


class SolverBase(ObservableMethods, CollisionScheduleMethods):
    """A solver steps states of one model. It keeps its own derived data and never changes the model.

    A class that says ``supports_collision_pipeline`` may be given a pipeline to run itself, and when
    (``set_collision_frequency``); for others callers collide, and pass the contacts.
    """

    supports_body_pair_reduced_contacts = False

    def __init__(
        self,
        model,
        *,
        collision_pipeline=None,
        collision_frequency: Mapping | None = None,
        collision_frequency_type: Mapping | None = None,
    ):
        self.model = model
        self._own_pipeline(model, collision_pipeline, collision_frequency, collision_frequency_type)

    @property
    def device(self):
        """The device that the model and everything of the solver live on."""
        return self.model.device

    @classmethod
    def register_custom_attributes(cls, builder) -> None:
        """Declare on a builder the custom attributes that the solver reads; none here."""

    def step(self, state_in, state_out, control, contacts, dt: float, *, observables=None) -> None:
        """Write into ``state_out`` what ``state_in`` becomes after ``dt`` seconds, and fill ``observables``.

        ``control`` None means no actuation. The same state may be passed as input and output.
        """
        raise ModelError(f"{type(self).__name__} does not define step")

    def reset(self, state, world_mask=None, flags=None) -> None:
        """Forget what the solver remembers of worlds of ``state``; what a solver without memory leaves as it is.

        ``world_mask`` is a bool array [world_count + 1], whose last entry is for what is in all worlds, everything when
        None; ``flags`` says which parts of the state. Raises WrongTypeError for another kind of mask, StateError for
        another length or device.
        """
        check_mask(world_mask, self.model)

    def notify_model_changed(self, flags) -> None:
        """Take note that the arrays of the model named by ``flags`` (``ModelFlags``) have been written to."""

    def update_contacts(self, contacts, state=None) -> None:
        """Write the contacts of the last step into ``contacts``."""
        raise ModelError(f"{type(self).__name__} does not report contacts")


def check_mask(world_mask, model) -> None:
    """WrongTypeError for what is no mask of worlds, StateError for one of another length or device."""
    if world_mask is None:
        return
    if not isinstance(world_mask, wp.array) or world_mask.dtype != wp.bool or world_mask.ndim != 1:
        raise WrongTypeError(f"world_mask: expected a wp.bool array [world_count + 1], got {described(world_mask)}")
    wanted = model.world_count + 1
    if world_mask.shape != (wanted,) or world_mask.device != model.device:
        raise StateError(
            f"world_mask: expected [world_count + 1], {wanted} entries on {model.device}; got {described(world_mask)}"
        )


def described(value) -> str:
    """Type, shape and device of what was passed, for messages."""
    if isinstance(value, wp.array):
        return f"{value.dtype.__name__}{list(value.shape)} on {value.device}"
    return type(value).__name__
