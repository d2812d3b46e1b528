"""The convex colliders, one pose per thread, and MuJoCo's answer to the same poses."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from newtonlite.geometry.contact.convex.number import mat, real, vec
from newtonlite.geometry.contact.convex.pair import ConvexSearch, convex_convex
from newtonlite.geometry.contact.convex.shape import Convex, Hulls
from newtonlite.geometry.contact.convex.workspace import Workspace
from newtonlite.geometry.contact.hits import MAX_HITS, Hits
from newtonlite.solvers.mujoco.derive.hull import derive
from tests import oracle
from tests.harness.colliding import Found
from tests.harness.contact_poses import NUMBERS

SIZES = {"sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3, "mesh": 0}
ITERATIONS = 35
CORNERS = 64


@wp.kernel(enable_backward=False)
def convex_kernel(
    kind1: int,
    kind2: int,
    pos1: wp.array[wp.vec3],
    mat1: wp.array[wp.mat33],
    size1: wp.array[wp.vec3],
    pos2: wp.array[wp.vec3],
    mat2: wp.array[wp.mat33],
    size2: wp.array[wp.vec3],
    first: wp.array2d[wp.vec2i],
    cutoff: wp.array[float],
    margin: wp.array[float],
    tolerance: float,
    iterations: int,
    patches: int,
    hulls: Hulls,
    point: wp.array3d[wp.vec3d],
    foot: wp.array2d[wp.vec3d],
    foot2: wp.array2d[wp.float64],
    code: wp.array2d[wp.vec2i],
    face: wp.array2d[wp.vec4i],
    rim: wp.array2d[wp.vec2i],
    polygon: wp.array2d[wp.vec3d],
    shape: wp.array2d[Convex],
    hits: Hits,
    count: wp.array[int],
):
    w = wp.tid()
    hits.world = w
    hits.first = 0
    work = Workspace()
    work.point1 = point[0, w]
    work.point2 = point[1, w]
    work.code = code[w]
    work.face = face[w]
    work.normal = foot[w]
    work.height = foot2[w]
    work.rim = rim[w]
    work.shape = shape[w]
    work.polygon = polygon[w]
    search = ConvexSearch()
    search.cutoff = real(cutoff[w])
    search.margin = real(margin[w])
    search.tolerance = real(tolerance)
    search.iterations = iterations
    search.patches = patches != 0
    s1 = Convex()
    s1.kind = kind1
    s1.turn = wp.identity(n=3, dtype=wp.float64)
    s1.size = vec(size1[w])
    s1.first = first[0, w][0]
    s1.count = first[0, w][1]
    s2 = Convex()
    s2.kind = kind2
    s2.size = vec(size2[w])
    m1 = mat(mat1[w])
    s2.turn = wp.transpose(m1) * mat(mat2[w])
    s2.pos = wp.transpose(m1) * vec(pos2[w] - pos1[w])
    s2.first = first[1, w][0]
    s2.count = first[1, w][1]
    work.shape[0] = s1
    work.shape[1] = s2
    count[w] = convex_convex(work, hits, hulls, search, pos1[w], mat1[w])


@dataclass
class Meshes:
    """A compiled model with the meshes, and their hulls."""

    mj: object
    rows: dict

    def address(self, mesh: int) -> tuple[int, int]:
        """First vertex and number of vertices of a mesh's hull."""
        return int(self.rows["geom_hulladr"][mesh]), int(self.rows["geom_hullnum"][mesh])

    def hulls(self) -> Hulls:
        """As the kernel takes them."""
        h = Hulls()
        names = {"vert": "vert", "nbr_adr": "nbradr", "nbr": "nbr", "fan_adr": "fanadr", "fan": "fan"}
        names |= {"poly_normal": "normal", "poly_adr": "polyadr", "poly": "poly"}
        for name, row in names.items():
            kind = {"vert": float, "poly_normal": wp.vec3}.get(name, int)
            setattr(h, name, wp.array(self.rows[f"hull_{row}"], dtype=kind))
        return h


def prism(n: int, radius: float, height: float) -> np.ndarray:
    """Corners of an upright prism over a regular polygon."""
    angle = 2 * np.pi * np.arange(n) / n
    ring = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return np.concatenate([np.insert(ring, 2, -height, axis=1), np.insert(ring, 2, height, axis=1)])


def cloud(n: int, seed: int) -> np.ndarray:
    """Points on an ellipsoid: a hull of triangles."""
    points = np.random.default_rng(seed).standard_normal((n, 3))
    return points / np.linalg.norm(points, axis=1)[:, None] * [0.1, 0.15, 0.2]


SOLIDS = (
    np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.12, 0.12) for z in (-0.15, 0.15)]),  # a box
    prism(12, 0.15, 0.1),
    cloud(30, 1),
    prism(3, 0.12, 0.2),
)


