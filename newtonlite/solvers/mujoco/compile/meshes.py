"""Meshes as MuJoCo keeps them: centred, in their principal axes, with hull and polygons where they collide."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from newtonlite.core.enums import GeoType
from newtonlite.core.errors import ModelError
from newtonlite.core.packed_array import unpack_array
from newtonlite.core.types import Axis
from newtonlite.geometry import inertia
from newtonlite.geometry.disk_cache import kept
from newtonlite.geometry.hull import MeshHull, convex_hull, find_hull
from newtonlite.geometry.mesh import Mesh as SceneMesh
from newtonlite.geometry.polygons import merge, polygon_normals
from newtonlite.geometry.principal import NEAR_OF_MESHES, principal
from newtonlite.math.quat import matrix
from newtonlite.sim.shape_bounds import barrels
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.records import read_records, whole_record
from newtonlite.solvers.mujoco.compile.worlds import Worlds

MESHES = (GeoType.MESH, GeoType.CONVEX_MESH, GeoType.CONE)
SMALL = 64
"""Hulls of fewer points are not worth a file."""


APEX, COPLANAR = 1.0e-3, 1.0e-6
"""Height of the vertex that a plane mesh gets [m, or of its size], and how much less than its size is plane."""


@dataclass
class CompiledMesh:
    """One source at one scale: vertices [n, 3] and triangles [m, 3] in the frame ``pos`` [3], ``quat`` (w, x, y, z) of
    the shape.
    """

    name: str
    file: str
    scale: np.ndarray
    vertices: np.ndarray
    triangles: np.ndarray
    pos: np.ndarray
    quat: np.ndarray
    tangents: np.ndarray  # [n or 0, 2, 3] along which tactile sensors feel sliding
    uvs: np.ndarray  # [m or 0, 3, 2] texture coordinates of the corners of triangles, v downward
    flat: str = ""  # what it lacks, volume or area, where it has no mass
    raised: bool = False  # whether it has got a vertex beside its plane
    hull: MeshHull | None = None
    corners: np.ndarray = field(default_factory=lambda: np.zeros(0, int))  # of the hull's polygons, one after the other
    sizes: np.ndarray = field(default_factory=lambda: np.zeros(0, int))  # how many each has

    def box(self) -> np.ndarray:
        """Centre and half-sizes [6] of the box around it."""
        low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
        return np.concatenate([0.5 * (low + high), 0.5 * (high - low)])


def compile_meshes(m: CompiledModel, w: Worlds, shapes, solid, flat: bool = False) -> None:
    """Fill the mesh arrays and ``geom_dataid`` for the meshes among ``shapes``; those that are ``solid`` get a hull.

    Meshes without volume, which have none, raise ModelError where they are solid, unless ``flat`` lets them pass.
    """
    kinds, scales, sources = w.first("shape_type"), w.get("shape_scale"), w.first("shape_source")
    table: dict[tuple, int] = {}
    meshes: list[CompiledMesh] = []
    dataid = np.full(len(shapes), -1)
    sizes = scales if scales.ndim == 2 else scales[0]
    round_sided = barrels(kinds, sizes)
    for g in np.flatnonzero((np.isin(kinds, MESHES) | round_sided)[np.asarray(shapes, int)]):
        s = shapes[g]
        if scales.ndim > 2 and np.ptp(scales[:, s], axis=0).any():
            raise ModelError(
                f"shape '{w.label('shape', s)}': its scale differs between worlds; a mesh has the same one in all"
            )
        scale = sizes[s]
        source = sources[s]
        if kinds[s] == GeoType.CONE:
            source, scale = cone(*scale[:2].tolist()), np.ones(3)
        elif round_sided[s]:
            source, scale = barrel(*scale.tolist()), np.ones(3)
        key = (id(source), *scale.tolist())
        if key not in table:
            table[key] = len(meshes)
            meshes.append(made(source, scale))
        dataid[g] = table[key]
        if meshes[dataid[g]].flat:
            if solid[g] and not flat:
                lacks = meshes[dataid[g]].flat
                raise ModelError(f"shape '{w.label('shape', s)}': its mesh has no {lacks}; give it some thickness")
            if solid[g] and not meshes[dataid[g]].raised:
                raise_apex(meshes[dataid[g]])
        elif solid[g] and meshes[dataid[g]].hull is None:
            add_hull(meshes[dataid[g]], source, scale, w.label("shape", s))
    order = in_order(w, meshes)
    meshes = [meshes[k] if isinstance(k, int) else k for k in order]
    rank = np.array([order.index(k) for k in range(len(table))], int)
    m.geom_dataid = np.where(dataid >= 0, rank[dataid], -1).astype(np.int32) if len(rank) else dataid.astype(np.int32)
    fill_meshes(m, meshes)
    fill_hulls(m, meshes)


@cache
def barrel(radius: float, half_height: float, profile: float) -> SceneMesh:
    """The mesh of a barrel along z, the same object for the same sizes."""
    return SceneMesh.create_cylinder(
        radius, half_height, barrel_radius=profile, up_axis=Axis.Z, segments=64, compute_normals=False
    )


@cache
def cone(radius: float, half_height: float) -> SceneMesh:
    """The mesh of a cone along z, the same object for the same sizes."""
    return SceneMesh.create_cone(radius, half_height, up_axis=Axis.Z, compute_normals=False)


def in_order(w: Worlds, meshes: list[CompiledMesh]) -> list:
    """Numbers of the meshes in the order of their files, those that no file names last; and the meshes that no geom
    has.
    """
    places: dict[str, list[int]] = {}
    for k, mesh in enumerate(meshes):
        places.setdefault(mesh.name, []).append(k)
    order: list = []
    for name, values in read_records(w)["mesh"]:
        with whole_record("mesh", name):
            order += [unused(name, values)] if values else places.pop(name, [])
    return order + sorted(k for rest in places.values() for k in rest)


def unused(name: str, values: dict) -> CompiledMesh:
    """A mesh that the file has and no geom uses."""
    vertices, triangles = (
        unpack_array(values[key], kind, (-1, 3)) for key, kind in (("vertices", float), ("triangles", np.int64))
    )
    source = SceneMesh(vertices, triangles, compute_inertia=False)
    if "tangents" in values:
        source.taxel_tangents = unpack_array(values["tangents"], float, (-1, 2, 3))
    source.name, source.inertia_mode, source.file_scale = name, values["mode"], values["scale"]
    source.file, source.keeps_frame = values.get("file", ""), values.get("keeps_frame", False)
    return made(source, np.ones(3))


def made(source, scale) -> CompiledMesh:
    """A scene's mesh in its own principal frame, that of its surface where it has no volume."""
    vertices = source.exact_vertices * scale
    triangles = np.asarray(source.triangles, np.int64)
    if np.prod(scale) < 0:
        triangles = triangles[:, ::-1]
    solid = mass_of(source.inertia_mode, vertices, triangles)
    flat = "" if solid.mass > 0 else "area" if source.inertia_mode == "shell" else "volume"
    if flat:
        solid = inertia.surface(1.0, vertices, triangles, 1.0)
    com, quat = solid.com, principal(solid.inertia, NEAR_OF_MESHES)[1]
    if source.keeps_frame:  # a mesh made of a distance field stays in the field's frame
        com, quat = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    tangents = source.taxel_tangents @ matrix(quat)
    return CompiledMesh(
        source.name,
        source.file,
        np.asarray(scale, float) * source.file_scale,
        (vertices - com) @ matrix(quat),
        triangles,
        com,
        quat,
        tangents,
        texture_coordinates(source, bool(np.prod(scale) < 0)),
        flat,
    )


