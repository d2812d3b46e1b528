"""Cameras in batches under MuJoCo Warp's names: a context, ``refit_bvh``, ``render``, and the pictures of one camera."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import CapacityError, ModelError, StateError, UnsupportedError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.mjwarp.layout import FRAMES
from newtonlite.solvers.mujoco.render import batch
from newtonlite.solvers.mujoco.render.batch import CameraParameters
from newtonlite.solvers.mujoco.render.colour import ColourOptions
from newtonlite.solvers.mujoco.render.views import lights_of, looks_of, poses_of, soft_poses_of

kernel_module(__name__)

OUTPUT_BITS = {"rgb": 1, "depth": 2, "normal": 8, "seg": 16}
"""Bits of ``cam_output`` (mjtCamOutBit)."""
PIXELS = 1 << 26
"""Most pixels of a picture: the resolution may come from a file of a stranger's."""


class RenderContext(batch.CameraBatch):
    """A render context with MuJoCo Warp's names for its arrays: pictures of all cameras, one after the other, and the first
    pixel of each, -1 where there is none.
    """

    _views: tuple = (None, None, -1, ())  # of which model and data, at which count of their changes

    def views_of(self, m: Any, d: Any) -> tuple:
        """Poses, those of soft surfaces, looks and lights of a model and data, made anew where arrays have been replaced."""
        if not d.undone.isdisjoint(FRAMES):
            getattr(d, FRAMES[0])  # all of them are computed when one is read
        count = m.changes.count + m.settings.count + d.engine.changes.count
        if self._views[0] is not m or self._views[1] is not d or self._views[2] != count:
            self._views = m, d, count, (poses_of(m, d), soft_poses_of(d), looks_of(m), lights_of(m, d))
        return self._views[3]

    @property
    def depth_data(self) -> wp.array:
        """Depths along the axis of the camera [nworld, pixels], in m."""
        return self.pictures.depth

    @property
    def seg_data(self) -> wp.array:
        """(number, mjtObj) [nworld, pixels] of a geom, flex or skin."""
        return self.pictures.seg

    @property
    def depth_adr(self) -> wp.array:
        """First pixels of depths."""
        return self.pictures.depth_adr

    @property
    def seg_adr(self) -> wp.array:
        """First pixels of segmentation."""
        return self.pictures.seg_adr

    @property
    def rgb_data(self) -> wp.array:
        """Colours [nworld, pixels], a byte each: blue in the lowest, green, red, and full opacity."""
        return self.pictures.rgb

    @property
    def rgb_adr(self) -> wp.array:
        """First pixels of colours."""
        return self.pictures.rgb_adr


@wp.kernel(enable_backward=False)
def scale_depth(depth: wp.array3d[float], scale: float, out: wp.array3d[float]):
    """Depths in parts of ``scale``, up to 1."""
    w, y, x = wp.tid()
    out[w, y, x] = wp.clamp(depth[w, y, x] / scale, 0.0, 1.0)


@wp.func
def channel(rgb: wp.uint32, i: int) -> wp.uint32:
    """Red, green or blue."""
    return (rgb >> wp.uint32(16 - 8 * i)) & wp.uint32(255)


@wp.kernel(enable_backward=False)
def bytes_of_rgb(rgb: wp.array3d[wp.uint32], axis: int, out: wp.array4d[wp.uint8]):
    """Colours as bytes, along the last axis or the second."""
    w, y, x = wp.tid()
    for i in range(3):
        if axis == 3:
            out[w, y, x, i] = wp.uint8(channel(rgb[w, y, x], i))
        else:
            out[w, i, y, x] = wp.uint8(channel(rgb[w, y, x], i))


@wp.kernel(enable_backward=False)
def floats_of_rgb(rgb: wp.array3d[wp.uint32], axis: int, out: wp.array4d[float]):
    """Colours from 0 to 1, along the last axis or the second."""
    w, y, x = wp.tid()
    for i in range(3):
        if axis == 3:
            out[w, y, x, i] = float(channel(rgb[w, y, x], i)) / 255.0
        else:
            out[w, i, y, x] = float(channel(rgb[w, y, x], i)) / 255.0


