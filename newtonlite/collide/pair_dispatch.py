"""Pair dispatch: the collision method of each pair of shapes."""

from dataclasses import dataclass

import numpy as np

from newtonlite.core.enums import GeoType, ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.geometry import inertia
from newtonlite.geometry.hull import convex_hull
from newtonlite.geometry.signed_distance.build import has_area
from newtonlite.sim.shape_bounds import barrels

CONVEX = 1e-3
FACETED = (GeoType.MESH, GeoType.CONVEX_MESH, GeoType.HFIELD)
"""Shapes that are triangles here."""


WAYS = ("triangles", "features", "patches")
"""Methods: convex shape against triangles or another convex shape, features in fields, soft bodies."""
OWN, SOFT, FACES, FLAT, RIMMED, BALL = (1 << k for k in range(6))
"""Roles: not the engine's, hydroelastic, made of triangles, a plane, a cone or barrel, a sphere."""


@dataclass
class PairRoutes:
    """Pairs [n, 2] for the engine and for each of ``WAYS``; of triangles, the shape that has them is first."""

    engine: np.ndarray
    triangles: np.ndarray
    features: np.ndarray
    patches: np.ndarray


def roles(model, own: np.ndarray, soft: np.ndarray) -> np.ndarray:
    """Bits of what each shape is [nshape]; ``own`` are those that the engine does not take."""
    kind = model.shape_type.numpy()
    marks = {
        OWN: own,
        SOFT: soft,
        FACES: np.isin(kind, FACETED),
        FLAT: kind == GeoType.PLANE,
        RIMMED: (kind == GeoType.CONE) | barrels(kind, model.shape_scale.numpy()),
        BALL: kind == GeoType.SPHERE,
    }
    return sum(bit * has.astype(np.int32) for bit, has in marks.items())


def ways_of(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Bits of the ways in which shapes of two roles are collided; 0 is the engine's."""
    both, some = one & other, one | other
    soft, ours = (both & SOFT) != 0, (some & OWN) != 0
    plane, faces = (some & FLAT) != 0, (both & FACES) != 0
    rimmed, ball = (some & RIMMED) != 0, (some & BALL) != 0
    triangles = ours & ~plane & ~faces & ~(rimmed & ball)
    features = ours & (plane | faces | rimmed)
    return np.where(soft, 4, 1 * triangles + 2 * features)


def way_table() -> np.ndarray:
    """``ways_of`` for every two roles [64, 64]."""
    every = np.arange(2 * BALL)
    return ways_of(every[:, None], every[None, :]).astype(np.int32)


def route(model, pairs: np.ndarray, own: np.ndarray) -> PairRoutes:
    """Sort the pairs. The engine takes what MuJoCo takes; ``own`` [nshape] are the shapes it does not take."""
    if not len(pairs):
        return PairRoutes(*[pairs] * 4)
    role = roles(model, own, is_soft(model))
    way = ways_of(*role[pairs].T)
    engine, triangles, features, patches = (pairs[way == 0], *(pairs[way & 1 << k != 0] for k in range(len(WAYS))))
    check_soft(model, patches, model.shape_type.numpy())
    faces = role[triangles] & FACES != 0
    turned = faces[:, 1] & ~faces[:, 0]
    return PairRoutes(engine, np.where(turned[:, None], triangles[:, ::-1], triangles), features, patches)


def is_soft(model) -> np.ndarray:
    """Hydroelastic shapes [nshape]."""
    return (model.shape_flags.numpy() if model.shape_count else np.zeros(0, int)) & ShapeFlags.HYDROELASTIC != 0


def needs_mesh_collider(model) -> np.ndarray:
    """Shapes that the engine does not collide [nshape]: cones, barrels, and meshes that are not convex or have a distance
    field of their own."""
    if not model.shape_count:
        return np.zeros(0, bool)
    collides = (model.shape_flags.numpy() & ShapeFlags.COLLIDE_SHAPES) != 0
    kind = model.shape_type.numpy()
    rimmed = (kind == GeoType.CONE) | barrels(kind, model.shape_scale.numpy())
    return nonconvex_meshes(model, np.flatnonzero(collides)) | rimmed


def nonconvex_meshes(model, shapes: np.ndarray) -> np.ndarray:
    """Mask of the shapes that are meshes which are not convex, or have a distance field."""
    kind = model.shape_type.numpy()
    found = np.zeros(model.shape_count, bool)
    known: dict[int, bool] = {}
    for s in shapes.tolist():
        if kind[s] == GeoType.MESH:
            source = model.shape_source[s]
            if id(source) not in known:
                if not has_area(source.vertices, source.triangles):
                    raise ModelError(
                        f"shape '{model.shape_label[s]}': no triangle of its mesh has area; it cannot collide"
                    )
                known[id(source)] = source.sdf is not None or not is_convex(source)
            found[s] = known[id(source)]
    return found


def is_convex(mesh) -> bool:
    """Whether a mesh fills its convex hull, but for a thousandth."""
    try:
        hull = inertia.mesh(1.0, *convex_hull(mesh.exact_vertices)).mass
    except ModelError:
        return False
    return abs(inertia.mesh(1.0, mesh.exact_vertices, mesh.triangles).mass - hull) <= CONVEX * hull


def soft_pairs(model) -> np.ndarray:
    """All pairs [n, 2] of hydroelastic shapes of the first world and of those in all worlds."""
    shapes = np.flatnonzero(is_soft(model) & (model.shape_world.numpy() <= 0))
    return shapes[np.stack(np.triu_indices(len(shapes), 1), axis=1)]


def check_soft_shapes(model) -> None:
    """ModelError where there are several hydroelastic shapes and one has no inside."""
    shapes = np.flatnonzero(is_soft(model) & ((model.shape_flags.numpy() & ShapeFlags.COLLIDE_SHAPES) != 0))
    if len(shapes) > 1:
        check_soft(model, shapes, model.shape_type.numpy())


def check_soft(model, pairs: np.ndarray, kind: np.ndarray) -> None:
    """ModelError for hydroelastic shapes without an inside."""
    for s in np.unique(pairs).tolist():
        if kind[s] == GeoType.MESH and model.shape_source[s].sdf is not None and model.shape_source[s].sdf.is_empty():
            raise ModelError(
                f"shape '{model.shape_label[s]}': nothing is inside its mesh, which no pressure can fill; close the mesh, or leave is_hydroelastic unset"
            )
    fields = [s for s in np.unique(pairs).tolist() if kind[s] == GeoType.HFIELD]
    if fields:
        raise ModelError(
            f"shape '{model.shape_label[fields[0]]}': a height field cannot be hydroelastic; leave is_hydroelastic unset"
        )
