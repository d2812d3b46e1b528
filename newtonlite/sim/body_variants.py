"""Body variants: alternative sets of shapes, with their masses, of which a body has one at a time."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.enums import ModelFlags, ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.geometry.inertia import inverse
from newtonlite.sim.attributes import find_attribute
from newtonlite.sim.model_table import TABLE, host_type, value_shape

ROLES = ("collider", "visual", "site")
"""Roles of shapes; a row holds shapes of one role only."""
LIVE = int(ShapeFlags.VISIBLE | ShapeFlags.COLLIDE_SHAPES | ShapeFlags.COLLIDE_PARTICLES | ShapeFlags.HYDROELASTIC)
"""Flags that an empty row has not."""
OWN = ("shape_body", "shape_world", "shape_label", "shape_collision_group")
"""Columns that a row keeps, whatever shape it holds."""
COLUMNS = tuple(row for row in TABLE if row.frequency == F.SHAPE and row.name not in OWN)
KEPT = tuple(row for row in COLUMNS if row.kept)
CHANGED = ModelFlags.SHAPE_TYPE_AND_SOURCE | ModelFlags.SHAPE_PROPERTIES | ModelFlags.BODY_INERTIAL_PROPERTIES


@dataclass(frozen=True, eq=False)
class Variant:
    """One variant: its shapes as columns and custom attributes by name, and mass, centre and inertia of its body."""

    label: str
    columns: dict[str, np.ndarray]
    custom: dict[str, np.ndarray]
    mass: tuple[float, np.ndarray, np.ndarray]

    @cached_property
    def roles(self) -> np.ndarray:
        """Role of each shape, as a number of ``ROLES``."""
        flags = self.columns["shape_flags"].astype(int)
        return np.where(flags & ShapeFlags.SITE, 2, np.where(flags & ShapeFlags.COLLIDE_SHAPES, 0, 1))


@dataclass(frozen=True, eq=False)
class VariantSet:
    """Variants declared together. ``holds`` [variant, row] is the shape of a variant that a row holds, -1 for none."""

    variants: tuple[Variant, ...]
    initial: int

    @cached_property
    def rows(self) -> list[int]:
        """Role of each row: as many of a role as the variant has that has most of it."""
        counts = [max(int((v.roles == role).sum()) for v in self.variants) for role in range(len(ROLES))]
        return [role for role, count in enumerate(counts) for _ in range(count)]

    @cached_property
    def holds(self) -> np.ndarray:
        """Shape of each row, per variant."""
        found = np.full((len(self.variants), len(self.rows)), -1)
        roles = np.array(self.rows, int)
        for k, variant in enumerate(self.variants):
            for role in range(len(ROLES)):
                shapes = np.flatnonzero(variant.roles == role)
                found[k, np.flatnonzero(roles == role)[: len(shapes)]] = shapes
        return found

    def source(self, row: int) -> tuple[int, int]:
        """(variant, shape) that a row is made from: the initial variant's, else the first that it can hold."""
        order = [self.initial, *range(len(self.variants))]
        variant = next(k for k in order if self.holds[k, row] >= 0)
        return variant, int(self.holds[variant, row])

    def table(self, name: str, custom: bool = False) -> np.ndarray:
        """Values of an attribute [variant, row, ...]; what a row is made from where a variant leaves it empty."""
        parts = [v.custom[name] if custom else v.columns[name] for v in self.variants]
        out = np.empty(self.holds.shape, object) if parts[0].dtype == object else None
        if out is None:
            out = np.zeros((*self.holds.shape, *parts[0].shape[1:]), parts[0].dtype)
        for k in range(len(parts)):
            for row in range(len(self.rows)):
                of, shape = (k, int(self.holds[k, row])) if self.holds[k, row] >= 0 else self.source(row)
                out[k, row] = parts[of][shape]
        return out


