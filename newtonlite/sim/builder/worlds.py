"""World and replication methods of the builder."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.errors import ArgumentError, ModelError, NewtonDeprecationWarning, WorldContextError, external
from newtonlite.sim.builder import check
from newtonlite.sim.builder.copies import Copies, Snapshot
from newtonlite.sim.builder.custom_values import moved
from newtonlite.sim.model_table import COUNTED

LARGEST = 2**31 - 1
"""Rows are counted in int32."""


class WorldMethods:
    """Opening and closing worlds, and adding builders as worlds."""

    @property
    def current_world(self) -> int:
        """The open world; -1 outside of worlds, where things are global, shared by all worlds."""
        return self._current_world

    def begin_world(
        self, label: str | None = None, attributes: dict[str, Any] | None = None, gravity: Any = None
    ) -> None:
        """Open a new world, for all that is added until ``end_world``.

        ``attributes`` are values of custom attributes with frequency WORLD; ``gravity`` [3] stands in for the
        builder's.
        """
        if self._current_world >= 0:
            raise WorldContextError(
                f"begin_world: Cannot begin a new world: already in world context {self._current_world}; call end_world first"
            )
        world = self.world_count
        where = f"begin_world {label or f'world_{world}'!r}"
        pull = self.gravity if gravity is None else wp.vec3(*check.vector(gravity, f"{where} gravity").tolist())
        cells = self._check_custom(attributes, {F.WORLD: (world, 1)}, where)
        self.world_gravity.append(pull)
        self._current_world = world
        self._store_custom(cells)

    def end_world(self) -> None:
        """Close the open world."""
        if self._current_world < 0:
            raise WorldContextError(
                "end_world: Cannot end world: not currently in a world context, no world is open; call begin_world first"
            )
        self._current_world = -1

    def add_world(self, builder: Any, xform: Any = None, label_prefix: str | None = None) -> None:
        """Add all of another builder as a new world, its roots moved by ``xform``."""
        self._check_outside("add_world")
        xform = None if xform is None else check.pose(xform, "add_world xform")
        self._check_source(builder, 1, "add_world")
        self.begin_world(gravity=builder.gravity)
        try:
            self.add_builder(builder, xform=xform, label_prefix=label_prefix)
        except BaseException:
            self.world_gravity.pop()
            self._current_world = -1
            raise
        self.end_world()

    def add_builder(self, builder: Any, xform: Any = None, label_prefix: str | None = None) -> None:
        """Add all of another builder to the open world, or to the global one, its roots moved by ``xform``.

        Labels become ``label_prefix/label``.  The world's gravity becomes that of the added builder.
        """
        xform = None if xform is None else check.pose(xform, "add_builder xform")
        self._check_source(builder, 1, "add_builder")
        self._take(builder, [self.current_world], [xform], [label_prefix])
        self._take_gravity(builder)
        self.orphan_joints_allowed |= builder.orphan_joints_allowed

    def replicate(
        self,
        builder: Any,
        copy_count: int | None = None,
        spacing: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        separate_worlds: bool = True,
        xforms: Sequence[Any] | None = None,
        label_prefixes: Sequence[str | None] | None = None,
        world_count: int | None = None,
    ) -> None:
        """Add ``copy_count`` copies of another builder, each as a world of its own.

        Copies stand ``spacing`` [m] apart on a centred grid, or where ``xforms`` says.  With ``separate_worlds=False``
        all go to the open world.  What the copies share is kept once, whatever their number.
        """
        count = self._copy_count(copy_count, world_count)
        if separate_worlds:
            self._check_outside("replicate")
        self._check_source(builder, count, "replicate")
        placed = self._copy_xforms(count, spacing, xforms)
        prefixes = [None] * count if label_prefixes is None else list(label_prefixes)
        if len(prefixes) != count:
            raise ModelError(f"replicate label_prefixes: {len(prefixes)} for {count} copies; give one for each")
        first = self.world_count
        worlds = list(range(first, first + count)) if separate_worlds else [self.current_world] * count
        self._take(builder, worlds, placed, prefixes)
        if separate_worlds:
            self.world_gravity.extend([builder.gravity] * count)
        elif count:
            self._take_gravity(builder)
        self.orphan_joints_allowed |= builder.orphan_joints_allowed

    def _take(self, builder: Any, worlds: list[int], xforms: list, prefixes: list) -> None:
        """Store copies of a builder: one snapshot, and what tells the copies apart."""
        if not worlds:
            return
        self._take_drives(builder, len(worlds))
        self._take_variants(builder, len(worlds))
        source = builder.snapshot()
        before = self._counts()
        part = self._parts[-1] if self._continues(source) else self._open_part(builder, source)
        for copy in zip(worlds, xforms, prefixes):
            part.add(*copy)
        count = len(worlds)
        for column in self.columns.values():
            column.add_copies(part, count * source.counts[column.row.frequency])
        for key in source.custom:
            attribute = self.custom_attributes[key]
            if attribute.is_custom_frequency:
                attribute.values.add_copies(part, count * source.counts[attribute.frequency])
        for key in self.custom_frequency_counts:
            self.custom_frequency_counts[key] += count * source.counts.get(key, 0)
        self._take_nested(self, builder, worlds[-1], before, count - 1)

    @staticmethod
    def _take_nested(own: Any, builder: Any, world: int, before: dict, copies: int) -> None:
        """Nested values, which are once for all: those of the last copy, in ``world``, behind so many others."""
        for key, attribute in builder.custom_attributes.items():
            if attribute.nested:
                kind = attribute.refers
                first = before.get(kind, 0) + copies * builder._counts().get(kind, 0)
                move = {None: lambda i: i, F.WORLD: lambda i: world}.get(kind, lambda i, first=first: i + first)
                own.custom_attributes[key].values[0] = moved(attribute.values.own[0], move)

    def _continues(self, source: Snapshot) -> bool:
        """Whether the last thing added was a copy of the same snapshot, so that one more only lengthens it."""
        if not self._parts or self._parts[-1].source is not source:
            return False
        part = self._parts[-1]
        return all(n == part.base.get(key, 0) + part.rows(key) for key, n in self._counts().items()) and all(
            column.ends_with(part) for column in self.columns.values()
        )

    def _open_part(self, builder: Any, source: Snapshot) -> Copies:
        for frequency in builder.custom_frequencies.values():
            self.add_custom_frequency(frequency)
        counts = self._counts()
        for attribute in builder.custom_attributes.values():
            if not self.has_custom_attribute(attribute.key):
                self.add_custom_attribute(attribute.fresh())
                first = counts.get(attribute.refers, 0)
                if attribute.frequency == F.ONCE and first and int(np.min(attribute.default)) >= 0:
                    # the default points at a row of the first copy
                    self.custom_attributes[attribute.key].values[0] = int(attribute.default) + first
        part = Copies(source, self._counts())
        self._parts.append(part)
        for key in source.custom:
            attribute = self.custom_attributes[key]
            if attribute.is_custom_frequency:
                self._fill(attribute)
            else:
                attribute.copies.append(part)
                if attribute.frequency == F.ONCE:
                    attribute.values.pop(0, None)  # what was added last counts
        return part

    def _unfold_copies(self) -> None:
        """Make rows of all copies, as if each had been added by hand."""
        for column in self.columns.values():
            if any(not isinstance(chunk, list) for chunk in column.chunks):
                column.replace(list(column))
        for attribute in self.custom_attributes.values():
            attribute.unfold(self._rows_of(attribute.frequency))
        self._parts.clear()

    def _counts(self) -> dict:
        """The rows of every frequency."""
        return {**{f: len(self.columns[name]) for f, name in COUNTED.items()}, **self.custom_frequency_counts}

    def snapshot(self) -> Snapshot:
        """The builder's columns and custom attributes as they are now; the same object until something changes."""
        if self._snapshot_time != self.clock.now:
            columns = {name: column.array() for name, column in self.columns.items()}
            custom = {
                key: a.array(self._rows_of(a.frequency))
                for key, a in self.custom_attributes.items()
                if self._is_authored(a)
            }
            labels = frozenset(f.label_attribute for f in self.custom_frequencies.values() if f.label_attribute)
            given = {
                key: a.given(self._rows_of(a.frequency))
                for key, a in self.custom_attributes.items()
                if key in custom and a.reference_value_transformer is not None
            }
            self._snapshot = Snapshot(self._counts(), columns, custom, self.gravity, labels, given)
            self._snapshot_time = self.clock.now
        return self._snapshot

    def _is_authored(self, attribute: Any) -> bool:
        """Whether an attribute says anything that copies have to carry as rows of an array."""
        return not attribute.nested and bool(attribute.is_custom_frequency or len(attribute.values) or attribute.copies)

    def _rows_of(self, frequency: Any) -> int:
        """Rows of a frequency; a builder without worlds is one."""
        if frequency in (F.WORLD, F.ONCE):
            return max(1, self.world_count) if frequency == F.WORLD else 1
        return (
            len(self.columns[COUNTED[frequency]]) if frequency in COUNTED else self.custom_frequency_counts[frequency]
        )

    def _check_source(self, builder: Any, count: int, where: str) -> None:
        if builder is self:
            raise ModelError(f"{where}: a builder cannot hold itself; make a second ModelBuilder")
        if not isinstance(builder, WorldMethods):
            raise ModelError(f"{where}: {builder!r} is no ModelBuilder; pass one")
        if builder.current_world >= 0:
            raise ModelError(f"{where}: the builder has an open world; call its end_world first")
        if builder.up_axis != self.up_axis:
            raise ModelError(
                f"{where}: up axes differ ({builder.up_axis.name} in {self.up_axis.name}); make both builders with the same up_axis"
            )
        for frequency, name in COUNTED.items():
            total = len(self.columns[name]) + count * len(builder.columns[name])
            if total > LARGEST:
                kind = getattr(frequency, "name", "filter pair")
                raise ModelError(f"{where}: {total} rows of {kind} are more than int32 can count; use fewer copies")
        if self._parts and self._parts[-1].source is builder.snapshot():
            return
        builder._check_references()
        for key, attribute in builder.custom_attributes.items():
            known = self.custom_attributes.get(key)
            if known is not None and not known.same_as(attribute):
                raise ModelError(
                    f"{where}: custom attribute {key!r} has an incompatible spec in the two builders ({known.difference(attribute)} mismatch); declare it alike"
                )

    def _check_outside(self, where: str) -> None:
        if self._current_world >= 0:
            text = f"Cannot begin a new world: already in world context (world {self._current_world} is open, worlds do not nest)"
            raise WorldContextError(f"{where}: {text}; call end_world first")

    def _copy_count(self, copy_count: int | None, world_count: int | None) -> int:
        given = [n for n in (copy_count, world_count) if n is not None]
        if len(given) != 1:
            raise ArgumentError("replicate: copy_count says how many copies; give it once")
        if world_count is not None:
            text = "replicate: world_count is deprecated; pass copy_count"
            warnings.warn(text, NewtonDeprecationWarning, stacklevel=external())
        return check.index(given[0], LARGEST, "copy count", "replicate copy_count")

    def _copy_xforms(self, count: int, spacing: Sequence[float], xforms: Sequence[Any] | None) -> list:
        if xforms is not None:
            if len(xforms) != count:
                raise ModelError(f"replicate xforms: {len(xforms)} for {count} copies; give one for each")
            return [check.pose(x, f"replicate xforms[{i}]") for i, x in enumerate(xforms)]
        spacing = check.vector(spacing, "replicate spacing")
        if not spacing.any():
            return [None] * count
        poses = np.zeros((count, 7))
        poses[:, 6] = 1.0
        poses[:, :3] = grid(count, spacing, int(self.up_axis))
        return list(poses)

    def _take_gravity(self, builder: Any) -> None:
        if self.current_world >= 0:
            self.world_gravity[self.current_world] = builder.gravity
        else:
            self.gravity, self._given_gravity = builder.gravity, builder._given_gravity


def grid(count: int, spacing: np.ndarray, up: int | None) -> np.ndarray:
    """Positions ``[count, 3]`` of a grid over the axes with spacing, first axis fastest, centred except along ``up``."""
    axes = np.flatnonzero(spacing)
    side = int(np.ceil(count ** (1.0 / len(axes)) - 1.0e-9))
    out = np.zeros((count, 3))
    for i, axis in enumerate(axes):
        out[:, axis] = np.arange(count) // side**i % (side if i + 1 < len(axes) else count) * spacing[axis]
    middle = 0.5 * (out.min(axis=0) + out.max(axis=0)) if count else np.zeros(3)
    if up is not None:
        middle[up] = 0.0
    return out - middle