@wp.kernel(enable_backward=False)
def unpack_rgb(rgb: wp.array3d[wp.uint32], out: wp.array3d[wp.vec3]):
    """Colours from 0 to 1."""
    w, y, x = wp.tid()
    p = rgb[w, y, x]
    out[w, y, x] = wp.vec3(float(channel(p, 0)), float(channel(p, 1)), float(channel(p, 2))) / 255.0


CHANNELS = {wp.uint8: bytes_of_rgb, wp.float32: floats_of_rgb}
"""Kernels of channels, by type."""


def create_render_context(
    mjm: Any,
    nworld: int = 1,
    cam_res: Sequence[tuple[int, int]] | tuple[int, int] | None = None,
    render_rgb: Sequence[bool] | bool | None = None,
    render_depth: Sequence[bool] | bool | None = None,
    render_seg: Sequence[bool] | bool | None = None,
    use_textures: bool = True,
    use_fast_math: bool = True,
    use_shadows: bool = False,
    use_ambient_lighting: bool = True,
    enabled_geom_groups: Sequence[int] = (0, 1, 2),
    cam_active: Sequence[bool] | Sequence[str] | Sequence[int] | None = None,
    background_color: Sequence[float] = (0.0, 0.0, 0.0, 1.0),
    flex_render_smooth: bool = True,
    use_precomputed_rays: bool = True,
    render_skybox: bool = False,
    enable_backface_culling: bool = True,
    shadow_light_fraction: float = 0.3,
    samples_per_pixel: int = 1,
    enable_vertex_normals: bool = True,
    enable_specular: bool = True,
    enable_emission: bool = True,
    enable_per_light_ambient: bool = True,
    splat_position: np.ndarray | None = None,
    splat_rotation: np.ndarray | None = None,
    splat_scale: np.ndarray | None = None,
    splat_rgba: np.ndarray | None = None,
    splat_adr: np.ndarray | None = None,
    splat_group_id: np.ndarray | None = None,
    deterministic: bool = False,
    *,
    render_normal: Sequence[bool] | bool | None = None,
    mipmaps: bool = True,
    use_transparency: bool = False,
    use_reflections: bool = False,
) -> RenderContext:
    """A context for the cameras of ``mjm`` (what ``put_model`` takes) in ``nworld`` worlds.

    ``cam_active`` are names, numbers or flags of the cameras that are rendered (None: all), ``cam_res`` their
    (width, height), one for each or for all; like the pictures, these are the model's where they are None.
    ``enabled_geom_groups`` are seen, from outside alone unless ``enable_backface_culling`` is False. With
    ``use_precomputed_rays`` False the field of view and the intrinsics of each world are looked at for each picture.

    Colours are lit by the model's lights and headlight, with its textures (``use_textures``) and, with ``use_shadows``,
    shadows, in which ``shadow_light_fraction`` of a light's direct part remains. Where nothing is seen there is
    ``background_color``, or with ``render_skybox`` the model's sky. Pixels are the mean of ``samples_per_pixel`` squared
    rays; of the other pictures one, through the middle. ``use_ambient_lighting``, ``enable_per_light_ambient``,
    ``enable_specular``, ``enable_emission`` and ``enable_vertex_normals`` leave out parts of the light.
    With ``mipmaps`` textures far away are means, as in MuJoCo's pictures; without, as in MuJoCo Warp's.
    With ``use_transparency`` one sees through surfaces by their opacity, and with ``use_reflections`` the first plane or box
    (its top) whose material reflects is a mirror, as in MuJoCo's pictures; MuJoCo Warp's have neither.
    ``use_fast_math`` and ``deterministic`` change nothing: pictures always have the same bits.
    Flexes and skins are seen as MuJoCo draws them, flexes with ``flex_render_smooth`` False by their triangles.
    UnsupportedError for Gaussian splats; ModelError for cameras that there are not, and numbers that do not fit;
    CapacityError for pictures of more than 67 million pixels.
    """
    splats = (splat_position, splat_rotation, splat_scale, splat_rgba, splat_adr, splat_group_id)
    if any(given is not None for given in splats):
        raise UnsupportedError("create_render_context: Gaussian splats are not rendered; leave splat_* out")
    if nworld < 1:
        raise ModelError(f"create_render_context: nworld={nworld}; give at least 1")
    cameras = active_cameras(mjm, cam_active)
    given = {"rgb": render_rgb, "depth": render_depth, "seg": render_seg, "normal": render_normal}
    outputs = {name: wanted(mjm, name, value, cameras) for name, value in given.items()}
    if int(samples_per_pixel) != samples_per_pixel or samples_per_pixel < 1:
        raise ModelError(f"samples_per_pixel={samples_per_pixel}; give a whole number from 1")
    colour = ColourOptions(
        use_textures,
        use_shadows,
        use_ambient_lighting,
        tuple(background_color),
        render_skybox,
        shadow_light_fraction,
        int(samples_per_pixel),
        enable_vertex_normals,
        enable_specular,
        enable_emission,
        enable_per_light_ambient,
        mipmaps,
        use_transparency,
        use_reflections,
    )
    return RenderContext(
        mjm,
        nworld,
        cameras,
        resolutions(mjm, cam_res, cameras),
        outputs,
        groups=enabled_geom_groups,
        culling=enable_backface_culling,
        smooth=flex_render_smooth,
        per_world=not use_precomputed_rays,
        colour=colour,
    )


