"""Pictures of camera sensors for people: colours, depths, normals and shape numbers as bytes, view by view or in tiles."""

import math
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import DeviceError, ModelError

HASH = 2654435761
"""Knuth's multiplier: neighbouring numbers get unlike colours."""
NEAR, FAR = 255.0, 50.0
"""Brightness of the nearest and the farthest depth."""


class Utils:
    """Conversions of pictures [view, height, width] to bytes [view, height, width, 4], and to one picture of tiles."""

    @staticmethod
    def convert_ray_depth_to_forward_depth(
        depth_image: wp.array, camera_transforms: wp.array, camera_rays: wp.array, *, out_depth: wp.array | None = None
    ) -> wp.array:
        """Distances along rays as distances along the axis of the camera [m]; what is not positive stays."""
        views, height, width = shape_of("convert_ray_depth_to_forward_depth", depth_image)
        if camera_transforms.shape != (views,):
            raise ModelError(f"camera_transforms shape must be ({views},), got {tuple(camera_transforms.shape)}")
        if camera_rays.shape != (height, width, 1, 2):
            raise ModelError(f"camera_rays shape must be ({height}, {width}, 1, 2), got {tuple(camera_rays.shape)}")
        if {camera_transforms.device, camera_rays.device} != {depth_image.device}:
            raise DeviceError("camera_transforms and camera_rays must be on the same device as the depth image")
        rays, depth = camera_rays.numpy()[:, :, 0], depth_image.numpy()
        ahead = -rays[..., 0, 2] - depth * rays[..., 1, 2]
        return on_device(np.where(depth > 0.0, ahead, depth).astype(np.float32), depth_image, out_depth)

    @staticmethod
    def to_rgba_from_color(image: wp.array) -> wp.array:
        """The bytes of packed colours: a view of the same memory."""
        shape = shape_of("to_rgba_from_color", image)
        return wp.array(
            ptr=image.ptr,
            shape=(*shape, 4),
            strides=(*image.strides, 1),
            dtype=wp.uint8,
            device=image.device,
            capacity=image.capacity,
        )

    @staticmethod
    def to_rgba_from_normal(image: wp.array, *, out_buffer: wp.array | None = None) -> wp.array:
        """Normals as colours: -1 is 0, 1 is 255."""
        shape_of("to_rgba_from_normal", image)
        return on_device(opaque(bytes_of_normals(image.numpy())), image, out_buffer)

    @staticmethod
    def to_rgba_from_depth(image: wp.array, *, depth_range: Any = None, out_buffer: wp.array | None = None) -> wp.array:
        """Depths as grey, the nearer the brighter; black where nothing is. ``depth_range`` (near, far) [m] is that of the
        picture where it is None.
        """
        shape_of("to_rgba_from_depth", image)
        return on_device(opaque(grey(image.numpy(), depth_range)), image, out_buffer)

    @staticmethod
    def to_rgba_from_shape_index(
        image: wp.array, *, colors: wp.array | None = None, out_buffer: wp.array | None = None
    ) -> wp.array:
        """Numbers as colours, by a table [n, 3] of bytes or, without one, by a hash; black beyond the table and for nothing."""
        shape_of("to_rgba_from_shape_index", image)
        number = image.numpy()
        if colors is None:
            mixed = ((number.astype(np.uint64) + 1) * HASH) * (number != 0xFFFFFFFF)
            rgb = np.stack([(mixed >> np.uint64(s)) & np.uint64(255) for s in (16, 8, 0)], axis=-1)
            return on_device(opaque(rgb.astype(np.uint8)), image, out_buffer)
        if colors.ndim != 2 or colors.shape[1] < 3 or colors.dtype != wp.uint8:
            raise ModelError(f"colors must have shape (num_entries, 3), dtype uint8, got {tuple(colors.shape)}")
        if colors.device != image.device:
            raise DeviceError(f"colors must be on device {image.device}, got {colors.device}")
        table = np.concatenate([colors.numpy()[:, :3], np.zeros((1, 3), np.uint8)])
        return on_device(opaque(table[np.minimum(number, len(table) - 1)]), image, out_buffer)

    @staticmethod
    def flatten_color_image_to_rgba(
        image: wp.array, *, out_buffer: wp.array | None = None, views_per_row: int | None = None
    ) -> wp.array:
        """Packed colours as one picture of tiles [rows * height, columns * width, 4]."""
        shape = shape_of("flatten_color_image_to_rgba", image)
        return tiled(
            np.ascontiguousarray(image.numpy()).view(np.uint8).reshape(*shape, 4), image, out_buffer, views_per_row
        )

    @staticmethod
    def flatten_normal_image_to_rgba(
        image: wp.array, *, out_buffer: wp.array | None = None, views_per_row: int | None = None
    ) -> wp.array:
        """Normals as one picture of tiles."""
        shape_of("flatten_normal_image_to_rgba", image)
        return tiled(opaque(bytes_of_normals(image.numpy())), image, out_buffer, views_per_row)

    @staticmethod
    def flatten_depth_image_to_rgba(
        image: wp.array,
        *,
        out_buffer: wp.array | None = None,
        views_per_row: int | None = None,
        depth_range: Any = None,
    ) -> wp.array:
        """Depths as one picture of tiles."""
        shape_of("flatten_depth_image_to_rgba", image)
        return tiled(opaque(grey(image.numpy(), depth_range)), image, out_buffer, views_per_row)


