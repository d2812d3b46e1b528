"""Validation of worlds: worlds stepped side by side must be copies of one structure; differences are listed."""

import warnings

import numpy as np

from newtonlite.core.enums import BodyFlags, JointType, SolrefMode
from newtonlite.core.errors import ModelError, NewtonWarning, external
from newtonlite.solvers.mujoco.compile.worlds import GLOBAL, Worlds, as_numpy

LOCAL_KINDS = ("body", "joint", "constraint_mimic", "mujoco:equality_constraint")
WORLD_OF = {"mujoco:equality_constraint": "mujoco:equality_constraint_world"}
STRUCTURE = {
    "body": ("body_flags",),
    "joint": ("joint_type", "joint_dof_dim", "joint_enabled"),
    "dof": ("joint_target_mode", "mujoco:dof_order", "mujoco:jnt_actgravcomp"),
    "shape": ("shape_type", "shape_flags", "shape_collision_group", "mujoco:condim", "mujoco:geom_priority")
    + ("mujoco:contype", "mujoco:conaffinity"),
    "mujoco:sensor": (
        "mujoco:sensor_type",
        "mujoco:sensor_objtype",
        "mujoco:sensor_reftype",
        "mujoco:sensor_fields",
        "mujoco:sensor_reduce",
    )
    + ("mujoco:sensor_slots", "mujoco:sensor_dim", "mujoco:sensor_nsample"),
    "mujoco:camera": ("mujoco:camera_mode", "mujoco:camera_resolution", "mujoco:camera_projection"),
    "mujoco:tendon": ("mujoco:tendon_joint_num", "mujoco:tendon_type", "mujoco:tendon_limited"),
    "mujoco:actuator": (
        "mujoco:actuator_trntype",
        "mujoco:actuator_gaintype",
        "mujoco:actuator_biastype",
        "mujoco:actuator_dyntype",
    )
    + ("mujoco:actuator_ctrllimited", "mujoco:actuator_forcelimited", "mujoco:ctrl_source", "mujoco:ctrl_type"),
}
REFERENCES = {"joint": (("joint_parent", "body"), ("joint_child", "body")), "shape": (("shape_body", "body"),)}
COUNTED = ("body", "joint", "shape")
SHOWN = 5
CALLED = {"joint_type": "joint types", "joint_dof_dim": "joint dof counts", "shape_type": "shape types"}
"""Newton's names of some columns that have to agree between worlds."""


def check_worlds(model) -> None:
    """Raise ModelError unless every world has the bodies, joints and shapes of the first, and nothing but shapes is
    global.
    """
    check_nothing_global(model)
    check_counts(model)
    found = differences(Worlds(model, range(model.world_count)))
    if found:
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise ModelError(
            "separate_worlds: worlds must have the same structure as world 0, but "
            + "; ".join(found[:SHOWN])
            + more
            + ". Build them with replicate, or pass separate_worlds=False"
        )


def warn_world_roots(model) -> None:
    """Warn of joints to the world outside articulations: the engine moves their bodies, eval_fk and views do not."""
    if not model.joint_count:
        return
    parent, child, owner = (as_numpy(getattr(model, f"joint_{name}")) for name in ("parent", "child", "articulation"))
    roots = np.flatnonzero((parent < 0) & (owner < 0) & ~np.isin(child, child[owner >= 0]))
    if len(roots):
        names = ", ".join(repr(model.joint_label[j]) for j in roots[:SHOWN]) + (", ..." if len(roots) > SHOWN else "")
        text = f"SolverMuJoCo takes {len(roots)} joint(s) outside articulations as standalone world roots: {names}"
        warnings.warn(f"{text}; add_articulation makes them known to eval_fk and views", NewtonWarning, stacklevel=3)


def warn_driven_free_joints(model) -> None:
    """Warn of drives of free joints: no actuator acts on one, so that targets and gains do nothing."""
    if not model.joint_count:
        return
    kinds, start, modes = (as_numpy(getattr(model, f"joint_{name}")) for name in ("type", "qd_start", "target_mode"))
    free = np.flatnonzero(kinds == JointType.FREE)
    driven = [j for j in free.tolist() if modes[start[j] : start[j + 1]].any()]
    if driven:
        names = ", ".join(repr(model.joint_label[j]) for j in driven[:SHOWN]) + (", ..." if driven[SHOWN:] else "")
        text = f"SolverMuJoCo: joint_target_mode of free joint {names} makes no actuator"
        warnings.warn(f"{text}; apply the wrench by Control.joint_f", NewtonWarning, stacklevel=3)


def warn_limit_references(model) -> None:
    """Warn of authored ``solreflimit`` of two signs, or with one zero: the engine takes its default for them."""
    space = getattr(model, "mujoco", None)
    if space is None or not hasattr(space, "solreflimit") or not hasattr(space, "solreflimit_mode"):
        return
    signs = np.sign(as_numpy(space.solreflimit)).reshape(-1, 2)
    bad = np.flatnonzero((as_numpy(space.solreflimit_mode) == SolrefMode.RAW) & (signs[:, 0] != signs[:, 1]))
    if len(bad):
        text = f"mujoco.solreflimit has invalid components at DOF indices {bad.tolist()}: their signs differ, and the"
        warnings.warn(
            f"{text} engine takes its default; give both positive or both negative",
            NewtonWarning,
            stacklevel=external(),
        )


