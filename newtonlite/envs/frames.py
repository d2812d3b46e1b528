"""Pictures of the worlds of an environment, each by itself, with a camera that goes along with what moves."""

import numpy as np

from newtonlite.envs.simulation import scene_of
from newtonlite.math import transform as tf
from newtonlite.viewer import Camera
from newtonlite.viewer.framing import size_of_world
from newtonlite.viewer.still import Stills

KEPT = ("xpos", "xquat")
"""Fields of the engine that a task has to keep for its pictures."""
EYE, FOV = np.array([-1.0, -2.4, 1.0]), 35.0
"""Direction from what is seen to the camera, and its vertical opening [degrees]."""
REACH = 1.2
"""Distance of the camera, in the radius of a world, along ``EYE``."""


def keep_poses(task) -> None:
    """Have the engine keep where bodies are; before the environment of the task is made."""
    task.keep = tuple({*task.keep, *KEPT})


class FrameRenderer:
    """Draws worlds of a task: ``FrameRenderer(task)``, then ``draw(poses(env, world))`` as often as one likes.

    ModelError for a task of a compiled model, which has no shapes.
    """

    def __init__(self, task, size: tuple[int, int] = (320, 240), side: int = 2):
        self.size, self.side = size, side
        self.stills = Stills(scene_of(task, 1))
        self.reach, self.height = None, 0.0

    def poses(self, env, worlds=slice(None)) -> np.ndarray:
        """Poses of the bodies [worlds, bodies, 7], in the order of the scene."""
        newton = np.asarray(env.sim.compiled.newton_body)
        engine = np.flatnonzero(newton >= 0)
        place, turn = env.sim.data.xpos.numpy()[worlds], env.sim.data.xquat.numpy()[worlds]
        found = np.tile(tf.IDENTITY.astype(np.float32), (len(place), len(self.stills.look.body_q), 1))
        found[:, newton[engine], :3] = place[:, engine]
        found[:, newton[engine], 3:] = turn[:, engine][..., [1, 2, 3, 0]]
        return found

    def draw(self, pose: np.ndarray) -> np.ndarray:
        """A picture [height, width, 3] uint8 of one world with its bodies at ``pose`` [bodies, 7]. Height and distance
        of the camera are those of the first picture.
        """
        if self.reach is None:
            self.reach = REACH * size_of_world(self.stills.look, pose)[1]
            self.height = float(pose[:, 2].mean()) if len(pose) else 0.0
        aim = np.append(pose[:, :2].mean(axis=0) if len(pose) else np.zeros(2), self.height)
        camera = Camera(tuple(aim + EYE * self.reach), tuple(aim), fov=FOV)
        return self.stills.draw(pose, camera=camera, width=self.size[0], height=self.size[1], side=self.side)
