"""Collision model: the engine's model of a scene for collision alone, with its geom pairs listed or left to sweep and
prune.
"""

from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.sim.pairs import colliding_pairs
from newtonlite.solvers.mujoco.compile import Worlds, compile_worlds
from newtonlite.solvers.mujoco.compile.contacts import UNSET, authored_masks, drop_pairs
from newtonlite.solvers.mujoco.compile.structure_groups import assets_of
from newtonlite.solvers.mujoco.compile.validate import check_worlds
from newtonlite.solvers.mujoco.kernels.collide.geom_pairs import candidate_pairs, welded_groups


def listed_model(w: Worlds, pairs, own: bool) -> Any:
    """The compiled scene with these pairs of shapes as its only candidates, each noticed from margin plus gap on.

    Two shapes of files follow MuJoCo's rules as well (masks, parents, welded bodies) where the pairs are the model's
    ``own``.
    """
    m = bare_model(w)
    geoms = geom_of_shape(w, m)[pairs]
    geoms = np.sort(geoms[(geoms >= 0).all(axis=1)], axis=1)  # as a sweep has them, whatever the order of shapes
    if own:
        of_file = authored_masks(w, m.newton_geom)[0] != UNSET
        geoms = geoms[~of_file[geoms].all(axis=1) | among(geoms, candidate_pairs(m)["cand_geom"], m.ngeom)]
    m.geom_pairs = geoms
    m.set(geom_exclude=np.zeros((0, 2), int))
    return m


def swept_model(w: Worlds, elsewhere: np.ndarray, apart: np.ndarray) -> Any:
    """The compiled scene with the model's own pairs, as masks and as geoms that never collide, and no list.

    Geoms of the shapes ``elsewhere`` [nshape] bool collide with none, nor do pairs of shapes ``apart`` [n, 2] of the first
    world.
    """
    m = bare_model(w)
    geom = geom_of_shape(w, m)
    away = elsewhere[w.rows("shape")[0][m.newton_geom]]
    masks = {name: np.where(away, 0, getattr(m, name)) for name in ("geom_contype", "geom_conaffinity")}
    apart = geom[apart]
    of_file = authored_masks(w, m.newton_geom)[0] != UNSET
    more = [m.geom_exclude, apart[(apart >= 0).all(axis=1)], *related(m, np.flatnonzero(of_file))]
    m.set(**masks, geom_exclude=np.concatenate(more).astype(int).reshape(-1, 2))
    m.bodies_apart = True  # Newton's rule: shapes on two bodies may collide
    m.opt.disableflags |= MjtDisableBit.FILTERPARENT
    return m


def related(m, geoms: np.ndarray) -> list[np.ndarray]:
    """Pairs of these geoms that MuJoCo keeps apart for their bodies: welded together, parent and child, or both at rest
    for ever.
    """
    weld, anchor, moves = welded_groups(m)
    group = weld[np.asarray(m.geom_bodyid, int)[geoms]]
    members = {g: geoms[group == g] for g in np.unique(group).tolist()}
    hangs = (
        []
        if int(m.opt.disableflags) & MjtDisableBit.FILTERPARENT
        else [(g, int(anchor[g])) for g in members if anchor[g] > 0 and g > 0]
    )
    rest = [g for g in members if not moves[g]]
    kin = {*((g, g) for g in members), *hangs, *((a, b) for a in rest for b in rest)}
    return [np.stack(np.meshgrid(members[a], members.get(b, geoms[:0])), -1).reshape(-1, 2) for a, b in sorted(kin)]


def bare_model(w: Worlds) -> Any:
    """The compiled scene without explicit pairs, whose geoms notice each other from margin plus gap on."""
    m = compile_worlds(w, skip_visual=True, include_sites=True, flat=True, weighed=False)
    drop_pairs(m)
    m.set(geom_gap=w.get("shape_gap")[..., m.newton_geom])
    m.ground_deepest = True
    m.body_prescribed = np.zeros_like(m.body_prescribed)  # the pipeline has a rule of its own
    m.opt.disableflags &= ~(MjtDisableBit.CONTACT | MjtDisableBit.CONSTRAINT | MjtDisableBit.MULTICCD)
    m.opt.enableflags = 0
    return m


