"""Soft meshes of a model: flexes and skins, whose vertices are means of where bodies carry them.

They follow from the poses of bodies alone, so stills, pages and recordings have them without anything of an engine's.
"""

import warnings
from dataclasses import dataclass, replace

import numpy as np

from newtonlite.core.errors import Error, NewtonWarning
from newtonlite.core.mujoco import MjtObj
from newtonlite.geometry import tessellate
from newtonlite.math import transform as tf
from newtonlite.viewer.surfaces import Surface

ROUND = 8
"""Sides of the tubes that ropes are drawn as."""
ARRAYS = ("body", "arm", "start", "around", "pieces", "flat", "worlds", "color")
"""Arrays of a soft mesh, which a file keeps."""


@dataclass
class SoftMesh:
    """A flex or skin in several worlds.

    A vertex is the sum over its carriers, from ``start`` [n + 1] on, of weight times where a body carries a place in its frame:
    ``body`` [worlds, m] (-1: the world), ``arm`` [m, 4] (place [m], weight). The surface is ``away`` [m] from the vertices along
    the normals of the triangles ``around`` [k, 3] them, which count alike where ``even``; with two ``sides`` on either side, its
    points numbered after each other. ``pieces`` [p, 3] are triangles of points, or lines of ``radius`` whose last two are equal;
    those that are ``flat`` [p] have one normal.
    """

    name: str
    group: int
    body: np.ndarray
    arm: np.ndarray
    start: np.ndarray
    around: np.ndarray
    pieces: np.ndarray
    flat: np.ndarray
    worlds: np.ndarray
    color: np.ndarray
    away: float = 0.0
    even: bool = True
    sides: int = 1
    radius: float = 0.0

    def vertices(self, body_q: np.ndarray, row: int) -> np.ndarray:
        """Vertices [n, 3] [m] of a row of ``worlds``, bodies being at ``body_q`` [body_count, 7]."""
        pose = np.vstack([np.asarray(body_q, float).reshape(-1, 7), tf.IDENTITY])[self.body[row]]
        carried = pose[:, :3] + tf.quat_rotate(pose[:, 3:], self.arm[:, :3])
        return np.add.reduceat(self.arm[:, 3:] * carried, self.start[:-1], axis=0)

    @property
    def faceted(self) -> bool:
        """Whether no triangle of it is smooth."""
        return bool(self.flat.all()) and not self.radius

    def points(self, body_q: np.ndarray, row: int) -> Surface:
        """Surface in the world, whose triangles share points and their normals."""
        vertices = self.vertices(body_q, row)
        if self.radius:
            return tubes(vertices[self.pieces[:, 0]], vertices[self.pieces[:, 1]], self.radius)
        normals = mean_normals(vertices, self.around, self.even)
        found = vertices + self.away * normals
        if self.sides == 2:
            found = np.concatenate([found, vertices - self.away * normals])
            normals = np.concatenate([normals, -normals])
        return Surface(found.astype(np.float32), self.pieces.astype(np.int32), normals=normals.astype(np.float32))

    def surface(self, body_q: np.ndarray, row: int) -> Surface:
        """Surface in the world, a corner of its own for each corner of a triangle, so that flat ones are flat."""
        shared = self.points(body_q, row)
        if shared.normals is None:
            return shared
        corners, bent = shared.vertices[self.pieces], shared.normals[self.pieces]
        flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        bent[self.flat > 0] = unit(flat)[self.flat > 0][:, None]
        faces = np.arange(3 * len(corners), dtype=np.int32).reshape(-1, 3)
        return Surface(corners.reshape(-1, 3), faces, normals=bent.reshape(-1, 3))

    def part(self, worlds: np.ndarray, new_body: np.ndarray, new_world: np.ndarray) -> "SoftMesh | None":
        """The same mesh in some worlds alone, with bodies and worlds numbered anew; None where it is in none."""
        rows = np.flatnonzero(np.isin(self.worlds, worlds))
        if not len(rows):
            return None
        body = np.where(self.body[rows] < 0, -1, new_body[self.body[rows]])
        return replace(self, body=body, worlds=new_world[self.worlds[rows]])


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors of length 1."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-15)


def mean_normals(vertices: np.ndarray, around: np.ndarray, even: bool) -> np.ndarray:
    """Unit normals of vertices [n, 3], means of those of the triangles there."""
    a, b, c = vertices[around].transpose(1, 0, 2)
    across = np.cross(b - a, c - a)
    across, total = unit(across) if even else across, np.zeros_like(vertices)
    for k in range(3):
        np.add.at(total, around[:, k], across)
    return unit(total)


