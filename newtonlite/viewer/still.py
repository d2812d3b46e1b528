"""Still picture of a model or a recording without a browser, by the ray caster."""

import numpy as np

from newtonlite.core.enums import GeoType
from newtonlite.math import transform as tf
from newtonlite.viewer.batches import HIDDEN_GROUPS, Appearance, InstanceBatch, appearance, shown_by_default
from newtonlite.viewer.camera import Camera
from newtonlite.viewer.framing import AWAY, FAR, size_of_world, two_digits
from newtonlite.viewer.layout import WorldLayout
from newtonlite.viewer.render import render
from newtonlite.viewer.scene import Stage
from newtonlite.viewer.shapes import floor
from newtonlite.viewer.surfaces import Surface

FOV = 45.0  # vertical opening [degrees]


class Stills:
    """Pictures of one model or recording in several poses; its triangles are copied to the device once.

    Args:
        what: a ``Model``, or the ``Appearance`` in a recording (``recording.look``).
        device: where to draw.

    Textures are drawn in their mean colour, and everything without transparency.
    """

    def __init__(self, what, device="cpu"):
        self.look, self.device = what if isinstance(what, Appearance) else appearance(what), device
        self.shown = [batch for batch in self.look.batches if shown_by_default(batch.layer)]
        self.colors = [colors(batch) for batch in self.shown]
        self.soft = [mesh for mesh in self.look.soft if mesh.group not in HIDDEN_GROUPS]
        self.meshes: dict = {}

    def draw(
        self, body_q=None, *, camera: Camera | None = None, width: int = 640, height: int = 480, side: int = 3
    ) -> np.ndarray:
        """A picture [height, width, 3] uint8 of all worlds side by side, with up to side² rays through each pixel.

        Args:
            body_q: [body_count, 7] where bodies are; where they start when None.
            camera: what is looked at; everything, from the front left and above, when None.
        """
        look = self.look
        body_q = look.body_q if body_q is None else np.asarray(body_q, np.float32)
        middle, radius = size_of_world(look, body_q)
        layout = WorldLayout(look.world_count, two_digits(2.0 * radius))
        poses = [world_poses(batch, body_q, layout.offsets) for batch in self.shown]
        grounds = [floor(ground.height) for ground in look.grounds]
        count, (soft, soft_colors) = [len(pose) for pose in poses], self.soft_surfaces(body_q, layout.offsets)
        kind = np.repeat([int(GeoType.MESH), int(GeoType.PLANE)], [sum(count) + len(soft), len(grounds)])
        meshes = dict(self.meshes)  # those of soft meshes have another shape in the next picture
        stage = Stage(
            kind,
            np.zeros((len(kind), 3)),
            np.concatenate(
                [
                    *poses,
                    np.tile(tf.IDENTITY, (len(soft), 1)),
                    *(ground.transform for ground in grounds),
                    np.zeros((0, 7)),
                ]
            ),
            np.concatenate([*self.colors, soft_colors, *(ground.color for ground in grounds), np.zeros((0, 3))]),
            device=self.device,
            surfaces=[batch.surface for batch, n in zip(self.shown, count, strict=True) for _ in range(n)]
            + soft
            + [None] * len(grounds),
            meshes=meshes,
        )
        self.meshes = {id(batch.surface): meshes[id(batch.surface)] for batch in self.shown}
        if camera is None:
            reach = FAR * (layout.extent + radius)
            camera = Camera(tuple(middle + reach * AWAY), tuple(middle), FOV)
        return render(stage, camera, width, height, side)

    def soft_surfaces(self, body_q: np.ndarray, offsets: np.ndarray) -> tuple[list[Surface], np.ndarray]:
        """Surfaces of all flexes and skins, each world at its place, and their linear colours [n, 3]."""
        found, shades = [], [np.zeros((0, 3))]
        for mesh in self.soft:
            for row, world in enumerate(mesh.worlds):
                surface = mesh.surface(body_q, row)
                found.append(surface._replace(vertices=surface.vertices + offsets[world].astype(np.float32)))
                shades.append(np.clip(mesh.color, 0.0, 1.0)[None] ** 2.2)
        return found, np.concatenate(shades)


def still(
    what, body_q=None, *, camera: Camera | None = None, width: int = 640, height: int = 480, side: int = 3, device="cpu"
) -> np.ndarray:
    """A picture [height, width, 3] uint8 of all worlds of a ``Model`` or an ``Appearance``; as ``Stills.draw``."""
    return Stills(what, device).draw(body_q, camera=camera, width=width, height=height, side=side)


def world_poses(batch: InstanceBatch, body_q: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """[n, 7] poses of the copies of a batch, each world at its place."""
    pose = np.tile(tf.IDENTITY.astype(np.float32), (len(batch.bodies), 1))
    moving = batch.bodies >= 0
    pose[moving] = body_q[batch.bodies[moving]]
    pose[:, :3] += offsets[batch.worlds]
    return pose


def colors(batch: InstanceBatch) -> np.ndarray:
    """[n, 3] linear colours of the copies of a batch."""
    mean = 1.0 if batch.texture is None else batch.texture[..., :3].reshape(-1, 3).mean(axis=0) / 255.0
    return (np.clip(batch.colors, 0.0, 1.0) * mean) ** 2.2
