"""Ray casting tables: bounding volume trees over the triangles of meshes, and height fields."""

import numpy as np

from newtonlite.core.mujoco import MjtGeom
from newtonlite.solvers.mujoco.derive.hull import mesh_worlds
from newtonlite.solvers.mujoco.derive.sensor import sensor_rays
from newtonlite.solvers.mujoco.kernels.ray.boxes import LONG, SHORT

LEAF = 4  # triangles of a leaf, at most
BOXED_RAYS, BOXED_GEOMS = 4, 4  # rays, and geoms, from which on rays look at boxes around geoms first
MARGIN = 1.0e-5  # share of a box by which it is widened: float32 shall not lose triangles on its faces

EMPTY = {
    "nraymesh": 0,
    "nrayhfield": 0,
    "nraysdf": 0,
    "nbox": 0,
    "nboxface": 0,
    "nboxvert": 0,
    "nraymesh1": 0,
    "nraydata": 0,
    "nraygeom": 0,
    "nraybox": 0,
    "nraylong": 0,
}
"""Sizes of a model whose rays are not needed."""


def derive(mj) -> dict:
    """Tables for the rays of rangefinders; without one, none."""
    count = len(sensor_rays(mj))
    return tables(mj, count) if count else EMPTY


def tables(mj, rays: int) -> dict:
    """Tables for so many rays against every mesh and height field that a geom has, how many have distance fields, and how many
    boxes there are around geoms.
    """
    meshes, fields = (sorted(places(mj, kind)) for kind in (MjtGeom.MESH, MjtGeom.HFIELD))
    rows = ray_rows(mj)
    sdf = int((np.asarray(mj.geom_type, int) == MjtGeom.SDF).sum())
    sizes = {"nraygeom": rows.shape[1], "nraysdf": sdf, **geom_boxes(rays, rows.shape[1])}
    return {**sizes, "geom_ray": rows[0], **_boxes(mj, meshes), **_fields(mj, fields)}


def geom_boxes(rays: int, ngeom: int) -> dict:
    """Numbers of boxes around geoms and runs of geoms, and around long runs; none where they cost more than they save."""
    if rays < BOXED_RAYS or ngeom < BOXED_GEOMS:
        return {"nraybox": 0, "nraylong": 0}
    short, long = -(-ngeom // SHORT), -(-ngeom // LONG)
    return {"nraybox": ngeom + short + long, "nraylong": long}


def ray_rows(mj) -> np.ndarray:
    """Numbers of geoms among the meshes, or the height fields, that rays meet, [worlds, ngeom]; -1 for neither."""
    kinds, worlds = np.asarray(mj.geom_type, int), mesh_worlds(mj)
    found = {kind: places(mj, kind) for kind in (MjtGeom.MESH, MjtGeom.HFIELD)}
    rows = [[found.get(kind, {}).get(id, -1) for kind, id in zip(kinds.tolist(), row)] for row in worlds.tolist()]
    return np.array(rows, int).reshape(len(worlds), len(kinds))


def places(mj, kind: int) -> dict[int, int]:
    """The meshes, or height fields, that geoms of a kind have in any world, each with its number among them."""
    used = mesh_worlds(mj)[:, np.asarray(mj.geom_type, int) == kind]
    return {int(i): k for k, i in enumerate(np.unique(used[used >= 0]))}


def _boxes(mj, meshes: list) -> dict:
    """The trees of all meshes, one after the other."""
    trees, verts, first, at = [], [], [0], {"box": 0, "face": 0, "vert": 0}
    for i in meshes:
        v = np.asarray(mj.mesh_vert).reshape(-1, 3)[int(mj.mesh_vertadr[i]) :][: int(mj.mesh_vertnum[i])]
        f = np.asarray(mj.mesh_face).reshape(-1, 3)[int(mj.mesh_faceadr[i]) :][: int(mj.mesh_facenum[i])]
        tree = box_tree(v, f)
        tree["bvh_skip"] = tree["bvh_skip"] + at["box"]
        tree["bvh_faceadr"] = tree["bvh_faceadr"] + at["face"]
        tree["bvh_face"] = tree["bvh_face"] + at["vert"]
        at = {"box": at["box"] + len(tree["bvh_low"]), "face": at["face"] + len(f), "vert": at["vert"] + len(v)}
        trees.append(tree)
        verts.append(v)
        first.append(at["box"])
    joined = {name: np.concatenate([t[name] for t in trees]) for name in (trees[0] if trees else ())}
    sizes = {
        "nbox": at["box"],
        "nboxface": at["face"],
        "nboxvert": at["vert"],
        "nraymesh": len(meshes),
        "nraymesh1": len(meshes) + 1,
    }
    return {**joined, **sizes, "bvh_vert": np.concatenate(verts) if verts else np.zeros((0, 3)), "bvh_adr": first}


def box_tree(vert: np.ndarray, face: np.ndarray) -> dict:
    """Boxes over triangles, depth first: corners, the box that follows when its contents are skipped, triangles of
    leaves.
    """
    tree, order = boxes_over(vert[face])
    return tree | {"bvh_face": face[order]}


def boxes_over(corners: np.ndarray) -> tuple[dict, np.ndarray]:
    """Boxes over triangles [n, 3, 3] as ``box_tree`` has them, and the triangles [n] in the order of the leaves."""
    low, high, middle = corners.min(1), corners.max(1), corners.mean(1)
    boxes, skip, order = [], [], []

    def add(some: np.ndarray) -> None:
        here = len(boxes)
        leaf = len(some) <= LEAF
        boxes.append((low[some].min(0), high[some].max(0), len(order), len(some) if leaf else 0))
        skip.append(0)
        if leaf:
            order.extend(some.tolist())
        else:
            axis = np.ptp(middle[some], axis=0).argmax()
            some = some[np.argsort(middle[some, axis], kind="stable")]
            add(some[: len(some) // 2])
            add(some[len(some) // 2 :])
        skip[here] = len(boxes)

    add(np.arange(len(corners)))
    bottom, top = (np.array([b[i] for b in boxes]) for i in (0, 1))
    margin = MARGIN * np.linalg.norm(top - bottom, axis=1, keepdims=True)
    tree = {
        "bvh_low": bottom - margin,
        "bvh_high": top + margin,
        "bvh_skip": np.array(skip),
        "bvh_faceadr": np.array([b[2] for b in boxes]),
        "bvh_facenum": np.array([b[3] for b in boxes]),
    }
    return tree, np.array(order, int)


def _fields(mj, fields: list) -> dict:
    """The height fields, one after the other."""
    grids = []
    for i in fields:
        first = int(mj.hfield_adr[i])
        grids.append(
            np.asarray(mj.hfield_data).ravel()[first : first + int(mj.hfield_nrow[i]) * int(mj.hfield_ncol[i])]
        )
    return {
        "nrayhfield": len(fields),
        "nraydata": sum(map(len, grids)),
        "rayfield_data": np.concatenate(grids) if grids else np.zeros(0),
        "rayfield_adr": np.cumsum([0, *map(len, grids)])[: len(fields)],
        "rayfield_shape": [(int(mj.hfield_nrow[i]), int(mj.hfield_ncol[i])) for i in fields],
        "rayfield_size": [np.asarray(mj.hfield_size)[i] for i in fields],
    }