@dataclass
class DeclaredVariants:
    """Bodies [n] that have a set of variants, the first of each one's rows, and what the body weighs without them."""

    set: VariantSet
    bodies: np.ndarray
    first: np.ndarray
    base: tuple[np.ndarray, np.ndarray, np.ndarray] = field(default=(np.zeros(0), np.zeros(0), np.zeros(0)))

    def rows(self, chosen: np.ndarray) -> np.ndarray:
        """Rows [k, row] of the ``chosen`` of its bodies."""
        return self.first[chosen, None] + np.arange(len(self.set.rows))

    def weigh(self, chosen: np.ndarray, variant: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mass [k], centre [k, 3] and inertia [k, 3, 3] of the ``chosen`` bodies with their variants."""
        parts = [v.mass for v in self.set.variants]
        other = [np.array([part[i] for part in parts])[variant] for i in range(3)]
        mass, com, tensor = (x[chosen] for x in self.base)
        total = mass + other[0]
        share = np.divide(other[0], total, out=np.zeros_like(total), where=total > 0.0)
        arm = other[1] - com
        reduced = (mass * share)[:, None, None]
        spread = (arm * arm).sum(-1)[:, None, None] * np.eye(3) - arm[:, :, None] * arm[:, None, :]
        return total, com + share[:, None] * arm, tensor + other[2] + reduced * spread


def write_variants(declared: DeclaredVariants, chosen: np.ndarray, variant: np.ndarray, arrays: dict[str, Any]) -> None:
    """Write shapes and masses of the ``chosen`` bodies' new ``variant`` [k] into arrays of the scene, by name; of custom
    attributes by ``namespace:name``.
    """
    rows, kept = declared.rows(chosen), {row.name for row in KEPT}
    custom = declared.set.variants[0].custom
    for name in arrays:
        if name in kept or name in custom:
            values = declared.set.table(name, name in custom)[variant]
            if name == "shape_flags":
                held = declared.set.holds[variant] >= 0
                values = np.where(held, values, values & ~LIVE)
            if isinstance(arrays[name], list):
                for row, value in zip(rows.ravel().tolist(), values.ravel().tolist(), strict=True):
                    arrays[name][row] = value
            else:
                arrays[name][rows] = values.reshape(*rows.shape, *arrays[name].shape[1:])
    bodies = declared.bodies[chosen]
    mass, com, tensor = declared.weigh(chosen, variant)
    arrays["body_mass"][bodies], arrays["body_com"][bodies] = mass, com
    arrays["body_inertia"][bodies] = tensor.reshape(-1, *arrays["body_inertia"].shape[1:])


class BodyVariantMethods:
    """The part of ``Model`` that is about body variants."""

    _declared: list[DeclaredVariants] = []
    body_variant: wp.array | None = None
    """Variant of each body, -1 for bodies that have none."""
    shape_version = 0
    """Number of selections made so far, each of which may have changed types and sources of shapes."""

    def body_variant_labels(self, body: int) -> list[str]:
        """Labels of the variants of a body, none for one without. IndexError where there is no such body."""
        if not 0 <= body < self.body_count:
            raise IndexError(f"body_variant_labels: body {body} does not exist; there are {self.body_count}")
        sets = [d.set for d in self._declared if body in d.bodies]
        return [variant.label for variant in sets[0].variants] if sets else []

    def select_body_variants(self, variants: wp.array, *, bodies: wp.array | None = None) -> int:
        """Give bodies other variants: ``variants[i]`` to ``bodies[i]``, or one to each body where ``bodies`` is None.

        Numbers that a body has no variant of, such as -1, leave it as it is. Shapes, their materials and custom
        attributes, and the masses of the bodies are written anew, also where they were changed since. Returns the flags
        to notify solvers with; a pipeline follows at its next call, rays at the next ``bvh_refit_shapes``. Waits for the
        device. Raises ModelError where there are not as many variants as bodies.
        """
        wanted = variants.numpy()
        if bodies is None and len(wanted) != self.body_count:
            raise ModelError(
                f"select_body_variants: {len(wanted)} variants without bodies; give one variant per body ({self.body_count})"
            )
        if bodies is not None and bodies.shape != variants.shape:
            raise ModelError(
                f"select_body_variants: {len(wanted)} variants for {len(bodies)} bodies; give one for each"
            )
        of_body = np.full(self.body_count, -1)
        of_body[np.arange(self.body_count) if bodies is None else bodies.numpy()] = wanted
        names = [row.name for row in KEPT if row.dtype is not object]
        names += [name for d in self._declared for name in d.set.variants[0].custom]
        names += ["body_mass", "body_com", "body_inertia"]
        arrays = {name: find_attribute(self, name).numpy().copy() for name in dict.fromkeys(names)}
        arrays["shape_source"] = list(self.shape_source)
        selected = self.body_variant.numpy().copy()
        for declared in self._declared:
            variant = of_body[declared.bodies]
            chosen = np.flatnonzero((variant >= 0) & (variant < len(declared.set.variants)))
            write_variants(declared, chosen, variant[chosen], arrays)
            selected[declared.bodies[chosen]] = variant[chosen]
        self.shape_source = arrays.pop("shape_source")
        for name, values in arrays.items():
            find_attribute(self, name).assign(values)
        mass = arrays["body_mass"].astype(float)
        self.body_inv_mass.assign(np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0.0))
        self.body_inv_inertia.assign(inverse(arrays["body_inertia"].astype(float), mass > 0.0))
        self.body_variant.assign(selected)
        self._forget_shapes()
        return int(CHANGED)

    def _forget_shapes(self) -> None:
        """Drop what was made of the shapes as they were."""
        self.shape_version += 1
        for name in ("shape_contact_pairs", "_shape_boxes", "shape_source_ptr"):
            self.__dict__.pop(name, None)
        self._ray_tables = self._ray_bvh = None


def packed_custom(attribute: Any, count: int) -> np.ndarray:
    """Values of a custom attribute of shapes, ``[count, ...]``."""
    values = attribute.array(count)
    return (
        values
        if attribute.dtype is str
        else values.astype(host_type(attribute.dtype)).reshape(count, *value_shape(attribute.dtype))
    )
