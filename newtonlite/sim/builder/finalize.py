"""Finalization: from the builder's columns to a Model."""

import warnings
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeAssignment, GeoType, ShapeFlags
from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.errors import ModelError, NewtonWarning, external
from newtonlite.core.garbage import collection_held
from newtonlite.geometry import inertia
from newtonlite.geometry.mesh import SDF
from newtonlite.sim.attributes import AttributeSpec, place_attribute
from newtonlite.sim.builder import repair, validate
from newtonlite.sim.builder.check import narrowed, number
from newtonlite.sim.builder.config import ShapeConfig
from newtonlite.sim.builder.lazy import LazyList
from newtonlite.sim.builder.owners import owners_of_rows
from newtonlite.sim.contacts import Contacts
from newtonlite.sim.model import Model
from newtonlite.sim.model_table import COUNTED, FILTER, TABLE, WORLD_OF
from newtonlite.sim.namespace import springs
from newtonlite.sim.state import State, warn_of_request

_STARTS = {
    "joint_dof_world_start": ("joint_qd_start", F.JOINT_DOF),
    "joint_coord_world_start": ("joint_q_start", F.JOINT_COORD),
    "joint_constraint_world_start": ("joint_cts_start", F.JOINT_CONSTRAINT),
}

FIELD_SETTINGS = ("narrow_band_range", "target_voxel_size", "max_resolution", "padding")
"""Settings of signed distance fields, columns ``shape_sdf_*``."""


