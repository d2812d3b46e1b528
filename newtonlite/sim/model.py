"""Model: a finished scene as Warp arrays on a device."""

from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.device import find_device
from newtonlite.core.enums import AttributeAssignment, AttributeFrequency
from newtonlite.core.errors import ModelError, RangeError, UndeclaredError, UnknownNameError
from newtonlite.core.types import Axis
from newtonlite.sim.attributes import (
    AttributeNamespace,
    AttributeSpec,
    NeverRead,
    Removed,
    find_attribute,
    namespaces,
    place_attribute,
)
from newtonlite.sim.body_variants import BodyVariantMethods
from newtonlite.sim.contact_methods import ContactMethods
from newtonlite.sim.control import Control
from newtonlite.sim.model_table import DEFORMABLE, TABLE
from newtonlite.sim.raycast import RayMethods
from newtonlite.sim.sealed_arrays import SealedArrays
from newtonlite.sim.shape_bounds import local_boxes
from newtonlite.sim.state import EXTENDED, State, warn_of_request

_STATE = {
    "body_f": AttributeFrequency.BODY,
    "body_qdd": AttributeFrequency.BODY,
    "body_parent_f": AttributeFrequency.BODY,
    "mujoco:qfrc_actuator": AttributeFrequency.JOINT_DOF,
}
USUAL = {
    "particle_q": "particle_count",
    "particle_qd": "particle_count",
    "particle_f": "particle_count",
    "body_q": "body_count",
    "body_qd": "body_count",
    "body_f": "body_count",
    "joint_q": "joint_count",
    "joint_qd": "joint_count",
}
"""Arrays of every state, and the number on the model of the things that have them."""
_MORE = {
    "body_inv_mass": AttributeFrequency.BODY,
    "body_inv_inertia": AttributeFrequency.BODY,
    "joint_ancestor": AttributeFrequency.JOINT,
    "gravity": AttributeFrequency.WORLD,
}


