"""Structure groups: worlds of equal structure, which one engine can step side by side."""

from collections.abc import Callable

import numpy as np

from newtonlite.core.enums import AttributeAssignment, EqualityTarget, GeoType
from newtonlite.geometry.heightfield import Heightfield
from newtonlite.sim.attributes import find_attribute
from newtonlite.sim.model_table import TABLE
from newtonlite.sim.shape_bounds import barrels
from newtonlite.solvers.mujoco.compile.sensors import KINDS as SENSED
from newtonlite.solvers.mujoco.compile.validate import filter_keys
from newtonlite.solvers.mujoco.compile.worlds import Worlds, as_numpy, kind_of

OF_PATHS = ("mujoco:tendon_joint", "mujoco:tendon_wrap", "dof", "coord")
"""Kinds whose number in a world follows from tendons and joints."""
WATCHED = {
    number: {"joint": "dof", "geom": "shape", "site": "shape"}.get(kind, kind) for number, kind in SENSED.items()
}
TYPED = {
    "mujoco:actuator_trnid": (
        "mujoco:actuator_trntype",
        dict(enumerate(("dof", "dof", "mujoco:tendon", "shape", "body", "shape"))),
    ),
    "mujoco:sensor_objid": ("mujoco:sensor_objtype", WATCHED),
    "mujoco:sensor_refid": ("mujoco:sensor_reftype", WATCHED),
    "mujoco:equality_constraint_target": (
        "mujoco:equality_constraint_target_kind",
        {EqualityTarget.JOINT: "joint", EqualityTarget.MIMIC: "constraint_mimic"},
    ),
}
"""Links to things of a kind that another attribute says."""
RANKED = ("mujoco:collision_mask_domain",)
"""Numbers of which only the order within a world is structure."""
SOURCED = (GeoType.MESH, GeoType.CONVEX_MESH, GeoType.CONE, GeoType.HFIELD)
"""Shapes whose sizes are worked into meshes and height fields."""
NOT_STRUCTURE = ("joint_ancestor", *TYPED)
PLACES = ("_world", "_adr", "_start")
"""Ends of names of integers that say where things lie."""
REFERS = {row.name: row.refers for row in TABLE if row.refers}


def group_worlds(model) -> list[np.ndarray]:
    """Worlds of each structure, in the order of their first ones.

    Two worlds are alike when they have the same numbers of everything and agree in all that is not a real number:
    types, flags, who belongs to whom, which mesh; in the sizes of meshes and height fields; and in the pairs of shapes
    that do not collide.
    """
    groups = [np.arange(model.world_count)]
    for signature in (counts, kinds_and_links, paths):
        groups = [part for group in groups for part in split_by_signature(group, signature(model, group))]
    return sorted(groups, key=lambda group: group[0])


