"""Convex hulls of meshes for the colliders: vertices, neighbours and polygons."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.convex.vertices import filled, grouped
from newtonlite.geometry.contact.convex.workspace import SEED
from newtonlite.geometry.hull import MeshHull, find_hull
from newtonlite.geometry.polygons import merge, polygon_normals
from newtonlite.solvers.mujoco.derive.ragged import flattened, starts
from newtonlite.solvers.mujoco.derive.sensor import sensor_geom_pairs

CAP_CORNERS = 16  # the cap of a cylinder counts as a polygon
MOST_ITERATIONS = 1000


NOWHERE = np.array([[0.0, 0.0, 0.0], [-1.0e9, -1.0e9, -1.0e9]])
"""Bounding box of a geom whose mesh is none: farther from everything than any distance."""


def derive(mj) -> dict:
    """Hulls of the meshes that candidates need, one after the other, and where that of each geom begins."""
    hulls, rows = hulls_of(mj)
    first, polygons = ends([h.vertices for h in hulls]), ends([h.polygons for h in hulls])
    fans = [[p + polygons[k] for p in fan] for k, h in enumerate(hulls) for fan in h.fans()]
    neighbours = [n for h in hulls for n in h.neighbours]
    corners = [p for h in hulls for p in h.polygons]
    return {
        **{name: values[0] for name, values in by_geom(hulls, rows, mj).items()},
        "hull_vert": grouped(np.concatenate([np.zeros((0, 3)), *[h.vertices for h in hulls]])),
        "hull_nbradr": starts(neighbours),
        "hull_nbr": flattened(neighbours),
        "hull_fanadr": starts(fans),
        "hull_fan": flattened(fans),
        "hull_normal": np.concatenate([np.zeros((0, 3)), *[h.normals for h in hulls]]),
        "hull_polyadr": starts(corners),
        "hull_poly": flattened(corners),
        "nhullvert": first[-1],
        "nhullvert1": first[-1] + 1,
        "nhullcoord": 3 * first[-1],
        "nhullnbr": sum(map(len, neighbours)),
        "nhullfan": sum(map(len, fans)),
        "nhullpoly": polygons[-1],
        "nhullpoly1": polygons[-1] + 1,
        "nhullcorner": sum(map(len, corners)),
        "geom_dataid": geom_data(mj),
        "nhfield": int(getattr(mj, "nhfield", 0)),
        "nhfielddata": int(getattr(mj, "nhfielddata", 0)),
        **scratch_sizes(mj, max([CAP_CORNERS, *map(len, corners)])),
    }


def hulls_of(mj) -> tuple[list, np.ndarray]:
    """The hulls that any world needs, and which of them each geom has: [worlds, ngeom], -1 for none."""
    solid, worlds = solid_meshes(mj), mesh_worlds(mj)
    meshes = sorted({int(i) for i in worlds[:, solid].ravel() if i >= 0})
    where = {mesh: k for k, mesh in enumerate(meshes)}
    rows = [[where.get(int(i), -1) if s else -1 for s, i in zip(solid, row)] for row in worlds]
    found = [found_hull(mj, i) if hasattr(mj, "mesh_worlds") else None for i in meshes]
    return [CollisionHull(mj, i, own) for i, own in zip(meshes, found, strict=True)], np.array(rows, int).reshape(
        len(worlds), len(solid)
    )


def by_geom(hulls: list, rows: np.ndarray, mj) -> dict:
    """First vertex, vertices and bounding box of the hull of each geom in each world; a mesh geom without a mesh is
    nowhere.
    """
    first = ends([h.vertices for h in hulls])
    counts = np.array([*(h.count for h in hulls), 0], int)
    boxes = np.array([*(h.box() for h in hulls), np.zeros((2, 3))])
    box = boxes[rows]
    box[(mesh_worlds(mj) < 0) & (np.asarray(mj.geom_type) == MjtGeom.MESH)] = NOWHERE
    return {"geom_hulladr": np.where(rows >= 0, first[rows], 0), "geom_hullnum": counts[rows], "hull_box": box}


def mesh_worlds(mj) -> np.ndarray:
    """Mesh or height field of each geom, [worlds, ngeom]: one row where all worlds have the same."""
    return np.atleast_2d(np.asarray(getattr(mj, "mesh_worlds", geom_data(mj)), int))


def ends(parts: list) -> np.ndarray:
    """Offsets of parts in a list of all, and where the last ends."""
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(int)


def scratch_sizes(mj, corners: int) -> dict:
    """Sizes of one lane's scratch; ``corners`` are the most a face has. A polygon gets as many more as it is cut by
    sides.
    """
    vertices = min(int(mj.opt.ccd_iterations), MOST_ITERATIONS) + SEED
    return {"nccdvert": vertices, "nccdface": 2 * vertices, "nccdrim": 3 * vertices, "nccdcorner": 4 * corners}


def geom_data(mj) -> np.ndarray:
    """Mesh or height field of each geom, or -1."""
    return np.asarray(getattr(mj, "geom_dataid", np.full(int(mj.ngeom), -1)))


def solid_meshes(mj) -> np.ndarray:
    """Mask of the geoms that are meshes which may touch something, or whose distance a sensor measures."""
    touches = (np.asarray(mj.geom_contype) | np.asarray(mj.geom_conaffinity)) != 0
    touches[
        np.concatenate([np.asarray(mj.pair_geom1, int), np.asarray(mj.pair_geom2, int), sensor_geom_pairs(mj).ravel()])
    ] = True
    return touches & np.isin(mj.geom_type, (MjtGeom.MESH, MjtGeom.SDF))


def vertices_of(mj, mesh: int) -> np.ndarray:
    """Vertices [n, 3] of a mesh."""
    return np.asarray(mj.mesh_vert)[int(mj.mesh_vertadr[mesh]) :][: int(mj.mesh_vertnum[mesh])]


def found_hull(mj, mesh: int) -> MeshHull | None:
    """The hull of a mesh that has none, since no geom of the host's model that collides has this mesh, but a world's may; None
    for others, and for points in a plane.
    """
    if int(mj.mesh_graphadr[mesh]) >= 0 or int(mj.mesh_polynum[mesh]):
        return None
    try:
        return find_hull(vertices_of(mj, mesh))
    except ModelError:
        return None


def merged(points: np.ndarray, hull: MeshHull) -> tuple[list, np.ndarray]:
    """Corners and normals of the polygons of a hull."""
    corners, sizes = merge(points, hull.triangles)
    return np.split(corners, np.cumsum(sizes)[:-1]), polygon_normals(points, corners, sizes)


def neighbours_in(hull: MeshHull) -> list:
    """Neighbours of each vertex of a hull, by their places among its vertices."""
    place = np.full(hull.vertices[-1] + 1, -1)
    place[hull.vertices] = np.arange(len(hull.vertices))
    edges = place[hull.edges()]
    return [edges[edges[:, 0] == v, 1] for v in range(len(hull.vertices))]


class CollisionHull:
    """Hull of a mesh from MuJoCo's arrays: ``mesh_graph`` and the polygons; all vertices where there is no graph, or a hull
    of one's ``own``.

    It has ``count`` vertices; ``vertices`` has more, to fill the last group, without neighbours.
    """

    def __init__(self, mj, mesh: int, own: MeshHull | None = None):
        every = vertices_of(mj, mesh)
        graph = int(mj.mesh_graphadr[mesh])
        self.polygons, self.normals = self._polygons(mj, mesh) if own is None else merged(every, own)
        if own is not None:
            used, self.neighbours = own.vertices, neighbours_in(own)
        elif graph >= 0:
            used, self.neighbours = self._graph(np.asarray(mj.mesh_graph)[graph:])
        else:
            used = np.arange(len(every))
            self.neighbours = self._edges(len(every))
        self.count, self.vertices = len(used), filled(every[used])
        self.neighbours = [*self.neighbours, *[[]] * (len(self.vertices) - self.count)]
        number = np.full(len(every), -1)
        number[used] = np.arange(len(used))
        self.polygons = [number[p] for p in self.polygons]

    @staticmethod
    def _graph(graph) -> tuple[np.ndarray, list]:
        """Vertex numbers, and neighbours of each, of MuJoCo's graph."""
        count, faces = (int(n) for n in graph[:2])
        address, used = graph[2 : 2 + count], graph[2 + count : 2 + 2 * count]
        edges = graph[2 + 2 * count :][: count + 3 * faces]
        ends = np.flatnonzero(edges < 0)
        return used, [edges[a:end] for a, end in zip(address, ends[np.searchsorted(ends, address)], strict=True)]

    def _edges(self, count: int) -> list:
        """Neighbours of each vertex along the polygons."""
        near = [set() for _ in range(count)]
        for p in self.polygons:
            for a, b in zip(p, np.roll(p, 1)):
                near[a].add(int(b))
                near[b].add(int(a))
        return [sorted(n) for n in near]

    @staticmethod
    def _polygons(mj, mesh: int) -> tuple[list, np.ndarray]:
        """Corners and normals of the polygons."""
        first, count = int(mj.mesh_polyadr[mesh]), int(mj.mesh_polynum[mesh])
        address, number = mj.mesh_polyvertadr[first : first + count], mj.mesh_polyvertnum[first : first + count]
        corners = [np.asarray(mj.mesh_polyvert[a : a + n]) for a, n in zip(address, number)]
        return corners, np.asarray(mj.mesh_polynormal)[first : first + count].reshape(-1, 3)

    def box(self) -> np.ndarray:
        """Centre and half-lengths [2, 3] of the box around the vertices."""
        low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
        return np.stack([(low + high) / 2, (high - low) / 2])

    def fans(self) -> list:
        """Polygons around each vertex."""
        around = [[] for _ in self.vertices]
        for k, p in enumerate(self.polygons):
            for v in p:
                around[v].append(k)
        return around
