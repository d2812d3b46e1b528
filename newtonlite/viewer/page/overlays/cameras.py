"""Cameras of the model on the page."""

import numpy as np

from newtonlite.math import transform as tf
from newtonlite.viewer.cameras import cameras
from newtonlite.viewer.page.overlays.overlay import Overlay


class CameraOverlay(Overlay):
    """The cameras of the chosen world; a click on one looks through it."""

    title = "Cameras"

    def __init__(self, viewer):
        super().__init__(viewer)
        self.found = cameras(viewer.model) if viewer.model else []
        self.handles: list = []
        self.world = None

    def possible(self) -> bool:
        """Whether there are cameras."""
        return bool(self.found)

    def draw(self, state) -> None:
        """Frusta where the cameras are."""
        world = self.viewer.panels.world
        here = [camera for camera in self.found if camera.world in (world, -1)]
        if world != self.world:
            self.clear()
            self.world = world
            for k, camera in enumerate(here):
                handle = self.api.scene.add_camera_frustum(
                    f"/cameras/{k}", camera.fov, 4 / 3, scale=0.15 * self.viewer.radius, color=(40, 40, 60)
                )
                handle.on_click(self.through(camera))
                self.handles.append(handle)
        for handle, camera in zip(self.handles, here, strict=True):
            handle.position, handle.wxyz = self.placed(camera)

    def placed(self, camera) -> tuple:
        """(position, quaternion w first) on the page, z forward and y down as viser has it."""
        pose = camera.placed(self.viewer.body_q)
        turned = tf.quat_multiply(pose[3:], np.array([1.0, 0.0, 0.0, 0.0]))
        return tuple(pose[:3] + self.viewer.layout.offsets[self.world]), tuple(turned[[3, 0, 1, 2]])

    def through(self, camera):
        """A callback that moves the page's camera to a camera of the model."""

        async def look(event) -> None:
            pose = camera.placed(self.viewer.body_q)
            position = pose[:3] + self.viewer.layout.offsets[max(camera.world, 0)]
            forward, up = (
                tf.quat_rotate(pose[3:], np.array([0.0, 0.0, -1.0])),
                tf.quat_rotate(pose[3:], np.array([0.0, 1.0, 0.0])),
            )
            with event.client.atomic():
                event.client.camera.up_direction, event.client.camera.position = up, position
                event.client.camera.look_at = position + forward * max(self.viewer.radius, 0.1)
                event.client.camera.fov = camera.fov

        return look

    def clear(self) -> None:
        """Clear the cameras."""
        for handle in self.handles:
            handle.remove()
        self.handles, self.world = [], None
