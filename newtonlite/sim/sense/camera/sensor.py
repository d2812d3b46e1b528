"""Camera sensor under Newton's names: pictures of views of a model's worlds by ray casting."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import ColorSpace
from newtonlite.core.errors import DeviceError, ModelError, UnsupportedError
from newtonlite.core.types import Axis, quat_between_axes
from newtonlite.math.quat import from_matrix
from newtonlite.sim.sense.camera.pictures import Utils
from newtonlite.sim.sense.camera.rays import CameraRays
from newtonlite.sim.sense.camera.render import ClearPixel, ViewImages, ViewLight, ViewScene, render_views
from newtonlite.sim.sense.camera.settings import (
    AntiAliasing,
    ClearData,
    DeformableSurfaceMode,
    GaussianRenderMode,
    RenderConfig,
    RenderOrder,
    TextureProjectionMode,
    WorldRenderFlag,
)
from newtonlite.sim.sense.camera.usd import camera_prim, pose_of

IMAGES = {
    "color_image": ("color", wp.uint32),
    "hdr_color_image": ("hdr", wp.vec3),
    "albedo_image": ("albedo", wp.uint32),
    "depth_image": ("depth", wp.float32),
    "forward_depth_image": ("forward", wp.float32),
    "shape_index_image": ("shape", wp.uint32),
    "normal_image": ("normal", wp.vec3),
}
"""Arguments of ``update`` that are pictures, their names in the kernel, and their types."""
SUN = (-1.0, 1.0, -1.0)
"""Direction of the light of ``create_default_light`` where z is up."""
SKY, GROUND = (0.2, 0.2, 0.225), (0.05, 0.05, 0.06)
"""Ambient light from above and below."""


class SensorCamera(CameraRays):
    """A camera sensor of a model: pictures of views, each a camera in a world, by rays that ``compute_camera_rays_...`` makes.

    A camera looks along its -z, y is up. Visible shapes with opacity are seen, where ``model.bvh_refit_shapes`` last put them, in
    the colours of ``model.shape_color`` (sRGB); meshes by their triangles, flat. Light is ambient (``set_ambient_light``) and of
    one lamp (``create_default_light``). Not rendered, and refused by name: textures, checkerboards. Deformable surfaces and
    particles are no part of these models.
    """

    AntiAliasing = AntiAliasing
    ClearData = ClearData
    DeformableSurfaceMode = DeformableSurfaceMode
    GaussianRenderMode = GaussianRenderMode
    RenderConfig = RenderConfig
    RenderOrder = RenderOrder
    TextureProjectionMode = TextureProjectionMode
    Utils = Utils
    WorldRenderFlag = WorldRenderFlag

    def __init__(
        self,
        model: Any,
        *,
        default_clear_data: ClearData | None = None,
        default_render_config: RenderConfig | None = None,
        load_textures: bool = True,
        deformable_surface_mode: DeformableSurfaceMode = DeformableSurfaceMode.BOTH,
    ):
        self._model = model
        self.default_clear_data = default_clear_data if default_clear_data is not None else ClearData()
        self.default_render_config = default_render_config if default_render_config is not None else RenderConfig()
        DeformableSurfaceMode(deformable_surface_mode)
        self._lamp, self._lamp_way, self._lamp_shadows = (0.0,) * 3, SUN, False
        self.set_ambient_light(SKY, GROUND)

    @property
    def device(self) -> wp.Device:
        """Device of the model."""
        return self._model.device

    # arrays for pictures

    def allocate_image(self, view_count: int, width: int, height: int, dtype: Any) -> wp.array:
        """An array [view, height, width] of zeros."""
        return wp.zeros((int(view_count), int(height), int(width)), dtype=dtype, device=self.device)

    def allocate_image_color(self, view_count: int, width: int, height: int) -> wp.array:
        """Colours packed in four bytes: red in the lowest, green, blue, opacity."""
        return self.allocate_image(view_count, width, height, wp.uint32)

    def allocate_image_color_hdr(self, view_count: int, width: int, height: int) -> wp.array:
        """Colours of linear light."""
        return self.allocate_image(view_count, width, height, wp.vec3)

    def allocate_image_albedo(self, view_count: int, width: int, height: int) -> wp.array:
        """Colours of shapes without light, packed."""
        return self.allocate_image(view_count, width, height, wp.uint32)

    def allocate_image_depth(self, view_count: int, width: int, height: int) -> wp.array:
        """Distances along the rays [m]."""
        return self.allocate_image(view_count, width, height, wp.float32)

    def allocate_image_depth_forward(self, view_count: int, width: int, height: int) -> wp.array:
        """Distances along the axis of the camera [m]."""
        return self.allocate_image(view_count, width, height, wp.float32)

    def allocate_image_normal(self, view_count: int, width: int, height: int) -> wp.array:
        """Unit normals in the world."""
        return self.allocate_image(view_count, width, height, wp.vec3)

    def allocate_image_shape_index(self, view_count: int, width: int, height: int) -> wp.array:
        """Numbers of shapes."""
        return self.allocate_image(view_count, width, height, wp.uint32)

    # poses

    def compute_camera_transforms_usd(self, cameras: Any, *, time: Any = None, xform: Any = None) -> wp.array:
        """Poses [view] of USD cameras (one or several) in the world of the model, after ``xform`` (position, quaternion)."""
        several = isinstance(cameras, Sequence) and not isinstance(cameras, (str, bytes))
        found = list(cameras) if several else [cameras]
        if not found:
            raise ModelError("At least one USD camera is required")
        poses = []
        for camera in found:
            place, turn, up = pose_of(camera_prim(camera), time)
            pose = wp.transform(wp.vec3(*place), wp.quat(*from_matrix(turn)[[1, 2, 3, 0]]))
            pose = wp.transform(wp.vec3(), quat_between_axes(up, Axis(int(self._model.up_axis)))) * pose
            poses.append(pose if xform is None else wp.transform(*xform) * pose)
        return wp.array(poses, dtype=wp.transform, device=self.device)

    # light

    def create_default_light(
        self, *, enable_shadows: bool = True, direction: Any = None, color: Sequence[float] | None = None
    ) -> None:
        """Put a directional lamp in place of the one before: from above, where no ``direction`` is given; ``color`` is linear
        (None: white). Shadows are cast where ``RenderConfig.enable_shadows`` is set too.
        """
        if direction is None:
            turn = quat_between_axes(Axis.Z, Axis(int(self._model.up_axis)))
            direction = wp.quat_rotate(turn, wp.normalize(wp.vec3(*SUN)))
        self._lamp_way = tuple(float(x) for x in direction)
        self._lamp = (1.0,) * 3 if color is None else tuple(float(x) for x in color)
        self._lamp_shadows = bool(enable_shadows)

    def set_ambient_light(self, sky_color: Sequence[float], ground_color: Sequence[float] | None = None) -> None:
        """Set the ambient light from above and below (None: the same), linear."""
        self._sky = tuple(float(x) for x in sky_color)
        self._ground = self._sky if ground_color is None else tuple(float(x) for x in ground_color)

    def assign_checkerboard_material(
        self, *, shape_indices: Sequence[int] | np.ndarray, resolution: int = 64, checker_size: int = 32
    ) -> None:
        """UnsupportedError: textures are not rendered."""
        raise UnsupportedError(
            "SensorCamera assign_checkerboard_material: camera sensors render no textures; set model.shape_color, or render by newtonlite.mjwarp"
        )

    def sync_deformable_meshes(self, state: Any, *, deformable_visuals: Any = None) -> None:
        """Nothing: models have no deformable meshes that cameras see. UnsupportedError for ``deformable_visuals``."""
        if deformable_visuals is not None:
            raise UnsupportedError("SensorCamera deformable_visuals: not rendered; leave it out")

    # pictures

    def update(
        self,
        state: Any,
        camera_transforms: wp.array,
        camera_rays: wp.array,
        *,
        color_image: wp.array | None = None,
        depth_image: wp.array | None = None,
        forward_depth_image: wp.array | None = None,
        shape_index_image: wp.array | None = None,
        normal_image: wp.array | None = None,
        albedo_image: wp.array | None = None,
        hdr_color_image: wp.array | None = None,
        world_indices: wp.array | None = None,
        clear_data: ClearData | None = None,
        render_config: RenderConfig | None = None,
        sync_deformables: bool = True,
        deformable_visuals: Any = None,
    ) -> None:
        """Fill the pictures [view, height, width] that are given: ``camera_transforms`` [view] in the world, ``camera_rays``
        [height, width, samples, 2] in the frame of the camera, the same for all views.

        ``world_indices`` [view] tells which world a view shows (None: the one of its number), or by ``WorldRenderFlag`` that it is
        cleared or left alone. Shapes are where ``model.bvh_refit_shapes(state)`` put them. ModelError, TypeError or DeviceError
        for arrays that do not fit.
        """
        self.sync_deformable_meshes(state, deformable_visuals=deformable_visuals)
        config = render_config if render_config is not None else self.default_render_config
        clear = clear_data if clear_data is not None else self.default_clear_data
        config.check()
        self._check("camera_transforms", camera_transforms, wp.transform)
        if camera_transforms.ndim != 1 or not camera_transforms.shape[0]:
            raise ModelError(f"camera_transforms must have shape (view_count,), got {tuple(camera_transforms.shape)}")
        self._check("camera_rays", camera_rays, wp.vec3)
        if camera_rays.ndim != 4 or camera_rays.shape[3] != 2 or 0 in camera_rays.shape:
            raise ModelError(
                f"camera_rays must have shape (height, width, sample_count, 2), got {tuple(camera_rays.shape)}"
            )
        mode = AntiAliasing(config.anti_aliasing)
        if camera_rays.shape[2] > 1 and mode == AntiAliasing.NONE:
            raise ModelError(
                f"camera_rays: sample_count {camera_rays.shape[2]} needs RenderConfig anti_aliasing SSAA or MSAA"
            )
        views = camera_transforms.shape[0]
        if world_indices is None and views > self._model.world_count:
            raise ModelError(
                f"view_count ({views}) exceeds model.world_count ({self._model.world_count}); pass an explicit world_indices"
            )
        if world_indices is not None:
            self._check("world_indices", world_indices, wp.int32)
            if world_indices.shape != (views,):
                raise ModelError(f"world_indices must have shape ({views},), got {tuple(world_indices.shape)}")
        given = {
            "color_image": color_image,
            "hdr_color_image": hdr_color_image,
            "albedo_image": albedo_image,
            "depth_image": depth_image,
            "forward_depth_image": forward_depth_image,
            "shape_index_image": shape_index_image,
            "normal_image": normal_image,
        }
        shape = (views, camera_rays.shape[0], camera_rays.shape[1])
        out = self._images(given, shape)
        inputs = [self._scene(config), self._light(config), clear_pixel(clear), camera_transforms, camera_rays]
        wp.launch(render_views, dim=shape, inputs=[*inputs, world_indices, out], device=self.device)

    def _check(self, name: str, array: Any, dtype: Any) -> None:
        if not isinstance(array, wp.array):
            raise TypeError(f"{name} must be a Warp array, got {type(array).__name__}")
        if array.dtype != dtype:
            raise ModelError(f"{name} must have dtype {dtype.__name__}, got {array.dtype.__name__}")
        if array.device != self.device:
            raise DeviceError(f"{name} must be on the model device ({self.device}), got {array.device}")

    def _images(self, given: dict[str, Any], shape: tuple[int, int, int]) -> ViewImages:
        """The pictures that are wanted."""
        out = ViewImages()
        for name, (field, dtype) in IMAGES.items():
            array = given[name]
            if array is None:
                continue
            self._check(name, array, dtype)
            if array.shape != shape:
                raise ModelError(f"{name} must have shape {shape}, got {tuple(array.shape)}")
            setattr(out, field, array)
        return out

    def _scene(self, config: RenderConfig) -> ViewScene:
        model, v = self._model, ViewScene()
        if model.bvh_shapes is not None:
            v.bvh, v.shapes = model.bvh_shapes.id, model._ray_tables["shapes"]
        v.color, v.worlds, v.shared = model.shape_color, model.world_count, int(config.enable_global_world)
        v.most, v.culling = float(config.max_distance), int(config.enable_backface_culling)
        return v

    def _light(self, config: RenderConfig) -> ViewLight:
        made = ViewLight()
        if config.enable_ambient_lighting:
            made.sky, made.ground = wp.vec3(*self._sky), wp.vec3(*self._ground)
        made.up = wp.vec3(*Axis(int(self._model.up_axis)).to_vector())
        made.lamp, made.way = wp.vec3(*self._lamp), wp.normalize(wp.vec3(*self._lamp_way))
        made.shadows = int(config.enable_shadows and self._lamp_shadows)
        made.srgb = int(config.output_color_space == ColorSpace.SRGB)
        return made


def clear_pixel(clear: ClearData) -> ClearPixel:
    """A pixel where nothing is seen, for the kernel."""
    c = ClearPixel()
    c.color, c.albedo = wp.uint32(clear.clear_color), wp.uint32(clear.clear_albedo)
    c.depth, c.shape = float(clear.clear_depth), wp.uint32(clear.clear_shape_index)
    c.normal = wp.vec3(*(float(x) for x in clear.clear_normal))
    return c