class Model(SealedArrays, ContactMethods, RayMethods, BodyVariantMethods):
    """The scene that ``ModelBuilder.finalize`` made: all worlds in flat arrays, one after another.

    ``sim/model_table.py`` names the arrays, with their element types and what they have one row of.  ``*_world_start``
    [world_count + 2] says where the rows of each world begin, then those of the global ones behind them, then the end.
    ``gravity`` [world_count + 1] has the pull of each world, and last that of what is global.
    """

    AttributeAssignment = AttributeAssignment
    AttributeFrequency = AttributeFrequency
    AttributeNamespace = AttributeNamespace
    AttributeSpec = AttributeSpec

    joint_target_pos = Removed("joint_target_q")
    joint_target_vel = Removed("joint_target_qd")
    joint_twist_lower, joint_twist_upper = NeverRead("joint_limit_lower"), NeverRead("joint_limit_upper")

    # Newton's arrays of what is not simulated; their counts are 0
    particle_q = particle_qd = particle_mass = particle_inv_mass = particle_radius = particle_flags = particle_world = (
        None
    )
    tri_indices = edge_indices = tet_indices = spring_indices = muscle_start = None

    def __init__(self, device: Any = None):
        self.device = find_device(device)
        self.requires_grad = False
        self.world_count = 0
        self.up_axis = Axis.Z
        self.gravity: wp.array | None = None
        for row in TABLE:
            if row.kept:
                setattr(self, row.name, [] if row.dtype in (str, object) else None)
        for name in (
            "body",
            "shape",
            "joint",
            "joint_dof",
            "joint_coord",
            "joint_constraint",
            "articulation",
            "constraint_mimic",
        ):
            setattr(self, f"{name}_count", 0)
        for name in DEFORMABLE:
            setattr(self, f"{name}_count", 0)
        self.max_joints_per_articulation = 0
        self.max_dofs_per_articulation = 0
        self.custom_frequency_counts: dict[str, int] = {}
        self.custom_frequency_label_attributes: dict[str, str] = {}
        self.custom_frequency_articulation: dict[str, wp.array] = {}
        self.actuators: list = []
        self.attribute_specs: dict[str, AttributeSpec] = {
            row.name: AttributeSpec(row.frequency) for row in TABLE if row.kept
        }
        self.attribute_specs |= {name: AttributeSpec(frequency) for name, frequency in _MORE.items()}
        self.attribute_specs |= {
            name: AttributeSpec(frequency, AttributeAssignment.STATE) for name, frequency in _STATE.items()
        }
        self._given: dict[str, Any] = {}
        self._requested_state: set[str] = set()
        self._requested_contacts: set[str] = set()

    @property
    def attribute_frequency(self) -> dict[str, AttributeFrequency | str]:
        """Frequency of each attribute."""
        return {name: spec.frequency for name, spec in self.attribute_specs.items()}

    @property
    def attribute_assignment(self) -> dict[str, AttributeAssignment]:
        """Assignment of each attribute: the object that carries it."""
        return {name: spec.assignment for name, spec in self.attribute_specs.items()}

    def get_attribute_frequency(self, name: str) -> AttributeFrequency | str:
        """Frequency of an attribute, ``name`` or ``namespace:name``."""
        try:
            return self.attribute_specs[name].frequency
        except KeyError:
            text = f"attribute {name!r}: the model has none of that name; custom ones are called namespace:name"
            raise UnknownNameError(text) from None

    def exact(self, name: str) -> np.ndarray:
        """An attribute's values on the host, reals in float64: as the builder was given them where the array still
        holds them.
        """
        held = find_attribute(self, name).numpy()
        given = self._given.get(name)
        if given is None:
            return held
        values = given.array(len(held)) if ":" in name else given.array()
        if values.shape != held.shape:
            return held.astype(float)
        rounded = values.astype(held.dtype)
        return np.where((rounded == held) | np.isnan(rounded) & np.isnan(held), values, held)

    def get_custom_frequency_count(self, frequency: str) -> int:
        """Number of rows of a custom frequency."""
        try:
            return self.custom_frequency_counts[frequency]
        except KeyError:
            known = ", ".join(self.custom_frequency_counts)
            raise UnknownNameError(
                f"custom frequency {frequency!r}: the model has none of that name; known: {known}"
            ) from None

    def add_attribute(
        self,
        name: str,
        attrib: wp.array | list,
        frequency: AttributeFrequency | str,
        assignment: AttributeAssignment | None = None,
        namespace: str | None = None,
        references: AttributeFrequency | str | None = None,
    ) -> None:
        """Give the model one more array, as ``model.name`` or ``model.namespace.name``; states and controls get copies
        if assigned.
        """
        key = f"{namespace}:{name}" if namespace else name
        if key in self.attribute_specs or (not namespace and hasattr(self, name)):
            raise UndeclaredError(f"attribute {key!r}: the model already has one; choose another name")
        if isinstance(attrib, wp.array) and attrib.device != self.device:
            raise ModelError(
                f"attribute {key!r}: is on {attrib.device}, the model on {self.device}; make it on the model's device"
            )
        place_attribute(self, key, attrib)
        self.attribute_specs[key] = AttributeSpec(frequency, assignment or AttributeAssignment.MODEL, references)

    def finish(self) -> None:
        """Have the arrays there are keep their shapes."""
        by_owner: dict[str, set[str]] = {}
        for key in self.attribute_specs:
            space, _, name = key.rpartition(":")
            by_owner.setdefault(space, set()).add(name)
        self.seal("model", by_owner.pop("", set()))
        for space in namespaces(self):
            space.seal(f"model.{space._name}", by_owner.get(space._name, set()))

    def state(self, requires_grad: bool | None = None) -> State:
        """A new state, at the model's initial coordinates and poses."""
        state = State()
        grad = self.requires_grad if requires_grad is None else requires_grad
        if self.body_count:
            state.body_q = wp.clone(self.body_q, requires_grad=grad)
            state.body_qd = wp.clone(self.body_qd, requires_grad=grad)
            state.body_f = wp.zeros_like(self.body_qd, requires_grad=grad)
        if self.joint_count:
            state.joint_q = wp.clone(self.joint_q, requires_grad=grad)
            state.joint_qd = wp.clone(self.joint_qd, requires_grad=grad)
        for name in self._requested_state & set(EXTENDED):
            count, dtype = EXTENDED[name]
            place_attribute(
                state, name, wp.zeros(getattr(self, count), dtype=dtype, device=self.device, requires_grad=grad)
            )
        self._hand_out(state, AttributeAssignment.STATE, grad)
        return state

    def control(self, requires_grad: bool | None = None, clone_variables: bool = True) -> Control:
        """New controls, at the model's initial forces and targets; with ``clone_variables=False`` the model's own
        arrays.
        """
        control = Control()
        grad = self.requires_grad if requires_grad is None else requires_grad
        if self.joint_count:
            for name in ("joint_f", "joint_target_q", "joint_target_qd", "joint_act"):
                value = getattr(self, name)
                setattr(control, name, wp.clone(value, requires_grad=grad) if clone_variables else value)
        self._hand_out(control, AttributeAssignment.CONTROL, grad, clone_variables)
        return control

    def set_gravity(self, gravity: Any, world: int | None = None) -> None:
        """Change the pull [m/s^2] of one world, or of all: one vector ``[3]``, or one per world ``[world_count, 3]``; with a row
        more, that is what is global.
        """
        value = np.array(gravity, dtype=np.float32)
        shapes = ((3,), (self.world_count, 3), (self.world_count + 1, 3)) if world is None else ((3,),)
        if value.shape not in shapes or not np.isfinite(value).all():
            wanted = f"three finite numbers, or [{self.world_count}, 3] of them for all worlds"
            raise ModelError(f"set_gravity: {value.tolist()}; give {wanted}")
        if world is not None and not -1 <= world < self.world_count:
            raise RangeError(
                f"set_gravity world: {world} of {self.world_count}; count from 0, or -1 for what is global"
            )
        if value.ndim == 2:
            self.gravity[: len(value)].assign(value)
            return
        row = self.world_count if world == -1 else world
        rows = self.gravity if row is None else self.gravity[row : row + 1]
        rows.fill_(wp.vec3(*value.tolist()))

    def request_state_attributes(self, *attributes: str) -> None:
        """Have states carry extra arrays: ``body_qdd``, ``body_parent_f``. Deprecated: observables of a solver have
        them.
        """
        warn_of_request("Model.request_state_attributes")
        State.validate_extended_attributes(attributes)
        self._requested_state.update(attributes)

    def get_requested_state_attributes(self) -> list[str]:
        """State attributes that states of this model carry: the usual ones, as far as there are particles, bodies and
        joints, and those that were requested.
        """
        usual = [name for name, counted in USUAL.items() if getattr(self, counted)]
        return [*usual, *sorted(self._requested_state)]

    @property
    def joint_target_q_start(self) -> wp.array | None:
        """First target of each joint, at the same index as its first coordinate."""
        return self.joint_q_start

    @cached_property
    def body_shapes(self) -> dict[int, list[int]]:
        """The shapes of each body, -1 for the world."""
        out: dict[int, list[int]] = {body: [] for body in range(-1, self.body_count)}
        for shape, body in enumerate(self.shape_body.numpy().tolist() if self.shape_count else ()):
            out[body].append(shape)
        return out

    @cached_property
    def _shape_boxes(self) -> tuple[wp.array, wp.array]:
        boxes = [corners.astype(np.float32) for corners in local_boxes(self)]
        return tuple(wp.array(corners, dtype=wp.vec3, device=self.device) for corners in boxes)

    @property
    def shape_collision_aabb_lower(self) -> wp.array:
        """Lower corners [shape_count] vec3 of boxes about the shapes, in their frames [m]; made when first read."""
        return self._shape_boxes[0]

    @property
    def shape_collision_aabb_upper(self) -> wp.array:
        """Upper corners [shape_count] vec3 of boxes about the shapes, in their frames [m]; made when first read."""
        return self._shape_boxes[1]

    @cached_property
    def shape_source_ptr(self) -> wp.array:
        """For each shape the id of its ``wp.Mesh`` on the device, 0 for none; meshes are built when this is first read."""
        ids = {
            id(source): source.finalize(self.device)
            for source in {id(s): s for s in self.shape_source if s is not None}.values()
        }
        return wp.array([ids.get(id(source), 0) for source in self.shape_source], dtype=wp.uint64, device=self.device)

    def _hand_out(self, owner: Any, assignment: AttributeAssignment, grad: bool, clone: bool = True) -> None:
        """Give copies of the custom attributes to the object they are assigned to."""
        for key, spec in self.attribute_specs.items():
            if spec.assignment != assignment or key in _STATE:
                continue
            value = find_attribute(self, key)
            if clone:
                value = wp.clone(value, requires_grad=grad) if isinstance(value, wp.array) else list(value)
            place_attribute(owner, key, value)
