"""ArticulationView: chosen articulations of a scene, one row per world, with their joints' and links' quantities."""

from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.errors import ModelError, StateError
from newtonlite.sim.attributes import find_attribute
from newtonlite.sim.selection.evaluate import EvaluateMethods
from newtonlite.sim.selection.labels import matching
from newtonlite.sim.selection.layout import Layout, chosen, floats
from newtonlite.sim.selection.strided import take_worlds, view_rows, view_values, write_chosen, write_chosen_roots, write_roots, write_rows


class ArticulationView(EvaluateMethods):
    """Articulations whose labels match ``pattern``, as many in each world that has any, all alike.

    ``world_ids`` are those worlds, one for each row of the values; masks are of these, or of all worlds of the scene.
    ``allow_partial_layouts`` lets them differ in their shapes; there is no view of shapes then.

    Values are ``[world_count, count_per_world, n, ...]``, views of the scene's own arrays: what is written to them is in the scene.
    Joints and links can be included or excluded by label (see ``labels.matching``), joints also by type; links stand for the bodies
    that joints move.
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
        if not homogeneous or include_loop_closing_joints:
            raise ModelError(f"{where}: articulations of different joints and closing joints are not supported; leave these arguments out")
        ids = matching(list(model.articulation_label), pattern, where)
        if not ids:
            raise ModelError(f"{where}: matches no articulation; there are {', '.join(map(str, list(model.articulation_label)[:8]))}")
        self.model, self.where = model, where
        first, last = model.articulation_start.numpy()[ids[0]], model.articulation_end.numpy()[ids[0]]
        joints = range(first, last)
        kinds = model.joint_type.numpy()[first:last].tolist()
        bodies = [str(model.body_label[int(b)]) for b in model.joint_child.numpy()[first:last]]
        labels = [str(model.joint_label[j]) for j in joints]
        kept = chosen(labels, kinds, include_joints, exclude_joints, include_joint_types, exclude_joint_types, where)
        links = chosen(bodies, [], include_links, exclude_links, None, None, where)
        self.layout = Layout(model, ids, kept, links, where, bool(allow_partial_layouts))
        self.root_joint = int(first)
        self.is_floating_base = floats(model, self.root_joint)
        self.is_fixed_base = not self.is_floating_base
        if verbose:
            print(self)

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

    @property
    def world_ids(self) -> list[int]:
        """Those worlds."""
        return self.layout.worlds.tolist()

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
    shape_count = property(lambda self: self._count(F.SHAPE), doc="Shapes of its links; None where articulations differ in them.")

    def _count(self, frequency: F) -> int | None:
        rows = self.layout.rows.get(frequency)
        return None if rows is None else rows.shape[-1]

    @property
    def joint_labels(self) -> list[str]:
        """Labels of the joints of the first articulation."""
        return self.layout.labels(F.JOINT, "joint_label")

    @property
    def joint_names(self) -> list[str]:
        """The same without the part before the last ``/``."""
        return [label.rpartition("/")[2] for label in self.joint_labels]

    @property
    def body_labels(self) -> list[str]:
        """Labels of the links of the first articulation."""
        return self.layout.labels(F.BODY, "body_label")

    @property
    def body_names(self) -> list[str]:
        """The same without the part before the last ``/``."""
        return [label.rpartition("/")[2] for label in self.body_labels]

    link_labels, link_names = body_labels, body_names

    @property
    def joint_dof_counts(self) -> list[int]:
        """Degrees of freedom of each joint."""
        return self._widths("joint_qd_start")

    @property
    def joint_coord_counts(self) -> list[int]:
        """Coordinates of each joint."""
        return self._widths("joint_q_start")

    @property
    def joint_dof_names(self) -> list[str]:
        """A name for each degree of freedom: its joint's, with ``:0``, ``:1`` ... where that has several."""
        return numbered(self.joint_names, self.joint_dof_counts)

    @property
    def joint_coord_names(self) -> list[str]:
        """The same for each coordinate."""
        return numbered(self.joint_names, self.joint_coord_counts)

    def _widths(self, name: str) -> list[int]:
        start, joint = getattr(self.model, name).numpy(), self.layout.rows[F.JOINT][0, 0]
        return (start[joint + 1] - start[joint]).tolist()

    @property
    def shape_labels(self) -> list[str]:
        """Labels of the shapes of the first articulation's links."""
        return self.layout.labels(F.SHAPE, "shape_label")

    @property
    def shape_names(self) -> list[str]:
        """The same without the part before the last ``/``."""
        return [label.rpartition("/")[2] for label in self.shape_labels]

    @property
    def body_shapes(self) -> list[list[int]]:
        """For each link the numbers of its shapes among the articulation's shapes."""
        body = self.model.shape_body.numpy()[self.layout.rows[F.SHAPE][0, 0]]
        return [np.flatnonzero(body == link).tolist() for link in self.layout.rows[F.BODY][0, 0]]

    link_shapes = body_shapes

    @property
    def device(self) -> Any:
        """Where the arrays are."""
        return self.model.device

    # attributes

    def get_attribute(self, name: str, source: Any) -> Any:
        """Rows of an attribute of a model, state or control, ``"joint_q"``, ``"mujoco:dof_ref"`` or ``"mujoco.dof_ref"``: [world, articulation, n], in place."""
        name = name.replace(".", ":")
        return view_rows(self._array(name, source), self._rows(name), f"{self.where} {name}")

    def set_attribute(self, name: str, target: Any, values: Any, mask: Any = None) -> None:
        """Write rows of an attribute; ``values`` [world, articulation, n], ``mask`` bool [world] or [world, articulation]."""
        view = self.get_attribute(name, target)
        if view.size == 0:
            return
        values = self._values(values, view, name)
        kernel = write_chosen if isinstance(view, wp.indexedarray) else write_rows
        wp.launch(kernel, dim=view.shape, inputs=[self._mask(mask), values, view], device=self.model.device)

    def _array(self, name: str, source: Any) -> wp.array:
        try:
            array = find_attribute(source, name)
        except AttributeError:
            array = None
        if not isinstance(array, wp.array):
            raise StateError(f"{self.where} {name}: {type(source).__name__} has no array of that name")
        return array

    def _rows(self, name: str) -> np.ndarray:
        frequency = self.model.attribute_specs[name].frequency if name in self.model.attribute_specs else None
        if frequency not in self.layout.rows:
            raise ModelError(f"{self.where} {name}: has no rows per joint, dof, coordinate, link, shape or articulation")
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
            wide = wp.array(ptr=mask.ptr, dtype=wp.bool, shape=shape, strides=strides, device=mask.device, capacity=mask.capacity)
            wide._ref = mask
            return wide
        if mask.dtype == wp.bool and mask.shape == (self.model.world_count,):
            found = wp.empty(shape, dtype=wp.bool, device=self.model.device)
            wp.launch(take_worlds, dim=shape, inputs=[mask, self._worlds, found], device=self.model.device)
            return found
        raise StateError(f"{self.where} mask: {mask.dtype.__name__}{list(mask.shape)}; give bool [{shape[0]}] or {list(shape)}")

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
        """Poses of the roots [world, articulation]: coordinates of a floating base, joint frame of a fixed one (the model's)."""
        return self._root(source, "joint_q", wp.transformf) if self.is_floating_base else self._fixed()

    def set_root_transforms(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write poses of the roots; that of a fixed base is the model's, and solvers have to be told."""
        self._write_root(self.get_root_transforms(target), values, mask, "root transforms")

    def get_root_velocities(self, source: Any) -> Any:
        """Velocities of floating bases [world, articulation]; None for fixed ones."""
        return self._root(source, "joint_qd", wp.spatial_vectorf) if self.is_floating_base else None

    def set_root_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write velocities of floating bases; fixed ones have none."""
        if self.is_floating_base:
            self._write_root(self.get_root_velocities(target), values, mask, "root velocities")

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


def numbered(names: list[str], counts: list[int]) -> list[str]:
    """Each name as often as its count says, with a number where that is more than once."""
    return [f"{name}:{k}" if count > 1 else name for name, count in zip(names, counts, strict=True) for k in range(count)]