def texture_coordinates(source: SceneMesh, mirrored: bool) -> np.ndarray:
    """Texture coordinates [m, 3, 2] of the corners of a mesh's triangles, v downward as MuJoCo has it; [0, 3, 2] where it
    has none.
    """
    found = source.corner_uvs
    if found is None and source.uvs is not None and len(source.uvs) == len(source.exact_vertices):
        found = source.uvs[np.asarray(source.triangles, np.int64)]
    if found is None or len(found) != len(source.triangles):
        return np.zeros((0, 3, 2))
    found = np.asarray(found, float) * (1.0, -1.0) + (0.0, 1.0)
    return found[:, ::-1] if mirrored else found


def raise_apex(mesh: CompiledMesh) -> None:
    """Add a vertex a thousandth of its size above the middle of a plane mesh, and a face to it: MuJoCo loads no file with
    a collider whose vertices are coplanar. Others stay as they are.
    """
    mesh.raised = True
    middle, size = mesh.vertices.mean(axis=0), float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))
    _, spread, axes = np.linalg.svd(mesh.vertices - middle, full_matrices=True)
    if len(spread) > 2 and spread[2] > COPLANAR * spread[0]:
        return
    first = mesh.triangles[0]
    mesh.vertices = np.append(mesh.vertices, [middle + APEX * max(1.0, size) * axes[2]], axis=0)
    mesh.triangles = np.append(mesh.triangles, [[first[1], first[0], len(mesh.vertices) - 1]], axis=0)
    mesh.uvs = np.append(mesh.uvs, mesh.uvs[:1, [1, 0, 2]], axis=0)


