"""State: positions, velocities and forces of a scene at one moment."""

import warnings
from typing import Any, ClassVar, NamedTuple

import warp as wp

from newtonlite.core.errors import DeviceError, NewtonDeprecationWarning, StateError, external
from newtonlite.sim.attributes import namespaces

EXTENDED = {
    "body_qdd": ("body_count", wp.spatial_vectorf),
    "body_parent_f": ("body_count", wp.spatial_vectorf),
    "mujoco:qfrc_actuator": ("joint_dof_count", wp.float32),
}
"""Arrays of a state that are there when they are requested: name, count, element type."""


class ExtendedAttributeTemplate(NamedTuple):
    """Frequency, by name, and element type of an array that a state has on request."""

    frequency: str
    dtype: type


class State:
    """Poses, velocities and forces; made by ``Model.state()``.

    ``body_q`` [body_count] transforms; ``body_qd`` [body_count] linear velocity of the centre of mass [m/s] and angular
    velocity [rad/s], in the world; ``body_f`` [body_count] force [N] and torque [N m] at the centre of mass, in the
    world; ``joint_q`` [joint_coord_count] and ``joint_qd`` [joint_dof_count].  Arrays without rows are None.
    """

    ExtendedAttributeTemplate = ExtendedAttributeTemplate
    EXTENDED_ATTRIBUTES: ClassVar = frozenset(EXTENDED)
    EXTENDED_ATTRIBUTE_TEMPLATES: ClassVar = {
        name: ExtendedAttributeTemplate(count.removesuffix("_count").upper(), dtype)
        for name, (count, dtype) in EXTENDED.items()
    }

    def __init__(self) -> None:
        self.particle_q = None
        self.particle_qd = None
        self.particle_f = None
        self.body_q: wp.array | None = None
        self.body_qd: wp.array | None = None
        self.body_qdd: wp.array | None = None
        self.body_f: wp.array | None = None
        self.body_parent_f: wp.array | None = None
        self.joint_q: wp.array | None = None
        self.joint_qd: wp.array | None = None

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow through the arrays; newtonlite has none."""
        return bool(self.body_q is not None and self.body_q.requires_grad)

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return 0 if self.body_q is None else len(self.body_q)

    @property
    def particle_count(self) -> int:
        """0: particles are not supported."""
        return 0

    @property
    def joint_coord_count(self) -> int:
        """Number of joint coordinates."""
        return 0 if self.joint_q is None else len(self.joint_q)

    @property
    def joint_dof_count(self) -> int:
        """Number of joint velocities."""
        return 0 if self.joint_qd is None else len(self.joint_qd)

    def clear_forces(self) -> None:
        """Set the body forces to zero."""
        if self.body_f is not None:
            self.body_f.zero_()

    def assign(self, other: "State") -> None:
        """Copy all arrays of another state of the same model, custom ones included."""
        copy_arrays(other, self, "State.assign")

    @classmethod
    def validate_extended_attributes(cls, attributes: tuple[str, ...]) -> None:
        """Raise StateError for a name that is not an attribute one can request."""
        for name in attributes:
            if name not in EXTENDED:
                raise StateError(f"state attribute {name!r}: cannot be requested; known are {', '.join(EXTENDED)}")


def copy_arrays(source: Any, target: Any, where: str) -> None:
    """Copy every array of one object onto that of the same name; both or neither must have it, in the same size."""
    pairs = _pairs(source, target, where)
    for _, a, b in pairs:
        wp.copy(b, a)


def _pairs(source: Any, target: Any, where: str) -> list[tuple[str, wp.array, wp.array]]:
    """(name, from, to) of all arrays, checked before any is copied."""
    out = []
    for name in {**vars(source), **vars(target)}:
        a, b = getattr(source, name, None), getattr(target, name, None)
        if isinstance(a, wp.array) != isinstance(b, wp.array):
            raise StateError(f"{where}: only one of the two has {name!r}; use states of the same model")
        if isinstance(a, wp.array):
            if a.shape != b.shape or a.dtype != b.dtype:
                there, here = (f"{x.dtype.__name__}{x.shape}" for x in (a, b))
                raise StateError(f"{where}: {name!r} is {there} there and {here} here; use states of the same model")
            if a.device != b.device:
                raise DeviceError(
                    f"{where}: {name!r} is on {a.device} there and on {b.device} here; use states on one device"
                )
            out.append((name, a, b))
    there, here = ({space._name: space for space in namespaces(owner)} for owner in (source, target))
    for name in sorted({*there, *here}):
        if name not in there or name not in here:
            raise StateError(f"{where}: only one of the two has the namespace {name!r}; use states of the same model")
        out += _pairs(there[name], here[name], where)
    return out


def warn_of_request(method: str) -> None:
    """Say to the caller that states and contacts with extra arrays are on their way out."""
    text = f"{method} is deprecated (by Newton since 1.7): make SolverBase.Observables and pass them to step"
    warnings.warn(text, NewtonDeprecationWarning, stacklevel=external())