class FinalizeMethods:
    """Making the Model."""

    @collection_held()
    def finalize(
        self,
        device: Any = None,
        *,
        requires_grad: bool = False,
        skip_all_validations: bool = False,
        skip_validation_worlds: bool = False,
        skip_validation_joints: bool = False,
        skip_validation_shapes: bool = False,
        skip_validation_inertia: bool = False,
        skip_validation_structure: bool = False,
        skip_validation_joint_ordering: bool = True,
    ) -> Model:
        """A Model of all that was added, on a device; the builder stays as it is.

        A world that is open is taken as it is. Raises ModelError where worlds are not contiguous, joints form a cycle or leave their
        articulation, or a mass or inertia is impossible; each check can be skipped.
        """
        arrays = {
            name: column.array() for name, column in self.columns.items() if column.row.dtype not in (str, object)
        }
        checks = {
            validate.worlds: skip_validation_worlds,
            validate.structure: skip_validation_structure,
            validate.joints: skip_validation_joints,
            validate.shapes: skip_validation_shapes,
        }
        for check, skipped in checks.items():
            if not (skipped or skip_all_validations):
                check(arrays | self._beside_columns())
        if not (skip_validation_joint_ordering or skip_all_validations):
            self.validate_joint_ordering()
        self._settle_variants(arrays)
        springs.settle_springs(self, arrays)
        if not (skip_validation_inertia or skip_all_validations):
            self._settle_inertia(arrays)
        model = Model(device)
        model.requires_grad = bool(requires_grad)
        model.up_axis = self.up_axis
        model.world_count = max(1, self.world_count)
        self._set_arrays(model, arrays, requires_grad)
        self._set_lists(model)
        self._make_fields(model, arrays)
        self._set_derived(model, arrays)
        self._set_worlds(model, arrays)
        self._make_drives(model, requires_grad)
        self._set_custom(model, requires_grad)
        self._place_variants(model)
        model.finish()
        return model

    def request_state_attributes(self, *attributes: str) -> None:
        """Have the model's states carry extra arrays: ``body_qdd``, ``body_parent_f``. Deprecated: observables of a
        solver have them.
        """
        warn_of_request("ModelBuilder.request_state_attributes")
        State.validate_extended_attributes(attributes)
        self._requested_state.update(attributes)

    def request_contact_attributes(self, *attributes: str) -> None:
        """Have the model's contacts carry extra arrays: ``force``. Deprecated likewise."""
        warn_of_request("ModelBuilder.request_contact_attributes")
        Contacts.validate_extended_attributes(attributes)
        self._requested_contacts.update(attributes)

    def _beside_columns(self) -> dict[str, Any]:
        """Arrays that checks need beside the columns' values."""
        return {
            "body_label": self.body_label,
            "joint_label": self.joint_label,
            "shape_label": self.shape_label,
            "world_count": self.world_count,
            "orphan_joints_allowed": self.orphan_joints_allowed,
        }

    def _set_arrays(self, model: Model, arrays: dict[str, np.ndarray], grad: bool) -> None:
        for row in TABLE:
            if row.kept and row.name in arrays:
                values = arrays[row.name]
                if row.name in ("joint_q_start", "joint_qd_start", "articulation_start"):
                    values = np.append(values, _end(row.name, arrays)).astype(np.int32)
                real = values.dtype.kind == "f"
                dtype = wp.int32 if row.name == "joint_dof_dim" else row.dtype
                narrow = narrowed(values, row.name) if real else values
                setattr(
                    model, row.name, wp.array(narrow, dtype=dtype, device=model.device, requires_grad=grad and real)
                )
                if real:
                    model._given[row.name] = self.columns[row.name].frozen()

    def _set_lists(self, model: Model) -> None:
        frozen: dict = {}
        for row in TABLE:
            if row.kept and row.dtype in (str, object):
                setattr(model, row.name, LazyList(self.columns[row.name], frozen))
        model._filters = LazyList(self.columns["shape_collision_filter_pairs"], frozen)

    def _make_fields(self, model: Model, arrays: dict[str, np.ndarray]) -> None:
        """Signed distance fields of meshes that have none and whose shapes ask for one; ModelError where two shapes of
        a mesh ask for different ones.
        """
        asks = arrays["shape_force_sdf"] | ((arrays["shape_flags"] & ShapeFlags.HYDROELASTIC) != 0)
        for name in ("shape_sdf_max_resolution", "shape_sdf_target_voxel_size"):
            if self.columns[name].given():
                asks = asks | np.not_equal(self.columns[name].array(), None)
        wanted: dict[int, tuple] = {}
        for shape in np.flatnonzero(asks & (arrays["shape_type"] == GeoType.MESH)):
            source = model.shape_source[shape]
            if source.sdf is not None:
                continue
            settings = {name: self.columns[f"shape_sdf_{name}"][shape] for name in FIELD_SETTINGS}
            config = ShapeConfig(**{f"sdf_{name}": value for name, value in settings.items()})
            field = config.field_settings(float(np.ptp(source.vertices, axis=0).max()))
            if wanted.setdefault(id(source), (source, field))[1] != field:
                raise ModelError(
                    f"finalize: shape '{self.shape_label[shape]}' wants another signed distance field than other shapes "
                    "of its mesh; make a copy of the mesh"
                )
        for source, field in wanted.values():
            source.sdf = SDF.create_with(source, field, model.device)

    def _set_derived(self, model: Model, arrays: dict[str, np.ndarray]) -> None:
        """Counts, inverses, and how joints hang together."""
        device = model.device
        for frequency, name in COUNTED.items():
            if frequency != FILTER:
                setattr(model, f"{frequency.name.lower()}_count", len(arrays[name]))
        mass = arrays["body_mass"]
        inverse_mass = np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0.0)
        model.body_inv_mass = wp.array(inverse_mass.astype(np.float32), dtype=wp.float32, device=device)
        inverse_inertia = inertia.inverse(arrays["body_inertia"], mass > 0.0).astype(np.float32)
        model.body_inv_inertia = wp.array(inverse_inertia, dtype=wp.mat33f, device=device)
        model.joint_ancestor = wp.array(ancestors(arrays), dtype=wp.int32, device=device)
        spans = arrays["articulation_end"] - arrays["articulation_start"]
        model.max_joints_per_articulation = int(spans.max(initial=0))
        dofs = np.append(arrays["joint_qd_start"], len(arrays["joint_qd"]))
        model.max_dofs_per_articulation = int(
            (dofs[arrays["articulation_end"]] - dofs[arrays["articulation_start"]]).max(initial=0)
        )
        if self.num_rigid_contacts_per_world is not None:
            model.rigid_contact_max = int(self.num_rigid_contacts_per_world) * model.world_count
        model._requested_state = set(self._requested_state)
        model._requested_contacts = set(self._requested_contacts)

    def _set_worlds(self, model: Model, arrays: dict[str, np.ndarray]) -> None:
        """Gravity, and where the rows of each world begin."""
        device = model.device
        pull = np.frombuffer(b"".join(map(bytes, [*self.world_gravity, self.gravity])), np.float32).reshape(-1, 3)
        model.gravity = wp.array(pull, dtype=wp.vec3, device=device)
        for frequency, name in WORLD_OF.items():
            start = world_start(arrays[name], model.world_count)
            setattr(model, f"{frequency.name.lower()}_world_start", wp.array(start, dtype=wp.int32, device=device))
        joint_start = world_start(arrays["joint_world"], model.world_count)
        for name, (starts, frequency) in _STARTS.items():
            ends = np.append(arrays[starts], len(arrays[COUNTED[frequency]]))
            setattr(model, name, wp.array(ends[joint_start], dtype=wp.int32, device=device))

    def _set_custom(self, model: Model, grad: bool) -> None:
        model.custom_frequency_counts = dict(self.custom_frequency_counts)
        model.custom_frequency_label_attributes = {
            k: f.label_attribute for k, f in self.custom_frequencies.items() if f.label_attribute
        }
        for key, frequency in self.custom_frequencies.items():
            if not self.custom_frequency_counts[key] and frequency.namespace != "mujoco":
                continue
            place_attribute(model, f"{key}_count", self.custom_frequency_counts[key])
            worlds = self.custom_attributes.get(f"{key}_world")
            if worlds is not None and worlds.refers == F.WORLD and frequency.key == worlds.frequency:
                start = world_start(worlds.array(self.custom_frequency_counts[key]), model.world_count)
                place_attribute(model, f"{key}_world_start", wp.array(start, dtype=wp.int32, device=model.device))
        self._check_references()
        for key, attribute in self.custom_attributes.items():
            if key in springs.FORMER:
                continue
            count = self._rows_of(attribute.frequency)
            if attribute.is_custom_frequency and not count and attribute.namespace != "mujoco":
                continue  # a frequency without rows makes no array; solvers count on the arrays of their own
            self._warn_of_missing(key, attribute, count)
            real = attribute.dtype is not str and attribute.dtype not in (wp.bool, wp.int32, wp.int64)
            place_attribute(model, key, attribute.build_array(count, model.device, grad and real))
            if real:
                model._given[key] = attribute.frozen()
            model.attribute_specs[key] = AttributeSpec(
                attribute.frequency, AttributeAssignment(attribute.assignment), attribute.refers
            )
        owners_of_rows(self, model)

    @staticmethod
    def _warn_of_missing(key: str, attribute: Any, count: int) -> None:
        """Say where some rows of a custom frequency have a value of the model's and the last ones have none; readers of files
        leave values of solvers out where they are the default.
        """
        of_model = attribute.assignment == AttributeAssignment.MODEL and attribute.namespace != "mujoco"
        if attribute.is_custom_frequency and of_model:
            given = len(attribute.values)
            if 0 < given < count:
                text = f"custom attribute {key!r}: {given} values, and {attribute.frequency!r} has {count} rows"
                warnings.warn(f"{text}; the others take its default", NewtonWarning, stacklevel=external())

    def _settle_inertia(self, arrays: dict[str, np.ndarray]) -> None:
        """Repair masses and inertias that no solid can have to the nearest that one can, with a warning; the builder
        keeps its own."""
        rules = self._rules_of_inertia()
        mass, tensor, given = arrays["body_mass"], arrays["body_inertia"], arrays["body_lock_inertia"].astype(bool)
        found = repair.suspects(mass, tensor, given, rules)
        if not len(found):
            return
        own, mass, tensor = tensor, mass.copy(), tensor.copy()
        arrays["body_mass"], arrays["body_inertia"] = mass, tensor
        said = {}
        for body in found.tolist():
            mass[body], tensor[body], problems = repair.repaired(
                float(mass[body]), tensor[body], bool(given[body]), rules
            )
            if problems:
                said[body] = problems
        if self.validate_inertia_detailed:
            for body, problems in said.items():
                for problem in problems:
                    warnings.warn(f"finalize: body {self.body_label[body]!r}: {problem}", NewtonWarning, stacklevel=3)
        elif said:
            names = ", ".join(repr(self.body_label[body]) for body in list(said)[:5]) + (
                ", ..." if len(said) > 5 else ""
            )
            points = all(mass[body] > 0.0 and not own[body].any() for body in said)
            which = f"{len(said)} bodies{' that have mass and no inertia' if points else ''}: {names}"
            warnings.warn(
                f"finalize: Inertia validation corrected {which}; set them right, or set validate_inertia_detailed=True to see "
                "what was wrong",
                NewtonWarning,
                stacklevel=3,
            )

    def _rules_of_inertia(self) -> repair.InertiaBounds:
        """The builder's settings for masses and inertias; ModelError for those that make no sense."""
        names = ("inertia_relative_tolerance", "inertia_absolute_tolerance", "inertia_correction")
        numbers = [number(getattr(self, name), f"ModelBuilder.{name}", low=0.0) for name in names]
        if np.float32(numbers[1]) <= 0.0:
            raise ModelError(
                "ModelBuilder.inertia_absolute_tolerance must be positive in float32; give a larger number"
            )
        return repair.InertiaBounds(*numbers, bool(self.balance_inertia), self.bound_mass, self.bound_inertia)