def mass_of(mode: str, vertices, triangles) -> inertia.MassProperties:
    """Mass, centre and inertia at density 1 of a mesh that counts as its hull, its volume or its surface."""
    if mode == "convex":
        return inertia.mesh(1.0, *convex_hull(vertices))
    if mode == "shell":
        return inertia.surface(1.0, vertices, triangles, 1.0)
    return inertia.legacy_mesh(vertices, triangles, signed=mode == "exact")


def add_hull(mesh: CompiledMesh, source, scale, shape: str) -> None:
    """Hull and polygons, found of the points as the file has them, before it scales them: which of nearly equal faces
    there are, and the order of polygons and of their corners, depend on the last digit.
    """
    given = (source.exact_vertices / source.file_scale).astype(np.float32)
    mirrored = bool(np.prod(scale) * np.prod(source.file_scale) < 0)
    known = own_hull(source)
    make = lambda: hull_parts(given, known or find_hull(given, source.maxhullvert), mirrored)
    try:
        found = make() if len(given) < SMALL else kept("hull", (given, source.maxhullvert, mirrored), make)
    except ModelError as problem:
        raise ModelError(f"shape '{shape}': {problem}") from None
    mesh.hull = MeshHull(found["vertices"], found["triangles"])
    mesh.corners, mesh.sizes = found["corners"], found["sizes"]


def own_hull(source) -> MeshHull | None:
    """The hull of a mesh whose triangles are that of its points; None for others."""
    if not source.is_hull:
        return None
    triangles = np.asarray(source.triangles, np.int64)
    triangles = triangles[:, ::-1] if np.prod(source.file_scale) < 0 else triangles
    return MeshHull(np.unique(triangles), triangles)


def hull_parts(points, hull: MeshHull, mirrored: bool) -> dict[str, np.ndarray]:
    """Vertices and triangles of a hull of points; its polygons, corners one after the other, and how many each has; outward once
    it is mirrored.
    """
    corners, sizes = merge(points, hull.triangles)
    triangles = hull.triangles
    if mirrored:
        corners, triangles = turned_around(corners, sizes), triangles[:, [0, 2, 1]]
    return {"vertices": hull.vertices, "triangles": triangles, "corners": corners, "sizes": sizes.astype(np.int32)}


