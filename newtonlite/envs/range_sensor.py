"""Range sensor of an environment: a lidar or height scan on a body, by rays against all geoms, and its observation term."""

from newtonlite.geometry.ray.pattern import RayPattern
from newtonlite.solvers.mujoco.lidar import Lidar


class RangeSensor:
    """Distances [nworld, n] along the rays of a ``pattern`` that a body carries, measured after each control step and reset.

    ``body`` is a name or pattern of which the first match counts; ``options`` are those of ``Lidar``: ``pos``, ``quat``,
    ``alignment``, ``max_distance``, ``miss``, ``groups``, ``exclude_parent``, ``see_static``. Noise is that of the
    observation term, which every world draws for itself.
    """

    adds = False

    def __init__(self, pattern: RayPattern, body: str, **options):
        self.pattern, self.body, self.options = pattern, body, options

    def make(self, env, key: str) -> "RangeSensor":
        """The sensor at work. ModelError for a body that there is not, and options that do not fit."""
        made = RangeSensor(self.pattern, self.body, **self.options)
        made.lidar = Lidar(env.sim.schedule, self.pattern, int(env.sim.find("body", self.body)[0]), **self.options)
        made.distances = made.lidar.distances
        return made

    def update(self, mask) -> None:
        """Measure; worlds that did not move have the distances that they had."""
        self.lidar.scan()

    def reset(self, mask) -> None:
        """Measure where the worlds of the mask start."""
        self.lidar.scan()

    def state(self, name: str) -> dict:
        """Arrays that a checkpoint needs."""
        return {f"sensor/{name}/distances": self.distances}


def ray_distances(env, sensor_name: str):
    """Distances along the rays of a range sensor [m], ``[nworld, n]``."""
    return env.sensor(sensor_name).distances
