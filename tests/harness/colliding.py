"""The pure colliders, one pose per thread, and MuJoCo's answer to the same poses."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from newtonlite.geometry.contact.colliders import ANALYTIC, collide_primitives
from newtonlite.geometry.contact.hits import MAX_HITS, Hits, contact_frame
from tests import oracle
from tests.harness.contact_poses import NUMBERS, Poses, extent

PAIRS = [tuple(name for kind in row.types for name, number in NUMBERS.items() if number == kind) for row in ANALYTIC]
SIZES = {"plane": 0, "sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3}

Points = wp.array[wp.vec3]
Frames = wp.array[wp.mat33]
Numbers = wp.array[float]


@dataclass
class Found:
    """Hits of each pose, the unused places NaN."""

    count: np.ndarray  # [n]
    dist: np.ndarray  # [n, 8]
    pos: np.ndarray  # [n, 8, 3]
    frame: np.ndarray  # [n, 8, 3, 3]


@wp.kernel(enable_backward=False)
def collide_kernel(
    kind1: int,
    kind2: int,
    pos1: Points,
    mat1: Frames,
    size1: Points,
    pos2: Points,
    mat2: Frames,
    size2: Points,
    cutoff: Numbers,
    hits: Hits,
    count: wp.array[int],
    frame: wp.array2d[wp.mat33],
):
    w = wp.tid()
    hits.world = w
    hits.first = 0
    n = collide_primitives(hits, kind1, pos1[w], mat1[w], size1[w], kind2, pos2[w], mat2[w], size2[w], cutoff[w])
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
        wp.launch(collide_kernel, n, [NUMBERS[first], NUMBERS[second], *inputs, hits, count, frame])
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
