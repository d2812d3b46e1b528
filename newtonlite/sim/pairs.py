"""Collision pairs: which shapes may collide."""

from typing import Any

import numpy as np

from newtonlite.core.enums import ShapeFlags


def colliding_pairs(model: Any, some: np.ndarray | None = None) -> np.ndarray:
    """Pairs of shapes ``[n, 2]``, smaller index first and sorted, that worlds, groups, bodies and filters let collide.
    With ``some`` [nshape] bool: those pairs alone of which at least one shape is among these.

    Shapes collide when both are colliders, they are in one world or one of them is global, their groups match (equal and
    positive, or one negative and different) or their masks, where one file gave both, they are on different bodies, and
    the pair is not filtered.
    """
    if not model.shape_count:
        return np.empty((0, 2), np.int32)
    world, body = model.shape_world.numpy(), model.shape_body.numpy()
    colliding = np.flatnonzero((model.shape_flags.numpy() & ShapeFlags.COLLIDE_SHAPES) != 0)
    some = np.ones(len(world), bool) if some is None else some
    shared = colliding[world[colliding] < 0]
    parts = [_pairs_of(shared, some)]
    for own in _by_world(colliding, world[colliding]):
        parts += [_pairs_of(own, some), _cross(shared, own[some[own]]), _cross(shared[some[shared]], own[~some[own]])]
    pairs = np.sort(np.concatenate(parts), axis=1)
    pairs = pairs[(body[pairs[:, 0]] != body[pairs[:, 1]]) & shapes_meet(model, pairs[:, 0], pairs[:, 1])]
    pairs = pairs[~model.shape_collision_filter_mask(pairs)]
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].astype(np.int32)


def shapes_meet(model: Any, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether shapes ``a`` [n] may collide with ``b`` [n]: by the masks of the file that both are from, else by their groups."""
    group = model.shape_collision_group.numpy()
    found, space = groups_meet(group[a], group[b]), getattr(model, "mujoco", None)
    names = ("contype", "conaffinity", "collision_mask_domain")
    if space is None or any(getattr(space, name, None) is None for name in names):
        return found
    contype, conaffinity, domain = (getattr(space, name).numpy() for name in names)
    one_file = (domain[a] == domain[b]) & (domain[a] >= 0) & (group[a] == group[b])
    return np.where(one_file, found & (((contype[a] & conaffinity[b]) | (contype[b] & conaffinity[a])) != 0), found)


def groups_meet(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether collision groups let shapes collide: 0 with none; positive ones with their own and negative ones; negative
    ones with all but their own.
    """
    negative = (a < 0) | (b < 0)
    return (a != 0) & (b != 0) & np.where(negative, a != b, a == b)


def _by_world(shapes: np.ndarray, world: np.ndarray) -> list[np.ndarray]:
    """The shapes of each world that is not the global one."""
    order = np.argsort(world, kind="stable")
    shapes, world = shapes[order], world[order]
    start = np.searchsorted(world, 0)
    return np.split(shapes[start:], np.flatnonzero(np.diff(world[start:])) + 1) if start < len(world) else []


def _pairs_of(shapes: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Pairs among ``shapes`` of which one is among ``some``."""
    chosen, others = shapes[some[shapes]], shapes[~some[shapes]]
    i, j = np.triu_indices(len(chosen), 1)
    return np.concatenate([np.stack([chosen[i], chosen[j]], axis=1), _cross(chosen, others)])


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.stack(np.meshgrid(a, b, indexing="ij"), -1).reshape(-1, 2)
