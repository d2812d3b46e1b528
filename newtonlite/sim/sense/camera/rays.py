"""Camera rays under Newton's names: of pinholes and fisheyes, by field of view, film, a USD camera or a calibration."""

import math
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.sim.sense.camera import lens
from newtonlite.sim.sense.camera.usd import film_of


class CameraRays:
    """Rays of camera sensors, by the lens: origins and unit directions [height, width, samples, 2] in the frame of the camera,
    which looks along its -z with y up; into ``out_rays``, or a new array on ``device``. ModelError for numbers, TypeError or
    DeviceError for arrays that do not fit.
    """

    @staticmethod
    def compute_camera_rays_pinhole(
        width: int,
        height: int,
        *,
        camera_fov: float | None = None,
        focal_length: float | None = None,
        horizontal_aperture: float | None = None,
        vertical_aperture: float | None = None,
        horizontal_aperture_offset: float = 0.0,
        vertical_aperture_offset: float = 0.0,
        sample_count: int = 1,
        out_rays: wp.array | None = None,
        device: Any = None,
    ) -> wp.array:
        """Origins and directions [height, width, samples, 2] of a pinhole's rays in the frame of the camera: by the vertical
        field of view [rad], or by focal length and film. ModelError for numbers that are missing or do not fit.
        """
        rays = lens.PixelRays(width, height, sample_count, out_rays, device)
        of_film = (focal_length, horizontal_aperture, vertical_aperture)
        if any(a is not None for a in of_film):
            if camera_fov is not None:
                raise ModelError("camera_fov cannot be provided with aperture parameters; give one or the other")
            if any(a is None for a in of_film):
                raise ModelError(
                    "focal_length, horizontal_aperture, and vertical_aperture must be provided together; give all three"
                )
            focal, wide, high = (float(a) for a in of_film)  # type: ignore[arg-type]
            shift = float(horizontal_aperture_offset), float(vertical_aperture_offset)
            return lens.pinhole(rays, *lens.film(focal, (wide, high), shift))
        if camera_fov is None:
            raise ModelError("camera_fov must be provided when aperture parameters are not used")
        if not 0.0 < float(camera_fov) < math.pi:
            raise ModelError(f"camera_fov must be in (0, pi) radians, got {float(camera_fov)}")
        tall = 2.0 * math.tan(0.5 * float(camera_fov))
        return lens.pinhole(rays, (tall * rays.width / rays.height, tall))

    @staticmethod
    def compute_camera_rays_pinhole_usd(
        width: int,
        height: int,
        camera: Any,
        *,
        time: Any = None,
        sample_count: int = 1,
        out_rays: wp.array | None = None,
        device: Any = None,
    ) -> wp.array:
        """Rays of a pinhole as a USD camera has it. UnsupportedError for other projections."""
        rays = lens.PixelRays(width, height, sample_count, out_rays, device)
        return lens.pinhole(rays, *lens.film(*film_of(camera, time)))

    @staticmethod
    def compute_camera_rays_pinhole_opencv(
        width: int,
        height: int,
        fx: float,
        fy: float,
        cx: float,
        cy: float,
        *,
        image_width: float | None = None,
        image_height: float | None = None,
        k1: float = 0.0,
        k2: float = 0.0,
        k3: float = 0.0,
        k4: float = 0.0,
        k5: float = 0.0,
        k6: float = 0.0,
        p1: float = 0.0,
        p2: float = 0.0,
        s1: float = 0.0,
        s2: float = 0.0,
        s3: float = 0.0,
        s4: float = 0.0,
        sample_count: int = 1,
        out_rays: wp.array | None = None,
        device: Any = None,
    ) -> wp.array:
        """Rays of OpenCV's pinhole with radial, tangential and thin prism distortion; zero where none leads to the pixel."""
        rays = lens.PixelRays(width, height, sample_count, out_rays, device)
        k, p, s = (k1, k2, k3, k4, k5, k6), (p1, p2), (s1, s2, s3, s4)
        if not (math.isfinite(fx) and math.isfinite(fy) and fx > 0.0 and fy > 0.0):
            raise ModelError("fx and fy must be finite and positive")
        if not all(math.isfinite(a) for a in (cx, cy, *k, *p, *s)):
            raise ModelError("cx, cy, and distortion coefficients must be finite")
        x, y = lens.on_image(rays, (image_width, image_height), (cx, cy))
        x, y, found = lens.undistorted(x / fx, y / fy, k, p, s)
        return rays.put(np.where(found[..., None], np.stack([x, -y, np.full_like(x, -1.0)], axis=-1), 0.0))

    @staticmethod
    def compute_camera_rays_fisheye_opencv(
        width: int,
        height: int,
        fx: float,
        fy: float,
        cx: float,
        cy: float,
        *,
        image_width: float | None = None,
        image_height: float | None = None,
        k1: float = 0.0,
        k2: float = 0.0,
        k3: float = 0.0,
        k4: float = 0.0,
        max_fov: float = 2.0 * math.pi,
        sample_count: int = 1,
        out_rays: wp.array | None = None,
        device: Any = None,
    ) -> wp.array:
        """Rays of OpenCV's fisheye, r = t (1 + k1 t^2 + k2 t^4 + k3 t^6 + k4 t^8) of the angle t, up to ``max_fov`` / 2."""
        rays = lens.PixelRays(width, height, sample_count, out_rays, device)
        x, y = lens.on_image(rays, (image_width, image_height), (cx, cy))
        radius = lambda t: t * (1.0 + k1 * t**2 + k2 * t**4 + k3 * t**6 + k4 * t**8)
        return lens.fisheye(rays, x / fx, y / fy, radius, max_fov)

    @staticmethod
    def compute_camera_rays_fisheye_ftheta(
        width: int,
        height: int,
        optical_center_x: float,
        optical_center_y: float,
        *,
        image_width: float | None = None,
        image_height: float | None = None,
        k0: float = 0.0,
        k1: float = 1.0,
        k2: float = 0.0,
        k3: float = 0.0,
        k4: float = 0.0,
        max_fov: float = 2.0 * math.pi,
        sample_count: int = 1,
        out_rays: wp.array | None = None,
        device: Any = None,
    ) -> wp.array:
        """Rays of an F-theta fisheye, r = k0 + k1 t + k2 t^2 + k3 t^3 + k4 t^4 [pixel] of the angle t, up to ``max_fov`` / 2."""
        rays = lens.PixelRays(width, height, sample_count, out_rays, device)
        x, y = lens.on_image(rays, (image_width, image_height), (optical_center_x, optical_center_y))
        radius = lambda t: k0 + k1 * t + k2 * t**2 + k3 * t**3 + k4 * t**4
        return lens.fisheye(rays, x, y, radius, max_fov)

    @staticmethod
    def compute_camera_rays_fisheye_kannala_brandt(
        width: int,
        height: int,
        optical_center_x: float,
        optical_center_y: float,
        *,
        image_width: float | None = None,
        image_height: float | None = None,
        k0: float = 1.0,
        k1: float = 0.0,
        k2: float = 0.0,
        k3: float = 0.0,
        max_fov: float = 2.0 * math.pi,
        sample_count: int = 1,
        out_rays: wp.array | None = None,
        device: Any = None,
    ) -> wp.array:
        """Rays of Kannala and Brandt's fisheye, r = k0 t + k1 t^3 + k2 t^5 + k3 t^7 [pixel] of the angle t, up to ``max_fov`` / 2."""
        rays = lens.PixelRays(width, height, sample_count, out_rays, device)
        x, y = lens.on_image(rays, (image_width, image_height), (optical_center_x, optical_center_y))
        radius = lambda t: k0 * t + k1 * t**3 + k2 * t**5 + k3 * t**7
        return lens.fisheye(rays, x, y, radius, max_fov)