def active_cameras(mjm: Any, chosen: Sequence | None) -> list[int]:
    """Numbers of cameras by names, numbers or flags."""
    count = int(mjm.ncam)
    if chosen is None:
        return list(range(count))
    if all(isinstance(one, (bool, np.bool_)) for one in chosen) and len(chosen):
        if len(chosen) != count:
            raise ModelError(f"cam_active: {len(chosen)} flags for {count} cameras; give one for each")
        return np.flatnonzero(chosen).tolist()
    names = getattr(mjm, "names_camera", None)
    names = [mjm.cam(i).name for i in range(count)] if names is None else list(names)
    found = []
    for one in chosen:
        if isinstance(one, str) and one not in names:
            raise ModelError(
                f"cam_active: the model has no camera {one!r}; it has {', '.join(map(repr, names)) or 'none'}"
            )
        number = names.index(one) if isinstance(one, str) else int(one)
        if not 0 <= number < count:
            raise ModelError(f"cam_active: camera {number} of {count}; they count from 0")
        found.append(number)
    return found


def resolutions(mjm: Any, given: Sequence | None, cameras: list[int]) -> list[tuple[int, int]]:
    """(width, height) of each camera."""
    if given is None:
        sizes = np.asarray(mjm.cam_resolution).reshape(-1, 2)[cameras].tolist()
    else:
        sizes = np.asarray(given).reshape(-1, 2).tolist()
        sizes = sizes * len(cameras) if len(sizes) == 1 else sizes
    if len(sizes) != len(cameras):
        raise ModelError(f"cam_res: {len(sizes)} resolutions for {len(cameras)} cameras; give one, or one for each")
    if any(int(n) != n or n < 1 for size in sizes for n in size):
        raise ModelError(f"cam_res: {sizes}; width and height are whole numbers from 1")
    large = max((size for size in sizes if size[0] * size[1] > PIXELS), default=None)
    if large:
        raise CapacityError(f"cam_res: a picture of {large[0]} by {large[1]} pixels; at most {PIXELS} are rendered")
    return [(int(width), int(height)) for width, height in sizes]


def wanted(mjm: Any, name: str, given: Sequence[bool] | bool | None, cameras: list[int]) -> list[bool]:
    """Flags of cameras: whether each has a picture of a kind."""
    if given is None:
        return [bool(int(mjm.cam_output[i]) & OUTPUT_BITS[name]) for i in cameras]
    flags = [given] * len(cameras) if isinstance(given, (bool, np.bool_)) else list(given)
    if len(flags) == int(mjm.ncam) != len(cameras):
        flags = [flags[i] for i in cameras]
    flags = flags * len(cameras) if len(flags) == 1 else flags
    if len(flags) != len(cameras):
        raise ModelError(f"render_{name}: {len(flags)} flags for {len(cameras)} cameras; give one, or one for each")
    return [bool(flag) for flag in flags]