def meshes() -> Meshes:
    """The solids as meshes."""
    text = lambda points: " ".join(f"{x:.6f}" for x in points.ravel())
    assets = "".join(f'<mesh name="m{i}" vertex="{text(s)}"/>' for i, s in enumerate(SOLIDS))
    geoms = "".join(f'<geom type="mesh" mesh="m{i}"/>' for i in range(len(SOLIDS)))
    mj = oracle.compile_xml(f"<mujoco><asset>{assets}</asset><worldbody>{geoms}</worldbody></mujoco>")
    return Meshes(mj, derive(mj))


def collide(
    first: str, second: str, p, solids, m: Meshes, tolerance=1e-6, iterations=ITERATIONS, patches=True, device="cpu"
) -> Found:
    """The engine's hits; ``solids [n, 2]`` says which mesh a shape is where it is one, margins are the cutoffs."""
    n, vertices = len(p), iterations + 5
    with wp.ScopedDevice(device):
        hits = Hits()
        hits.dist = wp.zeros((n, MAX_HITS), dtype=float)
        for name in ("pos", "normal", "tangent"):
            setattr(hits, name, wp.zeros((n, MAX_HITS), dtype=wp.vec3))
        rows = np.array([[m.address(s) for s in solids[:, k]] for k in range(2)], np.int32)
        poses = [
            wp.array(np.asarray(value, np.float32), dtype=kind)
            for value, kind in zip(
                (p.pos1, p.mat1, p.size1, p.pos2, p.mat2, p.size2), [wp.vec3, wp.mat33, wp.vec3] * 2, strict=True
            )
        ]
        cutoff = wp.array(np.asarray(p.cutoff, np.float32), dtype=float)
        count = wp.zeros(n, dtype=int)
        scratch = [
            wp.empty((2, n, vertices), dtype=wp.vec3d),
            wp.empty((n, 2 * vertices), dtype=wp.vec3d),
            wp.empty((n, 2 * vertices), dtype=wp.float64),
            wp.empty((n, vertices), dtype=wp.vec2i),
            wp.empty((n, 2 * vertices), dtype=wp.vec4i),
            wp.empty((n, 3 * vertices), dtype=wp.vec2i),
            wp.empty((n, 2 * CORNERS), dtype=wp.vec3d),
            wp.empty((n, 2), dtype=Convex),
        ]
        numbers = {**NUMBERS, "mesh": 7}
        wp.launch(
            convex_kernel,
            n,
            [
                numbers[first],
                numbers[second],
                *poses,
                wp.array(rows, dtype=wp.vec2i),
                cutoff,
                cutoff,
                tolerance,
                iterations,
                int(patches),
                m.hulls(),
                *scratch,
                hits,
                count,
            ],
        )
    number = count.numpy()
    unused = np.arange(MAX_HITS) >= number[:, None]
    found = Found(number, hits.dist.numpy(), hits.pos.numpy(), hits.normal.numpy()[:, :, None])
    for values in (found.dist, found.pos, found.frame):
        values[unused] = np.nan
    return found


def two_geoms(first: str, second: str, solids, options: str = ""):
    """A model with the first shape fixed to the world and the second free; vertices of meshes as they are."""
    text = lambda points: " ".join(f"{x:.6f}" for x in points.ravel())
    assets = "".join(f'<mesh name="m{k}" vertex="{text(SOLIDS[s])}"/>' for k, s in enumerate(solids))
    shape = lambda kind, k: (
        f'<geom type="mesh" mesh="m{k}"/>'
        if kind == "mesh"
        else f'<geom type="{kind}" size="{" ".join(["1"] * SIZES[kind])}"/>'
    )
    return oracle.compile_xml(
        f"<mujoco>{options}<asset>{assets}</asset><worldbody>{shape(first, 0)}<body><freejoint/>{shape(second, 1)}</body></worldbody></mujoco>"
    )


def expected(first: str, second: str, p, solids, options: str = "") -> Found:
    """MuJoCo's hits."""
    models = {tuple(s): two_geoms(first, second, s, options) for s in np.unique(solids, axis=0).tolist()}
    data = {key: oracle.mujoco.MjData(model) for key, model in models.items()}
    n = len(p)
    blank = lambda *shape: np.full((n, MAX_HITS, *shape), np.nan)
    found = Found(np.zeros(n, int), blank(), blank(3), blank(1, 3))
    for w in range(n):
        model, d = models[tuple(solids[w].tolist())], data[tuple(solids[w].tolist())]
        d.geom_xpos[:] = p.pos1[w], p.pos2[w]
        d.geom_xmat[:] = p.mat1[w].reshape(9), p.mat2[w].reshape(9)
        for geom, (shape, size) in enumerate(((first, p.size1[w]), (second, p.size2[w]))):
            if shape != "mesh":
                model.geom_size[geom, : SIZES[shape]] = size[: SIZES[shape]]
                model.geom_rbound[geom] = 2 * np.linalg.norm(size)
        model.geom_margin[0] = p.cutoff[w]
        oracle.mujoco.mj_collision(model, d)
        found.count[w] = d.ncon
        for i, contact in enumerate(d.contact):
            found.dist[w, i], found.pos[w, i], found.frame[w, i] = contact.dist, contact.pos, contact.frame[:3]
    return found
