"""Contact filters and pairs: Newton's groups and filter pairs, or MuJoCo's masks, and explicit pairs.

The engine takes masks (``geom_contype``, ``geom_conaffinity``) and a list ``geom_exclude`` [n, 2] of geom pairs that
never touch. Masks are used as they are where a file authored them, and made from groups and filters by ``colours``
elsewhere; what masks do not say goes to the list, so filtering is exact.
"""

import numpy as np

from newtonlite.solvers.mujoco.bindings import geom
from newtonlite.solvers.mujoco.bindings.table import fill_fields
from newtonlite.solvers.mujoco.compile.collision_masks import masks
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.geoms import collides
from newtonlite.solvers.mujoco.compile.tree import BodyTree
from newtonlite.solvers.mujoco.compile.worlds import Worlds

UNSET = np.iinfo(np.int64).min


def compile_filters(m: CompiledModel, w: Worlds) -> None:
    """Fill the masks and ``geom_exclude``."""
    shapes = m.newton_geom
    contype, conaffinity, domain = authored_masks(w, shapes)
    solid = collides(w)[shapes]
    if (contype != UNSET).all() and (domain == domain[:1]).all():
        one, two = filtered(w, shapes).T
        apart = np.ones(len(one), bool)
    else:
        one, two = np.triu_indices(m.ngeom, 1)
        masked = (contype != UNSET) & (conaffinity != UNSET)
        same = masked[one] & masked[two] & (domain[one] == domain[two])
        match = ((contype[one] & conaffinity[two]) | (contype[two] & conaffinity[one])) != 0
        group = w.first("shape_collision_group")[shapes]
        apart = ~np.where(same, match, groups_meet(group[one], group[two]))
        apart |= np.isin(one * m.ngeom + two, filtered(w, shapes) @ [m.ngeom, 1])
        contype, conaffinity = masks(relation(m.ngeom, one, two, ~apart & solid[one] & solid[two]))
        apart &= ((contype[one] & conaffinity[two]) | (contype[two] & conaffinity[one])) != 0
    apart &= solid[one] & solid[two]
    m.set(
        geom_contype=as_mask(np.where(solid, contype, 0)),
        geom_conaffinity=as_mask(np.where(solid, conaffinity, 0)),
        geom_exclude=np.stack([one[apart], two[apart]], axis=-1),
    )


def relation(n: int, one, two, holds) -> np.ndarray:
    """A symmetric relation bool [n, n] from what holds of pairs."""
    matrix = np.zeros((n, n), bool)
    matrix[one[holds], two[holds]] = matrix[two[holds], one[holds]] = True
    return matrix


def compile_excludes(m: CompiledModel, w: Worlds, tree: BodyTree) -> None:
    """Pairs of bodies that a file excludes. Their geoms are in ``geom_exclude`` too."""
    m.nexclude = w.size("mujoco:exclude") if w.has("mujoco:exclude_body1") else 0
    names = ("mujoco:exclude_body1", "mujoco:exclude_body2")
    bodies = [tree.mujoco_body()[w.local("body", w.first(n))] for n in names] if m.nexclude else np.zeros((2, 0), int)
    m.set(exclude_signature=body_signature(*bodies))
    m.names_exclude = w.first_labels("mujoco:exclude_label", "mujoco:exclude") if m.nexclude else []


def authored_masks(w: Worlds, shapes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """contype, conaffinity and the file they come from; UNSET where no file spoke."""
    unset = np.full(w.size("shape"), UNSET)
    names = ("mujoco:contype", "mujoco:conaffinity")
    contype, conaffinity = (w.first(n) if w.has(n) else unset for n in names)
    domain = (
        w.first("mujoco:collision_mask_domain") if w.has("mujoco:collision_mask_domain") else np.zeros(len(unset), int)
    )
    return contype[shapes], conaffinity[shapes], domain[shapes]


def as_mask(value) -> np.ndarray:
    """The low 32 bits of a mask as MuJoCo stores it."""
    return (np.asarray(value, np.int64) & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def groups_meet(a, b) -> np.ndarray:
    """Newton's rule of collision groups: 0 collides with none; a positive one with itself and negative ones; a negative
    one with all but itself."""
    positive = np.where(a > 0, (a == b) | (b < 0), a != b)
    return (a != 0) & (b != 0) & positive


def filtered(w: Worlds, shapes) -> np.ndarray:
    """Pairs of geoms [n, 2] that the scene's filter list keeps apart, lower number first, sorted."""
    geom_of = np.full(w.model.shape_count, -1)
    geom_of[w.rows("shape")[0][shapes]] = np.arange(len(shapes))
    pairs = np.sort(geom_of[w.model.shape_collision_filter_pairs_array().reshape(-1, 2)], axis=1)
    pairs = pairs[pairs[:, 0] >= 0]
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def compile_pairs(m: CompiledModel, w: Worlds) -> None:
    """Explicit contact pairs of the ``mujoco`` namespace; they ignore masks and filters."""
    m.npair = w.size("mujoco:pair") if w.has("mujoco:pair_geom1") else 0
    if not m.npair:
        drop_pairs(m)
        return
    geom_of = np.full(w.size("shape") + 1, -1)
    geom_of[m.newton_geom] = np.arange(m.ngeom)
    geom1, geom2 = (geom_of[w.local("shape", w.first(f"mujoco:pair_geom{k}"))] for k in (1, 2))
    m.set(pair_geom1=geom1, pair_geom2=geom2, pair_dim=w.first("mujoco:pair_condim"))
    m.set(pair_signature=body_signature(m.geom_bodyid[geom1], m.geom_bodyid[geom2]))
    fill_fields(m, w, geom.PAIRS)


def body_signature(body1, body2) -> np.ndarray:
    """Number of a pair of bodies: the lower one's times 65536 plus the other's."""
    low, high = np.sort(np.stack([body1, body2]).astype(np.int64), axis=0)
    return (low << 16) + high


def drop_pairs(m: CompiledModel) -> None:
    """A model without explicit pairs."""
    m.npair = 0
    ints = ("pair_geom1", "pair_geom2", "pair_dim", "pair_signature")
    m.set(**{name: m.zeros(name) for name in (*ints, *(bind.field for bind in geom.PAIRS))})
