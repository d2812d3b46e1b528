"""Body variant methods of the builder: alternative sets of shapes for a body."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeAssignment, GeoType, ShapeFlags
from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.errors import ModelError, RangeError
from newtonlite.sim.body_variants import (
    COLUMNS,
    ROLES,
    DeclaredVariants,
    Variant,
    VariantSet,
    packed_custom,
    write_variants,
)
from newtonlite.sim.model import Model

REFUSED = (GeoType.PLANE, GeoType.HFIELD)
WHERE = "add_body_variants"


class VariantMethods:
    """Declaring body variants."""

    def add_body_variants(
        self, body: int, variants: Sequence[Any], *, initial: int = 0, labels: Sequence[str] | None = None
    ) -> None:
        """Declare sets of shapes of which ``body`` has one at a time, first that of number ``initial``.

        A variant is a builder with one body: its shapes, in the frame of that body, and its mass, which are added to
        what the body has itself. The body gets rows for the most colliders, visuals and sites that a variant has; a
        variant that has fewer leaves rows empty, which neither collide nor show. The i-th colliders of all variants are
        of one collision group. ``labels`` are by default those of the variants' bodies. Copies of the builder have the
        same variants; ``Model.select_body_variants`` chooses. Later changes of the variants' builders mean nothing.
        Raises ModelError where a variant is not such a builder, or a body has variants already, IndexError for numbers
        that do not exist.
        """
        if not 0 <= body < self.body_count:
            raise RangeError(f"{WHERE}: body {body} does not exist; there are {self.body_count}")
        if any(body in declared.bodies for declared in self._variants):
            raise ModelError(f"{WHERE}: body {body} already has variants; give all of them in one call")
        if not len(variants):
            raise ModelError(f"{WHERE}: no variant; give at least one")
        if not 0 <= initial < len(variants):
            raise RangeError(f"{WHERE} initial: variant {initial} does not exist; there are {len(variants)}")
        for variant in variants:
            self._check_variant(variant)
        names = [str(v.body_label[0]) for v in variants] if labels is None else list(labels)
        if len(names) != len(variants):
            raise ModelError(f"{WHERE} labels: {len(names)} for {len(variants)} variants; give one for each")
        world = self.body_world[body]
        behind = np.append(self.columns["shape_world"].array(), -1)[:-1]
        if world >= 0 and len(behind) and (behind[-1] > world or (behind[-1] < 0 and (behind >= 0).any())):
            raise ModelError(
                f"{WHERE}: there are shapes of later worlds, or of none, behind those of world {world}; declare variants before"
            )
        declarations = self._variant_attributes(variants)
        found = VariantSet(tuple(snapshot(v, name, declarations) for v, name in zip(variants, names)), initial)
        check_groups(found, variants)
        for declaration in declarations.values():
            if not self.has_custom_attribute(declaration.key):
                self.add_custom_attribute(declaration.fresh())
        first = self.shape_count
        for row in range(len(found.rows)):
            self._add_variant_row(found, row, body, variants)
        self._variants.append(DeclaredVariants(found, np.array([body]), np.array([first])))
        self.clock.now += 1

    def _check_variant(self, variant: Any) -> None:
        """ModelError for a builder that is no variant."""
        if variant is self or variant._variants:
            raise ModelError(f"{WHERE}: a variant has no variants itself; give a builder of its own")
        if variant.up_axis != self.up_axis:
            raise ModelError(f"{WHERE}: a variant has another up axis; make all builders with the same")
        if variant.body_count != 1:
            raise ModelError(f"{WHERE}: a variant has exactly one body, this one {variant.body_count}")
        body, kind, flags = (variant.columns[f"shape_{name}"].array() for name in ("body", "type", "flags"))
        if (body != 0).any():
            shape = int(np.argmax(body != 0))
            raise ModelError(f"{WHERE}: shape {variant.shape_label[shape]!r} is not attached to the variant's body")
        if np.isin(kind, REFUSED).any():
            raise ModelError(f"{WHERE}: planes and height fields belong to the world; leave them out")
        if (flags & int(ShapeFlags.HYDROELASTIC)).any():
            raise ModelError(f"{WHERE}: hydroelastic shapes cannot be exchanged; leave is_hydroelastic unset")

    def _variant_attributes(self, variants: Sequence[Any]) -> dict[str, Any]:
        """Custom attributes of shapes that any variant has; ModelError where two are declared differently."""
        found = {}
        for variant in variants:
            for key, attribute in variant.custom_attributes.items():
                if attribute.frequency != F.SHAPE or attribute.refers is not None:
                    continue
                known = self.custom_attributes.get(key) or found.get(key) or attribute
                if not known.same_as(attribute):
                    raise ModelError(f"{WHERE}: custom attribute {key!r} is declared differently; declare it alike")
                if attribute.assignment != AttributeAssignment.MODEL:
                    if attribute.values or attribute.copies:
                        name = AttributeAssignment(attribute.assignment).name
                        raise ModelError(f"{WHERE}: custom attribute {key!r} is of each {name}; set it there")
                    continue
                found[key] = attribute
        return found

    def _add_variant_row(self, found: VariantSet, row: int, body: int, variants: Sequence[Any]) -> None:
        """One more shape, made from the first that the row can hold, with the flags of all of them."""
        of, shape = found.source(row)
        variant, number = found.variants[of], found.rows[:row].count(found.rows[row])
        held = [(k, s) for k, s in enumerate(found.holds[:, row]) if s >= 0]
        values = {r.name: element(variant.columns[r.name][shape]) for r in COLUMNS}
        flags = [int(found.variants[k].columns["shape_flags"][s]) for k, s in held]
        values["shape_flags"] = int(np.bitwise_or.reduce(flags))
        index = self.shape_count
        self._add_row(
            F.SHAPE,
            **values,
            shape_body=body,
            shape_collision_group=int(variants[of].shape_collision_group[shape]),
            shape_label=f"{self.body_label[body]}/variant_{ROLES[found.rows[row]]}_{number}",
            shape_world=self.body_world[body],
        )
        self._filter_new_shape(index, body, bool(values["shape_flags"] & ShapeFlags.COLLIDE_SHAPES))

    def _take_variants(self, builder: Any, count: int) -> None:
        """Declare the variants of another builder for ``count`` copies of it, which come next."""
        for declared in builder._variants:
            bodies = self.body_count + builder.body_count * np.arange(count)[:, None] + declared.bodies
            first = self.shape_count + builder.shape_count * np.arange(count)[:, None] + declared.first
            self._variants.append(DeclaredVariants(declared.set, bodies.ravel(), first.ravel()))

    def _settle_variants(self, arrays: dict[str, np.ndarray]) -> None:
        """Give all bodies their initial variant, in arrays of the scene."""
        names = [name for name in arrays if name.startswith(("shape_", "body_"))] if self._variants else []
        arrays.update({name: arrays[name].copy() for name in names})
        for declared in self._variants:
            own = [arrays[f"body_{name}"][declared.bodies] for name in ("mass", "com", "inertia")]
            declared.base = (own[0], own[1], own[2].reshape(-1, 3, 3))
            every = np.arange(len(declared.bodies))
            write_variants(declared, every, np.full(len(every), declared.set.initial), arrays)

    def _place_variants(self, model: Model) -> None:
        """Tell the model of the variants, and write their custom attributes."""
        selected = np.full(self.body_count, -1, np.int32)
        for declared in self._variants:
            selected[declared.bodies] = declared.set.initial
        model.body_variant = wp.array(selected, dtype=int, device=model.device)
        model._declared = [DeclaredVariants(d.set, d.bodies, d.first, d.base) for d in self._variants]
        if any(d.set.variants[0].custom for d in self._variants):
            model.select_body_variants(model.body_variant)


def snapshot(builder: Any, label: str, declarations: dict) -> Variant:
    """A variant as it is now."""
    n = builder.shape_count
    columns = {row.name: builder.columns[row.name].array() for row in COLUMNS}
    custom = {key: packed_custom(builder.custom_attributes.get(key, a.fresh()), n) for key, a in declarations.items()}
    mass = [builder.columns[f"body_{name}"].array()[0] for name in ("mass", "com", "inertia")]
    return Variant(label, columns, custom, (float(mass[0]), mass[1], np.reshape(mass[2], (3, 3))))


def check_groups(found: VariantSet, variants: Sequence[Any]) -> None:
    """ModelError where shapes that take turns in a row are of different collision groups."""
    for row in range(len(found.rows)):
        groups = {int(variants[k].shape_collision_group[s]) for k, s in enumerate(found.holds[:, row]) if s >= 0}
        if found.rows[row] == 0 and len(groups) > 1:
            raise ModelError(
                f"{WHERE}: colliders that take turns have collision groups {sorted(groups)}; give them one"
            )


def element(value: Any) -> Any:
    """A value of a column as a builder keeps it."""
    return tuple(value.ravel().tolist()) if isinstance(value, np.ndarray) else getattr(value, "item", lambda: value)()
