"""The pure colliders, one pose per thread, and MuJoCo's answer to the same poses."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from newtonlite.geometry.contact.box import box_box
from newtonlite.geometry.contact.capsule import capsule_capsule
from newtonlite.geometry.contact.capsule_box import capsule_box
from newtonlite.geometry.contact.hits import MAX_HITS, Hits, contact_frame, z_axis
from newtonlite.geometry.contact.plane import plane_box, plane_capsule, plane_cylinder, plane_ellipsoid, plane_sphere
from newtonlite.geometry.contact.sphere import sphere_box, sphere_capsule, sphere_cylinder, sphere_sphere
from tests import oracle
from tests.harness.contact_poses import NUMBERS, Poses, extent

PAIRS = [
    ("plane", "sphere"),
    ("plane", "capsule"),
    ("plane", "box"),
    ("plane", "ellipsoid"),
    ("plane", "cylinder"),
    ("sphere", "sphere"),
    ("sphere", "capsule"),
    ("sphere", "box"),
    ("sphere", "cylinder"),
    ("capsule", "capsule"),
    ("capsule", "box"),
    ("box", "box"),
]
SIZES = {"plane": 0, "sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3}

Points = wp.array(dtype=wp.vec3)
Frames = wp.array(dtype=wp.mat33)
Numbers = wp.array(dtype=float)


@dataclass
class Found:
    """Hits of each pose, the unused places NaN."""

    count: np.ndarray  # [n]
    dist: np.ndarray  # [n, 8]
    pos: np.ndarray  # [n, 8, 3]
    frame: np.ndarray  # [n, 8, 3, 3]


@wp.kernel(enable_backward=False)
def collide_kernel(
    pair: int,
    pos1: Points,
    mat1: Frames,
    size1: Points,
    pos2: Points,
    mat2: Frames,
    size2: Points,
    cutoff: Numbers,
    hits: Hits,
    count: wp.array(dtype=int),
    frame: wp.array2d(dtype=wp.mat33),
):
    w = wp.tid()
    hits.world = w
    hits.first = 0
    x1 = pos1[w]
    x2 = pos2[w]
    m1 = mat1[w]
    m2 = mat2[w]
    s1 = size1[w]
    s2 = size2[w]
    z1 = z_axis(m1)
    z2 = z_axis(m2)
    c = cutoff[w]
    n = int(0)
    if pair == 2:
        n = plane_sphere(hits, x1, z1, x2, s2[0], c)
    elif pair == 3:
        n = plane_capsule(hits, x1, z1, x2, z2, s2[0], s2[1], c)
    elif pair == 4:
        n = plane_ellipsoid(hits, x1, z1, x2, m2, s2, c)
    elif pair == 5:
        n = plane_cylinder(hits, x1, z1, x2, m2, s2[0], s2[1], c)
    elif pair == 6:
        n = plane_box(hits, x1, z1, x2, m2, s2, c)
    elif pair == 22:
        n = sphere_sphere(hits, 0, x1, s1[0], x2, s2[0], wp.cross(z1, z2), c)
    elif pair == 23:
        n = sphere_capsule(hits, x1, z1, s1[0], x2, z2, s2[0], s2[1], c)
    elif pair == 25:
        n = sphere_cylinder(hits, x1, z1, s1[0], x2, z2, s2[0], s2[1], c)
    elif pair == 26:
        n = sphere_box(hits, x1, s1[0], x2, m2, s2, c)
    elif pair == 33:
        n = capsule_capsule(hits, x1, z1, s1[0], s1[1], x2, z2, s2[0], s2[1], c)
    elif pair == 36:
        n = capsule_box(hits, x1, z1, s1[0], s1[1], x2, m2, s2, c)
    elif pair == 66:
        n = box_box(hits, x1, m1, s1, x2, m2, s2, c)
    count[w] = n
    for i in range(n):
        frame[w, i] = contact_frame(hits.normal[w, i], hits.tangent[w, i])


def collide(first: str, second: str, p: Poses, device="cpu") -> Found:
    """The engine's hits."""
    n = len(p)
    with wp.ScopedDevice(device):
        hits = Hits()
        hits.dist = wp.zeros((n, MAX_HITS), dtype=float)
        for name in ("pos", "normal", "tangent"):
            setattr(hits, name, wp.zeros((n, MAX_HITS), dtype=wp.vec3))
        count, frame = wp.zeros(n, dtype=int), wp.zeros((n, MAX_HITS), dtype=wp.mat33)
        inputs = [
            wp.array(np.asarray(value, np.float32), dtype=kind)
            for value, kind in zip(vars(p).values(), [wp.vec3, wp.mat33, wp.vec3] * 2 + [float], strict=True)
        ]
        wp.launch(collide_kernel, n, [10 * NUMBERS[first] + NUMBERS[second], *inputs, hits, count, frame])
    number = count.numpy()
    unused = np.arange(MAX_HITS) >= number[:, None]
    found = Found(number, hits.dist.numpy(), hits.pos.numpy(), frame.numpy())
    for values in (found.dist, found.pos, found.frame):
        values[unused] = np.nan
    return found


def two_geoms(first: str, second: str):
    """A model with the first shape fixed to the world and the second free."""
    shape = lambda kind: f'<geom type="{kind}" size="{" ".join(["1"] * (SIZES[kind] or 3))}"/>'
    return oracle.compile_xml(
        f"<mujoco><worldbody>{shape(first)}<body><freejoint/>{shape(second)}</body></worldbody></mujoco>"
    )


def expected(first: str, second: str, p: Poses) -> Found:
    """MuJoCo's hits."""
    model = two_geoms(first, second)
    data = oracle.mujoco.MjData(model)
    n = len(p)
    found = Found(
        np.zeros(n, int),
        np.full((n, MAX_HITS), np.nan),
        np.full((n, MAX_HITS, 3), np.nan),
        np.full((n, MAX_HITS, 3, 3), np.nan),
    )
    for w in range(n):
        data.geom_xpos[:] = p.pos1[w], p.pos2[w]
        data.geom_xmat[:] = p.mat1[w].reshape(9), p.mat2[w].reshape(9)
        for geom, (shape, size) in enumerate(((first, p.size1[w]), (second, p.size2[w]))):
            model.geom_size[geom, : SIZES[shape]] = size[: SIZES[shape]]
            model.geom_rbound[geom] = 2 * extent(shape, size)
        model.geom_margin[0] = p.cutoff[w]
        oracle.mujoco.mj_collision(model, data)
        found.count[w] = data.ncon
        for i, contact in enumerate(data.contact):
            found.dist[w, i], found.pos[w, i], found.frame[w, i] = (
                contact.dist,
                contact.pos,
                contact.frame.reshape(3, 3),
            )
    return found