def _end(name: str, arrays: dict[str, np.ndarray]) -> int:
    """The number that closes an array of starts."""
    return {"joint_q_start": len(arrays["joint_q"]), "joint_qd_start": len(arrays["joint_qd"])}.get(
        name, len(arrays["joint_type"])
    )


def ancestors(arrays: dict[str, np.ndarray]) -> np.ndarray:
    """For each joint the one that moves its parent body, -1 at roots; loop joints move nothing of an articulation."""
    parent, child = arrays["joint_parent"], arrays["joint_child"]
    order, tree = np.arange(len(child)), arrays["joint_articulation"] >= 0
    mover = np.full((2, len(arrays["body_mass"]) + 1), -1)
    for row, joints in ((0, order), (0, order[tree]), (1, order[tree])):
        mover[row, child[joints[::-1]]] = joints[::-1]
    mover[:, -1] = -1
    return np.where(tree, mover[1, parent], mover[0, parent])


def world_start(world: np.ndarray, world_count: int) -> np.ndarray:
    """Start of the rows of each world, of the global ones behind them, and the end: ``[world_count + 2]``.

    Rows of one world stand together, in order; global ones before or behind all worlds.
    """
    own = world >= 0
    front = int(np.argmax(own)) if own.any() else len(world)
    counts = np.bincount(world[own], minlength=world_count)
    return np.concatenate([[front], front + np.cumsum(counts), [len(world)]]).astype(np.int32)
