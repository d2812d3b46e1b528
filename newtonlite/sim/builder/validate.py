"""Checks of a whole scene, on its columns as arrays; each raises ModelError with the first offender."""

import warnings

import numpy as np

from newtonlite.core.enums import BodyFlags
from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.sim.builder.column import Column
from newtonlite.sim.model_table import COUNTED, ROWS, WORLD_OF


def worlds(arrays: dict[str, np.ndarray]) -> None:
    """Rows of a world stand together and in order, global ones before or behind them; only the last worlds may be empty."""
    count = int(arrays["world_count"])
    filled = np.zeros(count + 1, bool)
    for name in WORLD_OF.values():
        world = arrays[name]
        strange = (world < -1) | (world >= count)
        if strange.any():
            row = int(np.argmax(strange))
            raise ModelError(
                f"{name}: Invalid world index {world[row]} of row {row}; there are {count} worlds, and -1 for what is global"
            )
        own = np.flatnonzero(world >= 0)
        if not len(own):
            continue
        filled[world[own]] = True
        inner = world[own[0] : own[-1] + 1]
        if np.any(inner < 0):
            row = own[0] + int(np.argmax(inner < 0))
            raise ModelError(
                f"{name}: row {row} is global but between worlds; add global things before the first world or after the last"
            )
        if np.any(np.diff(inner) < 0):
            row = own[0] + int(np.argmax(np.diff(inner) < 0)) + 1
            raise ModelError(
                f"{name}: worlds are not monotonic, row {row} goes back to an earlier one; add each world in one go"
            )
    empty = np.flatnonzero(~filled[: np.max(np.flatnonzero(filled), initial=0)])
    if len(empty):
        raise ModelError(
            f"worlds are not contiguous: nothing is in {empty[:5].tolist()}, before worlds that hold something; fill them, or leave them out"
        )


def structure(arrays: dict[str, np.ndarray]) -> None:
    """Check that everything that is referred to exists."""
    bodies, joints, shapes = len(arrays["body_mass"]), len(arrays["joint_type"]), len(arrays["shape_type"])
    for name, count, low in (
        ("joint_parent", bodies, -1),
        ("joint_child", bodies, 0),
        ("shape_body", bodies, -1),
        ("joint_articulation", len(arrays["articulation_start"]), -1),
        ("joint_mimic_joint", joints, -1),
        ("shape_collision_filter_pairs", shapes, 0),
        ("articulation_start", joints, 0),
    ):
        bad = (arrays[name] < low) | (arrays[name] >= count)
        if bad.any():
            row = int(np.argmax(bad.reshape(len(bad), -1).any(axis=1)))
            kind = "body reference" if name in ("joint_parent", "joint_child", "shape_body") else "reference"
            labels = () if "filter" in name else arrays.get(f"{name.partition('_')[0]}_label", ())
            named = f" {labels[row]!r}" if row < len(labels) else ""
            found = f"row {row}{named} is {arrays[name][row].tolist()}, of {count}"
            raise ModelError(f"{name}: Invalid {kind}: {found}; refer to something that was added")
    flags = arrays["body_flags"]
    mixed = ~np.isin(flags & ~int(BodyFlags.PROXY), (int(BodyFlags.DYNAMIC), int(BodyFlags.KINEMATIC)))
    if mixed.any():
        body = int(np.argmax(mixed))
        found = f"body {body} {arrays['body_label'][body]!r} has {flags[body]}"
        raise ModelError(f"body_flags: {found}; give BodyFlags.DYNAMIC or BodyFlags.KINEMATIC")
    _same_length(arrays)
    own = arrays["joint_parent"] == arrays["joint_child"]
    if own.any():
        row = int(np.argmax(own))
        raise ModelError(
            f"Self-referential joint: joint {row} ({arrays['joint_label'][row]!r}) has body {arrays['joint_child'][row]} as parent and as child"
        )
    _no_cycles(arrays)


def joints(arrays: dict[str, np.ndarray]) -> None:
    """Joints connect things of one world, with limits in order and axes of unit length."""
    low, high = arrays["joint_limit_lower"], arrays["joint_limit_upper"]
    # a distance joint with a negative upper bound has none
    reversed_ = (low > high) & (high >= 0.0)
    if reversed_.any():
        row = int(np.argmax(reversed_))
        raise ModelError(f"joint_limit_lower: axis {row} has limits {low[row]:g} to {high[row]:g}; swap them")
    length = np.linalg.norm(arrays["joint_axis"], axis=1)
    if np.any(np.abs(length - 1.0) > 1.0e-3):
        row = int(np.argmax(np.abs(length - 1.0) > 1.0e-3))
        raise ModelError(f"joint_axis: axis {row} has length {length[row]:g}; give unit vectors")
    parent, child = arrays["joint_parent"], arrays["joint_child"]
    world = np.append(arrays["body_world"], -1)
    apart = (world[child] != arrays["joint_world"]) | ((parent >= 0) & (world[parent] != arrays["joint_world"]))
    if apart.any():
        row = int(np.argmax(apart))
        ends = f"body {parent[row]} and body {child[row]}"
        raise ModelError(f"joint_world: joint {row} joins {ends} across worlds; join bodies of one world")
    _in_articulations(arrays)
    _kinematic_roots(arrays)
    _followers(arrays)


