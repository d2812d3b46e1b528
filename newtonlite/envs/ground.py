"""Ground of an environment: which tile of a terrain each world starts from, and how high the ground is around a robot."""

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.mdp.observations import orientation
from newtonlite.envs.streams import Stream, uniform

kernel_module(__name__)


@wp.func
def whole_below(s: Stream, world: int, index: int, count: int):
    """A whole number below ``count``."""
    return wp.min(count - 1, int(uniform(s, world, index, 0.0, float(count))))


@wp.kernel
def assign_tile(
    mask: wp.array[wp.bool], s: Stream, levels: int, most: int, kinds: int, level: wp.array[int], kind: wp.array[int]
):
    """A tile for a world: any kind, among the easier levels."""
    world = wp.tid()
    if mask[world]:
        level[world] = whole_below(s, world, 0, wp.min(levels, most + 1))
        kind[world] = whole_below(s, world, 1, kinds)


@wp.kernel
def stand(
    mask: wp.array[wp.bool],
    level: wp.array[int],
    kind: wp.array[int],
    origins: wp.array3d[float],
    out: wp.array2d[float],
):
    """The middle of a world's tile."""
    world, i = wp.tid()
    if mask[world]:
        out[world, i] = origins[level[world], kind[world], i]


@wp.kernel
def climb(
    mask: wp.array[wp.bool],
    s: Stream,
    steps: wp.array[int],
    qpos: wp.array2d[float],
    q: int,
    origin: wp.array2d[float],
    command: wp.array2d[float],
    far: float,
    seconds: float,
    levels: int,
    level: wp.array[int],
):
    """Harder ground for worlds that walked far enough, easier ground for those that did less than half of what they
    were commanded.
    """
    world = wp.tid()
    if not mask[world] or steps[world] == 0:
        return
    x = qpos[world, q] - origin[world, 0]
    y = qpos[world, q + 1] - origin[world, 1]
    walked = wp.sqrt(x * x + y * y)
    commanded = wp.sqrt(command[world, 0] * command[world, 0] + command[world, 1] * command[world, 1])
    if walked > far:
        level[world] = level[world] + 1
        if level[world] >= levels:
            level[world] = whole_below(s, world, 0, levels)
    elif walked < 0.5 * commanded * seconds:
        level[world] = wp.max(0, level[world] - 1)


@wp.func
def height_at(heights: wp.array2d[float], half: wp.vec2, cell: float, x: float, y: float, miss: float):
    """Height of the ground's triangles at a place: cells are cut from the corner of low row and column to the opposite
    one.
    """
    u = (x + half[0]) / cell
    v = (y + half[1]) / cell
    c = int(wp.floor(u))
    r = int(wp.floor(v))
    if u < 0.0 or v < 0.0 or c >= heights.shape[1] - 1 or r >= heights.shape[0] - 1:
        return miss
    a = u - float(c)
    b = v - float(r)
    low = heights[r, c]
    high = heights[r + 1, c + 1]
    if a >= b:
        side = heights[r, c + 1]
        return low + a * (side - low) + b * (high - side)
    side = heights[r + 1, c]
    return low + b * (side - low) + a * (high - side)


@wp.kernel
def scan(
    qpos: wp.array2d[float],
    q: int,
    points: wp.array[wp.vec2],
    heights: wp.array2d[float],
    half: wp.vec2,
    cell: float,
    offset: float,
    most: float,
    out: wp.array2d[float],
):
    """Height scan: how high the root is above the ground at points of a grid that turns with it."""
    world, i = wp.tid()
    ahead = wp.quat_rotate(orientation(qpos, world, q), wp.vec3(1.0, 0.0, 0.0))
    size = wp.max(1.0e-6, wp.sqrt(ahead[0] * ahead[0] + ahead[1] * ahead[1]))
    c = ahead[0] / size
    s = ahead[1] / size
    p = points[i]
    x = qpos[world, q] + c * p[0] - s * p[1]
    y = qpos[world, q + 1] + s * p[0] + c * p[1]
    z = qpos[world, q + 2]
    out[world, i] = wp.min(most, z - height_at(heights, half, cell, x, y, z - most) - offset)


@wp.kernel
def outside(qpos: wp.array2d[float], q: int, half: wp.vec2, margin: float, out: wp.array[wp.bool]):
    """Whether the root is near the edge of the ground, or beyond."""
    world = wp.tid()
    out[world] = wp.abs(qpos[world, q]) > half[0] - margin or wp.abs(qpos[world, q + 1]) > half[1] - margin


@wp.kernel
def place_on_patch(
    mask: wp.array[wp.bool],
    s: Stream,
    level: wp.array[int],
    kind: wp.array[int],
    patches: wp.array4d[float],
    out: wp.array2d[float],
):
    """A flat place of a world's tile."""
    world = wp.tid()
    if mask[world]:
        k = whole_below(s, world, 100, patches.shape[2])
        for i in range(3):
            out[world, i] = patches[level[world], kind[world], k, i]