def split_by_signature(group: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
    """Parts of a group whose signatures [len(group), n] are equal."""
    _, number = np.unique(rows, axis=0, return_inverse=True)
    return [group[number.ravel() == k] for k in range(number.max() + 1)]


def counts(model, group) -> np.ndarray:
    """Number of things of each kind in every world."""
    names = [name for name in model.attribute_specs if name.endswith("_world")]
    worlds = [as_numpy(find_attribute(model, name)) for name in names]
    return np.stack([np.bincount(w[w >= 0], minlength=model.world_count)[group] for w in worlds], axis=1)


def kinds_and_links(model, group) -> np.ndarray:
    """All integers of things, links as numbers within the world."""
    w = Worlds(model, group)
    filters = [[hash(keys.tobytes())] for keys in filter_keys(w)]
    return np.concatenate(
        [structure(w, lambda kind: kind not in OF_PATHS), assets_of(w), words(np.array(filters))], axis=1
    )


def assets_of(w: Worlds) -> np.ndarray:
    """Meshes and height fields of each world, and how they are stretched, as integers [nworld, n]."""
    shapes, known = w.rows("shape"), {}
    if not shapes.size:
        return np.zeros((len(shapes), 0), np.int64)
    kinds, scales = as_numpy(w.model.shape_type)[shapes], as_numpy(w.model.shape_scale)[shapes]
    sourced = np.isin(kinds, SOURCED) | barrels(kinds, scales)
    sources = np.array([source_number(source, known) for source in w.model.shape_source], np.int64)
    scales = scales * sourced[..., None]
    return np.concatenate([words(scales), words(sources[shapes])], axis=1)


def source_number(source, known: dict) -> int:
    """Number of a mesh or height field: equal for height fields of equal heights and sizes; ``known`` are those met."""
    if isinstance(source, Heightfield):
        source = (source.data.tobytes(), source.nrow, source.hx, source.hy, source.min_z, source.max_z, source.base)
    else:
        source = id(source)
    return known.setdefault(source, len(known))


def paths(model, group) -> np.ndarray:
    """The same of degrees of freedom, of what tendons run over, and of links to things of several kinds."""
    w = Worlds(model, group)
    found = [structure(w, lambda kind: kind in OF_PATHS)]
    for name, (types, kinds) in TYPED.items():
        if w.has(name) and len(w.find(name)):
            rows = w.rows(w.frequency(name))
            values, typed = as_numpy(w.find(name))[rows], as_numpy(w.find(types))[rows]
            for number, kind in kinds.items():
                chosen = typed == number
                if chosen.any():
                    values = np.where(
                        chosen.reshape(*chosen.shape, *[1] * (values.ndim - 2)),
                        numbers_within_worlds(w, values, kind),
                        values,
                    )
            found.append(words(values))
    return np.concatenate(found, axis=1)


def structure(w: Worlds, chosen: Callable[[str], bool]) -> np.ndarray:
    """Integers and flags of the ``chosen`` kinds, [nworld, n]."""
    found = [np.zeros((w.count, 0), np.int64)]
    for name, spec in w.model.attribute_specs.items():
        if (
            spec.assignment != AttributeAssignment.MODEL
            or not w.has(name)
            or name in NOT_STRUCTURE
            or name.endswith(PLACES)
        ):
            continue
        kind, values = w.frequency(name), find_attribute(w.model, name)
        if isinstance(values, list) or kind in ("once", "world", "articulation") or not chosen(kind):
            continue
        values = as_numpy(values)
        if values.dtype.kind not in "iub" or not len(values):
            continue
        if name in RANKED:
            found.append(ranks(values[w.rows(kind)]))
            continue
        refers = REFERS.get(name, spec.references)
        found.append(
            words(
                numbers_within_worlds(w, values[w.rows(kind)], refers) if refers is not None else values[w.rows(kind)]
            )
        )
    return np.concatenate(found, axis=1)


def ranks(values: np.ndarray) -> np.ndarray:
    """Numbers [nworld, n] counted anew in each world: which of them are the same, whatever they are."""
    return np.array([np.unique(row, return_inverse=True)[1].reshape(-1) for row in values], np.int64).reshape(
        len(values), -1
    )


def numbers_within_worlds(w: Worlds, values: np.ndarray, target) -> np.ndarray:
    """Indices of things as numbers within their world; negative ones stay, and things of other worlds get numbers that
    no world has.
    """
    rows = w.rows(kind_of(target))
    number = np.full(int(rows.max(initial=-1)) + 2, -2, np.int64)
    number[rows] = np.arange(rows.shape[1])
    if not rows.size:
        return values
    found = number[np.clip(values, -1, len(number) - 1)]
    world = np.arange(len(rows)).reshape(-1, *[1] * (values.ndim - 1))
    own = rows[world, np.maximum(found, 0)] == values
    return np.where((values >= 0) & (found >= 0), np.where(own, found, -3 - values), values)


def words(values: np.ndarray) -> np.ndarray:
    """Any numbers as integers that are equal where they are, one row per world."""
    flat = values.reshape(len(values), -1) if values.size else np.zeros((len(values), 0), np.int64)
    return flat.astype(np.float64).view(np.int64) if flat.dtype.kind == "f" else flat.astype(np.int64)