def turned_around(corners: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Corners of polygons the other way round, each from its first corner."""
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    step = np.arange(len(corners)) - first
    return corners[first + (-step) % np.repeat(sizes, sizes)]


def fill_meshes(m: CompiledModel, meshes: list[CompiledMesh]) -> None:
    """Vertices, triangles and frames."""
    m.nmesh = len(meshes)
    m.names_mesh = [x.name for x in meshes]
    m.mesh_file = [x.file for x in meshes]
    vertices, triangles = [x.vertices for x in meshes], [x.triangles for x in meshes]
    m.nmeshvert, m.nmeshface = sum(map(len, vertices)), sum(map(len, triangles))
    m.set(
        mesh_vertadr=addresses(vertices),
        mesh_vertnum=counts(vertices),
        mesh_faceadr=addresses(triangles),
        mesh_facenum=counts(triangles),
        mesh_vert=concatenated(vertices, 3),
        mesh_face=concatenated(triangles, 3).astype(np.int32),
        mesh_scale=stacked([x.scale for x in meshes], 3),
        mesh_pos=stacked([x.pos for x in meshes], 3),
        mesh_tangent=concatenated([directions(x) for x in meshes], 6).reshape(-1, 2, 3),
        mesh_quat=stacked([x.quat for x in meshes], 4),
        mesh_box=stacked([x.box() for x in meshes], 6),
    )
    corners = [x.uvs.reshape(-1, 2) for x in meshes]
    own = [np.arange(3 * len(x.triangles)) if len(x.uvs) else np.zeros(3 * len(x.triangles), int) for x in meshes]
    m.nmeshtexcoord = sum(map(len, corners))
    m.set(
        mesh_texcoordadr=np.where(counts(corners) > 0, addresses(corners), -1),
        mesh_texcoord=concatenated(corners, 2),
        mesh_facetexcoord=concatenated(own).reshape(-1, 3).astype(np.int32),
    )


def directions(mesh: CompiledMesh) -> np.ndarray:
    """The two directions of each vertex along which sensors feel sliding [n, 6]; zeros where the mesh has none."""
    return mesh.tangents.reshape(-1, 6) if len(mesh.tangents) else np.zeros((len(mesh.vertices), 6))


def fill_hulls(m: CompiledModel, meshes: list[CompiledMesh]) -> None:
    """Hull graphs in MuJoCo's format, and polygons."""
    graphs = [graph(x.hull) for x in meshes]
    address = addresses(graphs)
    sizes, corners = (
        concatenated(parts).astype(int) for parts in ([x.sizes for x in meshes], [x.corners for x in meshes])
    )
    m.nmeshgraph, m.nmeshpoly, m.nmeshpolyvert, m.nmeshpolymap = (
        sum(map(len, graphs)),
        len(sizes),
        sizes.sum(),
        sizes.sum(),
    )
    fans = [fan(x) for x in meshes]
    around = np.concatenate([np.zeros(0, int), *(number for number, _ in fans)])
    m.set(
        mesh_graphadr=np.where(counts(graphs) > 0, address, -1),
        mesh_graph=concatenated(graphs).astype(np.int32),
        mesh_polynum=counts([x.sizes for x in meshes]),
        mesh_polyadr=addresses([x.sizes for x in meshes]),
        mesh_polynormal=polygon_normals(
            m.mesh_vert, np.repeat(m.mesh_vertadr, counts([x.corners for x in meshes])) + corners, sizes
        ),
        mesh_polyvertadr=np.cumsum(sizes) - sizes,
        mesh_polyvertnum=sizes,
        mesh_polyvert=corners.astype(np.int32),
        mesh_polymapadr=np.cumsum(around) - around,
        mesh_polymapnum=around,
        mesh_polymap=concatenated([which for _, which in fans]).astype(np.int32),
    )


def graph(hull: MeshHull | None) -> np.ndarray:
    """Vertex and face counts; first edge, and number, of each vertex; neighbours of each, ended by -1; corners of the
    faces, of all vertices.
    """
    if hull is None:
        return np.zeros(0, int)
    n = len(hull.vertices)
    place = np.full(hull.vertices[-1] + 1, -1)
    place[hull.vertices] = np.arange(n)
    edges, faces = place[hull.edges()], hull.triangles
    many = np.bincount(edges[:, 0], minlength=n)
    ended = np.full(len(edges) + n, -1)
    ended[np.arange(len(edges)) + edges[:, 0]] = edges[:, 1]  # each vertex before has one end
    return np.concatenate(
        [[n, len(faces)], np.cumsum(many + 1) - many - 1, hull.vertices, ended, faces.ravel()]
    ).astype(int)


def fan(mesh: CompiledMesh) -> tuple[np.ndarray, np.ndarray]:
    """Polygons around each vertex: their numbers, and how many."""
    owners = np.repeat(np.arange(len(mesh.sizes)), mesh.sizes)
    return np.bincount(mesh.corners, minlength=len(mesh.vertices)), owners[np.argsort(mesh.corners, kind="stable")]


def counts(parts) -> np.ndarray:
    """Length of each part."""
    return np.array([len(p) for p in parts], np.int32)


def addresses(parts) -> np.ndarray:
    """First index of each part when all are joined."""
    sizes = counts(parts)
    return (np.cumsum(sizes) - sizes).astype(np.int32)


def concatenated(parts, width: int = 0) -> np.ndarray:
    """The parts one after the other: [n], or [n, width]."""
    empty = np.zeros((0, width) if width else 0)
    return np.concatenate([empty, *map(np.asarray, parts)])


def stacked(rows, width: int) -> np.ndarray:
    """Rows [n, width]."""
    return np.array(rows, float).reshape(-1, width)
