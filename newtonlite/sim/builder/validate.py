"""Checks of a whole scene, on its columns as arrays; each raises ModelError with the first offender."""

import warnings

import numpy as np

from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.geometry.inertia import principal_moments
from newtonlite.sim.table import COUNTED, ROWS, WORLD_OF

NEAR = 1.0e-6
"""Relative slack of inertia checks, the rounding of float32."""


def worlds(arrays: dict[str, np.ndarray]) -> None:
    """Rows of a world stand together and in order, global ones before or behind them."""
    for name in WORLD_OF.values():
        world = arrays[name]
        own = np.flatnonzero(world >= 0)
        if not len(own):
            continue
        inner = world[own[0] : own[-1] + 1]
        if np.any(inner < 0):
            row = own[0] + int(np.argmax(inner < 0))
            raise ModelError(
                f"{name}: row {row} is global but between worlds; add global things before the first world or after the last"
            )
        if np.any(np.diff(inner) < 0):
            row = own[0] + int(np.argmax(np.diff(inner) < 0)) + 1
            raise ModelError(f"{name}: row {row} goes back to an earlier world; add each world in one go")


def structure(arrays: dict[str, np.ndarray]) -> None:
    """Everything that is referred to exists."""
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
            raise ModelError(f"{name}: row {row} is {arrays[name][row].tolist()}, of {count}; refer to something that was added")
    _same_length(arrays)
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
    for name in ("shape_scale", "shape_transform"):
        bad = ~np.isfinite(arrays[name]).all(axis=1)
        if bad.any():
            raise ModelError(f"{name}: row {int(np.argmax(bad))} is not finite; remove NaN and infinity")


def joint_ordering(arrays: dict[str, np.ndarray]) -> None:
    """Every joint comes after the one that moves its parent body."""
    parent, child = arrays["joint_parent"], arrays["joint_child"]
    first = np.full(len(arrays["body_mass"]) + 1, -1)
    first[child[::-1]] = np.arange(len(child))[::-1]
    late = (parent >= 0) & (first[parent] > np.arange(len(parent)))
    if late.any():
        row = int(np.argmax(late))
        mover = first[parent[row]]
        raise ModelError(
            f"joint_parent: joint {row} comes before joint {mover}, which moves its parent; add joints from the root outwards"
        )


def inertia(arrays: dict[str, np.ndarray], balance: bool, bound: float | None) -> np.ndarray:
    """Balance inertias that no solid has, in place, and return their bodies; raise where nothing can be done."""
    mass, tensor = arrays["body_mass"], arrays["body_inertia"]
    bad = ~np.isfinite(mass) | (mass < 0.0) | ~np.isfinite(tensor).reshape(-1, 9).all(axis=1)
    if bad.any():
        body = int(np.argmax(bad))
        found = f"mass {mass[body]:g}, inertia {tensor[body].tolist()}"
        raise ModelError(f"body {body}: {found}; they have to be finite, the mass not negative")
    moments = principal_moments(tensor)
    scale = np.maximum(moments[:, 2], 1.0e-30)
    impossible = moments[:, 0] < -NEAR * scale
    if impossible.any():
        body = int(np.argmax(impossible))
        found = f"inertia {tensor[body].tolist()} has a negative principal moment"
        raise ModelError(f"body {body}: {found}; give the inertia about the centre of mass")
    off = (mass > 0.0) & (moments[:, 0] + moments[:, 1] < moments[:, 2] - 10.0 * NEAR * scale)
    lifted = (moments[:, 0] < bound) & (mass > 0.0) if bound else np.zeros(len(mass), bool)
    changed = np.flatnonzero((off & balance) | lifted)
    if len(changed):
        arrays["body_inertia"] = tensor.copy()
    for body in changed:
        lack = max(moments[body, 2] - moments[body, 0] - moments[body, 1], 0.0) if balance else 0.0
        lift = max(lack, (bound or 0.0) - moments[body, 0], 0.0)
        arrays["body_inertia"][body] += lift * np.eye(3)
    return changed


def _same_length(arrays: dict[str, np.ndarray]) -> None:
    for name, values in arrays.items():
        counted = COUNTED[ROWS[name].frequency]
        if len(values) != len(arrays[counted]):
            found = f"{len(values)} rows, but {counted} has {len(arrays[counted])}"
            raise ModelError(f"{name}: {found}; use the add_ methods, or keep columns equally long")


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
    """Warn of bodies that joints move but no articulation does: ``eval_fk`` will not move them."""
    child, articulation = arrays["joint_child"], arrays["joint_articulation"]
    moved = np.zeros(len(arrays["body_mass"]), bool)
    moved[child[articulation >= 0]] = True
    orphan = ~moved[child]
    if orphan.any():
        row = int(np.argmax(orphan))
        found = f"joint {row} belongs to no articulation, eval_fk leaves its body alone"
        warnings.warn(f"{found}; call add_articulation with the joints of its tree", NewtonWarning, stacklevel=4)
