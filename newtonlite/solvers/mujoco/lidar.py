"""Lidar: distances along a pattern of rays that a body carries, in all worlds; height scans are its parallel rays."""

from collections.abc import Sequence

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.geometry.ray.pattern import RayPattern
from newtonlite.math.quat import matrix
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.kernels.position.kinematics import kinematics
from newtonlite.solvers.mujoco.raycast import groups_of, prepare

kernel_module(__name__)

ALIGNMENTS = ("body", "yaw", "world")
"""Alignments of rays: they turn with the whole orientation of the body, with its turn about z, or not."""


@wp.kernel(enable_backward=False)
def place_rays(
    xpos: wp.array2d[wp.vec3],
    xmat: wp.array2d[wp.mat33],
    body: int,
    alignment: int,
    start: wp.array[wp.vec3],
    way: wp.array[wp.vec3],
    pnt: wp.array2d[wp.vec3],
    vec: wp.array2d[wp.vec3],
):
    """Rays in the world."""
    world, i = wp.tid()
    turn = xmat[world, body]
    if alignment == 1:
        # x of the body, put level
        ahead = wp.vec3(turn[0, 0], turn[1, 0], 0.0)
        if wp.length(ahead) < 1.0e-6:
            ahead = wp.vec3(1.0, 0.0, 0.0)
        ahead = wp.normalize(ahead)
        turn = wp.mat33(ahead[0], -ahead[1], 0.0, ahead[1], ahead[0], 0.0, 0.0, 0.0, 1.0)
    if alignment == 2:
        turn = wp.identity(n=3, dtype=float)
    pnt[world, i] = xpos[world, body] + turn * start[i]
    vec[world, i] = turn * way[i]


@wp.kernel(enable_backward=False)
def read_ranges(
    dist: wp.array2d[float], most: float, miss: float, noise: float, seed: int, scan: int, out: wp.array2d[float]
):
    """Distances up to ``most``, with noise; ``miss`` beyond. Random numbers are of the world, the ray and the scan."""
    world, i = wp.tid()
    far = dist[world, i]
    if far < 0.0 or far > most:
        out[world, i] = miss
        return
    if noise > 0.0:
        state = wp.rand_init(int(wp.rand_init(int(wp.rand_init(seed, scan)), world)), i)
        far = wp.clamp(far + noise * wp.randn(state), 0.0, most)
    out[world, i] = far


class Lidar:
    """A range sensor on ``body`` (a number, 0 for the world): the rays of a ``pattern`` from ``pos`` [3] in its frame,
    turned by ``quat`` (w, x, y, z) and as ``alignment`` says.

    Geoms of ``groups`` (six flags, None: all) within ``max_distance`` [m] are seen, those of the own body unless
    ``exclude_parent`` is False, and those that never move unless ``see_static`` is False. Where nothing is, the value is
    ``miss`` (None: ``max_distance``). ``noise`` is the standard deviation of normal noise [m], which depends on ``seed``,
    scan, world and ray. ``distances`` [nworld, n] is filled by ``scan``; so are ``points``, where rays begin, and
    ``directions`` [nworld, n] in the world, and ``geoms`` [nworld, n], -1 for none.
    """

    def __init__(
        self,
        schedule: Schedule,
        pattern: RayPattern,
        body: int = 0,
        *,
        pos: Sequence[float] = (0.0, 0.0, 0.0),
        quat: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
        alignment: str = "body",
        max_distance: float = 100.0,
        miss: float | None = None,
        noise: float = 0.0,
        seed: int = 0,
        groups: Sequence[int] | None = None,
        exclude_parent: bool = True,
        see_static: bool = True,
    ):
        if alignment not in ALIGNMENTS:
            raise ModelError(f"Lidar: alignment={alignment!r}; give one of {', '.join(ALIGNMENTS)}")
        if not 0 <= body < schedule.model.nbody:
            raise ModelError(f"Lidar: body {body} of {schedule.model.nbody}; they count from 0")
        if not max_distance > 0 or noise < 0:
            raise ModelError(
                f"Lidar: max_distance={max_distance}, noise={noise}; give a range above 0, and noise from 0"
            )
        self.schedule, self.body, self.alignment = schedule, int(body), ALIGNMENTS.index(alignment)
        self.max_distance, self.miss = float(max_distance), float(max_distance if miss is None else miss)
        self.noise, self.seed, self.scans = float(noise), int(seed), 0
        m, d, turn = schedule.model, schedule.data, matrix(np.asarray(quat, float) / np.linalg.norm(quat))
        row = lambda a, kind: wp.array(np.ascontiguousarray(a, np.float32), dtype=kind, device=m.device)
        self._start = row(np.asarray(pattern.start) @ turn.T + np.asarray(pos, float), wp.vec3)
        self._way = row(np.asarray(pattern.way) @ turn.T, wp.vec3)
        shape = d.nworld, len(pattern.way)
        new = lambda shape, kind: wp.zeros(shape, dtype=kind, device=m.device)
        self.points, self.directions, self.distances = new(shape, wp.vec3), new(shape, wp.vec3), new(shape, float)
        self.geoms, self._dist, self._normal = new(shape, int), new(shape, float), new(shape, wp.vec3)
        bodies = d.nworld, m.nbody
        self._frames = {"xpos": new(bodies, wp.vec3), "xmat": new(bodies, wp.mat33)}
        exclude = np.full((1, shape[1]), self.body if exclude_parent and self.body else -1, np.int32)
        self._rays = {
            "ray_pnt": self.points,
            "ray_vec": self.directions,
            "ray_exclude": wp.array(exclude, dtype=int, device=m.device),
            "ray_filter": wp.array(
                np.array([[groups_of(groups), int(see_static)]], np.int32), dtype=int, device=m.device
            ),
            "ray_dist": self._dist,
            "ray_geomid": self.geoms,
            "ray_normal": self._normal,
        }
        prepare(m)

    def scan(self) -> wp.array:
        """Distances [nworld, n] [m] at the present ``qpos``."""
        schedule, device = self.schedule, self.schedule.model.device
        schedule.add("body_frames", (kinematics,))
        schedule.run("body_frames", bound=self._frames)
        inputs = [self._frames["xpos"], self._frames["xmat"], self.body, self.alignment, self._start, self._way]
        wp.launch(place_rays, dim=self.points.shape, inputs=[*inputs, self.points, self.directions], device=device)
        schedule.add("ray", pipeline.RAY)
        schedule.run("ray", bound=self._rays)
        inputs = [self._dist, self.max_distance, self.miss, self.noise, self.seed, self.scans, self.distances]
        wp.launch(read_ranges, dim=self.distances.shape, inputs=inputs, device=device)
        self.scans += 1
        return self.distances
