"""Rays, arrays, lights and pictures for people of the tiled camera sensor, under Newton's names."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError, NewtonDeprecationWarning
from newtonlite.sim.sense.camera.pictures import Utils
from newtonlite.sim.sense.camera.sensor import SensorCamera

BY_CAMERA = (
    "focal_length",
    "horizontal_aperture",
    "vertical_aperture",
    "horizontal_aperture_offset",
    "vertical_aperture_offset",
)


class TiledUtils:
    """Utilities of a tiled camera sensor: arrays [world, camera, height, width], rays [camera, height, width, 2]."""

    def __init__(self, sensor: SensorCamera):
        self._sensor = sensor

    # arrays for pictures

    def _image(self, width: int, height: int, cameras: int, dtype: Any) -> wp.array:
        shape = (self._sensor._model.world_count, int(cameras), int(height), int(width))
        return wp.zeros(shape, dtype=dtype, device=self._sensor.device)

    def create_color_image_output(self, width: int, height: int, camera_count: int = 1) -> wp.array:
        """Colours packed in four bytes: red in the lowest, green, blue, opacity."""
        return self._image(width, height, camera_count, wp.uint32)

    def create_hdr_color_image_output(self, width: int, height: int, camera_count: int = 1) -> wp.array:
        """Colours of linear light."""
        return self._image(width, height, camera_count, wp.vec3)

    def create_albedo_image_output(self, width: int, height: int, camera_count: int = 1) -> wp.array:
        """Colours of shapes without light, packed."""
        return self._image(width, height, camera_count, wp.uint32)

    def create_depth_image_output(self, width: int, height: int, camera_count: int = 1) -> wp.array:
        """Distances along the rays [m]."""
        return self._image(width, height, camera_count, wp.float32)

    def create_forward_depth_image_output(self, width: int, height: int, camera_count: int = 1) -> wp.array:
        """Distances along the axis of the camera [m]."""
        return self._image(width, height, camera_count, wp.float32)

    def create_normal_image_output(self, width: int, height: int, camera_count: int = 1) -> wp.array:
        """Unit normals in the world."""
        return self._image(width, height, camera_count, wp.vec3)

    def create_shape_index_image_output(self, width: int, height: int, camera_count: int = 1) -> wp.array:
        """Numbers of shapes."""
        return self._image(width, height, camera_count, wp.uint32)

    # rays

    def compute_camera_rays_pinhole(
        self,
        width: int,
        height: int,
        *,
        camera_fovs: Any = None,
        focal_length: Any = None,
        horizontal_aperture: Any = None,
        vertical_aperture: Any = None,
        horizontal_aperture_offset: Any = 0.0,
        vertical_aperture_offset: Any = 0.0,
        out_rays: wp.array | None = None,
        camera_index: int = 0,
    ) -> wp.array:
        """Rays of pinholes, one for each of ``camera_fovs`` [rad], or of the films; into ``out_rays`` from ``camera_index`` on."""
        given = {
            "focal_length": focal_length,
            "horizontal_aperture": horizontal_aperture,
            "vertical_aperture": vertical_aperture,
            "horizontal_aperture_offset": horizontal_aperture_offset,
            "vertical_aperture_offset": vertical_aperture_offset,
        }
        if all(given[name] is None for name in BY_CAMERA[:3]):
            if camera_fovs is None:
                raise ModelError("camera_fovs must be provided when aperture parameters are not used")
            given = {"camera_fov": camera_fovs}
        rows = {name: numbers(value) for name, value in given.items() if value is not None}
        count = max(map(len, rows.values()))
        if any(len(values) not in (1, count) for values in rows.values()):
            raise ModelError(
                f"camera parameters: expected one number or {count}, got { ({n: len(v) for n, v in rows.items()}) }"
            )
        each = [{name: float(v[i % len(v)]) for name, v in rows.items()} for i in range(count)]
        make = lambda options: SensorCamera.compute_camera_rays_pinhole(
            width, height, **options, device=self._sensor.device
        )
        return self._stack(list(map(make, each)), out_rays, camera_index)

    def compute_pinhole_camera_rays(self, width: int, height: int, camera_fovs: Any = None, **options: Any) -> wp.array:
        """Rays of pinholes, under Newton's former name."""
        warnings.warn(
            "compute_pinhole_camera_rays is deprecated; use compute_camera_rays_pinhole",
            NewtonDeprecationWarning,
            stacklevel=2,
        )
        return self.compute_camera_rays_pinhole(width, height, camera_fovs=camera_fovs, **options)

    def compute_camera_rays_usd_pinhole(
        self,
        width: int,
        height: int,
        cameras: Any,
        *,
        time: Any = None,
        out_rays: wp.array | None = None,
        camera_index: int = 0,
    ) -> wp.array:
        """Rays of one USD camera or several."""
        every = list(cameras) if isinstance(cameras, (list, tuple)) else [cameras]
        make = lambda one: SensorCamera.compute_camera_rays_pinhole_usd(
            width, height, one, time=time, device=self._sensor.device
        )
        return self._stack(list(map(make, every)), out_rays, camera_index)

    def compute_camera_rays_pinhole_opencv(self, *args: Any, **options: Any) -> wp.array:
        """Rays of OpenCV's pinhole, with ``SensorCamera.compute_camera_rays_pinhole_opencv``'s parameters."""
        return self._one(SensorCamera.compute_camera_rays_pinhole_opencv, args, options)

    def compute_camera_rays_fisheye_opencv(self, *args: Any, **options: Any) -> wp.array:
        """Rays of OpenCV's fisheye, with ``SensorCamera.compute_camera_rays_fisheye_opencv``'s parameters."""
        return self._one(SensorCamera.compute_camera_rays_fisheye_opencv, args, options)

    def compute_camera_rays_fisheye_ftheta(self, *args: Any, **options: Any) -> wp.array:
        """Rays of an F-theta fisheye, with ``SensorCamera.compute_camera_rays_fisheye_ftheta``'s parameters."""
        return self._one(SensorCamera.compute_camera_rays_fisheye_ftheta, args, options)

    def compute_camera_rays_fisheye_kannala_brandt(self, *args: Any, **options: Any) -> wp.array:
        """Rays of Kannala and Brandt's fisheye, with ``SensorCamera.compute_camera_rays_fisheye_kannala_brandt``'s parameters."""
        return self._one(SensorCamera.compute_camera_rays_fisheye_kannala_brandt, args, options)

    def _one(self, make: Callable, args: tuple, options: dict) -> wp.array:
        """Rays of one camera; ``nominal_width`` and ``nominal_height`` are former names of the calibration's size."""
        out, index = options.pop("out_rays", None), options.pop("camera_index", 0)
        for former, name in (("nominal_width", "image_width"), ("nominal_height", "image_height")):
            nominal = options.pop(former, None)
            if nominal is not None:
                options.setdefault(name, nominal)
        return self._stack([make(*args, **options, device=self._sensor.device)], out, index)

    def _stack(self, found: list, out: wp.array | None, first: int) -> wp.array:
        """Rays of cameras one after the other. ModelError for an array that they do not fit into."""
        height, width = found[0].shape[:2]
        if out is None:
            out = wp.zeros((first + len(found), height, width, 2), dtype=wp.vec3, device=self._sensor.device)
        if out.dtype != wp.vec3 or out.ndim != 4 or out.shape[1:] != (height, width, 2):
            raise ModelError(f"out_rays must have shape (cameras, {height}, {width}, 2), got {tuple(out.shape)}")
        if first < 0 or first + len(found) > out.shape[0]:
            raise ModelError(f"camera_index {first}: {len(found)} cameras do not fit into {out.shape[0]}")
        for i, rays in enumerate(found):
            wp.copy(out[first + i], rays.reshape((height, width, 2)))
        return out

    def compute_camera_transforms_usd(self, cameras: Any, *, time: Any = None, xform: Any = None) -> wp.array:
        """Poses [camera, world] of USD cameras: one, several (the same in all worlds), or rows by world."""
        every = list(cameras) if isinstance(cameras, (list, tuple)) else [cameras]
        worlds = self._sensor._model.world_count
        rows = [list(one) if isinstance(one, (list, tuple)) else [one] * worlds for one in every]
        poses = [self._sensor.compute_camera_transforms_usd(row, time=time, xform=xform).numpy() for row in rows]
        return wp.array(np.stack(poses), dtype=wp.transform, device=self._sensor.device)

    # light

    def create_default_light(self, enable_shadows: bool = True, direction: Any = None) -> None:
        """Put a white directional lamp in place of the one before. ``enable_shadows`` of the sensor's settings becomes the same,
        which Newton has deprecated; a warning says so.
        """
        self._sensor.create_default_light(enable_shadows=enable_shadows, direction=direction)
        config = self._sensor.default_render_config
        if config.enable_shadows != enable_shadows:
            text = f"create_default_light() sets default_render_config.enable_shadows; set it to {bool(enable_shadows)} yourself"
            warnings.warn(text, NewtonDeprecationWarning, stacklevel=2)
        config.enable_shadows = bool(enable_shadows)

    def assign_checkerboard_material(self, shape_indices: Any, resolution: int = 64, checker_size: int = 32) -> None:
        """UnsupportedError: textures are not rendered."""
        self._sensor.assign_checkerboard_material(shape_indices=shape_indices)

    def assign_checkerboard_material_to_all_shapes(self, resolution: int = 64, checker_size: int = 32) -> None:
        """UnsupportedError: textures are not rendered."""
        self._sensor.assign_checkerboard_material(shape_indices=[])

    # pictures for people

    def convert_ray_depth_to_forward_depth(
        self,
        depth_image: wp.array,
        camera_transforms: wp.array,
        camera_rays: wp.array,
        out_depth: wp.array | None = None,
    ) -> wp.array:
        """Distances along rays as distances along the axes of the cameras [m]."""
        depth, rays = depth_image.numpy(), camera_rays.numpy()
        ahead = np.where(depth > 0.0, -rays[None, ..., 0, 2] - depth * rays[None, ..., 1, 2], depth).astype(np.float32)
        if out_depth is None:
            return wp.array(ahead, dtype=wp.float32, device=depth_image.device)
        out_depth.assign(ahead)
        return out_depth

    def flatten_color_image_to_rgba(
        self, image: wp.array, out_buffer: wp.array | None = None, worlds_per_row: int | None = None
    ) -> wp.array:
        """Packed colours as one picture: worlds in rows, the cameras of each side by side."""
        return flattened(Utils.flatten_color_image_to_rgba, image, out_buffer, worlds_per_row)

    def flatten_normal_image_to_rgba(
        self, image: wp.array, out_buffer: wp.array | None = None, worlds_per_row: int | None = None
    ) -> wp.array:
        """Normals as one picture."""
        return flattened(Utils.flatten_normal_image_to_rgba, image, out_buffer, worlds_per_row)

    def flatten_depth_image_to_rgba(
        self,
        image: wp.array,
        out_buffer: wp.array | None = None,
        worlds_per_row: int | None = None,
        depth_range: Any = None,
    ) -> wp.array:
        """Depths as one picture."""
        make = lambda *a, **k: Utils.flatten_depth_image_to_rgba(*a, **k, depth_range=depth_range)
        return flattened(make, image, out_buffer, worlds_per_row)

    def to_rgba_from_color(self, image: wp.array) -> wp.array:
        """Bytes [world * camera, height, width, 4] of packed colours."""
        return Utils.to_rgba_from_color(views_of(image))

    def to_rgba_from_normal(self, image: wp.array, out_buffer: wp.array | None = None) -> wp.array:
        """Normals as colours."""
        return Utils.to_rgba_from_normal(views_of(image), out_buffer=out_buffer)

    def to_rgba_from_depth(
        self, image: wp.array, depth_range: Any = None, out_buffer: wp.array | None = None
    ) -> wp.array:
        """Depths as grey, the nearer the brighter."""
        return Utils.to_rgba_from_depth(views_of(image), depth_range=depth_range, out_buffer=out_buffer)

    def to_rgba_from_shape_index(
        self, image: wp.array, colors: wp.array | None = None, out_buffer: wp.array | None = None
    ) -> wp.array:
        """Numbers as colours."""
        return Utils.to_rgba_from_shape_index(views_of(image), colors=colors, out_buffer=out_buffer)


def numbers(value: Any) -> np.ndarray:
    """A number, or several, as a row."""
    return np.atleast_1d(value.numpy() if isinstance(value, wp.array) else np.asarray(value, float)).ravel()


def views_of(image: wp.array) -> wp.array:
    """Pictures [world, camera, height, width] as views [world * camera, height, width]. ModelError for other shapes."""
    if image.ndim != 4:
        raise ModelError(f"image must have shape (world, camera, height, width), got {tuple(image.shape)}")
    return image.reshape((image.shape[0] * image.shape[1], *image.shape[2:]))


def flattened(make: Callable, image: wp.array, out: wp.array | None, worlds_per_row: int | None) -> wp.array:
    """One picture of views: as many cameras side by side as worlds in a row have."""
    views = views_of(image)
    per_row = None if worlds_per_row is None else int(worlds_per_row) * image.shape[1]
    return make(views, out_buffer=out, views_per_row=per_row)
