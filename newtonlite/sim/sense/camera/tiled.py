"""Tiled camera sensor under Newton's names: the pictures of several cameras in all worlds, which Newton has deprecated."""

import warnings
from enum import Enum
from typing import Any

import warp as wp

from newtonlite.core.errors import ModelError, NewtonDeprecationWarning
from newtonlite.sim.sense.camera.sensor import IMAGES, SensorCamera
from newtonlite.sim.sense.camera.settings import (
    ClearData,
    GaussianRenderMode,
    RenderConfig,
    RenderLightType,
    RenderOrder,
    TextureProjectionMode,
)
from newtonlite.sim.sense.camera.tiled_utils import TiledUtils


class Default(Enum):
    """Default of an argument that may be None."""

    UNSET = 0

    def __repr__(self) -> str:
        return self.name


UNSET: Any = Default.UNSET


class SensorTiledCamera:
    """Pictures [world, camera, height, width] of several cameras, each in all worlds; one ``SensorCamera`` renders them.

    ``SensorCamera`` has the same pictures by views and is what Newton advises; this class warns so.
    """

    RenderLightType = RenderLightType
    RenderOrder = RenderOrder
    TextureProjectionMode = TextureProjectionMode
    GaussianRenderMode = GaussianRenderMode
    RenderConfig = RenderConfig
    ClearData = ClearData
    Utils = TiledUtils

    DEFAULT_CLEAR_DATA = ClearData()
    GRAY_CLEAR_DATA = ClearData(clear_color=0xFF666666, clear_albedo=0xFF000000)

    def __init__(
        self,
        model: Any,
        *,
        default_render_config: RenderConfig | None = None,
        config: RenderConfig | None = UNSET,
        load_textures: bool = True,
    ):
        warnings.warn(
            "SensorTiledCamera is deprecated, as in Newton 1.7; use SensorCamera",
            NewtonDeprecationWarning,
            stacklevel=2,
        )
        if config is not UNSET:
            warnings.warn(
                "SensorTiledCamera(config=...) is deprecated; use default_render_config", NewtonDeprecationWarning, 2
            )
            if default_render_config is not None:
                raise TypeError("SensorTiledCamera: give default_render_config or config, not both")
            default_render_config = config
        self.model = model
        self._sensor = SensorCamera(model, default_render_config=default_render_config)
        self._utils = TiledUtils(self._sensor)

    @property
    def default_render_config(self) -> RenderConfig:
        """Settings of pictures where ``update`` is given none."""
        return self._sensor.default_render_config

    @property
    def render_config(self) -> RenderConfig:
        """Settings of pictures, under Newton's former name."""
        warnings.warn(
            "SensorTiledCamera.render_config is deprecated; use default_render_config",
            NewtonDeprecationWarning,
            stacklevel=2,
        )
        return self.default_render_config

    @property
    def default_clear_data(self) -> ClearData:
        """Pixels where nothing is seen, where ``update`` is given none."""
        return self._sensor.default_clear_data

    @property
    def utils(self) -> TiledUtils:
        """Rays, arrays and lights."""
        return self._utils

    def sync_transforms(self, state: Any) -> None:
        """Nothing: shapes are where ``model.bvh_refit_shapes`` put them."""

    def update(
        self,
        state: Any,
        camera_transforms: wp.array | None = None,
        camera_rays: wp.array | None = None,
        *,
        color_image: wp.array | None = None,
        hdr_color_image: wp.array | None = None,
        depth_image: wp.array | None = None,
        forward_depth_image: wp.array | None = None,
        shape_index_image: wp.array | None = None,
        normal_image: wp.array | None = None,
        albedo_image: wp.array | None = None,
        clear_data: ClearData | None = None,
        render_config: RenderConfig | None = None,
        kernel_block_dim: int = 64,
    ) -> None:
        """Fill the pictures [world, camera, height, width] that are given: ``camera_transforms`` [camera, world],
        ``camera_rays`` [camera, height, width, 2]. ``clear_data`` is for this call. ModelError for arrays that do not fit.
        """
        if camera_transforms is None or camera_rays is None:
            raise ModelError("SensorTiledCamera: camera_transforms and camera_rays must be provided")
        if camera_rays.ndim != 4 or camera_rays.shape[3] != 2:
            raise ModelError(f"camera_rays must have shape (cameras, height, width, 2), got {tuple(camera_rays.shape)}")
        cameras, worlds = camera_rays.shape[0], self.model.world_count
        if camera_transforms.shape != (cameras, worlds):
            raise ModelError(
                f"camera_transforms must have shape ({cameras}, {worlds}), got {tuple(camera_transforms.shape)}"
            )
        given = {
            "color_image": color_image,
            "hdr_color_image": hdr_color_image,
            "albedo_image": albedo_image,
            "depth_image": depth_image,
            "forward_depth_image": forward_depth_image,
            "shape_index_image": shape_index_image,
            "normal_image": normal_image,
        }
        for i in range(cameras):
            made = {name: camera_of(name, array, i) for name, array in given.items() if array is not None}
            rays = camera_rays[i].reshape((*camera_rays.shape[1:3], 1, 2))
            options: dict[str, Any] = {"clear_data": clear_data, "render_config": render_config}
            self._sensor.update(state, camera_transforms[i], rays, **made, **options)


def camera_of(name: str, image: wp.array, camera: int) -> wp.array:
    """The pictures [world, height, width] of a camera, a view. ModelError for other arrays."""
    if not isinstance(image, wp.array) or image.ndim != 4 or image.dtype != IMAGES[name][1]:
        raise ModelError(f"{name} must be an array (world, camera, height, width) of {IMAGES[name][1].__name__}")
    worlds, _, height, width = image.shape
    return wp.array(
        ptr=image.ptr + camera * image.strides[1],
        shape=(worlds, height, width),
        strides=(image.strides[0], *image.strides[2:]),
        dtype=image.dtype,
        device=image.device,
    )