def geom_of_shape(w: Worlds, m) -> np.ndarray:
    """Geom that each shape of the first world, or of all, became; -1 for the others."""
    geom_of = np.full(w.model.shape_count, -1)
    geom_of[w.rows("shape")[0][m.newton_geom]] = np.arange(m.ngeom)
    return geom_of


def by_rules_of_files(model, pairs) -> np.ndarray:
    """Mask of the pairs that may collide by MuJoCo's rules, where both shapes come from files; the others all may."""
    separate = worlds_of(model, pairs)
    w = Worlds(model, range(model.world_count) if separate else None)
    rows = w.rows("shape")
    local = np.full(model.shape_count, -1)
    local[rows] = np.arange(rows.shape[1])
    of_file = authored_masks(w, np.arange(rows.shape[1]))[0] != UNSET
    asked = of_file[local[pairs]].all(axis=1)
    if not asked.any():
        return np.ones(len(pairs), bool)
    m = bare_model(w)
    geom = np.full(rows.shape[1], -1)
    geom[m.newton_geom] = np.arange(m.ngeom)
    return ~asked | among(geom[local[pairs]], candidate_pairs(m)["cand_geom"], m.ngeom)


def apart_by_files(model, some: np.ndarray) -> np.ndarray:
    """Pairs [n, 2] that Newton's rules let collide and MuJoCo's do not: both shapes are from files, and one at least is
    among ``some`` [nshape] bool.
    """
    of_file = authored_masks(Worlds(model), np.arange(model.shape_count))[0] != UNSET
    if not (some & of_file).any():
        return np.zeros((0, 2), int)
    pairs = colliding_pairs(model, some & of_file)
    pairs = pairs[of_file[pairs].all(axis=1)]
    return pairs[~by_rules_of_files(model, pairs)]


def among(pairs, others, count: int) -> np.ndarray:
    """Mask of the pairs [n, 2] of numbers below ``count`` that are among the others, in either order."""
    one, two = (np.sort(np.asarray(p, np.int64).reshape(-1, 2), axis=1) for p in (pairs, others))
    return np.isin(one[:, 0] * count + one[:, 1], two[:, 0] * count + two[:, 1])


def worlds_of(model, pairs) -> bool:
    """Whether the engine can hold the scene's worlds side by side: copies of one structure, with the same pairs."""
    if not are_copies(model):
        return False
    w = Worlds(model, range(model.world_count))
    rows, world = w.rows("shape"), model.shape_world.numpy()
    local = np.full(model.shape_count, -1)
    local[rows] = np.arange(rows.shape[1])
    owner = world[pairs].max(axis=1)
    if (owner < 0).any():
        return False
    keys = np.sort(local[pairs], axis=1)
    order = np.lexsort((keys[:, 1], keys[:, 0], owner))
    count = np.bincount(owner, minlength=model.world_count)
    return bool(
        (count == count[0]).all()
        and (keys[order].reshape(model.world_count, -1) == keys[order][: count[0]].reshape(-1)).all()
    )


def are_copies(model) -> bool:
    """Whether there are several worlds, and all are of one structure, with the same meshes."""
    if model.world_count < 2:
        return False
    try:
        check_worlds(model)
    except ModelError:
        return False
    assets = assets_of(Worlds(model, range(model.world_count)))
    return bool((assets == assets[:1]).all())


def alike(model) -> bool:
    """Whether the worlds are copies whose filter pairs are the same within each, so that their pairs are."""
    if not are_copies(model):
        return False
    w = Worlds(model, range(model.world_count))
    rows, world = w.rows("shape"), model.shape_world.numpy()
    local = np.full(model.shape_count, -1)
    local[rows] = np.arange(rows.shape[1])
    filters = model.shape_collision_filter_pairs_array().reshape(-1, 2)
    owner = world[filters].max(axis=1, initial=-1)
    keys = np.sort(local[filters], axis=1) @ [model.shape_count, 1]
    first = set(keys[owner == 0].tolist())
    return all(set(keys[owner == k].tolist()) == first for k in range(1, model.world_count))