def shapes(arrays: dict[str, np.ndarray]) -> None:
    """Shapes are in the world of their body, with finite sizes."""
    body = arrays["shape_body"]
    on_body = body >= 0
    apart = on_body & (np.append(arrays["body_world"], -1)[body] != arrays["shape_world"])
    if apart.any():
        row = int(np.argmax(apart))
        world = arrays["shape_world"][row]
        raise ModelError(
            f"shape_world: shape {row} is in world {world}, its body {body[row]} is not; add shapes in the world of their body"
        )
    for name in (n for n in arrays if n.startswith("shape_material_")):
        bad = ~np.isfinite(arrays[name])
        if bad.any():
            row = int(np.argmax(bad))
            raise ModelError(
                f"{name}: shape {row} ({arrays['shape_label'][row]!r}) has {arrays[name][row]}; give a finite number"
            )
    for name in ("shape_scale", "shape_transform"):
        bad = ~np.isfinite(arrays[name]).all(axis=1)
        if bad.any():
            raise ModelError(f"{name}: row {int(np.argmax(bad))} is not finite; remove NaN and infinity")


def _kinematic_roots(arrays: dict[str, np.ndarray]) -> None:
    """Kinematic bodies hang from the world: those further out follow what carries them."""
    tree = arrays["joint_articulation"] >= 0
    parent, child = arrays["joint_parent"], arrays["joint_child"]
    below = tree & (parent >= 0) & ((arrays["body_flags"][child] & int(BodyFlags.KINEMATIC)) != 0)
    if below.any():
        row = int(np.argmax(below))
        raise ModelError(
            f"body {arrays['body_label'][child[row]]!r}: only the root of an articulation can be kinematic, and this one "
            f"is attached to parent body {arrays['body_label'][parent[row]]!r}; move it by its joint's drive instead"
        )


def _same_length(arrays: dict[str, np.ndarray]) -> None:
    for name, values in arrays.items():
        if name not in ROWS or isinstance(values, Column):
            continue
        counted = COUNTED[ROWS[name].frequency]
        if len(values) != len(arrays[counted]):
            found = f"{name} has {len(values)} rows, but {counted} has {len(arrays[counted])}"
            raise ModelError(f"Array length mismatch: {found}; use the add_ methods, or keep columns equally long")


def _no_cycles(arrays: dict[str, np.ndarray]) -> None:
    """From every body the articulated joints lead to the world; steps double, so that deep trees cost no more."""
    tree = arrays["joint_articulation"] >= 0
    ancestor = np.full(len(arrays["body_mass"]) + 1, -1)
    ancestor[arrays["joint_child"][tree]] = arrays["joint_parent"][tree]
    ancestor[-1] = -1
    for _ in range(len(ancestor).bit_length()):
        ancestor = ancestor[ancestor]
    if np.any(ancestor >= 0):
        body = int(ancestor.max())
        raise ModelError(
            f"joint_parent: body {body} is its own ancestor; leave the joint that closes the loop out of the articulation"
        )


def _in_articulations(arrays: dict[str, np.ndarray]) -> None:
    """Joints between bodies are in articulations, unless they close loops."""
    child, parent, articulation = arrays["joint_child"], arrays["joint_parent"], arrays["joint_articulation"]
    moved = np.zeros(len(arrays["body_mass"]) + 1, bool)
    moved[child[articulation >= 0]] = moved[parent[articulation >= 0]] = True
    orphan = np.flatnonzero((articulation < 0) & (parent >= 0) & ~moved[child])
    if len(orphan):
        names = ", ".join(repr(arrays["joint_label"][row]) for row in orphan[:5]) + (", ..." if len(orphan) > 5 else "")
        found = f"{len(orphan)} joint(s) not belonging to any articulation: {names}"
        if not arrays["orphan_joints_allowed"]:
            raise ModelError(f"{found}; call add_articulation with the joints of their tree")
        warnings.warn(
            f"finalize: {found}; eval_fk leaves their bodies alone, a solver moves them", NewtonWarning, stacklevel=4
        )


def _followers(arrays: dict[str, np.ndarray]) -> None:
    """Mimic joints follow joints of their own articulation."""
    owner, followed = arrays["joint_articulation"], arrays["joint_mimic_joint"]
    apart = (followed >= 0) & (owner >= 0) & (owner[followed] >= 0) & (owner != owner[followed])
    if apart.any():
        joint = int(np.argmax(apart))
        found = (
            f"joint {joint} is in articulation {owner[joint]} and follows joint {followed[joint]} "
            f"of articulation {owner[followed[joint]]}"
        )
        raise ModelError(
            f"joint_mimic_joint: Mimic joints must belong to the same articulation: {found}; follow a joint of its own"
        )
