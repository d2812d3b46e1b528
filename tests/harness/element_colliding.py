"""Colliders of flex elements, one pose per thread, and MuJoCo's answer to the same poses."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from newtonlite.geometry.contact.element.closest import FlexElement, element_share
from newtonlite.geometry.contact.element.colliders import collide_element
from newtonlite.geometry.contact.element.triangle import MOST_ELEMENT_HITS
from newtonlite.geometry.contact.hits import Hits
from tests import oracle
from tests.harness.colliding import Found
from tests.harness.contact_poses import NUMBERS

RADIUS = 0.02
SIZES = {"sphere": (0.12,), "capsule": (0.06, 0.15), "box": (0.1, 0.13, 0.08)}
ELEMENTS = {1: "0 1", 2: "0 1 2", 3: "0 1 2 3"}
CUTOFF = 0.03


@dataclass
class ElementPoses:
    """Poses of a geom and vertices of an element."""

    kind: str
    dim: int
    pos: np.ndarray  # [n, 3]
    quat: np.ndarray  # [n, 4]
    vertices: np.ndarray  # [n, 4, 3]; beyond the last the last again


def random_poses(kind: str, dim: int, n: int, seed: int = 0) -> ElementPoses:
    """An element of edges around 0.25, and a geom near it."""
    rng = np.random.default_rng(seed)
    vertices = rng.uniform(-0.15, 0.15, (n, 4, 3))
    vertices[:, dim + 1 :] = vertices[:, dim : dim + 1]
    quat = rng.standard_normal((n, 4))
    return ElementPoses(
        kind, dim, rng.uniform(-0.2, 0.2, (n, 3)), quat / np.linalg.norm(quat, axis=1)[:, None], vertices
    )


@wp.kernel(enable_backward=False)
def element_kernel(
    kind: int,
    dim: int,
    size: wp.vec3,
    radius: float,
    cutoff: float,
    pos: wp.array[wp.vec3],
    turn: wp.array[wp.mat33],
    vertex: wp.array2d[wp.vec3],
    hits: Hits,
    count: wp.array[int],
):
    w = wp.tid()
    hits.world = w
    hits.first = 0
    e = FlexElement()
    e.dim = dim
    e.radius = radius
    e.a = vertex[w, 0]
    e.b = vertex[w, 1]
    e.c = vertex[w, 2]
    e.d = vertex[w, 3]
    count[w] = collide_element(hits, kind, pos[w], turn[w], size, e, cutoff)


@wp.kernel(enable_backward=False)
def share_kernel(dim: int, point: wp.array[wp.vec3], vertex: wp.array2d[wp.vec3], share: wp.array[wp.vec4]):
    w = wp.tid()
    e = FlexElement()
    e.dim = dim
    e.a = vertex[w, 0]
    e.b = vertex[w, 1]
    e.c = vertex[w, 2]
    e.d = vertex[w, 3]
    share[w] = element_share(e, point[w])


def matrices(quat: np.ndarray) -> np.ndarray:
    """Rotation matrices [n, 3, 3] of quaternions."""
    out = np.zeros((len(quat), 9))
    for i, q in enumerate(quat):
        oracle.mujoco.mju_quat2Mat(out[i], q)
    return out.reshape(-1, 3, 3)


def collide(p: ElementPoses, device) -> Found:
    """The engine's hits; frames have the normal alone."""
    n = len(p.pos)
    size = np.zeros(3)
    size[: len(SIZES[p.kind])] = SIZES[p.kind]
    with wp.ScopedDevice(device):
        hits = Hits()
        hits.dist = wp.zeros((n, MOST_ELEMENT_HITS), dtype=float)
        for name in ("pos", "normal", "tangent"):
            setattr(hits, name, wp.zeros((n, MOST_ELEMENT_HITS), dtype=wp.vec3))
        count = wp.zeros(n, dtype=int)
        arrays = [
            wp.array(p.pos, dtype=wp.vec3),
            wp.array(matrices(p.quat), dtype=wp.mat33),
            wp.array(p.vertices, dtype=wp.vec3),
        ]
        wp.launch(element_kernel, n, [NUMBERS[p.kind], p.dim, wp.vec3(*size), RADIUS, CUTOFF, *arrays, hits, count])
    return Found(count.numpy(), hits.dist.numpy(), hits.pos.numpy(), hits.normal.numpy())


def shares(dim: int, points: np.ndarray, vertices: np.ndarray, device) -> np.ndarray:
    """Weights [n, 4] of the vertices in the point of an element nearest to each of ``points``."""
    with wp.ScopedDevice(device):
        share = wp.zeros(len(points), dtype=wp.vec4)
        arrays = [wp.array(points, dtype=wp.vec3), wp.array(vertices, dtype=wp.vec3)]
        wp.launch(share_kernel, len(points), [dim, *arrays, share])
    return share.numpy()


def one_element(kind: str, dim: int):
    """A model with one element whose vertices are free, and a geom that goes where it is put."""
    points = " ".join(f"{x}" for x in np.eye(4, 3)[: dim + 1].ravel())
    size = " ".join(map(str, SIZES[kind]))
    return oracle.compile_xml(
        f'<mujoco><worldbody><body mocap="true"><geom type="{kind}" size="{size}" margin="{CUTOFF}"/></body>'
        f'<flexcomp name="f" type="direct" dim="{dim}" point="{points}" element="{ELEMENTS[dim]}" radius="{RADIUS}">'
        '<contact selfcollide="none"/></flexcomp></worldbody></mujoco>'
    )


def expected(p: ElementPoses) -> Found:
    """MuJoCo's hits."""
    model = one_element(p.kind, p.dim)
    data = oracle.mujoco.MjData(model)
    n, most = len(p.pos), MOST_ELEMENT_HITS
    found = Found(np.zeros(n, int), np.zeros((n, most)), np.zeros((n, most, 3)), np.zeros((n, most, 3)))
    for w in range(n):
        data.qpos[:] = (p.vertices[w, : p.dim + 1] - np.eye(4, 3)[: p.dim + 1]).ravel()
        data.mocap_pos[0], data.mocap_quat[0] = p.pos[w], p.quat[w]
        oracle.mujoco.mj_fwdPosition(model, data)
        k = found.count[w] = data.ncon
        found.dist[w, :k], found.pos[w, :k] = data.contact.dist, data.contact.pos
        found.frame[w, :k] = data.contact.frame[:, :3]
    return found
