"""Worlds that are to be stepped side by side must be copies of one structure; what differs is listed."""

import numpy as np

from newtonlite.core.errors import ModelError

from .worlds import GLOBAL, Worlds, as_numpy

LOCAL_KINDS = ("body", "joint", "constraint_mimic", "mujoco:equality_constraint")
WORLD_OF = {"mujoco:equality_constraint": "mujoco:equality_constraint_world"}
STRUCTURE = {
    "body": ("body_flags",),
    "joint": ("joint_type", "joint_dof_dim", "joint_enabled"),
    "dof": ("joint_target_mode",),
    "shape": ("shape_type", "shape_flags", "mujoco:condim", "mujoco:contype", "mujoco:conaffinity", "mujoco:geom_priority"),
    "mujoco:tendon": ("mujoco:tendon_joint_num",),
    "mujoco:actuator": ("mujoco:actuator_trntype", "mujoco:actuator_gaintype", "mujoco:actuator_biastype", "mujoco:actuator_dyntype"),
}
REFERENCES = {"joint": (("joint_parent", "body"), ("joint_child", "body")), "shape": (("shape_body", "body"),)}
COUNTED = ("body", "joint", "shape")
SHOWN = 5


def check_worlds(model) -> None:
    """Raise ModelError unless every world has the bodies, joints and shapes of the first, and nothing but shapes is global."""
    check_nothing_global(model)
    check_counts(model)
    found = differences(Worlds(model, range(model.world_count)))
    if found:
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise ModelError(
            "separate_worlds: worlds must have the same structure as world 0, but " + "; ".join(found[:SHOWN]) + more
            + ". Build them with replicate, or pass separate_worlds=False"
        )  # fmt: skip


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
                "same structure. Build them with replicate, or pass separate_worlds=False"
            )


def differences(w: Worlds) -> list[str]:
    """What differs between worlds and may not, one text each, in the order of the tables above."""
    found = []
    for kind, names in STRUCTURE.items():
        for name in names:
            if w.has(name):
                found += unequal(w, kind, name, as_numpy(w.find(name))[w.rows(kind)])
    for kind, pairs in REFERENCES.items():
        for name, target in pairs:
            found += unequal(w, kind, name, relative(w, name, kind, target))
    return found


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
        texts.append(f"world {world}: {name} of '{label}' is {values[world][tuple(place)]}, not {values[0][tuple(place)]}")
    return texts