def tubes(a: np.ndarray, b: np.ndarray, radius: float) -> Surface:
    """Capsules about lines from ``a`` [n, 3] to ``b``."""
    along = unit(b - a)
    across = unit(np.cross(along, np.eye(3)[np.abs(along).argmin(axis=1)]))
    turn = np.stack([across, np.cross(along, across), along], axis=-1)
    half = 0.5 * np.linalg.norm(b - a, axis=1)
    points, faces = tessellate.capsule(radius, 1.0, ROUND)
    ends = np.sign(points[:, 2]) * np.minimum(np.abs(points[:, 2]), 1.0)
    local = np.broadcast_to(points, (len(a), *points.shape)).copy()
    local[..., 2] += (half[:, None] - 1.0) * ends
    placed = np.einsum("nij,nkj->nki", turn, local) + 0.5 * (a + b)[:, None]
    numbered = faces[None] + len(points) * np.arange(len(a))[:, None, None]
    return Surface(placed.reshape(-1, 3).astype(np.float32), numbered.reshape(-1, 3).astype(np.int32))


def soft_meshes(model) -> list[SoftMesh]:
    """Flexes and skins of a model; none, with a warning, where its worlds differ in structure."""
    # the solver is heavy, and few models have any
    from newtonlite.solvers.mujoco.compile import compile_model
    from newtonlite.solvers.mujoco.compile.records import read_records
    from newtonlite.solvers.mujoco.compile.worlds import Worlds

    if getattr(model, "mujoco", None) is None:
        return []
    try:
        count = model.world_count
        w = Worlds(model, None if count <= 1 else [0])
        if not (w.has("mujoco:flex_dim") and w.size("mujoco:flex")) and not read_records(w)["skin"]:
            return []
        mj = compile_model(model)
        rows = np.asarray(Worlds(model, None if count <= 1 else range(count)).rows("body"))
    except Error as problem:
        warnings.warn(f"soft bodies and skins are not drawn: {problem}", NewtonWarning, stacklevel=2)
        return []
    return [soft_mesh(mj, rows, *one) for one in shapes_of(mj)]


def shapes_of(mj) -> list:
    """Kind, number and shape of all flexes and skins of a compiled model."""
    from newtonlite.solvers.mujoco.render.soft_tables import seen_shapes

    return seen_shapes(mj, tuple(range(6)), True)


def soft_mesh(mj, rows: np.ndarray, kind: int, id: int, shape) -> SoftMesh:
    """A flex or skin of a compiled model; ``rows`` [worlds, n] are the scene's bodies of each world."""
    from newtonlite.solvers.mujoco.render.soft_tables import look_of, skin_bones

    skin = kind == MjtObj.SKIN
    vertex, body, arm = skin_bones(mj, id) if skin else flex_carriers(mj, id)
    place = np.asarray(mj.newton_body, int)[body]
    rgba, material = look_of(mj, kind, id)
    if material >= 0 and np.allclose(rgba, (0.5, 0.5, 0.5, 1.0)):
        rgba = np.asarray(mj.mat_rgba).reshape(-1, 4)[material]
    names, groups = (mj.names_skin, mj.skin_group) if skin else (mj.names_flex, mj.flex_group)
    return SoftMesh(
        f"{'skin' if skin else 'flex'}_{id}_{names[id]}".replace("/", "_"),
        int(groups[id]),
        np.where(place < 0, -1, rows[:, np.maximum(place, 0)]),
        arm,
        np.searchsorted(vertex, np.arange(len(shape.vertices) + 1)),
        shape.around,
        shape.pieces,
        np.asarray(shape.flat),
        np.arange(len(rows)),
        np.asarray(rgba[:3], float),
        float(shape.away),
        bool(shape.even),
        int(shape.sides),
        float(shape.radius),
    )


def flex_carriers(mj, f: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices, bodies and (place in the body's frame, weight) of what carries the vertices of a flex: its own bodies, or those
    of the nodes that it is interpolated from.
    """
    from newtonlite.solvers.mujoco.derive.flex import vertex_weights

    first, count = int(mj.flex_vertadr[f]), int(mj.flex_vertnum[f])
    if not int(mj.flex_interp[f]):
        own = slice(first, first + count)
        place = np.asarray(mj.flex_vert, float).reshape(-1, 3)[own]
        return np.arange(count), np.asarray(mj.flex_vertbodyid, int)[own], np.column_stack([place, np.ones(count)])
    weights = [vertex_weights(mj, first + v, f) for v in range(count)]
    vertex = np.repeat(np.arange(count), [len(w) for w in weights])
    node = np.array([n for w in weights for n in w], int)
    share = np.array([x for w in weights for x in w.values()], float)
    place = np.asarray(mj.flex_node, float).reshape(-1, 3)[node]
    return vertex, np.asarray(mj.flex_nodebodyid, int)[node], np.column_stack([place, share])