def check_gravity_outside(model) -> None:
    """Raise ModelError for bodies that belong to no world, in a scene whose only world has another gravity."""
    world, pull = as_numpy(model.body_world), as_numpy(model.gravity)
    heavy = (world < 0) & (as_numpy(model.body_mass) > 0)
    if model.world_count == 1 and (world >= 0).any() and heavy.any() and (pull[0] != pull[-1]).any():
        label = model.body_label[int(np.flatnonzero(heavy)[0])]
        raise ModelError(
            f"body '{label}' belongs to no world, where gravity is {pull[-1].tolist()}, and the world has "
            f"{pull[0].tolist()}; one engine has one gravity for both: give them the same, or add the body to the world"
        )


def check_nothing_global(model) -> None:
    """Only shapes may belong to all worlds."""
    w = Worlds(model)
    for kind in LOCAL_KINDS:
        name = WORLD_OF.get(kind, f"{kind}_world")
        if not w.has(name):
            continue
        everywhere = np.flatnonzero(as_numpy(w.find(name)) == GLOBAL)
        if len(everywhere):
            named = w.label(kind, int(everywhere[0])) if ":" not in kind else ""
            what = kind.rpartition(":")[2].replace("_", " ")
            raise ModelError(
                f"{what} '{named or everywhere[0]}' belongs to no world (world -1); with separate worlds only shapes may be shared. "
                "Add it between begin_world and end_world, or with add_world"
            )


def check_counts(model) -> None:
    """The same number of bodies, joints and shapes in every world."""
    for kind in COUNTED:
        world = as_numpy(getattr(model, f"{kind}_world"))
        count = np.bincount(world[world >= 0], minlength=model.world_count)
        odd = np.flatnonzero(count != count[0])
        if len(odd):
            raise ModelError(
                f"separate_worlds: world {odd[0]} has {count[odd[0]]} {kind} entries and world 0 has {count[0]}; worlds must have the "
                f"same structure{' (only mesh geoms support differing counts)' if kind == 'shape' else ''}. Build them with replicate, or pass separate_worlds=False"
            )


def differences(w: Worlds) -> list[str]:
    """Differences between worlds that are not allowed, one text each, in the order of the tables above."""
    found = []
    for kind, names in STRUCTURE.items():
        for name in names:
            if w.has(name):
                found += unequal(w, kind, name, as_numpy(w.find(name))[w.rows(kind)])
    for kind, pairs in REFERENCES.items():
        for name, target in pairs:
            found += unequal(w, kind, name, relative(w, name, kind, target))
    return found + unequal_filters(w)


def unequal_filters(w: Worlds) -> list[str]:
    """Worlds whose shapes are kept apart by other filter pairs than those of the first world."""
    first, *others = filter_keys(w)
    odd = [k for k, keys in enumerate(others, 1) if not np.array_equal(keys, first)]
    return [f"world {k}: its collision filter pairs are others" for k in odd]


def filter_keys(w: Worlds) -> list[np.ndarray]:
    """For each world the pairs of its shapes that do not collide, as sorted numbers."""
    pairs = w.model.shape_collision_filter_pairs_array()
    shape_world = as_numpy(w.model.shape_world)
    number = np.zeros(len(shape_world), np.int64)  # within the world, shared shapes first
    rows = w.rows("shape")
    number[rows] = np.arange(rows.shape[1])
    world = shape_world[pairs].max(axis=1)
    key = np.sort(number[pairs], axis=1) @ [w.size("shape"), 1]
    order = np.lexsort((key, world))
    key, world = key[order], world[order]
    first, last = (np.searchsorted(world, w.worlds, side) for side in ("left", "right"))
    return [key[a:b] for a, b in zip(first, last, strict=True)]


def relative(w: Worlds, name: str, kind: str, target: str) -> np.ndarray:
    """Indices counted from the world's first ``target``; the world and global things keep their negative numbers."""
    values = as_numpy(w.find(name))[w.rows(kind)]
    first = w.rows(target)[:, :1] if w.size(target) else 0
    return np.where(values >= 0, values - first, values)


def unequal(w: Worlds, kind: str, name: str, values) -> list[str]:
    """One text for each world whose values differ from the first world's."""
    flat = values.reshape(len(values), -1) if values.size else values.reshape(len(values), 0)
    odd = np.flatnonzero((flat != flat[:1]).any(axis=1))
    texts = []
    for world in odd[:SHOWN]:
        place = np.argwhere(values[world] != values[0])[0]
        label = w.label(kind, int(place[0])) if ":" not in kind and kind in COUNTED else f"{kind} {place[0]}"
        known = f" ({CALLED[name]} mismatch at position {place[0]})" if name in CALLED else ""
        texts.append(
            f"world {world}: {name} of '{label}' is {values[world][tuple(place)]}, not {values[0][tuple(place)]}{known}"
        )
    return texts


def kinematic_bodies(model) -> np.ndarray:
    """Mask of the bodies that are kinematic; waits for the device."""
    return (as_numpy(model.body_flags) & int(BodyFlags.KINEMATIC)) != 0


def check_switched(model, before: np.ndarray) -> None:
    """Raise ModelError for a body that is kinematic and was not ``before``."""
    new = np.flatnonzero(kinematic_bodies(model) & ~before)
    if len(new):
        raise ModelError(
            f"body {model.body_label[new[0]]!r} was not kinematic when the solver was made, and kinematic_switchable_roots=False "
            "lets none become so; make it kinematic before, or leave kinematic_switchable_roots at True"
        )