class Ground:
    """A terrain under the worlds of an environment: ``levels`` and ``kinds`` ``[nworld]`` say which tile each starts
    from.
    """

    def __init__(self, env, terrain):
        self.env, self.terrain = env, terrain
        array = lambda a: wp.array(np.ascontiguousarray(a, np.float32), dtype=float, device=env.device)
        self.origins, self.patches, self.heights = (
            array(terrain.origins),
            array(terrain.patches),
            array(terrain.heights),
        )
        self.half, self.cell = wp.vec2(*terrain.half), terrain.cell
        self.levels, self.kinds = (wp.zeros(env.num_worlds, dtype=int, device=env.device) for _ in range(2))
        self.stream = env.stream("ground")

    def settle(self, mask: wp.array) -> None:
        """Choose tiles for worlds that got a seed."""
        rows, columns = self.origins.shape[:2]
        most = rows - 1 if self.terrain.max_init_level is None else self.terrain.max_init_level
        self.env.launch(
            assign_tile, self.env.num_worlds, [mask, self.stream, rows, most, columns], [self.levels, self.kinds]
        )

    def reset(self, mask: wp.array) -> None:
        """Set the origins of worlds to their tiles."""
        self.env.launch(
            stand, (self.env.num_worlds, 3), [mask, self.levels, self.kinds, self.origins], [self.env.origins]
        )

    def state(self) -> dict:
        """Arrays that a checkpoint needs."""
        return {"ground/levels": self.levels, "ground/kinds": self.kinds}


def ground_of(env) -> Ground:
    """The ground. ModelError for a task without a terrain."""
    if env.ground is None:
        raise ModelError(f"term '{env.terms.name}': the task has no terrain")
    return env.ground


@capturable
def height_scan(env, size: tuple = (1.6, 1.0), resolution: float = 0.1, offset: float = 0.0, max_distance: float = 5.0):
    """Height of the root above the ground, less ``offset``, at points of a grid around it that turns with it,
    ``[nworld, points]``.

    Points are in rows along x, then y. Where there is no ground the value is ``max_distance``.
    """
    g = ground_of(env)
    points = env.sim.cached(
        ("grid", size, resolution), lambda: wp.array(grid(size, resolution), dtype=wp.vec2, device=env.device)
    )
    inputs = [env.sim.data.qpos, env.sim.root.q, points, g.heights, g.half, g.cell, offset, max_distance]
    return env.terms.compute(scan, inputs, len(points))


def grid(size: tuple, resolution: float) -> np.ndarray:
    """Points of a grid around the origin, ``[n, 2]``."""
    axes = [np.arange(round(s / resolution) + 1) * resolution - s / 2 for s in size]
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2).astype(np.float32)


@capturable
def out_of_terrain_bounds(env, margin: float = 0.5):
    """The root has left the ground, or is about to."""
    g = ground_of(env)
    return env.terms.compute(outside, [env.sim.data.qpos, env.sim.root.q, g.half, margin], dtype=wp.bool)


@capturable
def terrain_levels_vel(env, mask, command_name: str):
    """Harder ground for worlds that walked half a tile, easier ground for those that did less than half of what they
    were commanded; any level after the last.
    """
    g = ground_of(env)
    seconds = (env.task.episode_length or 1000) * env.step_dt
    inputs = [
        mask,
        env.terms.stream,
        env.step_count,
        env.sim.data.qpos,
        env.sim.root.q,
        env.origins,
        env.command(command_name),
        g.terrain.size / 2,
        seconds,
        g.origins.shape[0],
    ]
    env.launch(climb, env.num_worlds, inputs, [g.levels])


@capturable
def randomize_terrain(env, mask):
    """Any tile for the worlds of the mask. For resets, before the root is placed."""
    g = ground_of(env)
    rows, columns = g.origins.shape[:2]
    env.launch(assign_tile, env.num_worlds, [mask, env.terms.stream, rows, rows - 1, columns], [g.levels, g.kinds])
    g.reset(mask)


@capturable
def reset_root_state_from_flat_patches(env, mask, pose_range: dict | None = None, velocity_range: dict | None = None):
    """Put the root on a flat place of the world's tile, as ``reset_root_state_uniform`` does around the tile's middle."""
    from newtonlite.envs.mdp.events import reset_root_state_uniform

    g = ground_of(env)
    env.launch(place_on_patch, env.num_worlds, [mask, env.terms.stream, g.levels, g.kinds, g.patches], [env.origins])
    reset_root_state_uniform(env, mask, pose_range or {}, velocity_range)
