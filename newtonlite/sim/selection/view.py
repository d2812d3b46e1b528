"""ArticulationView: chosen articulations of a scene, one row per world, with their joints' and links' quantities."""

import warnings
import weakref
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError, NewtonDeprecationWarning, StateError, UnknownNameError
from newtonlite.sim.attributes import find_attribute
from newtonlite.sim.selection.drives import DriveViewMethods
from newtonlite.sim.selection.evaluate import EvaluateMethods
from newtonlite.sim.selection.gathered import gathered
from newtonlite.sim.selection.labels import matching
from newtonlite.sim.selection.layout import SelectionLayout, chosen, numbered_names
from newtonlite.sim.selection.strided import (
    scatter_rows,
    scattered,
    take_worlds,
    view_rows,
    view_values,
    write_chosen,
    write_chosen_roots,
    write_roots,
    write_rows,
)


class ArticulationView(EvaluateMethods, DriveViewMethods):
    """Articulations whose labels match ``pattern``, as many in each world that has any, all alike unless asked
    otherwise.

    ``world_ids`` are those worlds, one for each row of the values; masks are of these, or of all worlds of the scene.
    ``homogeneous=False`` lets them differ; what they do not have in common (counts, names, layouts) is None then, and
    reading it an UnavailableError. ``include_loop_closing_joints`` counts the joints that follow the articulation's
    own.

    Values are ``[world_count, count_per_world, n, ...]``, views of the scene's own arrays: what is written to them is
    in the scene. Only where shapes lie differently in each articulation are they copies. Joints and links can be
    included or excluded by label (see ``labels.matching``), joints also by type; links stand for the bodies that joints
    move.
    """

    def __init__(
        self,
        model: Any,
        pattern: Any,
        *,
        include_joints: Any = None,
        exclude_joints: Any = None,
        include_links: Any = None,
        exclude_links: Any = None,
        include_joint_types: list[int] | None = None,
        exclude_joint_types: list[int] | None = None,
        include_loop_closing_joints: bool = False,
        homogeneous: bool = True,
        verbose: bool | None = None,
        allow_partial_layouts: bool | None = None,
    ):
        where = f"ArticulationView {pattern!r}"
        if allow_partial_layouts is not None:
            text = "ArticulationView: allow_partial_layouts is deprecated; pass homogeneous=False"
            warnings.warn(text, NewtonDeprecationWarning, stacklevel=2)
            if not (homogeneous or allow_partial_layouts):
                raise ModelError(f"{where}: homogeneous=False and allow_partial_layouts=False; give homogeneous alone")
            homogeneous = not allow_partial_layouts
        self._check_ascending(where, pattern=pattern, include_joints=include_joints, include_links=include_links)
        ids = matching(list(model.articulation_label), pattern, where)
        if not ids:
            known = ", ".join(map(str, list(model.articulation_label)[:8]))
            raise UnknownNameError(f"{where}: matches no articulation; there are {known}")
        self.model, self.where = model, where
        starts = model.articulation_start.numpy()
        first, last = (
            int(starts[ids[0]]),
            int(starts[ids[0] + 1] if include_loop_closing_joints else model.articulation_end.numpy()[ids[0]]),
        )
        kinds = model.joint_type.numpy()[first:last].tolist()
        labels = [str(model.joint_label[j]) for j in range(first, last)]
        owned = np.flatnonzero(model.joint_articulation.numpy()[first:last] == ids[0]) + first
        bodies = [str(model.body_label[int(b)]) for b in sorted(set(model.joint_child.numpy()[owned].tolist()))]
        kept = chosen(labels, kinds, include_joints, exclude_joints, include_joint_types, exclude_joint_types, where)
        links = chosen(bodies, [], include_links, exclude_links, None, None, where)
        every = include_joints is None and include_joint_types is None and len(kept) == len(labels)
        all_links = include_links is None and len(links) == len(bodies)
        self.layout = SelectionLayout(
            model,
            ids,
            None if every else kept,
            None if all_links else links,
            where,
            homogeneous,
            include_loop_closing_joints,
        )
        if homogeneous and self.is_sparse:
            none = sorted(set(range(model.world_count)) - set(self.layout.worlds.tolist()))[0]
            raise ModelError(
                f"{where}: does not match articulations in every world, world {none} has none; pass homogeneous=False"
            )
        self._see_roots(homogeneous)
        if verbose:
            print(self)

    @staticmethod
    def _check_ascending(where: str, **chosen_ones: Any) -> None:
        """ModelError for indices that are not in ascending order."""
        for name, value in chosen_ones.items():
            if (
                isinstance(value, list)
                and value
                and all(isinstance(i, int) for i in value)
                and value != sorted(set(value))
            ):
                raise ModelError(f"{where} {name}: {value}; give unique indices in ascending order")

    def _see_roots(self, homogeneous: bool) -> None:
        """Read the root joint that the articulations have in common; ModelError where they need a common one and have
        none."""
        root = self.model.articulation_start.numpy()[self.layout.articulations.ravel()]
        kinds, dofs = self.model.joint_type.numpy()[root], self.model.joint_qd_start.numpy()
        self.root_joint = int(root[0])
        self.root_joint_type = common(kinds)
        self.is_floating_base = common(np.isin(kinds, (JointType.FREE, JointType.DISTANCE)))
        self.is_fixed_base = common(dofs[root + 1] == dofs[root])
        if homogeneous and None in (self.root_joint_type, self.is_fixed_base):
            raise ModelError(
                f"{self.where}: Articulation root layout is unavailable: root metadata differs; select alike ones, or pass homogeneous=False"
            )

    def __repr__(self) -> str:
        return (
            f"<{self.where}: {self.world_count} worlds, {self.count_per_world} each, {self.joint_count} joints, "
            f"{self.joint_dof_count} dofs, {self.link_count} links>"
        )

    # counts and names

    @property
    def world_count(self) -> int:
        """Worlds that have such articulations, 1 for a scene without worlds."""
        return self.layout.articulations.shape[0]

    @cached_property
    def world_ids(self) -> wp.array:
        """World indices of the articulations, int [world_count]; -1 for articulations that belong to none."""
        return wp.array(self.layout.worlds, dtype=int, device=self.model.device)

    @property
    def is_sparse(self) -> bool:
        """Whether worlds of the scene have none of the articulations."""
        return self.layout.worlds.tolist() not in ([-1], list(range(self.model.world_count)))

    @cached_property
    def articulation_mask(self) -> wp.array:
        """Bool [articulation_count]: the view's articulations."""
        return self.get_model_articulation_mask()

    @cached_property
    def full_mask(self) -> wp.array:
        """Bool [world_count], all true."""
        return wp.full(self.world_count, True, dtype=wp.bool, device=self.model.device)

    @cached_property
    def frequency_layouts(self) -> dict:
        """Placement of the selected rows, by frequency."""
        return self.layout.layouts

    @property
    def count_per_world(self) -> int:
        """Articulations in each world."""
        return self.layout.articulations.shape[1]

    @property
    def count(self) -> int:
        """Articulations in all worlds."""
        return self.layout.articulations.size

    @cached_property
    def articulation_ids(self) -> wp.array:
        """Indices of the articulations, [world_count, count_per_world]."""
        return wp.array(self.layout.articulations, dtype=int, device=self.model.device)

    joint_count = property(lambda self: self._count(F.JOINT), doc="Joints of one articulation.")
    joint_dof_count = property(lambda self: self._count(F.JOINT_DOF), doc="Degrees of freedom of its joints.")
    joint_coord_count = property(lambda self: self._count(F.JOINT_COORD), doc="Coordinates of its joints.")
    link_count = property(lambda self: self._count(F.BODY), doc="Links of one articulation.")
    body_count = link_count
    shape_count = property(
        lambda self: self._count(F.SHAPE), doc="Shapes of its links; None where articulations differ in them."
    )

    joints_contiguous = property(
        lambda self: self._packed(F.JOINT), doc="Whether the joints lie without gaps; None where there is no layout."
    )
    joint_dofs_contiguous = property(lambda self: self._packed(F.JOINT_DOF), doc="The same of degrees of freedom.")
    joint_coords_contiguous = property(lambda self: self._packed(F.JOINT_COORD), doc="The same of coordinates.")
    links_contiguous = property(lambda self: self._packed(F.BODY), doc="The same of links.")
    shapes_contiguous = property(lambda self: self._packed(F.SHAPE), doc="The same of shapes.")

    def _count(self, frequency: F) -> int | None:
        return self.layout.counts.get(frequency)

    def _packed(self, frequency: F) -> bool | None:
        """Whether the rows of a frequency follow one another."""
        rows = self.layout.rows.get(frequency)
        return None if rows is None else bool((np.diff(rows.ravel()) == 1).all())

    @property
    def custom_frequency_counts(self) -> dict[str, int | None]:
        """Rows of one articulation, of each custom frequency whose rows belong to articulations; None where
        articulations differ.
        """
        return {frequency: self.layout.counts.get(frequency) for frequency in self.model.custom_frequency_articulation}

    @property
    def custom_frequency_labels(self) -> dict[str, list[str] | None]:
        """Names of these rows, without the part before the last ``/``."""
        found = {}
        for frequency in self.model.custom_frequency_articulation:
            rows, key = self.layout.rows.get(frequency), self.model.custom_frequency_label_attributes.get(frequency)
            labels = find_attribute(self.model, key) if key else None
            found[frequency] = (
                None
                if rows is None
                else []
                if labels is None
                else [str(labels[int(i)]).rpartition("/")[2] for i in rows[0, 0]]
            )
        return found

    @property
    def tendon_count(self) -> int | None:
        """Tendons of one articulation."""
        return self.custom_frequency_counts.get("mujoco:tendon", 0)

    @property
    def tendon_names(self) -> list[str] | None:
        """Their names."""
        return self.custom_frequency_labels.get("mujoco:tendon", [])

    @property
    def joint_labels(self) -> list[str] | None:
        """Labels of the joints of the first articulation."""
        return self.layout.labels(F.JOINT, "joint_label")

    @property
    def joint_names(self) -> list[str] | None:
        """The same without the part before the last ``/``."""
        return leaves(self.joint_labels)

    @property
    def body_labels(self) -> list[str] | None:
        """Labels of the links of the first articulation."""
        return self.layout.labels(F.BODY, "body_label")

    @property
    def body_names(self) -> list[str] | None:
        """The same without the part before the last ``/``."""
        return leaves(self.body_labels)

    link_labels, link_names = body_labels, body_names

    @property
    def joint_dof_counts(self) -> list[int] | None:
        """Degrees of freedom of each joint."""
        return self._widths("joint_qd_start")

    @property
    def joint_coord_counts(self) -> list[int] | None:
        """Coordinates of each joint."""
        return self._widths("joint_q_start")

    @property
    def joint_dof_names(self) -> list[str] | None:
        """A name for each degree of freedom: its joint's, with ``:0``, ``:1`` ... where that has several."""
        return None if self.joint_dof_counts is None else numbered_names(self.joint_names, self.joint_dof_counts)

    @property
    def joint_coord_names(self) -> list[str] | None:
        """The same for each coordinate."""
        return None if self.joint_coord_counts is None else numbered_names(self.joint_names, self.joint_coord_counts)

    def _widths(self, name: str) -> list[int] | None:
        frequency = F.JOINT_DOF if name == "joint_qd_start" else F.JOINT_COORD
        if F.JOINT not in self.layout.rows or frequency not in self.layout.rows:
            return None
        start, joint = getattr(self.model, name).numpy(), self.layout.rows[F.JOINT][0, 0]
        return (start[joint + 1] - start[joint]).tolist()

    @property
    def shape_labels(self) -> list[str] | None:
        """Labels of the shapes of the first articulation's links."""
        return self.layout.labels(F.SHAPE, "shape_label")

    @property
    def shape_names(self) -> list[str] | None:
        """The same without the part before the last ``/``."""
        return leaves(self.shape_labels)

    @property
    def body_shapes(self) -> list[list[int]] | None:
        """For each link the numbers of its shapes among the articulation's shapes."""
        if F.SHAPE not in self.layout.rows or F.BODY not in self.layout.rows:
            return None
        body = self.model.shape_body.numpy()[self.layout.rows[F.SHAPE][0, 0]]
        return [np.flatnonzero(body == link).tolist() for link in self.layout.rows[F.BODY][0, 0]]

    link_shapes = body_shapes

    @property
    def device(self) -> Any:
        """Device of the arrays."""
        return self.model.device

    # attributes

    def get_attribute(self, name: str, source: Any) -> Any:
        """Rows of an attribute of a model, state or control, ``"joint_q"``, ``"mujoco:dof_ref"`` or
        ``"mujoco.dof_ref"``: [world, articulation, n], in place.
        """
        array, rows = self._found(name.replace(".", ":"), source)
        return self._seen(source, name, array, lambda: view_rows(array, rows, f"{self.where} {name}"), rows)

    def _seen(self, source: Any, name: str, array: wp.array, make: Any, rows: np.ndarray | None = None) -> wp.array:
        """View that ``make`` gives of an array: the same object as long as the source has the same array.

        What does not lie evenly is a copy, made anew each time.
        """
        known = self._views.setdefault(source, {})
        kept = known.get(name)
        if kept is None or kept[0] is not array or kept[1] is not array.grad:
            view = None if rows is not None and scattered(rows) else make()
            even = isinstance(view, wp.array)
            if not even and rows is not None and array.grad is not None:
                view = None  # what is shown of an indexed array has no derivatives
            shape, dtype = (rows.shape, array.dtype) if view is None else (view.shape, view.dtype)
            shown: Any = view if even else wp.empty(shape, dtype=dtype, device=array.device)
            shown._ref = array  # alive as long as what is shown
            kept = known[name] = (array, array.grad, view, shown)
        _, _, view, shown = kept
        if view is None and rows is not None:
            return gathered(array, self._index(rows), shown)
        if view is not shown and shown.size:
            wp.copy(shown, view)
        return shown

    @cached_property
    def _views(self) -> weakref.WeakKeyDictionary:
        return weakref.WeakKeyDictionary()

    def set_attribute(self, name: str, target: Any, values: Any, mask: Any = None) -> None:
        """Write rows of an attribute; ``values`` [world, articulation, n], ``mask`` bool [world] or [world,
        articulation].
        """
        array, rows = self._found(name.replace(".", ":"), target)
        if scattered(rows):
            values = self._values(values, wp.empty(rows.shape, dtype=array.dtype, device=array.device), name)
            wp.launch(
                scatter_rows, rows.shape, [self._mask(mask), values, self._index(rows)], [array], device=array.device
            )
            return
        view = view_rows(array, rows, f"{self.where} {name}")
        if view.size == 0:
            return
        values = self._values(values, view, name)
        kernel = write_chosen if isinstance(view, wp.indexedarray) else write_rows
        wp.launch(kernel, dim=view.shape, inputs=[self._mask(mask), values, view], device=self.model.device)

    def _found(self, name: str, source: Any) -> tuple[wp.array, np.ndarray]:
        """An array, and the view's rows of it."""
        if hasattr(source, "is_requested"):  # observables of a solver
            if source.model is not self.model:
                raise StateError(f"{self.where} {name}: observables of the same model are needed; these are of another")
            if getattr(source, name) is None:
                raise StateError(
                    f"{self.where} {name}: was not requested from the solver; ask for it with solver.observables"
                )
            return getattr(source, name), self._rows(name, source.get_attribute_frequency(name))
        specs, array = self.model.attribute_specs, self._array(name, source)
        frequency = specs[name].frequency if name in specs else None
        starts = frequency == F.ARTICULATION and len(array) != self.model.articulation_count
        return array, self._rows(name, None if starts else frequency)

    def _index(self, rows: np.ndarray) -> wp.array:
        """Rows on the device."""
        key = id(rows)
        if key not in self._indices:
            self._indices[key] = wp.array(rows.astype(np.int32), dtype=int, device=self.model.device)
        return self._indices[key]

    @cached_property
    def _indices(self) -> dict:
        return {}

    def _array(self, name: str, source: Any) -> wp.array:
        try:
            array = find_attribute(source, name)
        except AttributeError:
            array = None
        if not isinstance(array, wp.array):
            raise MissingArrayError(f"{self.where} {name}: {type(source).__name__} has no array of that name")
        return array

    def _rows(self, name: str, frequency: Any) -> np.ndarray:
        if frequency in (F.CONTACT, F.CONTACT_RIGID, F.CONTACT_SOFT):
            raise UnavailableError(
                f"{self.where} {name}: has a row per contact, a dynamic contact frequency; rows of contacts belong to no articulation"
            )
        if frequency in self.layout.reasons:
            raise UnavailableError(f"{self.where} {name}: is unavailable: {self.layout.reasons[frequency]}")
        if frequency not in self.layout.rows:
            if isinstance(frequency, str):
                raise UnavailableError(
                    f"{self.where} {name}: custom frequency '{frequency}' does not declare articulation ownership"
                )
            raise UnavailableError(
                f"{self.where} {name}: Unable to determine the layout: it has no rows per joint, dof, coordinate, link, shape or articulation"
            )
        if isinstance(frequency, str) and not self.layout.rows[frequency].shape[-1]:
            raise UnavailableError(
                f"{self.where} {name}: custom frequency '{frequency}': no rows were found in the selected articulations"
            )
        return self.layout.rows[frequency]

    def _values(self, values: Any, view: Any, name: str) -> wp.array:
        """The values as a Warp array of the view's type and shape."""
        if not isinstance(values, wp.array):
            values = wp.array(np.ascontiguousarray(values), dtype=view.dtype, device=self.model.device)
        if values.dtype != view.dtype and values.dtype == wp.float32 and values.is_contiguous:
            values = values.view(view.dtype)
        if values.dtype != view.dtype or values.size != view.size:
            got, want = (f"{v.dtype.__name__}{list(v.shape)}" for v in (values, view))
            raise StateError(f"{self.where} {name}: values are {got}; give {want}")
        return values if values.shape == view.shape else values.reshape(view.shape)

    def _mask(self, mask: Any) -> wp.array:
        """The articulations to write, bool [world, articulation]."""
        shape = self.layout.articulations.shape
        if mask is None:
            return self._everything
        if not isinstance(mask, wp.array):
            mask = wp.array(np.asarray(mask, bool), dtype=wp.bool, device=self.model.device)
        if mask.dtype == wp.bool and mask.shape == shape:
            return mask
        if mask.dtype == wp.bool and mask.shape == shape[:1]:
            strides = (mask.strides[0], 0)
            wide = wp.array(
                ptr=mask.ptr, dtype=wp.bool, shape=shape, strides=strides, device=mask.device, capacity=mask.capacity
            )
            wide._ref = mask
            return wide
        if mask.dtype == wp.bool and mask.shape == (self.model.world_count,):
            found = wp.empty(shape, dtype=wp.bool, device=self.model.device)
            wp.launch(take_worlds, dim=shape, inputs=[mask, self._worlds, found], device=self.model.device)
            return found
        raise StateError(
            f"{self.where} mask: {mask.dtype.__name__}{list(mask.shape)}; give bool [{shape[0]}] or {list(shape)}"
        )

    @cached_property
    def _worlds(self) -> wp.array:
        return wp.array(self.layout.worlds, dtype=int, device=self.model.device)

    @cached_property
    def _everything(self) -> wp.array:
        return wp.full(self.layout.articulations.shape, True, dtype=wp.bool, device=self.model.device)

    # joints and links

    def get_dof_positions(self, source: Any) -> Any:
        """Joint coordinates, [world, articulation, joint_coord_count]."""
        return self.get_attribute("joint_q", source)

    def set_dof_positions(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write joint coordinates."""
        self.set_attribute("joint_q", target, values, mask)

    def get_dof_velocities(self, source: Any) -> Any:
        """Joint velocities, [world, articulation, joint_dof_count]."""
        return self.get_attribute("joint_qd", source)

    def set_dof_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write joint velocities."""
        self.set_attribute("joint_qd", target, values, mask)

    def get_dof_forces(self, source: Any) -> Any:
        """Applied joint forces of a control, [world, articulation, joint_dof_count]."""
        return self.get_attribute("joint_f", source)

    def set_dof_forces(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write applied joint forces."""
        self.set_attribute("joint_f", target, values, mask)

    def get_link_transforms(self, source: Any) -> Any:
        """Poses of the links, [world, articulation, link_count]."""
        return self.get_attribute("body_q", source)

    def get_link_velocities(self, source: Any) -> Any:
        """Velocities of the links: centre of mass, then angular."""
        return self.get_attribute("body_qd", source)

    def get_root_transforms(self, source: Any) -> Any:
        """Poses of the roots [world, articulation]: coordinates of a floating base, joint frame of a fixed one (the
        model's).
        """
        self._check_roots()
        if self.is_floating_base:
            return self._seen(
                source,
                "root joint_q",
                self._array("joint_q", source),
                lambda: self._root(source, "joint_q", wp.transformf),
            )
        return self._seen(self.model, "root joint_X_p", self.model.joint_X_p, self._fixed)

    def set_root_transforms(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write poses of the roots; that of a fixed base is the model's, and solvers have to be notified."""
        self._check_roots()
        view = self._root(target, "joint_q", wp.transformf) if self.is_floating_base else self._fixed()
        self._write_root(view, values, mask, "root transforms")

    def get_root_velocities(self, source: Any) -> Any:
        """Velocities of floating bases [world, articulation]; None for fixed ones."""
        self._check_roots()
        if not self.is_floating_base:
            return None
        return self._seen(
            source,
            "root joint_qd",
            self._array("joint_qd", source),
            lambda: self._root(source, "joint_qd", wp.spatial_vectorf),
        )

    def set_root_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write velocities of floating bases; fixed ones have none."""
        if self.is_floating_base:
            self._write_root(self._root(target, "joint_qd", wp.spatial_vectorf), values, mask, "root velocities")

    def _check_roots(self) -> None:
        if self.is_floating_base is None:
            raise UnavailableError(
                f"{self.where}: Root access is unavailable: selected articulations use different root behavior"
            )

    def _root(self, source: Any, name: str, dtype: Any) -> Any:
        """The first numbers of each root joint as one value."""
        start = getattr(self.model, f"{name}_start").numpy()
        first = self.model.articulation_start.numpy()[self.layout.articulations]
        return view_values(self._array(name, source), start[first], dtype, f"{self.where} root")

    def _fixed(self) -> Any:
        first = self.model.articulation_start.numpy()[self.layout.articulations]
        return view_values(self.model.joint_X_p, first, wp.transformf, f"{self.where} root")

    def _write_root(self, view: Any, values: Any, mask: Any, name: str) -> None:
        values = self._values(values, view, name)
        kernel = write_chosen_roots if isinstance(view, wp.indexedarray) else write_roots
        wp.launch(kernel, dim=view.shape, inputs=[self._mask(mask), values, view], device=self.model.device)


class MissingArrayError(StateError, AttributeError):
    """Missing array: the model has no array of a name."""


class UnavailableError(ModelError, AttributeError):
    """Articulations that differ have no rows of this kind in common."""


def leaves(labels: list[str] | None) -> list[str] | None:
    """Labels without the part before the last ``/``."""
    return None if labels is None else [label.rpartition("/")[2] for label in labels]


def common(values: np.ndarray) -> Any:
    """Common value of all; None where they differ."""
    return values[0].item() if (values == values[0]).all() else None
