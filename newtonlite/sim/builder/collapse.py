"""Fixed joint collapse: bodies that fixed joints hold together become one body."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.enums import BodyFlags, EqualityTarget, JointType
from newtonlite.core.errors import ModelError, NewtonWarning, UnsupportedError, external
from newtonlite.geometry.inertia import MassProperties, add_solids, move
from newtonlite.math.transform import IDENTITY, inverse, multiply, quat_inverse, quat_rotate
from newtonlite.sim.builder.custom_values import as_array
from newtonlite.sim.model_table import TABLE

WORLD = -1
HARMLESS = {"mujoco:body_name", "mujoco:body_unnamed", "mujoco:body_iquat"}
"""Custom attributes of bodies that need not keep their body apart, whatever they say."""
PLAIN = {"mujoco:body_mocap": (0, -1)}
"""Values that need not either; of the other attributes it is the default."""
BY_KIND = (
    ("mujoco:actuator_trntype", (4,), "mujoco:actuator_trnid"),
    ("mujoco:sensor_objtype", (1, 2), "mujoco:sensor_objid"),
    ("mujoco:sensor_reftype", (1, 2), "mujoco:sensor_refid"),
)
"""Columns that point at bodies in some rows: kind, its values in these rows, and index (or a pair that starts with it).
"""


class CollapseMethods:
    """Merging bodies."""

    def collapse_fixed_joints(
        self, verbose: bool = False, joints_to_keep: Sequence[str | int] | None = None
    ) -> dict[str, Any]:
        """Merge the child of every fixed joint of an articulation into its parent, or into the world, with shapes, mass
        and joints.

        Kept apart are bodies of ``joints_to_keep`` (labels or indices), those that are kinematic or have custom values,
        and those that something else refers to by custom attributes (constraints, cameras, ...). Returns ``body_remap``,
        ``joint_remap`` and ``articulation_remap`` (new indices by old, of what remains; the world stays -1),
        ``body_merged_parent`` and ``body_merged_transform`` (old parent, -1 for the world, and pose in it, of what was
        merged) and the same by labels, ``merged_body_data`` (``parent_body``, ``relative_xform``). Copies of other
        builders become rows like all others: collapse a builder before it is replicated, to keep them small.
        """
        if self._variants:
            raise UnsupportedError("collapse_fixed_joints: bodies have variants; collapse before add_body_variants")
        self._unfold_copies()
        merged = self._mergers(self._kept_joints(joints_to_keep))
        if verbose:
            print(f"collapse_fixed_joints: {len(merged)} of {self.body_count} bodies merged")
        labels = [*self.body_label, "world"]
        report = {
            "merged_body_data": {
                labels[body]: {"relative_xform": wp.transform(*pose.tolist()), "parent_body": labels[target]}
                for body, (_, target, pose) in merged.items()
            },
            "body_merged_parent": {body: target for body, (_, target, _) in merged.items()},
            "body_merged_transform": {body: wp.transform(*pose.tolist()) for body, (_, _, pose) in merged.items()},
        }
        self._merge_content(merged)
        remaps = self._drop_rows(merged)
        names = {"body_remap": F.BODY, "joint_remap": F.JOINT, "articulation_remap": F.ARTICULATION}
        remaps[F.BODY] = {WORLD: WORLD, **remaps[F.BODY]}
        return {**{name: remaps[frequency] for name, frequency in names.items()}, **report}

    def _kept_joints(self, wanted: Sequence[str | int] | None) -> set[int]:
        """Indices of joints that stay; ModelError for a label that no joint has."""
        labels = list(self.joint_label)
        unknown = [x for x in wanted or () if x not in labels and not (isinstance(x, int) and 0 <= x < len(labels))]
        if unknown:
            raise ModelError(
                f"collapse_fixed_joints joints_to_keep: no joint {unknown[0]!r}; use labels or indices of joints"
            )
        kept = {x if isinstance(x, int) else labels.index(x) for x in wanted or ()}
        for joint in sorted(kept):
            child = self.joint_child[joint]
            mass = self.body_mass[child]
            if self.joint_type[joint] == JointType.FIXED and mass <= 0.0:
                warnings.warn(
                    f"Skipped joint {labels[joint]} has a child {self.body_label[child]} with zero or negative mass "
                    f"({mass:g}); give it mass, or let the joint collapse",
                    NewtonWarning,
                    stacklevel=external(),
                )
        return kept

    def _mergers(self, kept: set[int]) -> dict[int, tuple[int, int, np.ndarray]]:
        """For each body to be merged: its joint, what it is merged into (a body that stays, or -1), and its pose there."""
        apart = self._referred_bodies()
        found: dict[int, tuple[int, int, np.ndarray]] = {}
        for joint in range(self.joint_count):
            child = self.joint_child[joint]
            fixed = (
                self.joint_type[joint] == JointType.FIXED
                and self.joint_enabled[joint]
                and self.joint_articulation[joint] >= 0
            )
            if not fixed or joint in kept or child in apart:
                continue
            _, target, pose = found.get(self.joint_parent[joint], (0, self.joint_parent[joint], IDENTITY))
            frames = [np.array(x[joint], float) for x in (self.joint_X_p, self.joint_X_c)]
            found[child] = (joint, target, multiply(pose, multiply(frames[0], inverse(frames[1]))))
        return found

    def _referred_bodies(self) -> set[int]:
        """Bodies that must stay: kinematic, with custom values, or named by custom attributes."""
        found = {b for b in range(self.body_count) if self.body_flags[b] & BodyFlags.KINEMATIC}
        for key, attribute in self.custom_attributes.items():
            if attribute.frequency == F.BODY and key not in HARMLESS:
                plain = PLAIN.get(key, (attribute.default,))
                found |= {
                    body
                    for body, value in attribute.values.items()
                    if not any(_same(value, x, attribute.dtype) for x in plain)
                }
            if attribute.refers == F.BODY:
                found |= set(self._custom_array(attribute).reshape(-1).tolist())
        return found | {body for _, _, body in self._pointers()}

    def _custom_array(self, attribute) -> np.ndarray:
        return attribute.array(self._rows_of(attribute.frequency))

    def _pointers(self) -> list[tuple[Any, int, int]]:
        """(attribute, row, body) of actuators that act on bodies and sensors that watch them."""
        found = []
        for kind, numbers, target in BY_KIND:
            if kind in self.custom_attributes and target in self.custom_attributes:
                values = self._custom_array(self.custom_attributes[target])
                rows = np.flatnonzero(np.isin(self._custom_array(self.custom_attributes[kind]), numbers))
                found += [
                    (self.custom_attributes[target], int(row), int(np.atleast_1d(values[row])[0])) for row in rows
                ]
        return [pointer for pointer in found if pointer[2] >= 0]

    def _merge_content(self, merged: dict) -> None:
        """Give masses, shapes and joints of merged bodies to what they are merged into."""
        for body, (_, target, pose) in merged.items():
            if target != WORLD:
                total = add_solids(self._solid(target), move(self._solid(body), pose))
                self._move_velocity(target, total.com - np.array(self.body_com[target], float))
                self.body_mass[target], self.body_com[target], self.body_inertia[target] = (
                    total.mass,
                    total.com,
                    total.inertia,
                )
                axes = self.custom_attributes.get("mujoco:body_iquat")
                if axes is not None:
                    axes.values.pop(target, None)
        for shape in range(self.shape_count):
            if self.shape_body[shape] in merged:
                _, target, pose = merged[self.shape_body[shape]]
                self.shape_transform[shape] = multiply(pose, np.array(self.shape_transform[shape], float))
                self.shape_body[shape] = target
        gone = {joint for joint, _, _ in merged.values()}
        for joint in set(range(self.joint_count)) - gone:
            for end, frame in ((self.joint_parent, self.joint_X_p), (self.joint_child, self.joint_X_c)):
                if end[joint] in merged:
                    _, target, pose = merged[end[joint]]
                    frame[joint] = multiply(pose, np.array(frame[joint], float))
                    end[joint] = target

    def _move_velocity(self, body: int, shift: np.ndarray) -> None:
        """Velocities are those of the centre of mass, which moves by ``shift`` [3, m] in the body."""
        arm = quat_rotate(np.array(self.body_q[body], float)[3:], shift)
        speed = np.array(self.body_qd[body], float)
        self.body_qd[body] = wp.spatial_vector(*(speed[:3] + np.cross(speed[3:], arm)).tolist(), *speed[3:].tolist())
        given = bool(speed.any())
        for joint in range(self.joint_count):
            if self.joint_child[joint] == body and self.joint_type[joint] in (JointType.FREE, JointType.DISTANCE):
                start = self.joint_qd_start[joint]
                turn = quat_inverse(np.array(self.joint_X_p[joint], float)[3:])
                own = np.array([self.joint_qd[start + k] for k in range(6)])
                if given and self.joint_parent[joint] == WORLD:
                    # the body's velocity is what counts, whatever the joint said
                    own = np.concatenate([quat_rotate(turn, speed[:3]), quat_rotate(turn, speed[3:])])
                own[:3] += np.cross(own[3:], quat_rotate(turn, arm))
                for k in range(6):
                    self.joint_qd[start + k] = float(own[k])

    def _solid(self, body: int) -> MassProperties:
        com, tensor = np.array(self.body_com[body], float), np.array(self.body_inertia[body], float).reshape(3, 3)
        return MassProperties(self.body_mass[body], com, tensor)

    def _drop_rows(self, merged: dict) -> dict[F, dict[int, int]]:
        """Remove merged bodies, their joints and empty articulations; shift every index that points at what remains."""
        gone = {F.BODY: set(merged), F.JOINT: {joint for joint, _, _ in merged.values()}}
        starts = np.append(self.columns["joint_cts_start"].array(), self.joint_constraint_count).astype(int)
        gone[F.JOINT_CONSTRAINT] = {row for j in gone[F.JOINT] for row in range(starts[j], starts[j + 1])}
        spans = zip(self.articulation_start, self.articulation_end)
        gone[F.ARTICULATION] = {
            a for a, (first, last) in enumerate(spans) if all(j in gone[F.JOINT] for j in range(first, last))
        }
        counts = {f: self._rows_of(f) for f in gone}
        before = {f: np.cumsum([0] + [i not in gone[f] for i in range(n)]) for f, n in counts.items()}
        for row in TABLE:
            self._drop_column(row, gone, before)
        custom = self.custom_attributes
        for attribute in custom.values():
            self._drop_custom(attribute, gone, before)
        _move_equality_targets(custom, before[F.JOINT])
        for attribute, row, body in self._pointers():
            value = np.array(self._custom_array(attribute)[row])
            value.flat[0] = before[F.BODY][body]
            attribute.values[row] = tuple(value.tolist()) if value.ndim else int(value)
        self._rebuild_neighbours()
        kept = (F.BODY, F.JOINT, F.ARTICULATION)
        return {f: {i: int(before[f][i]) for i in range(counts[f]) if i not in gone[f]} for f in kept}

    def _drop_column(self, row, gone: dict, before: dict) -> None:
        column = self.columns[row.name]
        shift = before.get(row.refers)
        if row.frequency not in gone and shift is None:
            return
        values = [v for i, v in enumerate(column) if i not in gone.get(row.frequency, ())]
        if shift is not None:
            values = [int(shift[v]) if v >= 0 else v for v in values]
        column.replace(values)

    def _drop_custom(self, attribute, gone: dict, before: dict) -> None:
        shift = before.get(attribute.refers) if attribute.refers in gone else None
        moved = lambda v: v if shift is None else _shifted(v, shift)
        if attribute.is_custom_frequency:
            if shift is not None:
                attribute.values.replace([moved(v) for v in attribute.values])
            return
        rows = before.get(attribute.frequency)
        kept = {i: v for i, v in attribute.values.items() if i not in gone.get(attribute.frequency, ())}
        attribute.values = {(i if rows is None else int(rows[i])): moved(v) for i, v in kept.items()}

    def _rebuild_neighbours(self) -> None:
        """Remember anew which shapes are on which body and which bodies joints connect; filter those that became
        neighbours.
        """
        self._own_shapes, self._own_neighbours = {}, {}
        for shape, body in enumerate(self.shape_body):
            self._own_shapes.setdefault(body, []).append(shape)
        known = set(map(tuple, self.columns["shape_collision_filter_pairs"].array().astype(int).tolist()))
        for joint in range(self.joint_count):
            if self.joint_collision_filter_parent[joint]:
                self._filter_joined(self.joint_parent[joint], self.joint_child[joint])
        pairs = self.columns["shape_collision_filter_pairs"]
        pairs.replace(sorted(known | set(map(tuple, pairs.array().astype(int).tolist()))))


def _move_equality_targets(custom: dict, shift: np.ndarray) -> None:
    """Shift the loop joints of equality constraints, which are never merged themselves."""
    kinds, targets = (custom[f"mujoco:equality_constraint_{name}"].values for name in ("target_kind", "target"))
    for row, kind in enumerate(kinds):
        if kind == EqualityTarget.JOINT:
            targets[row] = _shifted(targets[row], shift)


def _shifted(value: Any, shift: np.ndarray) -> Any:
    """An index, or what holds indices, after rows are gone; negative ones stay."""
    if isinstance(value, list | tuple):
        return type(value)(_shifted(v, shift) for v in value)
    number = getattr(value, "value", value)
    return value if number is None else int(shift[int(number)]) if number >= 0 else int(number)


def _same(value: Any, other: Any, dtype: Any) -> bool:
    """Whether two values of a custom attribute are one."""
    return value is None or np.array_equal(as_array(value, dtype), as_array(other, dtype))
