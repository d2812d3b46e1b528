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


@dataclass
class PairRoutes:
    """Pairs [n, 2]: for the engine; convex shape (second) against triangles or another convex shape; features in
    fields; soft bodies.
    """

    engine: np.ndarray
    triangles: np.ndarray
    features: np.ndarray
    patches: np.ndarray


def route(model, pairs: np.ndarray, own: np.ndarray) -> PairRoutes:
    """Sort the pairs. The engine takes what MuJoCo takes; ``own`` [nshape] are the shapes it does not take."""
    none = pairs[:0]
    if not len(pairs):
        return PairRoutes(none, none, none, none)
    kind = model.shape_type.numpy()
    soft = is_soft(model)
    a, b = pairs[:, 0], pairs[:, 1]
    pressed = soft[a] & soft[b]
    check_soft(model, pairs[pressed], kind)
    ours = ~pressed & (own[a] | own[b])
    mine = pairs[ours]
    faceted = np.isin(kind, FACETED)
    plane = (kind == GeoType.PLANE)[mine].any(axis=1)
    both = faceted[mine].all(axis=1)
    rimmed = ((kind == GeoType.CONE) | barrels(kind, model.shape_scale.numpy()))[mine].any(axis=1)
    ball = (kind == GeoType.SPHERE)[mine].any(axis=1) & rimmed
    turn = faceted[mine[:, 1]] & ~faceted[mine[:, 0]]
    first = np.where(turn[:, None], mine[:, ::-1], mine)
    return PairRoutes(
        pairs[~pressed & ~ours], first[~plane & ~both & ~ball], mine[plane | both | rimmed], pairs[pressed]
    )


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