def refit_bvh(m: Any, d: Any, rc: RenderContext) -> None:
    """Follow the poses that the data has; ``render`` does it too."""
    poses, soft, looks, _ = rc.views_of(m, d)
    rc.place(poses, looks, soft)


def render(m: Any, d: Any, rc: RenderContext, *, world_mask: wp.array | None = None) -> None:
    """Render the pictures of all cameras, at the poses that the last ``kinematics`` and ``camlight`` or ``forward`` left.

    ``world_mask`` bool [nworld] chooses worlds; pictures of the others stay as they are. StateError for data of another
    number of worlds.
    """
    poses, soft, looks, lights = rc.views_of(m, d)
    if rc.per_world:
        rc.aim(CameraParameters(m.cam_projection, m.cam_fovy, m.cam_sensorsize, m.cam_intrinsic))
    rc.place(poses, looks, soft, world_mask)
    rc.render(poses, looks, lights, world_mask)


def get_rgb(rc: RenderContext, camera_index: int, rgb_out: wp.array) -> None:
    """Copy colours to [nworld, height, width] vec3, 0 to 1, or as learners have them: [nworld, height, width, 3] or
    [nworld, 3, height, width], of bytes or float. An array that Warp made of another library's (``wp.from_torch``) shares its memory.
    """
    rgb = rc.picture("rgb", camera_index)
    worlds, height, width = rgb.shape
    last, first = (worlds, height, width, 3), (worlds, 3, height, width)
    if rgb_out.dtype == wp.vec3 and rgb_out.shape == rgb.shape:
        wp.launch(unpack_rgb, dim=rgb.shape, inputs=[rgb, rgb_out], device=rc.device)
    elif rgb_out.dtype in CHANNELS and rgb_out.shape in (last, first):
        kernel = CHANNELS[rgb_out.dtype]
        axis = 3 if rgb_out.shape == last else 1
        wp.launch(kernel, dim=rgb.shape, inputs=[rgb, axis, rgb_out], device=rc.device)
    else:
        raise StateError(
            f"rgb_out: expected vec3f{rgb.shape}, or bytes or float32 {last} or {first}, got {rgb_out.dtype.__name__}{rgb_out.shape}"
        )


def get_depth(rc: RenderContext, camera_index: int, depth_scale: float, depth_out: wp.array) -> None:
    """Copy depths along the camera's axis [m], over ``depth_scale`` and cut off at 1, to [nworld, height, width]; 0 where
    nothing is seen.
    """
    depth = fitting(rc.picture("depth", camera_index), depth_out, "depth_out")
    wp.launch(scale_depth, dim=depth.shape, inputs=[depth, float(depth_scale), depth_out], device=rc.device)


def get_segmentation(rc: RenderContext, camera_index: int, seg_out: wp.array) -> None:
    """Copy (number, mjtObj) of the geom, flex or skin to [nworld, height, width] vec2i; (-1, -1) where nothing is seen."""
    wp.copy(seg_out, fitting(rc.picture("seg", camera_index), seg_out, "seg_out"))


def get_normal(rc: RenderContext, camera_index: int, normal_out: wp.array) -> None:
    """Copy unit normals in the world to [nworld, height, width] vec3; zero where nothing is seen. Not in MuJoCo Warp."""
    wp.copy(normal_out, fitting(rc.picture("normal", camera_index), normal_out, "normal_out"))


def fitting(picture: wp.array, out: wp.array, name: str) -> wp.array:
    """The picture; StateError for an output of another shape or type."""
    if out.shape != picture.shape or out.dtype != picture.dtype:
        raise StateError(
            f"{name}: expected {picture.dtype.__name__}{picture.shape}, got {out.dtype.__name__}{out.shape}"
        )
    return picture
