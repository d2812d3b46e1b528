"""Picture of a rollout: a few robots in rows, the instants side by side from left to right."""

import numpy as np

from newtonlite.viewer import Camera, Stage, render, write_png
from newtonlite.viewer.shapes import ShapeArrays, ShapeCache, floor, join_shapes

# linear red, green, blue
PALETTE = np.array(
    [
        [0.79, 0.15, 0.05],
        [0.88, 0.44, 0.06],
        [0.11, 0.39, 0.28],
        [0.07, 0.25, 0.55],
        [0.31, 0.17, 0.47],
        [0.63, 0.16, 0.28],
    ]
)
ROWS = 5
COLUMNS = 6


class Album:
    """Keeps the poses of some worlds at some instants, and draws them when the rollout is over."""

    def __init__(self, simulation, steps: int):
        self.simulation = simulation
        self.worlds = np.unique(np.linspace(0, simulation.worlds - 1, ROWS).astype(int))
        self.instants = sorted({round(steps * share**1.8) for share in np.linspace(0, 1, COLUMNS)})
        self.poses: list[np.ndarray] = []

    def watch(self, step: int) -> None:
        """Keep the poses before this step, if it is one of the instants."""
        if step in self.instants:
            self.poses.append(self.simulation.state.body_q.numpy().copy())

    def shapes(self) -> ShapeArrays:
        """Every kept robot at its place: rows are worlds, columns instants."""
        wardrobes = [ShapeCache(self.simulation.model, int(world)) for world in self.worlds]
        pitch = self._pitch(wardrobes[0].at(self.poses[0]))
        placed = [floor()]
        for column, body_q in enumerate(self.poses):
            for row, wardrobe in enumerate(wardrobes):
                robot = wardrobe.at(body_q)
                middle = np.append(robot.transform[:, :2].mean(axis=0), 0.0)
                place = pitch * np.array(
                    [column - (len(self.poses) - 1) / 2, 1.1 * (row - (len(wardrobes) - 1) / 2), 0.0]
                )
                placed.append(robot.moved(place - middle).painted(PALETTE[row % len(PALETTE)]))
        return join_shapes(placed)

    def _pitch(self, robot: ShapeArrays) -> float:
        """Distance between neighbours: the height of a robot, or somewhat more than its width [m]."""
        reach = robot.scale.max(axis=1, keepdims=True)
        low, high = (robot.transform[:, :3] - reach).min(axis=0), (robot.transform[:, :3] + reach).max(axis=0)
        return float(max([1.3, 1.3, 1.0] * (high - low)))

    def write(self, file, width: int = 1280, height: int = 720, side: int = 3):
        """Draw the picture to a PNG file."""
        shapes = self.shapes()
        pitch = self._pitch(ShapeCache(self.simulation.model, int(self.worlds[0])).at(self.poses[0]))
        eye, aim = np.array([-2.9, -7.2, 3.0]) * pitch, np.array([0.22, -0.12, 0.14]) * pitch
        stage = Stage(*shapes, device=self.simulation.device)
        return write_png(file, render(stage, Camera(tuple(eye), tuple(aim), fov=28.0), width, height, side))
