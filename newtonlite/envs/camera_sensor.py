"""Camera sensor of an environment: pictures of a camera of the model as observations."""

from typing import Any

import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.solvers.mujoco.render.batch import CameraBatch, CameraParameters
from newtonlite.solvers.mujoco.render.colour import ColourOptions
from newtonlite.solvers.mujoco.render.views import (
    PresentPoses,
    SceneLooks,
    lights_of,
    looks_of,
    poses_of,
    soft_poses_of,
)

kernel_module(__name__)

CHANNELS = {"depth": 1, "grey": 1, "rgb": 3}
"""Kinds of pictures, and how many numbers a pixel has."""


@wp.func
def share_of(rgb: wp.uint32, shift: int) -> float:
    """A colour of a pixel, 0 to 1."""
    return float((rgb >> wp.uint32(shift)) & wp.uint32(255)) / 255.0


@wp.kernel(enable_backward=False)
def put_colours(mask: wp.array[wp.bool], rgb: wp.array2d[wp.uint32], channels: int, out: wp.array2d[float]):
    """Red, green and blue, a picture each; or one of their brightness."""
    world, i = wp.tid()
    if not mask[world]:
        return
    p = rgb[world, i]
    r = share_of(p, 16)
    g = share_of(p, 8)
    b = share_of(p, 0)
    if channels == 1:
        out[world, i] = 0.299 * r + 0.587 * g + 0.114 * b
        return
    n = rgb.shape[1]
    out[world, i] = r
    out[world, n + i] = g
    out[world, 2 * n + i] = b


@wp.kernel(enable_backward=False)
def put_depths(mask: wp.array[wp.bool], depth: wp.array2d[float], scale: float, out: wp.array2d[float]):
    """Depths in parts of ``scale``, up to 1."""
    world, i = wp.tid()
    if mask[world]:
        out[world, i] = wp.clamp(depth[world, i] / scale, 0.0, 1.0)


class CameraSensor:
    """Pictures ``pixels`` [nworld, channels * height * width] of a camera of the model (its name), taken after each control step
    and reset at the poses of then: channel by channel, row by row, from 0 to 1.

    ``kind``: ``depth`` along the camera's axis in parts of ``depth_scale`` [m], 0 where nothing is seen; ``grey``; or ``rgb``.
    ``groups`` of geoms are seen; ``shadows``, ``textures`` and ``samples`` (squared, per pixel) are those of colours. Poses, fields of
    view are those of each world; so are colours and lights where arrays [nworld, n] are put into ``looks`` (``looks.geom_rgba``).
    """

    adds = False
    env: Any
    poses: PresentPoses
    looks: SceneLooks
    batch: CameraBatch
    picture: wp.array
    pixels: wp.array

    def __init__(
        self,
        camera: str,
        width: int = 64,
        height: int = 64,
        kind: str = "depth",
        *,
        depth_scale: float = 5.0,
        groups: tuple = (0, 1, 2),
        shadows: bool = False,
        textures: bool = True,
        samples: int = 1,
    ):
        if kind not in CHANNELS:
            raise ModelError(f"CameraSensor: kind={kind!r}; expected one of {', '.join(CHANNELS)}")
        if min(width, height, samples) < 1 or not depth_scale > 0.0:
            raise ModelError(
                f"CameraSensor: width={width}, height={height}, samples={samples}, depth_scale={depth_scale}; give sizes from 1 and a scale above 0"
            )
        self.camera, self.width, self.height, self.kind = camera, int(width), int(height), kind
        self.depth_scale, self.groups, self.samples = float(depth_scale), tuple(groups), int(samples)
        self.shadows, self.textures = shadows, textures

    @property
    def shape(self) -> tuple[int, int, int]:
        """(channels, height, width) of a picture."""
        return CHANNELS[self.kind], self.height, self.width

    def make(self, env: Any, key: str) -> "CameraSensor":
        """The sensor at work. ModelError for a camera that there is not."""
        options = {"depth_scale": self.depth_scale, "groups": self.groups, "samples": self.samples}
        options |= {"shadows": self.shadows, "textures": self.textures}
        made = CameraSensor(self.camera, self.width, self.height, self.kind, **options)
        made.env, picture = env, "depth" if self.kind == "depth" else "rgb"
        made.poses, made.looks = PresentPoses(env.sim.schedule), SceneLooks(env.sim.compiled, env.device)
        made.batch = CameraBatch(
            env.sim.compiled,
            env.num_worlds,
            [int(env.sim.find("camera", self.camera)[0])],
            [(self.width, self.height)],
            {picture: [True]},
            groups=self.groups,
            per_world=True,
            colour=ColourOptions(self.textures, self.shadows, samples=self.samples),
            device=env.device,
        )
        made.picture = getattr(made.batch.pictures, picture)
        channels, height, width = self.shape
        made.pixels = wp.zeros((env.num_worlds, channels * height * width), dtype=float, device=env.device)
        return made

    def update(self, mask: wp.array) -> None:
        """Take pictures of the worlds of the mask; those of the others stay as they are."""
        m = self.env.sim.model
        self.poses.update()
        self.batch.aim(CameraParameters(m.cam_projection, m.cam_fovy, m.cam_sensorsize[0], m.cam_intrinsic))
        poses, looks = poses_of(m, self.poses), looks_of(self.looks)
        self.batch.place(poses, looks, soft_poses_of(self.poses), mask)
        self.batch.render(poses, looks, lights_of(self.looks, self.poses), mask)
        if self.kind == "depth":
            inputs = [mask, self.picture, self.depth_scale, self.pixels]
            wp.launch(put_depths, dim=self.picture.shape, inputs=inputs, device=self.env.device)
        else:
            inputs = [mask, self.picture, CHANNELS[self.kind], self.pixels]
            wp.launch(put_colours, dim=self.picture.shape, inputs=inputs, device=self.env.device)

    def reset(self, mask: wp.array) -> None:
        """Take pictures of the worlds of the mask where they start."""
        self.update(mask)

    def state(self, name: str) -> dict:
        """Arrays that a checkpoint needs."""
        return {f"sensor/{name}/pixels": self.pixels}


@capturable
def camera_pixels(env: Any, sensor_name: str) -> wp.array:
    """Numbers of the picture of a camera sensor, ``[nworld, channels * height * width]``, from 0 to 1."""
    return env.sensor(sensor_name).pixels