def shape_of(name: str, image: wp.array) -> tuple[int, int, int]:
    """(views, height, width). ModelError for other shapes."""
    if image.ndim != 3:
        raise ModelError(f"{name}: image must have shape (view_count, height, width), got {tuple(image.shape)}")
    views, height, width = image.shape
    return views, height, width


def bytes_of_normals(normals: np.ndarray) -> np.ndarray:
    """Bytes of vectors."""
    return (np.clip(0.5 * (normals + 1.0), 0.0, 1.0) * 255.0).astype(np.uint8)


def grey(depth: np.ndarray, depth_range: Any) -> np.ndarray:
    """Grey [..., 3] of depths. ModelError for a range that is none."""
    there = depth > 0.0
    if isinstance(depth_range, wp.array):
        near, far = depth_range.numpy().tolist()
    elif depth_range is not None:
        near, far = (float(x) for x in depth_range)
        if not (math.isfinite(near) and math.isfinite(far) and near < far):
            raise ModelError(f"depth_range must be finite with near < far, got ({near}, {far})")
    else:
        near, far = (float(depth[there].min()), float(depth[there].max())) if there.any() else (0.0, 1.0)
    share = np.clip((depth - near) / max(far - near, 1.0e-6), 0.0, 1.0)
    value = np.where(there, NEAR - share * (NEAR - FAR), 0.0).astype(np.uint8)
    return np.repeat(value[..., None], 3, axis=-1)


def opaque(rgb: np.ndarray) -> np.ndarray:
    """Colours with full opacity."""
    return np.concatenate([rgb, np.full((*rgb.shape[:-1], 1), 255, np.uint8)], axis=-1)


def on_device(values: np.ndarray, image: wp.array, out: wp.array | None) -> wp.array:
    """Values on the device of a picture, in ``out`` where it is given. ModelError where it does not fit."""
    dtype = wp.uint8 if values.dtype == np.uint8 else wp.float32
    if out is None:
        return wp.array(values, dtype=dtype, device=image.device)
    if out.shape != values.shape or out.dtype != dtype or out.device != image.device:
        raise ModelError(
            f"the output buffer must have shape {values.shape}, dtype {dtype.__name__} on {image.device}, got {tuple(out.shape)}, {out.dtype.__name__} on {out.device}"
        )
    out.assign(values)
    return out


def tiled(views: np.ndarray, image: wp.array, out: wp.array | None, per_row: int | None) -> wp.array:
    """Views [view, height, width, 4] side by side in rows, black where there is none."""
    count, height, width, _ = views.shape
    columns = math.ceil(math.sqrt(count)) if per_row is None else int(per_row)
    if columns < 1:
        raise ModelError(f"views_per_row must be >= 1, got {per_row}")
    rows = math.ceil(count / columns)
    every = np.zeros((rows * columns, height, width, 4), np.uint8)
    every[:count] = views
    flat = every.reshape(rows, columns, height, width, 4).swapaxes(1, 2).reshape(rows * height, columns * width, 4)
    if out is None:
        return on_device(np.ascontiguousarray(flat), image, None)
    return on_device(np.ascontiguousarray(flat), image, out.reshape(flat.shape))
